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
    /// Time when the next event is due, which is asked for more often than it changes.
    next_at: Time,
    /// Time when the last event taken was due.
    now: Time,
}

impl<E: Copy> Calendar<E> {
    /// An empty calendar.
    pub fn new() -> Self {
        Calendar {
            entries: Vec::with_capacity(64),
            next_at: Time::NEVER,
            now: Time::ZERO,
        }
    }

    /// Puts `event` at time `at`, after all that already stand there.
    ///
    /// # Panics
    /// When `at` lies before the last event taken: time never goes back. The test is made in
    /// every build, since a record made out of order looks like any other; it costs a
    /// comparison and a jump.
    #[inline]
    pub fn schedule(&mut self, at: Time, event: E) {
        if at < self.now {
            time_went_back(self.now, at);
        }
        if at < self.next_at {
            self.next_at = at;
            self.entries.push((at, event));
        } else {
            let later = self.entries.partition_point(|&(other, _)| other > at);
            self.entries.insert(later, (at, event));
        }
    }

    /// Returns when the next event is due; [`Time::NEVER`] when there is none.
    #[inline]
    pub fn next_at(&self) -> Time {
        self.next_at
    }

    /// Takes the next event.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        let next = self.entries.pop()?;
        self.now = next.0;
        self.next_at = self.entries.last().map_or(Time::NEVER, |&(at, _)| at);
        Some(next)
    }
}

#[cold]
#[inline(never)]
fn time_went_back(now: Time, at: Time) -> ! {
    panic!("time never goes back: an event for {at} is scheduled at {now}");
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

    #[test]
    fn an_event_may_bring_another_at_its_own_time() {
        let mut calendar = Calendar::new();
        let noon = Time::from_nanos(12);
        calendar.schedule(noon, "cause");
        calendar.pop();
        calendar.schedule(noon, "effect");
        assert_eq!(calendar.pop(), Some((noon, "effect")));
    }

    #[test]
    #[should_panic(expected = "an event for 0.000000011 s is scheduled at 0.000000012 s")]
    fn nothing_is_scheduled_in_the_past() {
        let mut calendar = Calendar::new();
        calendar.schedule(Time::from_nanos(12), "noon");
        calendar.pop();
        calendar.schedule(Time::from_nanos(11), "earlier");
    }
}
