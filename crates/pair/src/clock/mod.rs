//! Offset of one capture's clock from the other's, and its drift.
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

mod bounds;
mod collector;
mod estimator;
mod hull;

use serde::Serialize;

pub(super) use collector::Collector;
use estimator::ClockEstimator;

/// The fastest drift that is looked for: no clock that keeps time for a computer is off by a
/// percent, and Linux slews by at most 500 ppm (adjtimex, MAXFREQ).
const FASTEST: f64 = 0.01;

/// A straight line of the second clock's time: by how much it is ahead of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ClockLine {
    /// A time of the second clock.
    pub at_ns: i64,
    /// The difference then.
    pub offset_ns: i64,
    /// Its growth, in nanoseconds to a nanosecond of the second clock.
    pub drift: f64,
}

impl ClockLine {
    /// Returns whether both clocks always show the same.
    pub fn is_even(&self) -> bool {
        self.offset_ns == 0 && self.drift == 0.0
    }

    /// Returns how far the second clock is ahead when it shows `time_ns`.
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

    /// A time of the first capture (0) or the second (1) on the first one's clock.
    #[inline]
    pub fn aligned(&self, side: usize, time_ns: u64) -> i64 {
        if side == 0 {
            time_ns as i64
        } else {
            (time_ns as i64).wrapping_sub(self.offset(time_ns))
        }
    }
}

/// Findings about the clocks.
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
pub struct ClockEstimate {
    /// Kind of the estimate.
    pub clocks: Clocks,
    /// By how much the second clock is ahead of the first at the first packet that is in both
    /// captures.
    pub offset_ns: i64,
    /// By how many nanoseconds the true difference may be larger or smaller, at worst between
    /// the first common packet and the last; none where there is no bound on one side.
    pub error_ns: Option<i64>,
    /// Drift of the second clock against the first, in parts of a million.
    pub drift_ppm: f64,
    /// The least and the most that the packets allow; none without packets of both directions.
    pub drift_bounds_ppm: Option<[f64; 2]>,
    /// By how much the packets contradict the line, if clocks are uneven.
    pub contradiction_ns: i64,
    #[serde(skip)]
    pub(super) line: ClockLine,
}

impl ClockEstimate {
    /// Returns whether no packet contradicts that the captures have one clock.
    pub(super) const fn may_be_one(&self) -> bool {
        matches!(self.clocks, Clocks::Same | Clocks::OneWay)
    }
}

#[cfg(test)]
mod tests;
