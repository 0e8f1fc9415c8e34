//! Random streams: those of a radio, and those of whatever needs a single one.

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
    /// The streams of the radio of this name in the replication with `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        let radio = name_hash(name);
        Luck {
            backoff: Stream::new(seed, radio, Purpose::Backoff),
            reception: Stream::new(seed, radio, Purpose::Reception),
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

/// The stream of a queue, of a stage of a wire's impairments, or of what fades a link.
#[derive(Clone, Debug)]
pub struct Lot(Stream);

impl Lot {
    /// The stream of an entity for a purpose, in the replication with `seed`.
    pub fn new(seed: u64, entity: u64, purpose: Purpose) -> Self {
        Lot(Stream::new(seed, entity, purpose))
    }
}

impl net::Chance for Lot {
    #[inline]
    fn unit(&mut self) -> f64 {
        self.0.unit()
    }
}

impl Chance for Lot {
    #[inline]
    fn unit(&mut self) -> f64 {
        self.0.unit()
    }
}

/// FNV-1a: who is called so keeps his luck when others are put beside him.
pub fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}
