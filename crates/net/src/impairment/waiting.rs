//! Packets that a stage holds: until a time, or until others have overtaken them.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

use units::Time;

use super::chain::Leaving;
use super::{Damage, Facts, Overtaking, Within};

/// A packet in a chain, and what its filters may know of it.
#[derive(Clone, Copy, Debug)]
pub struct HeldPacket {
    /// The owner's handle.
    pub handle: u32,
    /// The packet as it came to the chain.
    pub facts: Facts,
    /// Damage done by stages since.
    pub damage: Damage,
}

impl HeldPacket {
    /// A packet that comes to a chain.
    #[inline(always)]
    pub fn new(handle: u32, facts: Facts) -> HeldPacket {
        let damage = Damage::NONE;
        HeldPacket {
            handle,
            facts,
            damage,
        }
    }

    /// Returns how it leaves a chain behind the last stage.
    #[inline(always)]
    pub fn leaving(self) -> Leaving {
        if self.damage.is_none() {
            Leaving::Through(self.handle)
        } else {
            Leaving::Damaged(self.handle, self.damage)
        }
    }
}

/// Packets held until a time each, the earliest first, at equal times in the order they came.
///
/// Most are due after all that wait, whatever keeps them waiting, and stand in a row; only those
/// that overtake others need a heap. Of the row, what is due at the same time came before.
#[derive(Clone, Debug)]
pub struct TimedPackets {
    row: VecDeque<(Time, HeldPacket)>,
    others: BinaryHeap<Reverse<OvertakingPacket>>,
    came: u64,
    /// Time when the next is due, which is asked for more often than it changes.
    next_at: Time,
}

/// A packet that overtakes others.
#[derive(Clone, Copy, Debug)]
struct OvertakingPacket {
    at: Time,
    number: u64,
    held: HeldPacket,
}

impl Default for TimedPackets {
    fn default() -> TimedPackets {
        TimedPackets {
            row: VecDeque::new(),
            others: BinaryHeap::new(),
            came: 0,
            next_at: Time::NEVER,
        }
    }
}

impl TimedPackets {
    /// Holds a packet until `at`.
    #[inline]
    pub fn hold(&mut self, at: Time, held: HeldPacket) {
        self.next_at = self.next_at.min(at);
        if self.row.back().is_none_or(|&(last, _)| last <= at) {
            self.row.push_back((at, held));
        } else {
            self.hold_other(at, held);
        }
    }

    #[inline(never)]
    fn hold_other(&mut self, at: Time, held: HeldPacket) {
        self.came += 1;
        let number = self.came;
        self.others
            .push(Reverse(OvertakingPacket { at, number, held }));
    }

    /// Packets that wait.
    pub fn len(&self) -> usize {
        self.row.len() + self.others.len()
    }

    /// Returns when the next is due; [`Time::NEVER`] when none waits.
    #[inline]
    pub fn next_at(&self) -> Time {
        self.next_at
    }

    /// Takes the next.
    #[inline]
    pub fn take(&mut self) -> Option<HeldPacket> {
        let taken = if self.others.is_empty() || self.next_of_row() <= self.next_of_others() {
            self.row.pop_front().map(|(_, held)| held)
        } else {
            self.others.pop().map(|due| due.0.held)
        };
        self.next_at = self.next_of_row().min(self.next_of_others());
        taken
    }

    #[inline]
    fn next_of_row(&self) -> Time {
        self.row.front().map_or(Time::NEVER, |&(at, _)| at)
    }

    #[inline]
    fn next_of_others(&self) -> Time {
        self.others.peek().map_or(Time::NEVER, |due| due.0.at)
    }
}

