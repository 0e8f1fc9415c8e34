//! The wall clock as the world's, and waiting for it.

use os::clock::{monotonic_ns, realtime_ns};
use units::{Duration, Time};

/// World time zero on the wall clock.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    zero_ns: u64,
}

impl WallClock {
    /// One that is at zero now.
    pub fn start() -> WallClock {
        WallClock {
            zero_ns: monotonic_ns(),
        }
    }

    /// The time of the world.
    #[inline]
    pub fn now(self) -> Time {
        Time::from_nanos(monotonic_ns() - self.zero_ns)
    }

    /// Returns how the clock that the kernel stamps frames by stands now, which may be set at any
    /// time.
    pub fn realtime(self) -> Realtime {
        Realtime {
            zero_ns: realtime_ns() - (monotonic_ns() - self.zero_ns),
        }
    }
}

/// World time zero on the clock that may be set.
#[derive(Clone, Copy, Debug)]
pub struct Realtime {
    zero_ns: u64,
}

impl Realtime {
    /// The time of the world at a time of this clock.
    pub fn world_time(self, nanos: u64) -> Time {
        Time::from_nanos(nanos.saturating_sub(self.zero_ns))
    }
}

/// Says how long to sleep before a time, and for the rest of it to look at the clock until it has
/// come: a sleep ends some 20 to 100 µs late.
///
/// A thread that spins always is stopped by the kernel for 50 ms of every second for the sake of
/// ordinary ones (sched_rt_runtime_us), and takes its processor from the programs inside: so
/// spinning has a budget, and where events follow each other closely it gains nothing.
#[derive(Debug)]
pub struct SleepThenSpin {
    /// Time that may be spun away now.
    budget: Duration,
    last: Time,
    /// Mean time between events, smoothed over some sixteen.
    mean_gap: Duration,
}

impl SleepThenSpin {
    /// The longest spin before an event: what a sleep is late by, seldom more.
    const LONGEST: Duration = Duration::from_micros(60);
    /// One part of this many of any time may be spun away.
    const SHARE: u64 = 4;
    /// The most that is saved up: that share of 10 ms.
    const SAVED: Duration = Duration::from_micros(10_000 / Self::SHARE);
    /// Events closer than this find the thread awake.
    const CLOSE: Duration = Duration::from_micros(200);

    /// One with nothing saved up.
    pub fn new() -> SleepThenSpin {
        SleepThenSpin {
            budget: Duration::ZERO,
            last: Time::ZERO,
            mean_gap: Duration::ZERO,
        }
    }

    /// Notes that the loop was awake for an event.
    #[inline]
    pub fn awake(&mut self, now: Time) {
        let gap = now.saturating_since(self.last);
        self.last = now;
        let earned = Duration::from_nanos(gap.as_nanos() / Self::SHARE);
        self.budget = (self.budget + earned).min(Self::SAVED);
        let smoothed = (15 * self.mean_gap.as_nanos() + gap.as_nanos()) / 16;
        self.mean_gap = Duration::from_nanos(smoothed);
    }

    /// Returns how long before an event to wake up and spin.
    #[inline]
    pub fn length(&self) -> Duration {
        match self.mean_gap < Self::CLOSE {
            true => Duration::ZERO,
            false => Self::LONGEST.min(self.budget),
        }
    }

    /// Notes that so much was spun away.
    #[inline]
    pub fn spent(&mut self, spun: Duration) {
        self.budget = self.budget.saturating_sub(spun);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Time {
        Time::ZERO + Duration::from_micros(micros)
    }

    #[test]
    fn at_most_a_quarter_of_the_time_is_spun_away() {
        let mut tail = SleepThenSpin::new();
        let mut spun = Duration::ZERO;
        for event in 1..10_000 {
            tail.awake(at(210 * event));
            let length = tail.length();
            tail.spent(length);
            spun += length;
        }
        let share = spun.as_secs_f64() / at(2_100_000).as_secs_f64();
        assert!((0.2..=0.25).contains(&share), "{share}");
    }

    #[test]
    fn events_that_follow_closely_are_not_spun_for() {
        let mut tail = SleepThenSpin::new();
        for event in 1..1000 {
            tail.awake(at(100 * event));
        }
        assert_eq!(tail.length(), Duration::ZERO);
    }

    #[test]
    fn a_long_silence_saves_up_a_share_of_ten_milliseconds_only() {
        let mut tail = SleepThenSpin::new();
        tail.awake(at(60_000_000));
        assert_eq!(tail.length(), SleepThenSpin::LONGEST);
        tail.spent(SleepThenSpin::SAVED);
        assert_eq!(tail.length(), Duration::ZERO);
    }
}
