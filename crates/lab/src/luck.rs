//! A radio's random streams.

use air::Chance;
use dot11::Draw;
use engine::{Purpose, Stream};

/// The streams of one radio.
#[derive(Clone, Debug)]
pub struct Luck {
    backoff: Stream,
    reception: Stream,
}

impl Luck {
    /// The streams of the radio of `node` in the replication with `seed`.
    pub fn new(seed: u64, node: usize) -> Self {
        Luck {
            backoff: Stream::new(seed, node as u64, Purpose::Backoff),
            reception: Stream::new(seed, node as u64, Purpose::Reception),
        }
    }
}

impl Draw for Luck {
    #[inline]
    fn up_to(&mut self, max: u16) -> u16 {
        self.backoff.up_to(u32::from(max)) as u16
    }
}

impl Chance for Luck {
    #[inline]
    fn unit(&mut self) -> f64 {
        self.reception.unit()
    }
}
