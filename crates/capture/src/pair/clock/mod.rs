//! How far one capture's clock is from the other's, and how fast it runs away.
//!
//! A packet that goes from the first point of capture to the second shows the clocks'
//! difference too large, by the time it was under way; one that goes back shows it too small.
//! So the true difference, a straight line over time for clocks of constant rates, lies below
//! every point of one direction and above every point of the other. Only the corners of two
//! convex hulls matter, which are few however many packets there are.
//!
//! Of all lines that fit, the one with the most room to both hulls is taken: wherever packets
//! of both directions come through without waiting, only the true slope has so much. Nothing in
//! the captures can tell how the smallest delay is divided between the directions, so the line
//! runs in the middle, as if it were the same in both. What the captures can tell are bounds,
//! and these are given.
//!
//! Of one direction alone the slope is that of its hull below the middle of its points, which
//! makes the sum of the delays smallest (Moon, Skelly and Towsley, "Estimation and removal of
//! clock skew from network delay measurements", INFOCOM 1999).

use serde::Serialize;

use super::hull::Hull;

/// The fastest drift that is looked for: no clock that keeps time for a computer is off by a
/// percent, and Linux slews by at most 500 ppm (adjtimex, MAXFREQ).
const FASTEST: f64 = 0.01;

/// Halvings of an interval of slopes: from a percent down to what a double can tell apart.
const HALVINGS: usize = 64;

/// A straight line of the second clock's time: by how much it is ahead of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Line {
    /// A time of the second clock.
    pub at_ns: i64,
    /// The difference then.
    pub offset_ns: i64,
    /// Its growth, in nanoseconds to a nanosecond of the second clock.
    pub drift: f64,
}

impl Line {
    /// How far the second clock is ahead when it shows `time_ns`.
    #[inline]
    pub fn offset(&self, time_ns: u64) -> i64 {
        let since = (time_ns as i64).wrapping_sub(self.at_ns);
        let drifted = if self.drift == 0.0 {
            0
        } else {
            (since as f64 * self.drift).round() as i64
        };
        self.offset_ns.wrapping_add(drifted)
    }

    /// A time of the second clock on the first.
    #[inline]
    pub fn on_first(&self, time_ns: u64) -> i64 {
        (time_ns as i64).wrapping_sub(self.offset(time_ns))
    }
}

/// What was found about the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Clocks {
    /// The packets do not contradict that both captures have the same clock, which is then
    /// assumed: nothing is corrected.
    Same,
    /// The second clock was put onto the first, from packets of both directions.
    Aligned,
    /// Only packets of one direction are in both captures. Their fastest is taken to need no
    /// time: delays are what comes on top of that.
    OneWay,
    /// No straight line fits between the two directions: a clock was set or slewed in between.
    /// The line that contradicts them least is used.
    Uneven,
}

/// The estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Clock {
    /// What kind of estimate it is.
    pub clocks: Clocks,
    /// By how much the second clock is ahead of the first at the first packet that is in both
    /// captures.
    pub offset_ns: i64,
    /// By how many nanoseconds the true difference may be larger or smaller, at worst between
    /// the first common packet and the last; none where there is no bound on one side.
    pub error_ns: Option<i64>,
    /// How much faster the second clock runs, in parts of a million.
    pub drift_ppm: f64,
    /// The least and the most that the packets allow; none without packets of both directions.
    pub drift_bounds_ppm: Option<[f64; 2]>,
    /// By how much the packets contradict the line, if clocks are uneven.
    pub contradiction_ns: i64,
    #[serde(skip)]
    pub(super) line: Line,
}

/// Collects what packets tell of the clocks.
#[derive(Debug, Default)]
pub(super) struct Estimator {
    /// From the first point to the second: the difference is at most this.
    above: Hull<1>,
    /// From the second to the first: it is at least this.
    below: Hull<-1>,
    /// First and last time of the second clock.
    span: Option<(i64, i64)>,
}

