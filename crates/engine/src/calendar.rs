//! The calendar: a binary heap ordered by (time, insertion).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use units::Time;

/// Events to come, handed out in order of time and, at equal times, of insertion.
///
/// That order is total because one world runs on one thread. Where the order of
/// simultaneous happenings is physics, the model says so; it is never left to
/// the calendar.
///
/// The heap's storage is reused, so the steady state allocates nothing.
#[derive(Debug)]
pub struct Calendar<E> {
    heap: BinaryHeap<Entry<E>>,
    inserted: u64,
}

#[derive(Debug)]
struct Entry<E> {
    /// Time above, order of insertion below: one comparison for both.
    key: u128,
    event: E,
}

impl<E> Entry<E> {
    #[inline]
    fn at(&self) -> Time {
        Time::from_nanos((self.key >> 64) as u64)
    }
}

impl<E: Copy> Calendar<E> {
    /// An empty calendar.
    pub fn new() -> Self {
        Calendar {
            heap: BinaryHeap::with_capacity(64),
            inserted: 0,
        }
    }

    /// Puts `event` at time `at`, after all that already stand there.
    #[inline]
    pub fn schedule(&mut self, at: Time, event: E) {
        let key = u128::from(at.as_nanos()) << 64 | u128::from(self.inserted);
        self.inserted += 1;
        self.heap.push(Entry { key, event });
    }

    /// When the next event is due; [`Time::NEVER`] when there is none.
    #[inline]
    pub fn next_at(&self) -> Time {
        self.heap.peek().map_or(Time::NEVER, Entry::at)
    }

    /// Takes the next event.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        self.heap.pop().map(|entry| (entry.at(), entry.event))
    }

    /// How many events were ever scheduled.
    pub fn scheduled(&self) -> u64 {
        self.inserted
    }
}

impl<E: Copy> Default for Calendar<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> Ord for Entry<E> {
    /// The heap hands out its greatest entry, so earlier is greater.
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key)
    }
}

impl<E> PartialOrd for Entry<E> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    // The heap compares by this one; spelt out, it is a single comparison.
    #[inline]
    fn le(&self, other: &Self) -> bool {
        other.key <= self.key
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<E> Eq for Entry<E> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simultaneous_events_come_in_the_order_they_were_scheduled() {
        let mut calendar = Calendar::new();
        let noon = Time::from_nanos(12);
        for name in ["first", "second", "third"] {
            calendar.schedule(noon, name);
        }
        calendar.schedule(Time::from_nanos(11), "earlier");
        let order: Vec<_> = std::iter::from_fn(|| calendar.pop())
            .map(|(_, name)| name)
            .collect();
        assert_eq!(order, ["earlier", "first", "second", "third"]);
        assert_eq!(calendar.next_at(), Time::NEVER);
    }
}
