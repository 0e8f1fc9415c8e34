//! Random streams: those of a radio, and those of whatever needs a single one.

use air::ReceptionRandom;
use dot11::Draw;
use engine::{Purpose, Stream};

/// The streams of one radio.
#[derive(Clone, Debug)]
pub struct RadioStreams {
    backoff: Stream,
    reception: Stream,
}

impl RadioStreams {
    /// The streams of the radio of this name in the replication with `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        let radio = name_hash(name);
        RadioStreams {
            backoff: Stream::new(seed, radio, Purpose::Backoff),
            reception: Stream::new(seed, radio, Purpose::Reception),
        }
    }
}

impl Draw for RadioStreams {
    #[inline]
    fn up_to(&mut self, max: u16) -> u16 {
        self.backoff.up_to(u32::from(max)) as u16
    }
}

impl ReceptionRandom for RadioStreams {
    #[inline]
    fn unit(&mut self) -> f64 {
        self.reception.unit()
    }
}

/// The stream of a queue, of a stage of a wire's impairments, or of what fades a link.
#[derive(Clone, Debug)]
pub struct NamedStream(Stream);

impl NamedStream {
    /// The stream of an entity for a purpose, in the replication with `seed`.
    pub fn new(seed: u64, entity: u64, purpose: Purpose) -> Self {
        NamedStream(Stream::new(seed, entity, purpose))
    }
}

impl net::Chance for NamedStream {
    #[inline]
    fn unit(&mut self) -> f64 {
        self.0.unit()
    }
}

impl ReceptionRandom for NamedStream {
    #[inline]
    fn unit(&mut self) -> f64 {
        self.0.unit()
    }
}

/// FNV-1a: what is called so keeps its stream when others are put beside him.
pub fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}
