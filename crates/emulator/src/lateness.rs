//! Lateness of the loop: what it handed out behind its due time, and when it was kept from running.

use serde::Serialize;
use units::histogram::Histogram;
use units::{Duration, Time};

/// Latenesses of one kind, counted.
#[derive(Debug, Default)]
pub struct LatenessCounts {
    counts: Histogram,
    frames: u64,
    longest: Duration,
    /// The due time and the lateness of a frame for many that may have more copies.
    of_many: Option<(Time, Duration)>,
}

/// Distribution of a lateness; nothing but the count without frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Number of frames that it is of.
    pub frames: u64,
    /// Half of them were not later.
    pub p50_ns: Duration,
    /// 99 of 100 were not later.
    pub p99_ns: Duration,
    /// 999 of 1000 were not later.
    pub p999_ns: Duration,
    /// None was later.
    pub max_ns: Duration,
}

impl LatenessCounts {
    /// Counts a frame that was due at one time and done with at another. The copies of one that is
    /// for many are one frame, as late as the last of them.
    #[inline]
    pub fn add(&mut self, due: Time, done: Time, is_for_many: bool) {
        let late = done.saturating_since(due);
        if let Some((of, latest)) = self.of_many.take() {
            match is_for_many && of == due {
                true => return self.of_many = Some((due, latest.max(late))),
                false => self.count(latest),
            }
        }
        match is_for_many {
            true => self.of_many = Some((due, late)),
            false => self.count(late),
        }
    }

    fn count(&mut self, late: Duration) {
        self.counts.add(late);
        self.frames += 1;
        self.longest = self.longest.max(late);
    }

    /// Returns how it was distributed so far.
    pub fn spread(&self) -> Spread {
        let buckets: Vec<_> = self.counts.distribution().buckets().collect();
        let percentile = |share: f64| {
            let wanted = (share * self.frames as f64).ceil() as u64;
            let mut counted = 0;
            let reached = buckets.iter().find(|bucket| {
                counted += bucket.count;
                counted >= wanted
            });
            reached.map_or(Duration::ZERO, |bucket| bucket.bounds[1].min(self.longest))
        };
        Spread {
            frames: self.frames,
            p50_ns: percentile(0.5),
            p99_ns: percentile(0.99),
            p999_ns: percentile(0.999),
            max_ns: self.longest,
        }
    }
}

/// A time that the loop was kept from running.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LoopStall {
    /// Time when it began.
    pub at_ns: u64,
    /// Its length.
    pub length_ns: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_frames_and_the_longest_is_exact() {
        let mut lateness = LatenessCounts::default();
        for micros in 1..=1000 {
            let done = Time::ZERO + Duration::from_micros(micros);
            lateness.add(Time::ZERO, done, false);
        }
        let spread = lateness.spread();
        let near = |found: Duration, micros: f64| {
            (found.as_nanos() as f64 / 1e3 - micros).abs() <= micros / 100.0
        };
        assert!(
            near(spread.p50_ns, 500.0) && near(spread.p99_ns, 990.0),
            "{spread:?}"
        );
        assert_eq!(
            (spread.frames, spread.max_ns),
            (1000, Duration::from_millis(1))
        );
    }

    #[test]
    fn a_frame_that_left_early_was_not_late() {
        let mut lateness = LatenessCounts::default();
        lateness.add(Time::from_nanos(50), Time::from_nanos(40), false);
        assert_eq!(lateness.spread().max_ns, Duration::ZERO);
    }

    #[test]
    fn the_copies_of_a_broadcast_are_one_frame_as_late_as_the_last() {
        let mut lateness = LatenessCounts::default();
        for (due, done) in [(0, 5), (0, 10), (0, 15), (20, 21), (20, 22)] {
            lateness.add(Time::from_nanos(due), Time::from_nanos(done), true);
        }
        lateness.add(Time::from_nanos(30), Time::from_nanos(30), false);
        let spread = lateness.spread();
        assert_eq!((spread.frames, spread.max_ns.as_nanos()), (3, 15));
    }
}