impl Estimator {
    /// Both captures have a packet, at these times; it went from the first to the second, or not.
    pub fn add(&mut self, first_ns: u64, second_ns: u64, is_forth: bool) {
        let (x, y) = (
            second_ns as i64,
            (second_ns as i64).wrapping_sub(first_ns as i64),
        );
        let (from, to) = self.span.unwrap_or((x, x));
        self.span = Some((from.min(x), to.max(x)));
        if is_forth {
            self.above.add(x, y);
        } else {
            self.below.add(x, y);
        }
    }

    /// The estimate, for captures whose times are known to `resolution_ns`; none if no packet
    /// is in both.
    pub fn estimate(&self, resolution_ns: i64) -> Option<Clock> {
        let (from, to) = self.span?;
        if self.above.is_empty() || self.below.is_empty() {
            return Some(self.one_way(from, to));
        }
        let bounds = Bounds {
            above: &self.above,
            below: &self.below,
        };
        let (low, high) = (self.below.support(0.0, 0), self.above.support(0.0, 0));
        if low <= resolution_ns as f64 && high >= -resolution_ns as f64 {
            return Some(self.same(&bounds, from, to));
        }
        Some(self.between(&bounds, from, to))
    }

    /// Nothing contradicts that the clocks are one.
    fn same(&self, bounds: &Bounds<'_>, from: i64, to: i64) -> Clock {
        let line = Line {
            at_ns: from,
            offset_ns: 0,
            drift: 0.0,
        };
        let slopes = bounds.slopes();
        Clock {
            clocks: Clocks::Same,
            offset_ns: 0,
            error_ns: slopes.map(|slopes| bounds.error(&line, slopes, from, to)),
            drift_ppm: 0.0,
            drift_bounds_ppm: slopes.map(ppm),
            contradiction_ns: 0,
            line,
        }
    }

    fn between(&self, bounds: &Bounds<'_>, from: i64, to: i64) -> Clock {
        let slopes = bounds.slopes();
        let drift = bounds.best_slope();
        let (low, high) = (
            self.below.support(drift, from),
            self.above.support(drift, from),
        );
        let offset_ns = f64::midpoint(low, high).round() as i64;
        let line = Line {
            at_ns: from,
            offset_ns,
            drift,
        };
        Clock {
            clocks: if slopes.is_some() {
                Clocks::Aligned
            } else {
                Clocks::Uneven
            },
            offset_ns,
            error_ns: slopes.map(|slopes| bounds.error(&line, slopes, from, to)),
            drift_ppm: drift * 1e6,
            drift_bounds_ppm: slopes.map(ppm),
            contradiction_ns: if slopes.is_some() {
                0
            } else {
                ((low - high) / 2.0).ceil() as i64
            },
            line,
        }
    }

    fn one_way(&self, from: i64, to: i64) -> Clock {
        let (drift, offset) = if self.below.is_empty() {
            let drift = self.above.tangent().unwrap_or(0.0).clamp(-FASTEST, FASTEST);
            (drift, self.above.support(drift, from))
        } else {
            let drift = self.below.tangent().unwrap_or(0.0).clamp(-FASTEST, FASTEST);
            (drift, self.below.support(drift, from))
        };
        // One hull bounds no slope, and one packet shows none.
        let drift = if from == to { 0.0 } else { drift };
        let offset_ns = offset.round() as i64;
        Clock {
            clocks: Clocks::OneWay,
            offset_ns,
            error_ns: None,
            drift_ppm: drift * 1e6,
            drift_bounds_ppm: None,
            contradiction_ns: 0,
            line: Line {
                at_ns: from,
                offset_ns,
                drift,
            },
        }
    }
}

fn ppm(slopes: [f64; 2]) -> [f64; 2] {
    slopes.map(|slope| slope * 1e6)
}

