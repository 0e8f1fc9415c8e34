//! Evidence about the clocks from packets that are in both captures.

use std::io::Read;
use std::ops::ControlFlow;

use super::{ClockEstimate, ClockEstimator, ClockLine};
use crate::passage::{Passage, PathDirection};
use crate::source::SegmentSource;
use crate::witness::Witness;

/// Collects it.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    sure: ClockEstimator,
    /// Packets of connections of which only one direction is known.
    unsure: ClockEstimator,
    /// By how much the second clock was ahead lately.
    guess_ns: i64,
}

impl Collector {
    /// One that knows by how much the second clock is ahead but for the time under way.
    pub fn new(guess_ns: i64) -> Self {
        Collector {
            guess_ns,
            ..Collector::default()
        }
    }

    /// Returns whether packets contradict that both captures have one clock, whose times are told
    /// to `resolution_ns`.
    pub fn contradicts_one_clock(&self, resolution_ns: i64) -> bool {
        self.sure.contradicts_one_clock(resolution_ns)
    }

    /// The estimate, when all has been told; none if no packet is in both.
    pub fn estimate<R: Read>(&self, sources: &[SegmentSource<R>; 2]) -> Option<ClockEstimate> {
        let resolution_ns = sources[0].resolution_ns().max(sources[1].resolution_ns());
        self.sure
            .estimate(resolution_ns)
            .or_else(|| self.unsure.estimate(resolution_ns))
    }
}

impl Witness for Collector {
    fn matched(&mut self, passage: &Passage, is_sure: bool, hops: Option<i16>) {
        let [Some(first), Some(second)] = passage.sights else {
            return;
        };
        if passage.is_ambiguous {
            return;
        }
        let difference = (second.time_ns as i64).saturating_sub(first.time_ns as i64);
        // As the estimator of round-trip times does (RFC 6298 §2.3), so that a drift is followed.
        self.guess_ns += difference.saturating_sub(self.guess_ns) / 8;
        if is_sure {
            self.sure.add(
                first.time_ns,
                second.time_ns,
                passage.way == PathDirection::Forth,
            );
        } else {
            // A router that the packet has passed lowers its time to live; without one, the
            // first capture is taken to be nearer to the sender.
            self.unsure
                .add(first.time_ns, second.time_ns, hops.unwrap_or(0) >= 0);
        }
    }

    fn steer(&self, line: &mut ClockLine) -> ControlFlow<()> {
        line.offset_ns = self.guess_ns;
        ControlFlow::Continue(())
    }
}
