//! What radiates and is no station: energy in the channel, and no frame.

use units::{Dbm, Milliwatts};

/// An emitter, as each radio receives it while it is on.
#[derive(Clone, Debug)]
pub struct Emitter {
    received: Vec<Received>,
}

/// What one radio has of an emitter.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    pub power: Milliwatts,
    /// Whether it is enough energy to hold the channel busy.
    pub sensed: bool,
}

impl Emitter {
    /// An emitter that reaches each radio with the power of `received`. From `energy_detection`
    /// on, a clear channel assessment by energy says busy (IEEE 802.11-2007 §18.4.8.4, CCA
    /// mode 1).
    pub fn new(received: impl IntoIterator<Item = Dbm>, energy_detection: Dbm) -> Emitter {
        let received = received.into_iter().map(|power| Received {
            power: power.to_milliwatts(),
            sensed: power.0 >= energy_detection.0,
        });
        Emitter {
            received: received.collect(),
        }
    }

    /// What each radio has of it.
    pub(crate) fn received(&self) -> &[Received] {
        &self.received
    }
}

/// The emitters that are on, as each radio has them together.
#[derive(Debug)]
pub struct Emissions {
    on: u32,
    power: Vec<Milliwatts>,
}

impl Emissions {
    /// None, among `radios` radios.
    pub fn none(radios: usize) -> Emissions {
        Emissions {
            on: 0,
            power: vec![Milliwatts::ZERO; radios],
        }
    }

    /// Whether there is none.
    #[inline]
    pub fn are_none(&self) -> bool {
        self.on == 0
    }

    /// Their power at a radio.
    #[inline]
    pub fn at(&self, radio: usize) -> Milliwatts {
        self.power[radio]
    }

    /// One more.
    pub fn add(&mut self, emitter: &Emitter) {
        self.on += 1;
        for (power, received) in self.power.iter_mut().zip(emitter.received()) {
            *power = *power + received.power;
        }
    }

    /// One less. Powers are taken off only where some stay, so that silence is exactly none.
    pub fn remove(&mut self, emitter: &Emitter) {
        self.on -= 1;
        let is_last = self.are_none();
        for (power, received) in self.power.iter_mut().zip(emitter.received()) {
            *power = match is_last {
                true => Milliwatts::ZERO,
                false => *power - received.power,
            };
        }
    }
}
