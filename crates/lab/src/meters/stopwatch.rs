//! How long something lasts.

use units::Time;

/// How long something lasts; of several at a time each counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stopwatch {
    running: u64,
    pub(super) nanos: u64,
    since: Time,
}

impl Stopwatch {
    /// It begins, or has begun at `since`.
    pub fn start(&mut self, since: Time, now: Time) {
        self.advance(now);
        self.running += 1;
        self.nanos += (now - since).as_nanos();
    }

    /// It ends.
    pub fn stop(&mut self, now: Time) {
        self.advance(now);
        self.running -= 1;
    }

    /// Returns how many nanoseconds it has lasted, up to where it was brought last.
    pub fn nanos(&self) -> u64 {
        self.nanos
    }

    pub(super) fn advance(&mut self, now: Time) {
        self.nanos += self.running * (now - self.since).as_nanos();
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopwatch_counts_what_has_lasted_before_it_was_noticed() {
        let at = Time::from_nanos;
        let mut stalled = Stopwatch::default();
        stalled.start(at(100), at(300));
        stalled.start(at(400), at(400));
        stalled.stop(at(500));
        stalled.advance(at(600));
        assert_eq!(stalled.nanos(), 600);
    }
}
