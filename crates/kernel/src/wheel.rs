//! Lateness of the kernel's timers: they stand on a wheel (`kernel/time/timer.c`), which turns by
//! jiffies and is the coarser the further away a timer's time is.

use os::clock::tick_ns;
use units::Duration;

/// Each level of the wheel has so many places, each as long as so many of the level below
/// (LVL_SIZE, LVL_CLK_DIV).
const PLACES: u64 = 64;
const COARSER: u64 = 8;
/// LVL_DEPTH, with jiffies of 10 ms or shorter.
const LEVELS: u32 = 9;

/// TCP_RTO_MIN: the shortest retransmission timeout.
const TIMEOUT_MIN: Duration = Duration::from_millis(200);

/// Returns how long past its time a timer may expire that was set for `wait`: its time is told in
/// whole jiffies, and then in whole places of its level, rounded up both times. A timeout that was
/// doubled has doubled the first rounding, too.
pub(crate) fn lateness(wait: Duration, jiffy: Duration) -> Duration {
    let doubled = wait.as_nanos().div_ceil(TIMEOUT_MIN.as_nanos()).max(1);
    let place = place(wait.as_nanos().div_ceil(jiffy.as_nanos().max(1)));
    jiffy * (doubled + place)
}

/// Returns how many jiffies long the places are where a timer stands that is so many away
/// (`calc_wheel_index`).
fn place(jiffies: u64) -> u64 {
    (0..LEVELS)
        .map(|level| COARSER.pow(level))
        .find(|place| jiffies < (PLACES - 1) * place)
        .unwrap_or(COARSER.pow(LEVELS - 1))
}

/// A jiffy, 1/CONFIG_HZ of a second: the resolution of the clock that every tick sets. A kernel
/// that does not tell is taken for one of 250 Hz, which is Linux's default.
pub(crate) fn jiffy() -> Duration {
    tick_ns().map_or(Duration::from_millis(4), Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(of: u64) -> Duration {
        Duration::from_millis(of)
    }

    /// The table at the head of kernel/time/timer.c, HZ 250.
    #[test]
    fn the_wheel_is_the_coarser_the_further_away_a_time_is() {
        let granularity = |wait: u64| ms(4 * place(wait.div_ceil(4)));
        assert_eq!(granularity(248), ms(4));
        assert_eq!(granularity(252), ms(32));
        assert_eq!(granularity(2_012), ms(32));
        assert_eq!(granularity(2_016), ms(256));
        assert_eq!(granularity(16_128), ms(2_048));
    }

    #[test]
    fn a_timeout_of_the_least_length_is_late_by_a_rounding_and_a_place() {
        assert_eq!(lateness(ms(200), ms(4)), ms(4 + 4));
        assert_eq!(lateness(ms(200), ms(1)), ms(1 + 8), "jiffies of 1 ms");
        assert_eq!(lateness(ms(800), ms(4)), ms(16 + 32), "doubled twice");
    }
}
