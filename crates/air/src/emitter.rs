//! What radiates and is no station: energy in the channel, and no frame.

use std::sync::Arc;

use units::{Dbm, Milliwatts, Time};

use crate::noise::Radiation;

/// An emitter: when it is on, and how each radio receives it then.
#[derive(Clone, Debug)]
pub struct Emitter {
    received: Vec<ReceivedEmission>,
    radiation: Arc<dyn Radiation>,
}

/// What one radio has of an emitter.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedEmission {
    pub(crate) power: Milliwatts,
    /// Whether it is enough to hold the channel busy.
    pub(crate) sensed: bool,
}

impl ReceivedEmission {
    /// Nothing of it lies in the radio's channel.
    pub const NOTHING: ReceivedEmission = ReceivedEmission {
        power: Milliwatts::ZERO,
        sensed: false,
    };

    /// A power at a radio whose carrier sense says busy from `sensed_from` on: by energy
    /// (IEEE 802.11-2007 §18.4.8.4, CCA mode 1), or by a preamble.
    pub fn new(power: Dbm, sensed_from: Dbm) -> ReceivedEmission {
        ReceivedEmission {
            power: power.to_milliwatts(),
            sensed: power.0 >= sensed_from.0,
        }
    }
}

impl Emitter {
    /// An emitter that reaches each radio so.
    pub fn new(
        received: impl IntoIterator<Item = ReceivedEmission>,
        radiation: Arc<dyn Radiation>,
    ) -> Emitter {
        Emitter {
            received: received.into_iter().collect(),
            radiation,
        }
    }

    /// The first burst that ends after a time.
    pub fn burst_after(&self, at: Time) -> Option<[Time; 2]> {
        self.radiation.burst_after(at)
    }

    /// Returns whether any radio's carrier sense notices it.
    pub fn is_sensed(&self) -> bool {
        self.received.iter().any(|received| received.sensed)
    }

    /// Returns whether a radio's carrier sense notices it.
    pub fn is_sensed_by(&self, radio: usize) -> bool {
        self.at(radio).sensed
    }

    /// Returns what a radio has of it.
    #[inline]
    pub(crate) fn at(&self, radio: usize) -> ReceivedEmission {
        self.received[radio]
    }

    /// The bursts of which some part lies between two times.
    pub(crate) fn between(&self, from: Time, to: Time) -> impl Iterator<Item = [Time; 2]> {
        let next = |burst: &[Time; 2]| self.burst_after(burst[1]);
        std::iter::successors(self.burst_after(from), next)
            .take_while(move |[begin, _]| *begin < to)
    }
}
