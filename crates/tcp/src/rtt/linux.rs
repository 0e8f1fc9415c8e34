//! Linux's estimator (`tcp_rtt_estimator` in `net/ipv4/tcp_input.c`, since 2.4; P. Sarolahti and
//! A. Kuznetsov, "Congestion Control in Linux TCP", USENIX 2002, §4.1).
//!
//! It differs from RFC 6298 in three ways: the minimum is a floor under the variation, so the
//! timeout is always that much above the smoothed round-trip time; a round-trip time that falls
//! counts an eighth as much as one that rises; and the variation follows a rise at once, but
//! falls only once per round trip, by a quarter.

use units::Duration;

use super::RttSample;

/// All in ticks of the clock, scaled as in the kernel: `srtt` by 8, `mdev` by 4.
#[derive(Clone, Debug, Default)]
pub(super) struct Linux {
    srtt: i64,
    mdev: i64,
    mdev_max: i64,
    rttvar: i64,
    /// The highest offset sent when this round trip began.
    round_end: u64,
    tick: Duration,
}

impl Linux {
    /// Takes a sample, counted in ticks; gives the margin above the smoothed round-trip time, of
    /// which `min` is the least.
    pub fn take(&mut self, sample: &RttSample, tick: Duration, min: Duration) -> Duration {
        self.tick = tick;
        let ticks = |time: Duration| time.whole(tick) as i64;
        let floor = ticks(min);
        // A round trip takes at least a tick; nought would mean "unknown".
        let rtt = ticks(sample.rtt).max(1);
        if self.srtt == 0 {
            self.srtt = rtt << 3;
            self.mdev = rtt << 1;
            self.rttvar = self.mdev.max(floor);
            self.mdev_max = self.rttvar;
            self.round_end = sample.max;
        } else {
            self.smooth(rtt);
            self.mdev_max = self.mdev_max.max(self.mdev);
            self.rttvar = self.rttvar.max(self.mdev_max);
            if sample.una > self.round_end {
                self.end_round(sample, floor);
            }
        }
        self.time(self.rttvar)
    }

    fn smooth(&mut self, rtt: i64) {
        let error = rtt - (self.srtt >> 3);
        self.srtt += error;
        let mut change = error.abs() - (self.mdev >> 2);
        if error < 0 && change > 0 {
            change >>= 3;
        }
        self.mdev += change;
    }

    fn end_round(&mut self, sample: &RttSample, floor: i64) {
        if self.mdev_max < self.rttvar {
            self.rttvar -= (self.rttvar - self.mdev_max) >> 2;
        }
        self.round_end = sample.max;
        self.mdev_max = floor;
    }

    pub fn smoothed(&self) -> Duration {
        self.time(self.srtt >> 3)
    }

    /// The mean deviation, which TCP_INFO shows.
    pub fn variation(&self) -> Duration {
        self.time(self.mdev >> 2)
    }

    fn time(&self, ticks: i64) -> Duration {
        self.tick * ticks as u64
    }
}

#[cfg(test)]
mod tests {
    use units::Time;

    use super::super::{RtoEstimator, RtoLimits, RttEstimator, sample};
    use super::*;

    fn estimator() -> RttEstimator {
        RttEstimator::new(RtoLimits {
            estimator: RtoEstimator::Linux {
                tick: Duration::from_micros(1),
                jiffy: Duration::from_millis(1),
            },
            initial: Duration::from_secs(1),
            min: Duration::from_millis(200),
            max: Duration::from_secs(120),
            timer_tick: Duration::ZERO,
            takes_least_apart: false,
        })
    }

    fn rto_ms(rtt: &RttEstimator) -> u64 {
        rtt.rto().as_nanos() / 1_000_000
    }

    #[test]
    fn the_minimum_stands_above_the_smoothed_round_trip_time() {
        let mut rtt = estimator();
        for n in 0..100 {
            rtt.on_sample(&sample(Time::ZERO, 50, 2 * n));
        }
        assert_eq!(rto_ms(&rtt), 250);
    }

    #[test]
    fn the_first_sample_gives_three_times_itself_if_that_is_more() {
        let mut rtt = estimator();
        rtt.on_sample(&sample(Time::ZERO, 400, 0));
        assert_eq!(rto_ms(&rtt), 1200);
    }

    #[test]
    fn the_variation_falls_once_per_round_trip() {
        let mut rtt = estimator();
        rtt.on_sample(&sample(Time::ZERO, 400, 0));
        for _ in 0..10 {
            rtt.on_sample(&sample(Time::ZERO, 400, 1));
        }
        assert_eq!(rto_ms(&rtt), 1200, "the same round trip");
        rtt.on_sample(&sample(Time::ZERO, 400, 2));
        rtt.on_sample(&sample(Time::ZERO, 400, 4));
        assert_eq!(rto_ms(&rtt), 400 + 650, "800 less a quarter of 600");
    }

    #[test]
    fn a_sudden_fall_hardly_raises_the_timeout() {
        let mut rtt = estimator();
        for n in 0..200 {
            rtt.on_sample(&sample(Time::ZERO, 400, 2 * n));
        }
        rtt.on_sample(&sample(Time::ZERO, 100, 400));
        assert!(rto_ms(&rtt) <= 600, "{}", rto_ms(&rtt));
    }
}
