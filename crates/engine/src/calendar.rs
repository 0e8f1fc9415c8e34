//! The calendar: events to come, in order of (time, insertion).

use units::Time;

/// Events to come, handed out in order of time and, at equal times, of insertion.
///
/// That order is total because one world runs on one thread. Where the order of
/// simultaneous happenings is physics, the model says so; it is never left to
/// the calendar.
///
/// The events stand sorted, the next one last. Most of those put in come sooner than most
/// that wait, so few have to move; a heap would do more for the handful that there are.
/// The storage is reused, so the steady state allocates nothing.
#[derive(Debug)]
pub struct Calendar<E> {
    entries: Vec<(Time, E)>,
}

impl<E: Copy> Calendar<E> {
    /// An empty calendar.
    pub fn new() -> Self {
        Calendar {
            entries: Vec::with_capacity(64),
        }
    }

    /// Puts `event` at time `at`, after all that already stand there.
    #[inline]
    pub fn schedule(&mut self, at: Time, event: E) {
        let later = self.entries.partition_point(|&(other, _)| other > at);
        self.entries.insert(later, (at, event));
    }

    /// When the next event is due; [`Time::NEVER`] when there is none.
    #[inline]
    pub fn next_at(&self) -> Time {
        self.entries.last().map_or(Time::NEVER, |&(at, _)| at)
    }

    /// Takes the next event.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        self.entries.pop()
    }
}

impl<E: Copy> Default for Calendar<E> {
    fn default() -> Self {
        Self::new()
    }
}

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
