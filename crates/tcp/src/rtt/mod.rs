//! Round-trip times and the retransmission timeout (RFC 6298).

use units::{Duration, Time};

use bsd::Bsd;
use least::WindowedLeast;
use linux::Linux;

mod bsd;
mod least;
mod linux;

/// Estimator of a retransmission timeout from round-trip times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RtoEstimator {
    /// RFC 6298 §2, the minimum a floor under the timeout.
    Rfc6298 {
        /// G, the least margin over the smoothed round-trip time.
        granularity: Duration,
    },
    /// Linux: the minimum a floor under the variation; one step down per round trip.
    Linux {
        /// The tick of the clock that measures round-trip times.
        tick: Duration,
        /// Unit that a timeout is rounded up to.
        jiffy: Duration,
    },
    /// BSD: counted in ticks, by integers.
    Bsd {
        /// The tick of the slow clock.
        tick: Duration,
        /// True if quarters of a tick are counted, too (FreeBSD).
        is_finer: bool,
        /// Time added to every calculated timeout.
        slop: Duration,
    },
}

/// The settings of the estimator, from the stack profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RtoLimits {
    pub estimator: RtoEstimator,
    pub initial: Duration,
    pub min: Duration,
    pub max: Duration,
    /// The tick on which the retransmission timer expires, if it needs one.
    pub timer_tick: Duration,
    /// True if the least round-trip time is told apart from the samples.
    pub takes_least_apart: bool,
}

/// A round-trip time, and where in the stream it was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RttSample {
    pub now: Time,
    pub rtt: Duration,
    /// SND.UNA and the highest offset sent, which tell round trips apart.
    pub una: u64,
    pub max: u64,
}

/// The smoothed round-trip time, its variation and the timeout that follows from them.
#[derive(Clone, Debug)]
pub(crate) struct RttEstimator {
    limits: RtoLimits,
    smoothed: Option<Duration>,
    variation: Duration,
    least: WindowedLeast,
    base: Duration,
    backoff: u32,
    rto: Duration,
    linux: Linux,
    bsd: Bsd,
}

impl RttEstimator {
    pub fn new(limits: RtoLimits) -> RttEstimator {
        RttEstimator {
            limits,
            smoothed: None,
            variation: Duration::ZERO,
            least: WindowedLeast::default(),
            base: limits.initial,
            backoff: 0,
            rto: limits.initial,
            linux: Linux::default(),
            bsd: Bsd::default(),
        }
    }

    /// The timeout in force, backed off.
    #[inline]
    pub fn rto(&self) -> Duration {
        self.rto
    }

    /// Returns when a timer expires that is set now.
    #[inline]
    pub fn deadline(&self, now: Time) -> Time {
        self.tick_after(now, self.rto)
    }

    /// Returns when a timer expires that is set now for `wait`.
    #[inline]
    pub fn tick_after(&self, now: Time, wait: Duration) -> Time {
        let deadline = now + wait;
        if self.limits.timer_tick == Duration::ZERO {
            return deadline;
        }
        let tick = self.limits.timer_tick.as_nanos();
        // A timer of n ticks ends with the n-th from now, which comes a little early.
        Time::from_nanos(deadline.as_nanos() / tick * tick).max(now)
    }

    #[inline]
    pub fn smoothed(&self) -> Option<Duration> {
        self.smoothed
    }

    pub fn variation(&self) -> Duration {
        self.variation
    }

    /// The least round-trip time of late.
    pub fn least(&self) -> Option<Duration> {
        self.least.get()
    }

    /// Takes a round-trip time for the least alone.
    pub fn note_least(&mut self, now: Time, rtt: Duration) {
        self.least.take(now, rtt);
    }

    /// Returns how often the timeout has been doubled.
    pub fn backoff(&self) -> u32 {
        self.backoff
    }

    /// Takes a sample of a segment that was sent once (Karn) or is told by its timestamp,
    /// which also ends any back-off.
    pub fn on_sample(&mut self, sample: &RttSample) {
        if !self.limits.takes_least_apart {
            self.least.take(sample.now, sample.rtt);
        }
        let rto = match self.limits.estimator {
            RtoEstimator::Rfc6298 { granularity } => self.take_by_rfc_6298(sample.rtt, granularity),
            RtoEstimator::Linux { tick, jiffy } => {
                let margin = self.linux.take(sample, tick, self.limits.min);
                self.smoothed = Some(self.linux.smoothed());
                self.variation = self.linux.variation();
                round_up(self.linux.smoothed() + margin, jiffy)
            }
            RtoEstimator::Bsd {
                tick,
                is_finer,
                slop,
            } => {
                let rto = self.bsd.take(sample, tick, is_finer);
                self.smoothed = Some(self.bsd.smoothed(tick));
                self.variation = self.bsd.variation(tick);
                rto + slop
            }
        };
        self.base = rto.clamp(self.limits.min, self.limits.max);
        self.backoff = 0;
        self.rto = self.base;
    }