impl PartialEq for OvertakingPacket {
    fn eq(&self, other: &OvertakingPacket) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for OvertakingPacket {}

impl PartialOrd for OvertakingPacket {
    fn partial_cmp(&self, other: &OvertakingPacket) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OvertakingPacket {
    fn cmp(&self, other: &OvertakingPacket) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

/// Packets held back for others to overtake, in the order they came.
#[derive(Clone, Debug, Default)]
pub struct Overtaken(VecDeque<HeldBack>);

/// A packet held back.
#[derive(Clone, Copy, Debug)]
pub struct HeldBack {
    /// The packet.
    pub held: HeldPacket,
    /// Number that have overtaken it.
    pub overtaken: u32,
    until: Overtaking,
}

impl Overtaken {
    /// Holds back a packet that comes after all that are.
    pub fn hold(&mut self, until: Overtaking, held: HeldPacket) {
        self.0.push_back(HeldBack {
            held,
            overtaken: 0,
            until,
        });
    }

    /// Packets held back.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns when the first goes on whoever has overtaken it. A stage's longest wait is one for
    /// all.
    #[inline]
    pub fn next_at(&self) -> Time {
        (self.0.front()).map_or(Time::NEVER, |first| first.until.at_latest)
    }

    /// Takes the first if it has waited for as long as it may by `now`.
    pub fn take(&mut self, now: Time) -> Option<HeldBack> {
        if self.next_at() > now {
            return None;
        }
        self.0.pop_front()
    }

    /// A packet that came later than all goes past. Answers whether enough have now overtaken one.
    #[inline]
    pub fn pass(&mut self, facts: &Facts) -> bool {
        !self.0.is_empty() && self.pass_first(self.0.len(), facts)
    }

    /// Takes the first that enough others have overtaken. It goes past those before it.
    pub fn take_overtaken(&mut self) -> Option<HeldBack> {
        let enough = |each: &HeldBack| each.overtaken == each.until.by;
        let place = self.0.iter().position(enough)?;
        let taken = self.0.remove(place)?;
        self.pass_first(place, &taken.held.facts);
        Some(taken)
    }

    fn pass_first(&mut self, places: usize, facts: &Facts) -> bool {
        let mut is_any_free = false;
        for each in self.0.range_mut(..places) {
            let counts = match each.until.within {
                Within::Link => true,
                Within::Connection => each.held.facts.flow == facts.flow,
            };
            each.overtaken += u32::from(counts && each.overtaken < each.until.by);
            is_any_free |= each.overtaken == each.until.by;
        }
        is_any_free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impairment::CarriedProtocol;

    fn packet(handle: u32) -> HeldPacket {
        let facts = Facts {
            flow: handle % 2,
            traffic: None,
            ip_bytes: 1_500,
            protocol: CarriedProtocol::Udp,
        };
        HeldPacket::new(handle, facts)
    }

    #[test]
    fn packets_go_on_in_order_of_time_and_at_equal_times_as_they_came() {
        let mut timed = TimedPackets::default();
        for (handle, nanos) in [(1, 20), (2, 30), (3, 20), (4, 10), (5, 30), (6, 25)] {
            timed.hold(Time::from_nanos(nanos), packet(handle));
        }
        assert_eq!(timed.next_at(), Time::from_nanos(10));
        let mut by = |nanos| {
            let now = Time::from_nanos(nanos);
            let due = std::iter::from_fn(|| (timed.next_at() <= now).then(|| timed.take())?);
            due.map(|held| held.handle).collect::<Vec<_>>()
        };
        assert!(by(9).is_empty());
        assert_eq!(by(20), [4, 1, 3]);
        assert_eq!(by(30), [6, 2, 5]);
        assert_eq!(timed.next_at(), Time::NEVER);
    }

    fn until(by: u32, within: Within) -> Overtaking {
        let at_latest = Time::from_nanos(100);
        Overtaking {
            by,
            within,
            at_latest,
        }
    }

    fn overtaken(waiting: &mut Overtaken) -> Vec<u32> {
        let all = std::iter::from_fn(|| waiting.take_overtaken());
        all.map(|late| late.held.handle).collect()
    }

    #[test]
    fn one_that_goes_on_overtakes_those_that_came_before_it() {
        let mut waiting = Overtaken::default();
        waiting.hold(until(2, Within::Link), packet(1));
        waiting.hold(until(1, Within::Link), packet(2));
        waiting.pass(&packet(3).facts);
        assert_eq!(overtaken(&mut waiting), [2, 1], "3 and 2 have overtaken 1");
        assert_eq!(waiting.len(), 0);
    }

    #[test]
    fn within_a_connection_packets_of_others_do_not_count() {
        let mut waiting = Overtaken::default();
        waiting.hold(until(1, Within::Connection), packet(1));
        waiting.pass(&packet(2).facts);
        assert!(overtaken(&mut waiting).is_empty());
        waiting.pass(&packet(3).facts);
        assert_eq!(overtaken(&mut waiting), [1]);
    }
}
