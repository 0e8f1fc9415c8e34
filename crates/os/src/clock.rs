//! Clocks: the one that never steps, and the wall's.

use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};

/// Nanoseconds of CLOCK_MONOTONIC, which no administrator and no NTP daemon sets.
pub fn monotonic_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// Nanoseconds since 1970 of CLOCK_REALTIME, which may be set.
pub fn realtime_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Realtime))
}

/// Nanoseconds between two ticks of the kernel's timer, where it tells.
pub fn tick_ns() -> Option<u64> {
    let resolution = nanoseconds(clock_getres(ClockId::MonotonicCoarse));
    (resolution > 0).then_some(resolution)
}

fn nanoseconds(time: Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// `nanos` nanoseconds as the kernel takes them.
pub(crate) fn timespec(nanos: u64) -> Timespec {
    Timespec {
        tv_sec: (nanos / 1_000_000_000) as i64,
        tv_nsec: (nanos % 1_000_000_000) as _,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monotonic_time_does_not_go_back() {
        let times: Vec<u64> = (0..1000).map(|_| monotonic_ns()).collect();
        assert!(times.is_sorted());
    }

    #[test]
    fn a_time_is_split_into_seconds_and_nanoseconds() {
        let time = timespec(2_000_000_007);
        assert_eq!((time.tv_sec, time.tv_nsec), (2, 7));
    }
}