    /// RFC 6298 (2.2) for the first, (2.3) with α = 1/8, β = 1/4 and K = 4 for the others.
    #[inline]
    fn take_by_rfc_6298(&mut self, sample: Duration, granularity: Duration) -> Duration {
        let sample = sample.as_nanos();
        let (smoothed, variation) = match self.smoothed {
            None => (sample, sample / 2),
            Some(smoothed) => {
                let smoothed = smoothed.as_nanos();
                let deviation = smoothed.abs_diff(sample);
                let variation = self.variation.as_nanos();
                ((7 * smoothed + sample) / 8, (3 * variation + deviation) / 4)
            }
        };
        self.smoothed = Some(Duration::from_nanos(smoothed));
        self.variation = Duration::from_nanos(variation);
        let margin = granularity.max(self.variation * 4);
        Duration::from_nanos(smoothed) + margin
    }

    /// RFC 6298 (5.5): the timer expired, so wait twice as long.
    pub fn back_off(&mut self) {
        self.backoff += 1;
        self.rto = backed_off(self.base, self.backoff, self.limits.max);
    }

    /// The SYN is retransmitted, the first `linear` times after the same wait.
    pub fn back_off_syn(&mut self, retries: u32, linear: u32) {
        self.backoff = retries.saturating_sub(linear);
        self.rto = backed_off(self.base, self.backoff, self.limits.max);
    }

    /// The timeout was spurious: what was doubled for it is taken back.
    pub fn forgive(&mut self) {
        self.backoff = 0;
        self.rto = self.base;
    }

    /// RFC 6298 (5.7): the SYN was lost and nothing has been measured, so data begin with
    /// a timeout of `after_loss`.
    pub fn restart_after_syn_loss(&mut self, after_loss: Duration) {
        if self.smoothed.is_none() {
            self.base = after_loss.clamp(self.limits.min, self.limits.max);
            self.backoff = 0;
            self.rto = self.base;
        }
    }
}

fn round_up(time: Duration, tick: Duration) -> Duration {
    Duration::from_nanos(time.as_nanos().next_multiple_of(tick.as_nanos()))
}

/// `base` doubled `times` times, at most `max`.
pub(crate) fn backed_off(base: Duration, times: u32, max: Duration) -> Duration {
    let factor = 1u64.checked_shl(times).unwrap_or(u64::MAX);
    Duration::from_nanos(base.as_nanos().saturating_mul(factor)).min(max)
}

/// A sample taken at `now`, of the round trip that begins at offset `una`.
#[cfg(test)]
fn sample(now: Time, ms: u64, una: u64) -> RttSample {
    RttSample {
        now,
        rtt: Duration::from_millis(ms),
        una,
        max: una + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimator(min: u64) -> RttEstimator {
        RttEstimator::new(RtoLimits {
            estimator: RtoEstimator::Rfc6298 {
                granularity: Duration::from_millis(1),
            },
            initial: Duration::from_secs(1),
            min: Duration::from_millis(min),
            max: Duration::from_secs(60),
            timer_tick: Duration::ZERO,
            takes_least_apart: false,
        })
    }

    fn take(rtt: &mut RttEstimator, ms: u64) {
        rtt.on_sample(&sample(Time::ZERO, ms, 0));
    }

    fn seconds_after(samples: &[u64], min: u64) -> Vec<f64> {
        let mut rtt = estimator(min);
        let mut rto = Vec::new();
        for &sample in samples {
            take(&mut rtt, sample);
            rto.push(rtt.rto().as_secs_f64());
        }
        rto
    }

    #[test]
    fn the_first_sample_gives_three_times_itself() {
        let mut rtt = estimator(1000);
        assert_eq!(rtt.rto(), Duration::from_secs(1));
        take(&mut rtt, 500);
        assert_eq!(rtt.smoothed(), Some(Duration::from_millis(500)));
        assert_eq!(rtt.variation(), Duration::from_millis(250));
        assert_eq!(rtt.rto(), Duration::from_millis(1500));
    }

    #[test]
    fn later_samples_are_smoothed_by_an_eighth_and_a_quarter() {
        assert_eq!(seconds_after(&[2000, 2000, 4000], 1000), [6.0, 5.0, 6.5]);
        let without_floor = seconds_after(&[100, 100, 200, 100], 0);
        for (got, want) in without_floor
            .into_iter()
            .zip([0.3, 0.25, 0.325, 0.282_812_5])
        {
            assert!((got - want).abs() < 1e-8, "{got} instead of {want}");
        }
    }

    #[test]
    fn the_variation_is_updated_with_the_old_smoothed_time() {
        let mut rtt = estimator(1000);
        for sample in [2000, 2000, 4000] {
            take(&mut rtt, sample);
        }
        assert_eq!(rtt.smoothed(), Some(Duration::from_millis(2250)));
        assert_eq!(rtt.variation(), Duration::from_nanos(1_062_500_000));
    }

    #[test]
    fn backing_off_doubles_up_to_the_maximum_and_a_sample_ends_it() {
        let mut rtt = estimator(1000);
        take(&mut rtt, 5000);
        let mut seen = Vec::new();
        for _ in 0..4 {
            rtt.back_off();
            seen.push(rtt.rto().as_nanos() / 1_000_000_000);
        }
        assert_eq!(seen, [30, 60, 60, 60]);
        take(&mut rtt, 5000);
        assert_eq!(rtt.rto().as_secs_f64(), 12.5);
        rtt.back_off();
        assert_eq!(rtt.rto().as_secs_f64(), 25.0);
    }

    #[test]
    fn the_granularity_is_the_least_margin() {
        let mut rtt = estimator(0);
        for _ in 0..200 {
            take(&mut rtt, 10);
        }
        assert_eq!(rtt.rto(), Duration::from_millis(11));
    }
}
