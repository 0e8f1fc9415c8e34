//! Round-trip times: what was measured, and what the sender's estimator makes of it.

use std::ops::RangeInclusive;

use serde::Serialize;

/// RFC 6298 (2.3): the shares of a new sample, as shifts.
const ALPHA_SHIFT: u32 = 3;
const BETA_SHIFT: u32 = 2;

/// The least that Linux adds to the smoothed round-trip time (TCP_RTO_MIN), and the least
/// retransmission timeout of most systems; RFC 6298 (2.4) would have one second.
pub(super) const LEAST_RTO_NS: u64 = 200_000_000;

/// For how long receivers hold an acknowledgment back: from the time of Linux and of Windows (40 ms,
/// TCP_DELACK_MIN) to the longest that is allowed (RFC 1122 §4.2.3.2).
pub(super) const HELD_BACK_NS: RangeInclusive<u64> = 39_000_000..=500_000_000;

/// Samples of one quantity: count, extremes, mean and deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SampleMeter {
    pub count: u64,
    pub min_ns: u64,
    pub max_ns: u64,
    /// Sums are taken relative to the first sample, which keeps their squares small.
    pub first_ns: u64,
    sum: f64,
    sum_of_squares: f64,
}

impl SampleMeter {
    #[inline]
    pub fn add(&mut self, sample_ns: u64) {
        if self.count == 0 {
            self.first_ns = sample_ns;
            self.min_ns = sample_ns;
        }
        self.count += 1;
        self.min_ns = self.min_ns.min(sample_ns);
        self.max_ns = self.max_ns.max(sample_ns);
        let offset = sample_ns as f64 - self.first_ns as f64;
        self.sum += offset;
        self.sum_of_squares += offset * offset;
    }

    /// The mean; 0 without a sample.
    pub fn mean_ns(&self) -> u64 {
        let mean = self.sum / self.count.max(1) as f64;
        (self.first_ns as f64 + mean) as u64
    }

    /// The samples in milliseconds; none without a sample.
    pub fn summary(&self) -> Option<CapturedRoundTrips> {
        if self.count == 0 {
            return None;
        }
        let count = self.count as f64;
        let mean = self.sum / count;
        let variance = if self.count > 1 {
            (self.sum_of_squares - self.sum * mean) / (count - 1.0)
        } else {
            0.0
        };
        Some(CapturedRoundTrips {
            count: self.count,
            min_ms: self.min_ns as f64 / 1e6,
            mean_ms: (self.first_ns as f64 + mean) / 1e6,
            max_ms: self.max_ns as f64 / 1e6,
            deviation_ms: variance.max(0.0).sqrt() / 1e6,
        })
    }
}

/// Round-trip times from the point of capture to the receiver and back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CapturedRoundTrips {
    /// Samples: acknowledgments of exactly one segment's end, free of ambiguity (Karn).
    pub count: u64,
    /// The shortest.
    pub min_ms: f64,
    /// Their mean.
    pub mean_ms: f64,
    /// The longest.
    pub max_ms: f64,
    /// Their standard deviation.
    pub deviation_ms: f64,
}

/// The estimator of RFC 6298 §2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SmoothedRtt {
    pub smoothed_ns: u64,
    variation_ns: u64,
}

impl SmoothedRtt {
    #[inline]
    pub fn add(&mut self, sample_ns: u64) {
        if self.smoothed_ns == 0 {
            self.smoothed_ns = sample_ns;
            self.variation_ns = sample_ns / 2;
            return;
        }
        let error = self.smoothed_ns.abs_diff(sample_ns);
        self.variation_ns =
            self.variation_ns - (self.variation_ns >> BETA_SHIFT) + (error >> BETA_SHIFT);
        self.smoothed_ns =
            self.smoothed_ns - (self.smoothed_ns >> ALPHA_SHIFT) + (sample_ns >> ALPHA_SHIFT);
    }

    /// The retransmission timeout before a system's least value is applied (2.3).
    #[inline]
    pub const fn timeout_ns(&self) -> u64 {
        self.smoothed_ns
            .saturating_add(self.variation_ns.saturating_mul(4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_are_those_of_the_samples() {
        let mut meter = SampleMeter::default();
        assert_eq!(meter.summary(), None);
        for ms in [100, 102, 104, 106] {
            meter.add(ms * 1_000_000);
        }
        let all = meter.summary().unwrap();
        assert_eq!(
            (all.count, all.min_ms, all.max_ms, all.mean_ms),
            (4, 100.0, 106.0, 103.0)
        );
        assert!((all.deviation_ms - (20.0_f64 / 3.0).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn the_estimator_starts_at_three_round_trips_and_closes_in() {
        let mut estimator = SmoothedRtt::default();
        estimator.add(100_000_000);
        assert_eq!(estimator.timeout_ns(), 300_000_000);
        for _ in 0..50 {
            estimator.add(100_000_000);
        }
        assert!(estimator.timeout_ns() < 101_000_000);
    }
}
