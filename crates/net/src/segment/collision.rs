//! Collisions: jam, backoff, and giving up (IEEE 802.3-2018 §4.2.3.2.4 and .5).

use units::Time;

use super::{ATTEMPT_LIMIT, CsmaSender, EthernetSegment, SLOT_BITS, bit_times};
use crate::Chance;
use crate::ethernet::PREAMBLE;
use crate::queue::Discipline;

/// backoffLimit: the contention window is doubled so often (§4.4.2).
const BACKOFF_LIMIT: u32 = 10;
/// jamSize (§4.4.2).
const JAM_BITS: u64 = 32;
/// A collision within the preamble is jammed behind it (§4.2.8).
const PREAMBLE_BITS: u64 = 8 * PREAMBLE as u64;

impl<Q: Discipline> EthernetSegment<Q> {
    /// Several stations see each other's carrier, jam and back off.
    pub(super) fn collide(&mut self, senders: &mut [CsmaSender], random: &mut impl Chance) {
        for own in 0..senders.len() {
            senders[own].end = self.end_of(senders, own);
        }
        let last = senders.iter().map(|sender| sender.end).max();
        self.silent_at = last.map_or(self.silent_at, |at| at + self.delay);
        for (own, sender) in senders.iter().enumerate() {
            let heard_until = others(senders, own)
                .map(|other| other.end + self.delay)
                .max();
            let silent_at = heard_until.map_or(sender.end, |at| at.max(sender.end));
            let station = &mut self.stations[usize::from(sender.number)];
            station.silent_at = (self.carriers, silent_at);
            self.back_off(sender.number, sender.end, random);
        }
    }

    /// Returns when one of several colliding stations ends its jam.
    fn end_of(&self, senders: &[CsmaSender], own: usize) -> Time {
        let start = senders[own].start;
        let heard_at = others(senders, own)
            .map(|other| other.start + self.delay)
            .min();
        let seen_at = heard_at.map_or(start, |at| at.max(start));
        let preamble_ends = start + bit_times(self.rate, PREAMBLE_BITS);
        seen_at.max(preamble_ends) + bit_times(self.rate, JAM_BITS)
    }

    /// Truncated binary exponential backoff, from the end of the jam on.
    fn back_off(&mut self, number: u16, end: Time, random: &mut impl Chance) {
        let station = &mut self.stations[usize::from(number)];
        station.counts.collisions += 1;
        station.attempts += 1;
        station.ready_at = end;
        if station.attempts == ATTEMPT_LIMIT {
            station.attempts = 0;
            station.counts.given_up += 1;
            let frame = station.frame.take().expect("it was being sent");
            self.given_up.push((number, frame.handle));
            self.rest(number);
            return;
        }
        let window = 1u64 << station.attempts.min(BACKOFF_LIMIT);
        let slots = (random.unit() * window as f64) as u64;
        station.ready_at = end + bit_times(self.rate, slots * SLOT_BITS);
    }
}

fn others(senders: &[CsmaSender], own: usize) -> impl Iterator<Item = &CsmaSender> {
    let all = senders.iter().enumerate();
    all.filter_map(move |(at, sender)| (at != own).then_some(sender))
}
