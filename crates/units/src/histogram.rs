//! Distribution of durations: counted in buckets, and merged, compared and read as such.

use histogram::{Config, Histogram32, SparseHistogram32};

use crate::Duration;

/// Each power of two of nanoseconds has 128 buckets, up to 2^43, which is two hours and a half.
/// A bucket's middle is at most 1/256 of a value away from it.
const CONFIG: Config = match Config::new(7, LONGEST_POWER) {
    Ok(config) => config,
    Err(_) => panic!("the powers are in order"),
};

const LONGEST_POWER: u8 = 43;
const LONGEST: u64 = (1 << LONGEST_POWER) - 1;

/// Largest relative distance of a percentile from that of the durations themselves.
pub const RELATIVE_ERROR: f64 = 1.0 / 256.0;

/// Durations being counted. It takes no memory before the first one, and then always as much.
#[derive(Clone, Debug, Default)]
pub struct Histogram(Option<Box<Histogram32>>);

impl Histogram {
    /// Counts a duration; those beyond 2^43 ns count as that long.
    #[inline]
    pub fn add(&mut self, duration: Duration) {
        let counts = match &mut self.0 {
            Some(counts) => counts,
            none => none.insert(empty()),
        };
        let in_range = counts.increment(duration.as_nanos().min(LONGEST));
        debug_assert!(in_range.is_ok());
    }

    /// Returns what has been counted so far.
    pub fn distribution(&self) -> Distribution {
        let counts = self.0.as_deref().map(SparseHistogram32::from);
        Distribution(counts.unwrap_or_else(nothing))
    }
}

#[cold]
fn empty() -> Box<Histogram32> {
    Box::new(Histogram32::with_config(&CONFIG))
}

fn nothing() -> SparseHistogram32 {
    SparseHistogram32::with_config(&CONFIG)
}

/// Number of durations in each bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution(SparseHistogram32);

/// A bucket that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The shortest duration that counts in it, and the shortest that no longer does.
    pub bounds: [Duration; 2],
    /// Number of durations.
    pub count: u64,
}

impl Bucket {
    fn of(bucket: &histogram::Bucket) -> Bucket {
        Bucket {
            bounds: [bucket.start(), bucket.end() + 1].map(Duration::from_nanos),
            count: bucket.count(),
        }
    }
}

/// The middle of the whole numbers of nanoseconds in a bucket.
fn middle_s(bucket: &Bucket) -> f64 {
    let [from, to] = bucket.bounds.map(|bound| bound.as_nanos() as f64);
    (from + to - 1.0) / 2.0 / 1e9
}

impl Default for Distribution {
    fn default() -> Self {
        Distribution(nothing())
    }
}

impl Distribution {
    /// Returns what came since `earlier`, a state of the same histogram.
    pub fn since(&self, earlier: &Distribution) -> Distribution {
        Distribution(self.0.checked_sub(&earlier.0).expect(GROWN))
    }

    /// With another one.
    #[must_use]
    pub fn and(&self, other: &Distribution) -> Distribution {
        Distribution(self.0.wrapping_add(&other.0).expect(ALIKE))
    }

    /// Returns whether it counts nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The buckets that are not empty, the shortest first.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> {
        self.0.iter().map(|bucket| Bucket::of(&bucket))
    }

    /// The mean in seconds of the shortest, a share of all from 0 to 1, [`RELATIVE_ERROR`] from
    /// it at most. None without any.
    pub fn trimmed_mean_s(&self, share: f64) -> Option<f64> {
        let all: u64 = self.buckets().map(|bucket| bucket.count).sum();
        let wanted = share * all as f64;
        let (mut counted, mut sum_s) = (0.0, 0.0);
        for bucket in self.buckets() {
            let counts = (bucket.count as f64).min(wanted - counted);
            sum_s += counts * middle_s(&bucket);
            counted += counts;
        }
        (counted > 0.0).then(|| sum_s / counted)
    }

    /// The duration in seconds that a share of all, from 0 to 1, do not exceed: the middle of its
    /// bucket, [`RELATIVE_ERROR`] from it at most. None without any.
    pub fn quantile_s(&self, share: f64) -> Option<f64> {
        let found = self.0.quantile(share).ok()??;
        found
            .entries()
            .values()
            .next()
            .map(|bucket| middle_s(&Bucket::of(bucket)))
    }
}

const ALIKE: &str = "all have the same buckets";
const GROWN: &str = "what has been counted stays counted";

#[cfg(test)]
mod tests {
    use super::*;

    /// Durations between 1 µs and 100 s, as a cheap generator scatters them over the powers of ten.
    fn scattered() -> Vec<u64> {
        let mut state: u64 = 7;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..20_000)
            .map(|_| (1e3 * libm::pow(10.0, 8.0 * next())) as u64)
            .collect()
    }

    fn of(nanos: &[u64]) -> Distribution {
        let mut histogram = Histogram::default();
        for &each in nanos {
            histogram.add(Duration::from_nanos(each));
        }
        histogram.distribution()
    }

    #[test]
    fn percentiles_are_those_of_the_durations_within_the_error_stated() {
        let mut raw = scattered();
        let distribution = of(&raw);
        raw.sort_unstable();
        for share in [0.01, 0.5, 0.95, 0.99, 0.999] {
            // The smallest value that at least this share does not exceed.
            let exact = raw[(share * raw.len() as f64).ceil() as usize - 1] as f64 / 1e9;
            let told = distribution.quantile_s(share).expect("there are some");
            assert!(
                (told - exact).abs() <= RELATIVE_ERROR * exact,
                "{share}: {told}, {exact}"
            );
        }
    }

    #[test]
    fn a_trimmed_mean_leaves_the_longest_out() {
        let raw: Vec<u64> = (1..=100).map(|each| each * 1_000_000).collect();
        let mean = of(&raw).trimmed_mean_s(0.95).expect("there are some");
        let exact = 0.048;
        assert!(
            (mean - exact).abs() <= RELATIVE_ERROR * exact,
            "1 to 95 ms: {mean}"
        );
        assert_eq!(Distribution::default().trimmed_mean_s(0.95), None);
    }

    #[test]
    fn parts_merge_to_the_whole_and_the_whole_less_one_is_the_other() {
        let raw = scattered();
        let (first, second) = raw.split_at(5_000);
        assert_eq!(of(first).and(&of(second)), of(&raw));
        assert_eq!(of(&raw).since(&of(first)), of(second));
    }

    #[test]
    fn buckets_lie_side_by_side_around_what_they_count() {
        let buckets: Vec<_> = of(&[300, 300, 1_000_000]).buckets().collect();
        assert_eq!(
            buckets.iter().map(|each| each.count).collect::<Vec<_>>(),
            [2, 1]
        );
        for (bucket, nanos) in buckets.iter().zip([300, 1_000_000]) {
            let [from, to] = bucket.bounds.map(Duration::as_nanos);
            assert!(from <= nanos && nanos < to && (to - from) * 128 <= from);
        }
    }

    #[test]
    fn nothing_has_no_percentiles_and_what_is_too_long_counts_as_the_longest() {
        assert_eq!(Distribution::default().quantile_s(0.5), None);
        let longest = of(&[u64::MAX]).quantile_s(0.5).expect("there is one");
        assert!((longest - LONGEST as f64 / 1e9).abs() < RELATIVE_ERROR * longest);
    }
}
