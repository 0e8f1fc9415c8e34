//! The estimate, out of what each packet tells.

use super::bounds::Bounds;
use super::hull::Hull;
use super::{ClockEstimate, ClockLine, Clocks, FASTEST};

/// Collects what packets tell of the clocks.
#[derive(Debug, Default)]
pub(super) struct ClockEstimator {
    /// From the first point to the second: the difference is at most this.
    above: Hull<1>,
    /// From the second to the first: it is at least this.
    below: Hull<-1>,
    /// The least difference that a packet from the first point to the second shows.
    least_above: Option<i64>,
    /// The largest of a packet back.
    most_below: Option<i64>,
    /// First and last time of the second clock.
    span: Option<(i64, i64)>,
}

impl ClockEstimator {
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
            self.least_above = Some(self.least_above.map_or(y, |least| least.min(y)));
        } else {
            self.below.add(x, y);
            self.most_below = Some(self.most_below.map_or(y, |most| most.max(y)));
        }
    }

    /// Returns whether packets contradict that both captures have one clock, whose times are told
    /// to `resolution_ns`.
    pub fn contradicts_one_clock(&self, resolution_ns: i64) -> bool {
        self.most_below.is_some_and(|most| most > resolution_ns)
            || self.least_above.is_some_and(|least| least < -resolution_ns)
    }

    /// The estimate, for captures whose times are known to `resolution_ns`; none if no packet
    /// is in both.
    pub fn estimate(&self, resolution_ns: i64) -> Option<ClockEstimate> {
        let (from, to) = self.span?;
        if self.above.is_empty() || self.below.is_empty() {
            return Some(self.one_way(from, to));
        }
        let bounds = Bounds {
            above: &self.above,
            below: &self.below,
        };
        Some(if self.contradicts_one_clock(resolution_ns) {
            self.between(&bounds, from, to)
        } else {
            self.same(&bounds, from, to)
        })
    }

    /// Nothing contradicts that the clocks are one.
    fn same(&self, bounds: &Bounds<'_>, from: i64, to: i64) -> ClockEstimate {
        let line = ClockLine {
            at_ns: from,
            offset_ns: 0,
            drift: 0.0,
        };
        let slopes = bounds.slopes();
        ClockEstimate {
            clocks: Clocks::Same,
            offset_ns: 0,
            error_ns: slopes.map(|slopes| bounds.error(&line, slopes, from, to)),
            drift_ppm: 0.0,
            drift_bounds_ppm: slopes.map(ppm),
            contradiction_ns: 0,
            line,
        }
    }

    fn between(&self, bounds: &Bounds<'_>, from: i64, to: i64) -> ClockEstimate {
        let slopes = bounds.slopes();
        let drift = bounds.best_slope();
        let (low, high) = (
            self.below.support(drift, from),
            self.above.support(drift, from),
        );
        let offset_ns = f64::midpoint(low, high).round() as i64;
        let line = ClockLine {
            at_ns: from,
            offset_ns,
            drift,
        };
        ClockEstimate {
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

    fn one_way(&self, from: i64, to: i64) -> ClockEstimate {
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
        ClockEstimate {
            clocks: Clocks::OneWay,
            offset_ns,
            error_ns: None,
            drift_ppm: drift * 1e6,
            drift_bounds_ppm: None,
            contradiction_ns: 0,
            line: ClockLine {
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
