//! Bounds that two hulls set to the line between them.

use super::hull::Hull;
use super::{ClockLine, FASTEST};

/// Halvings of an interval of slopes: from a percent down to what a double can tell apart.
const HALVINGS: usize = 64;

/// The two hulls, between which the line lies.
pub(super) struct Bounds<'a> {
    pub above: &'a Hull<1>,
    pub below: &'a Hull<-1>,
}

impl Bounds<'_> {
    /// The room between the hulls for a line of this slope; negative if it does not fit.
    fn gap(&self, slope: f64) -> f64 {
        self.above.support(slope, 0) - self.below.support(slope, 0)
    }

    /// The slope with the most room, and of those that have it but for a nanosecond, which is
    /// what times are told in, the least steep. The room changes its growth at the slopes of
    /// edges only, so one of them has most.
    pub fn best_slope(&self) -> f64 {
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
    pub fn slopes(&self) -> Option<[f64; 2]> {
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

    /// Returns how far a line that fits may be from `line` at either end.
    pub fn error(&self, line: &ClockLine, [least, largest]: [f64; 2], from: i64, to: i64) -> i64 {
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