/// The two hulls, between which the line lies.
struct Bounds<'a> {
    above: &'a Hull<1>,
    below: &'a Hull<-1>,
}

impl Bounds<'_> {
    /// The room between the hulls for a line of this slope; negative if it does not fit.
    fn gap(&self, slope: f64) -> f64 {
        self.above.support(slope, 0) - self.below.support(slope, 0)
    }

    /// The slope with the most room, and of those that have it but for a nanosecond, which is
    /// what times are told in, the least steep. The room changes its growth at the slopes of
    /// edges only, so one of them has most.
    fn best_slope(&self) -> f64 {
        let edges = self.above.slopes().chain(self.below.slopes());
        let slopes = edges
            .map(|slope| slope.clamp(-FASTEST, FASTEST))
            .chain([0.0]);
        let (mut best, mut room) = (0.0_f64, f64::NEG_INFINITY);
        for slope in slopes {
            let gap = self.gap(slope);
            if gap > room + 1.0 || (gap > room - 1.0 && slope.abs() < best.abs()) {
                (best, room) = (slope, room.max(gap));
            }
        }
        best
    }

    /// The least and the largest slope for which there is room.
    fn slopes(&self) -> Option<[f64; 2]> {
        let best = self.best_slope();
        if self.gap(best) < 0.0 {
            return None;
        }
        Some([-FASTEST, FASTEST].map(|extreme| {
            let (mut inside, mut outside) = (best, extreme);
            if self.gap(outside) >= 0.0 {
                return outside;
            }
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(inside, outside);
                if self.gap(middle) >= 0.0 {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            inside
        }))
    }

    /// How far a line that fits may be from `line` at either end.
    fn error(&self, line: &Line, [least, largest]: [f64; 2], from: i64, to: i64) -> i64 {
        let farthest = [from, to].map(|at| {
            let high = most(least, largest, |slope| self.above.support(slope, at));
            let low = most(least, largest, |slope| -self.below.support(slope, at));
            let high = self.above.support(high, at);
            let low = self.below.support(low, at);
            let own = line.offset(at as u64) as f64;
            (high - own).max(own - low)
        });
        farthest[0].max(farthest[1]).ceil() as i64
    }
}

