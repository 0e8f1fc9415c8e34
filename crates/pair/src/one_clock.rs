//! Two captures compared as if they had one clock.
//!
//! Most pairs do that were made on one machine, or by machines that keep time well beside what
//! packets need between them. Then all is known after reading the files once for it; otherwise
//! packets contradict it soon.

use std::ops::ControlFlow;

use super::clock::{ClockLine, Collector};
use super::connection::PairedConnection;
use super::passage::{Passage, PathDirection};
use super::report::Reporter;
use super::witness::Witness;

/// The coarsest that times of captures are told to be ([`super::source::Source::resolution_ns`]).
const COARSEST_NS: i64 = 1_000;

/// Collects the report, as long as packets do not contradict.
pub(super) struct OneClock {
    pub collector: Collector,
    pub reporter: Reporter,
}

impl Witness for OneClock {
    fn matched(&mut self, passage: &Passage, is_sure: bool, hops: Option<i16>) {
        self.collector.matched(passage, is_sure, hops);
    }

    fn passage(&mut self, passage: &Passage) {
        self.reporter.passage(passage);
    }

    fn repaired(&mut self, way: PathDirection, times: u32) {
        self.reporter.repaired(way, times);
    }

    fn never_repaired(&mut self, way: PathDirection, times: u32) {
        self.reporter.never_repaired(way, times);
    }

    fn tail_lost(&mut self, way: PathDirection, waited_ns: Option<i64>) {
        self.reporter.tail_lost(way, waited_ns);
    }

    fn closed(&mut self, connection: &PairedConnection) {
        self.reporter.closed(connection);
    }

    #[inline]
    fn steer(&self, _: &mut ClockLine) -> ControlFlow<()> {
        if self.collector.contradicts_one_clock(COARSEST_NS) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
