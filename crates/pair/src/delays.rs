//! Distribution of delays, in bounded memory.

use serde::Serialize;
use serde::ser::Serializer;

/// Steps to a doubling: a percentile is at most one of 128 parts too large.
const STEPS: u64 = 128;
const STEP_BITS: u32 = STEPS.trailing_zeros();

/// Counts delays.
#[derive(Clone, Debug, Default)]
pub(super) struct Delays {
    count: u64,
    least_ns: i64,
    most_ns: i64,
    sum_ns: i128,
    squares: f64,
    /// By magnitude, linear below two times `STEPS` nanoseconds; negative ones count as zero.
    counts: Vec<u64>,
}

/// Report of delays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DelayDistribution {
    /// Number of delays.
    pub count: u64,
    /// The shortest, in nanoseconds.
    pub min_ns: i64,
    /// The longest.
    pub max_ns: i64,
    /// All of them together.
    #[serde(serialize_with = "as_number")]
    pub total_ns: i128,
    /// Their mean.
    pub mean_ns: f64,
    /// Their standard deviation.
    pub deviation_ns: f64,
    /// The median; this and what follows are at most 1/128 too large.
    pub median_ns: i64,
    /// Nine of ten are no longer.
    pub p90_ns: i64,
    /// Ninety-five of a hundred are no longer.
    pub p95_ns: i64,
    /// Ninety-nine of a hundred are no longer.
    pub p99_ns: i64,
}

/// JSON has no numbers of 128 bits; sums of delays fit into 64 unless the clocks are mad.
fn as_number<S: Serializer>(total: &i128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64((*total).clamp(i64::MIN.into(), i64::MAX.into()) as i64)
}

/// The place of a delay: exact below two times `STEPS`, by its leading bits above.
fn place(ns: i64) -> usize {
    let ns = ns.max(0) as u64;
    let shift = (u64::BITS - ns.leading_zeros()).saturating_sub(STEP_BITS + 1);
    (u64::from(shift) * STEPS + (ns >> shift)) as usize
}

/// The largest delay of a place.
fn largest(place: usize) -> i64 {
    let place = place as u64;
    let shift = (place / STEPS).saturating_sub(1);
    let top = place - shift * STEPS;
    (((top + 1) << shift) - 1) as i64
}

impl Delays {
    /// Counts a delay.
    pub fn add(&mut self, ns: i64) {
        if self.count == 0 {
            (self.least_ns, self.most_ns) = (ns, ns);
        }
        self.count += 1;
        self.least_ns = self.least_ns.min(ns);
        self.most_ns = self.most_ns.max(ns);
        self.sum_ns += i128::from(ns);
        self.squares += (ns as f64).powi(2);
        let place = place(ns);
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
    }

    /// Returns what is told of them; none of none.
    pub fn distribution(&self) -> Option<DelayDistribution> {
        if self.count == 0 {
            return None;
        }
        let mean = self.sum_ns as f64 / self.count as f64;
        let percentile = |share: f64| self.percentile(share).clamp(self.least_ns, self.most_ns);
        Some(DelayDistribution {
            count: self.count,
            min_ns: self.least_ns,
            max_ns: self.most_ns,
            total_ns: self.sum_ns,
            mean_ns: mean,
            deviation_ns: (self.squares / self.count as f64 - mean * mean)
                .max(0.0)
                .sqrt(),
            median_ns: percentile(0.5),
            p90_ns: percentile(0.9),
            p95_ns: percentile(0.95),
            p99_ns: percentile(0.99),
        })
    }

    fn percentile(&self, share: f64) -> i64 {
        let wanted = (share * self.count as f64).ceil() as u64;
        let mut below = 0;
        let at = self.counts.iter().position(|&count| {
            below += count;
            below >= wanted
        });
        at.map_or(self.most_ns, largest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_place_holds_what_belongs_there(ns in 0_i64..i64::MAX / 2) {
            let at = place(ns);
            prop_assert!(largest(at) >= ns);
            prop_assert!(at == 0 || largest(at - 1) < ns);
            prop_assert!((largest(at) - ns) as f64 <= ns as f64 / STEPS as f64);
        }
    }

    #[test]
    fn percentiles_count_from_the_shortest() {
        let mut delays = Delays::default();
        for ns in 1..=100 {
            delays.add(ns);
        }
        let told = delays.distribution().expect("a hundred");
        assert_eq!(
            (told.min_ns, told.median_ns, told.p90_ns, told.p99_ns),
            (1, 50, 90, 99)
        );
        assert_eq!(
            (told.max_ns, told.mean_ns, told.total_ns),
            (100, 50.5, 5050)
        );
        assert!((told.deviation_ns - 28.866).abs() < 1e-3);
    }
}
