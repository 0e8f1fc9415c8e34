//! All originators: every count of sequence numbers that stations keep.

use super::msdu::Msdu;
use super::originator::Originator;
use crate::dissect::Frame;
use crate::mix::GOLDEN;
use crate::packet::MacAddress;

/// Originators told apart at a time, a power of two; another at the same place displaces one.
const ORIGINATORS: usize = 4096;

/// All originators.
#[derive(Debug, Default)]
pub(super) struct Originators {
    places: Vec<Originator>,
}

/// Which count the sequence number of a frame is of: each transmitter has one for each receiver
/// and traffic identifier of QoS data, and one for everything else (10.3.2.14.2).
#[inline]
pub(super) fn key(transmitter: MacAddress, receiver: MacAddress, tid: Option<u8>) -> u128 {
    let transmitter = u128::from(transmitter.to_bits());
    match tid {
        Some(tid) if receiver.0[0] & 1 == 0 => {
            let receiver = u128::from(receiver.to_bits());
            transmitter | receiver << 48 | u128::from(tid + 1) << 96
        }
        _ => transmitter,
    }
}

impl Originators {
    /// The MSDU that a frame is an attempt of.
    #[inline]
    pub fn msdu(&mut self, frame: &Frame) -> Option<&mut Msdu> {
        if !frame.is_numbered() {
            return None;
        }
        let key = key(frame.transmitter?, frame.receiver, frame.tid());
        self.get(key)?.find(frame.sequence)
    }

    /// The originator with this key, if it is remembered.
    #[inline]
    pub fn get(&mut self, key: u128) -> Option<&mut Originator> {
        let originator = self.places.get_mut(place(key))?;
        (originator.key() == key).then_some(originator)
    }

    /// The originator with this key, and the one whose place it takes.
    #[inline]
    pub fn enter(&mut self, key: u128) -> (&mut Originator, Option<Originator>) {
        if self.places.is_empty() {
            self.places.resize_with(ORIGINATORS, Originator::default);
        }
        let originator = &mut self.places[place(key)];
        let mut displaced = None;
        if originator.key() != key {
            displaced = Some(std::mem::replace(originator, Originator::new(key)));
        }
        (originator, displaced)
    }

    /// Gives all of them.
    pub fn drain(&mut self) -> impl Iterator<Item = Originator> {
        self.places.drain(..)
    }
}

#[inline]
fn place(key: u128) -> usize {
    let mixed = (key as u64 ^ ((key >> 64) as u64).rotate_left(23)).wrapping_mul(GOLDEN);
    (mixed >> 52) as usize % ORIGINATORS
}