/// Where a concave function is largest.
fn most(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..2 * HALVINGS {
        let third = (high - low) / 3.0;
        if value(low + third) < value(high - third) {
            low += third;
        } else {
            high -= third;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// Packets each 10 ms for a minute, 2 ms and 3 ms under way at least, seen by a second
    /// clock that is ahead by `offset` and drifts.
    fn estimate(offset: i64, drift: f64, extra: impl Fn(u64) -> [u64; 2]) -> Clock {
        let mut estimator = Estimator::default();
        let second = |time: u64| (time as i64 + offset + (time as f64 * drift) as i64) as u64;
        for step in 0..6000 {
            let (sent, [forth, back]) = (100 * SECOND + step * SECOND / 100, extra(step));
            estimator.add(sent, second(sent + 2_000_000 + forth), true);
            estimator.add(sent + 3_000_000 + back, second(sent), false);
        }
        estimator.estimate(0).expect("many packets")
    }

    #[test]
    fn clocks_that_nothing_contradicts_are_the_same() {
        let clock = estimate(0, 0.0, |step| [step % 7 * 1000, 0]);
        assert_eq!(
            (clock.clocks, clock.offset_ns, clock.drift_ppm),
            (Clocks::Same, 0, 0.0)
        );
        let error = clock.error_ns.expect("both directions");
        assert!((3_000_000..3_001_000).contains(&error), "{error}");
    }

    #[test]
    fn an_offset_is_known_but_for_the_asymmetry_of_the_path() {
        let clock = estimate(3_600_000_000_000, 0.0, |step| {
            [step % 11 * 100_000, step % 7 * 90_000]
        });
        assert_eq!(clock.clocks, Clocks::Aligned);
        let wrong = clock.offset_ns - 3_600_000_000_000;
        assert!(
            (wrong + 500_000).abs() < 1_000,
            "half of 2 ms less 3 ms: {wrong}"
        );
        assert!(clock.error_ns.expect("both directions") >= 500_000);
        assert!(clock.drift_ppm.abs() < 1e-3, "{}", clock.drift_ppm);
    }

    #[test]
    fn a_drift_is_found_though_one_queue_fills_up() {
        let clock = estimate(-50_000_000, 40e-6, |step| {
            [step * 100_000, step % 7 * 90_000]
        });
        assert!((clock.drift_ppm - 40.0).abs() < 0.01, "{}", clock.drift_ppm);
        let [least, most] = clock.drift_bounds_ppm.expect("both directions");
        assert!(least <= 40.0 && 40.0 <= most, "{least} {most}");
    }

    #[test]
    fn one_direction_gives_delays_above_the_smallest() {
        let mut estimator = Estimator::default();
        for step in 0..100 {
            let sent = step * SECOND;
            estimator.add(sent, sent + 7_000_000 + step % 3 * 1000, true);
        }
        let clock = estimator.estimate(0).expect("packets");
        assert_eq!((clock.clocks, clock.offset_ns), (Clocks::OneWay, 7_000_000));
        assert_eq!((clock.error_ns, clock.drift_bounds_ppm), (None, None));
    }

    #[test]
    fn a_clock_that_was_set_is_told_so() {
        let mut estimator = Estimator::default();
        for step in 0..100 {
            let sent = step * SECOND;
            let jump = if step < 50 { 0 } else { SECOND };
            estimator.add(sent, sent + jump + 1_000_000, true);
            estimator.add(sent + 1_000_000, sent + jump, false);
        }
        let clock = estimator.estimate(0).expect("packets");
        assert_eq!((clock.clocks, clock.error_ns), (Clocks::Uneven, None));
        assert!(
            clock.contradiction_ns > 100_000_000,
            "{}",
            clock.contradiction_ns
        );
    }

    #[test]
    fn times_of_whole_microseconds_may_cross() {
        let mut estimator = Estimator::default();
        estimator.add(10_000, 9_000, true);
        estimator.add(20_000, 19_000, false);
        let clock = estimator.estimate(1_000).expect("packets");
        assert_eq!(clock.clocks, Clocks::Same);
    }

    proptest! {
        /// The truth lies within the bounds that are given, whatever the delays.
        #[test]
        fn the_truth_lies_within_the_bounds(
            offset in -10_000_000_000_i64..10_000_000_000,
            drift in -1e-4_f64..1e-4,
            delays in proptest::collection::vec((0_u64..50_000_000, 0_u64..50_000_000), 2..200),
        ) {
            let mut estimator = Estimator::default();
            let true_offset = |time: u64| offset + (time as f64 * drift).round() as i64;
            let second = |time: u64| (time as i64 + true_offset(time)) as u64;
            for (step, &(forth, back)) in (0_u64..).zip(&delays) {
                let sent = 1000 * SECOND + step * SECOND;
                estimator.add(sent, second(sent + forth), true);
                estimator.add(sent + back, second(sent), false);
            }
            let clock = estimator.estimate(0).expect("packets");
            prop_assert_ne!(clock.clocks, Clocks::Uneven);
            let start = 1000 * SECOND;
            let wrong = clock.line.offset(second(start)) - true_offset(start);
            let error = clock.error_ns.expect("both directions");
            prop_assert!(wrong.abs() <= error + 2, "{wrong} {error}");
            let [least, most] = clock.drift_bounds_ppm.expect("both directions");
            // The drift is told of the second clock's time.
            let told = drift / (1.0 + drift) * 1e6;
            prop_assert!(least - 1e-3 <= told && told <= most + 1e-3, "{least} {told} {most}");
        }
    }
}
