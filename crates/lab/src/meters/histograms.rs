//! How long what happens to a flow takes, every single time: histograms, where they are kept.

use units::histogram::{Distribution, Histogram};
use units::{Duration, Time};

/// What a flow is timed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimedQuantity {
    /// Round trips.
    RoundTrip,
    /// The ways of datagrams from the end that starts the flow.
    OneWay,
    /// The ways of datagrams to it.
    Answer,
    /// From one data segment that is retransmitted to the next.
    LossGap,
    /// From the opening of a connection until all of its data are there.
    Transfer,
}

const COUNT: usize = 5;

/// What a flow took, as it is counted.
#[derive(Clone, Debug, Default)]
pub struct FlowHistograms {
    each: [Histogram; COUNT],
    lost_at: Option<Time>,
}

/// What a flow took, up to some moment or in a part of a run.
#[derive(Clone, Debug, Default)]
pub struct FlowDistributions([Distribution; COUNT]);

impl FlowHistograms {
    /// Something took so long.
    #[inline]
    pub fn add(&mut self, timed: TimedQuantity, duration: Duration) {
        self.each[timed as usize].add(duration);
    }

    /// A data segment is retransmitted.
    pub fn on_lost(&mut self, now: Time) {
        if let Some(before) = self.lost_at.replace(now) {
            self.add(TimedQuantity::LossGap, now - before);
        }
    }

    /// Returns what has been counted so far.
    pub fn distributions(&self) -> FlowDistributions {
        FlowDistributions(self.each.each_ref().map(Histogram::distribution))
    }
}

impl FlowDistributions {
    /// Returns how long something took.
    pub fn of(&self, timed: TimedQuantity) -> &Distribution {
        &self.0[timed as usize]
    }

    /// Returns what came since `earlier`.
    pub fn since(&self, earlier: &FlowDistributions) -> FlowDistributions {
        FlowDistributions(std::array::from_fn(|at| self.0[at].since(&earlier.0[at])))
    }

    /// With those of another flow.
    #[must_use]
    pub fn and(&self, other: &FlowDistributions) -> FlowDistributions {
        FlowDistributions(std::array::from_fn(|at| self.0[at].and(&other.0[at])))
    }
}
