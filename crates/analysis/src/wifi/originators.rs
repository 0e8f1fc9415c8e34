//! All originators: every count of sequence numbers that stations keep.

use super::originator::Originator;
use dissect::mix::GOLDEN;
use units::MacAddress;

/// Places by key, a power of two; another originator at the same place displaces one.
const PLACES: usize = 4096;

/// All originators, in the order in which they were first heard of: a few dozen lie closely
/// together, however their keys are scattered over the places.
#[derive(Debug, Default)]
pub(super) struct Originators {
    each: Vec<Originator>,
    /// Where the originator of each place is, counted from 1; 0 where there is none.
    places: Vec<u16>,
}

/// Where an originator is, until the next is entered.
#[derive(Clone, Copy, Debug)]
pub(super) struct OriginatorSlot(u16);

/// Returns which count the sequence number of a frame is of: each transmitter has one for each
/// receiver and traffic identifier of QoS data, and one for everything else (10.3.2.14.2).
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
    /// The originator with this key, if it is remembered.
    pub fn get(&mut self, key: u128) -> Option<&mut Originator> {
        let slot = self.places.get(place(key))?.checked_sub(1)?;
        let originator = &mut self.each[usize::from(slot)];
        (originator.key() == key).then_some(originator)
    }

    /// The one that was entered last, or before if no other has been since.
    #[inline]
    pub fn at(&mut self, slot: OriginatorSlot) -> &mut Originator {
        &mut self.each[usize::from(slot.0)]
    }

    /// Where the originator with this key is, new if it was not remembered, and the one whose place
    /// it takes.
    #[inline]
    pub fn enter(&mut self, key: u128) -> (OriginatorSlot, Option<Originator>) {
        let known = self.places.get(place(key)).copied().unwrap_or(0);
        let Some(slot) = known.checked_sub(1) else {
            return (self.add(key), None);
        };
        let originator = &mut self.each[usize::from(slot)];
        let mut displaced = None;
        if originator.key() != key {
            displaced = Some(std::mem::replace(originator, Originator::new(key)));
        }
        (OriginatorSlot(slot), displaced)
    }

    #[cold]
    fn add(&mut self, key: u128) -> OriginatorSlot {
        self.places.resize(PLACES, 0);
        self.each.push(Originator::new(key));
        let count = self.each.len() as u16;
        self.places[place(key)] = count;
        OriginatorSlot(count - 1)
    }

    /// Gives all of them.
    pub fn drain(&mut self) -> impl Iterator<Item = Originator> {
        self.each.drain(..)
    }
}

#[inline]
fn place(key: u128) -> usize {
    let mixed = (key as u64 ^ ((key >> 64) as u64).rotate_left(23)).wrapping_mul(GOLDEN);
    (mixed >> 52) as usize % PLACES
}
