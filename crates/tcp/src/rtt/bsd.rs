//! The estimator of 4.4BSD and its heirs (`tcp_xmit_timer`; G. Wright and W. R. Stevens, "TCP/IP
//! Illustrated, Volume 2", §25.10), in integers and counted in ticks of its clock.
//!
//! With the slow timer's tick of 500 ms a short round trip counts one tick, and the integers
//! come to rest at a variation of three quarters of a tick, so that the timeout is three ticks:
//! 1.5, 3, 6, 12 s, the series of Stevens's Volume 1 §21.2 and of the UMass traces.

use units::Duration;

use super::RttSample;

/// In ticks or quarters of them: `srtt` scaled by 8, `rttvar` by 4.
#[derive(Clone, Debug, Default)]
pub(super) struct Bsd {
    srtt: i64,
    rttvar: i64,
    /// Number of further bits of the numbers: none, or two (TCP_DELTA_SHIFT).
    shift: u32,
}

const FREEBSD_SHIFT: u32 = 2;

impl Bsd {
    /// Takes a sample, counted in ticks; gives the timeout, which is at least two ticks more than
    /// the sample.
    pub fn take(&mut self, sample: &RttSample, tick: Duration, is_finer: bool) -> Duration {
        self.shift = if is_finer { FREEBSD_SHIFT } else { 0 };
        let nanos = tick.as_nanos();
        // The clock counts the ticks that fall into the round trip, and one for its beginning.
        let now = sample.now.as_nanos();
        let begin = now.saturating_sub(sample.rtt.as_nanos());
        let rtt = (now / nanos - begin / nanos + 1) as i64;
        if self.srtt == 0 {
            self.srtt = rtt << self.shift << 3;
            self.rttvar = rtt << self.shift << 1;
        } else {
            self.smooth(rtt);
        }
        let timeout = (((self.srtt >> 3) + self.rttvar) >> self.shift).max(rtt + 2);
        tick * timeout as u64
    }

    fn smooth(&mut self, rtt: i64) {
        let error = ((rtt - 1) << self.shift) - (self.srtt >> 3);
        self.srtt = (self.srtt + error).max(1);
        let change = error.abs() - (self.rttvar >> 2);
        self.rttvar = (self.rttvar + change).max(1);
    }

    pub fn smoothed(&self, tick: Duration) -> Duration {
        tick * self.srtt as u64 / (8 << self.shift)
    }

    pub fn variation(&self, tick: Duration) -> Duration {
        tick * self.rttvar as u64 / (4 << self.shift)
    }
}

#[cfg(test)]
mod tests {
    use units::Time;

    use super::super::{RtoEstimator, RtoLimits, RttEstimator, sample};
    use super::*;

    fn estimator(tick_ms: u64, min_ms: u64) -> RttEstimator {
        RttEstimator::new(RtoLimits {
            estimator: RtoEstimator::Bsd {
                tick: Duration::from_millis(tick_ms),
                is_finer: false,
                slop: Duration::ZERO,
            },
            initial: Duration::from_secs(6),
            min: Duration::from_millis(min_ms),
            max: Duration::from_secs(64),
            timer_tick: Duration::from_millis(tick_ms),
            takes_least_apart: false,
        })
    }

    /// Stevens, Volume 1 §21.2.
    #[test]
    fn a_short_round_trip_and_a_slow_clock_give_three_six_and_twelve_seconds() {
        let mut rtt = estimator(500, 1000);
        for n in 0..200 {
            let now = Time::from_nanos(n * 7_000_000);
            rtt.on_sample(&sample(now, 20, n));
        }
        let mut seconds = vec![rtt.rto().as_secs_f64()];
        for _ in 0..6 {
            rtt.back_off();
            seconds.push(rtt.rto().as_secs_f64());
        }
        assert_eq!(seconds, [1.5, 3.0, 6.0, 12.0, 24.0, 48.0, 64.0]);
    }

    #[test]
    fn the_first_timer_ends_up_to_a_tick_early_and_the_next_on_time() {
        let mut rtt = estimator(500, 1000);
        rtt.on_sample(&sample(Time::from_nanos(100_000_000), 20, 0));
        let first = rtt.deadline(Time::from_nanos(700_000_000));
        assert_eq!(first.as_secs_f64(), 2.0);
        rtt.back_off();
        assert_eq!(rtt.deadline(first).as_secs_f64(), 5.0);
    }
}
