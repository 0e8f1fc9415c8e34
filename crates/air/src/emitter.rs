//! What radiates and is no station: energy in the channel, and no frame.

use units::{Dbm, Milliwatts, Time};

/// An emitter: when it is on, and how each radio receives it then.
#[derive(Clone, Debug)]
pub struct Emitter {
    received: Vec<Received>,
    bursts: Vec<[Time; 2]>,
}

/// What one radio has of an emitter.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    pub power: Milliwatts,
    /// Whether it is enough energy to hold the channel busy.
    pub sensed: bool,
}

impl Emitter {
    /// An emitter that is on during `bursts`, one behind the other, and reaches each radio with
    /// the power of `received`. From `energy_detection` on, a clear channel assessment by energy
    /// says busy (IEEE 802.11-2007 §18.4.8.4, CCA mode 1).
    ///
    /// # Panics
    /// When a burst begins before the one before it has ended, or ends before it begins.
    pub fn new(
        received: impl IntoIterator<Item = Dbm>,
        energy_detection: Dbm,
        bursts: Vec<[Time; 2]>,
    ) -> Emitter {
        assert!(bursts.as_flattened().is_sorted());
        let received = received.into_iter().map(|power| Received {
            power: power.to_milliwatts(),
            sensed: power.0 >= energy_detection.0,
        });
        Emitter {
            received: received.collect(),
            bursts,
        }
    }

    /// When it is on.
    pub fn bursts(&self) -> &[[Time; 2]] {
        &self.bursts
    }

    /// Whether any radio's carrier sense notices it.
    pub fn is_sensed(&self) -> bool {
        self.received.iter().any(|received| received.sensed)
    }

    /// What a radio has of it.
    #[inline]
    pub(crate) fn at(&self, radio: usize) -> Received {
        self.received[radio]
    }

    /// The bursts of which some part lies between two times.
    pub(crate) fn between(&self, from: Time, to: Time) -> &[[Time; 2]] {
        let first = self.bursts.partition_point(|&[_, end]| end <= from);
        let rest = &self.bursts[first..];
        &rest[..rest.partition_point(|&[begin, _]| begin < to)]
    }
}
