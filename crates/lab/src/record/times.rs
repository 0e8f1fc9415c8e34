//! How long what happens to flows takes, of each and of all together.

use traffic::{About, Transport};
use units::declaration::{Declared, Metric};
use units::histogram::Distribution;

use super::cut::RunPart;
use super::declared::{MetricPlace, Taker};
use super::distributions::{DistributedQuantity, quantity};
use super::{flows, transport};
use crate::meters::{FlowDistributions, TimedQuantity};
use crate::plan::Plan;

/// What some kinds of flows are timed for.
pub struct OfFlows {
    timed: TimedQuantity,
    /// Which ones.
    pub is_for: fn(&About) -> bool,
    /// What its name begins with, for a flow.
    pub before: &'static str,
    /// What it begins with for all of them.
    pub before_of_all: &'static str,
    /// What follows its label for all of them, and for a flow.
    pub whose: &'static str,
    pub whose_of_flow: &'static str,
    /// What it is.
    pub quantity: DistributedQuantity,
}

const DELAY: DistributedQuantity = quantity!(
    "delay",
    "One-way delay",
    ms,
    "from a datagram's sending to its arrival"
);

/// All that flows are timed for.
pub const OF_FLOWS: &[OfFlows] = &[
    OfFlows {
        timed: TimedQuantity::RoundTrip,
        is_for: flows::TRIPS.is_for,
        before: "",
        before_of_all: "",
        whose: "",
        whose_of_flow: ", FLOW",
        quantity: quantity!(
            "rtt",
            "RTT",
            ms,
            "round-trip times that either end of a TCP connection or a ping measured"
        ),
    },
    OfFlows {
        timed: TimedQuantity::OneWay,
        is_for: flows::DATAGRAMS.is_for,
        before: "",
        before_of_all: "",
        whose: "",
        whose_of_flow: ", FLOW",
        quantity: DELAY,
    },
    OfFlows {
        timed: TimedQuantity::Answer,
        is_for: |about| about.transport == Transport::Udp && about.answers,
        before: flows::ANSWERS,
        before_of_all: flows::ANSWERS,
        whose: " of answers",
        whose_of_flow: " of answers, FLOW",
        quantity: DELAY,
    },
    OfFlows {
        timed: TimedQuantity::LossGap,
        is_for: transport::is_for,
        before: "",
        before_of_all: transport::BEFORE,
        whose: "",
        whose_of_flow: ", FLOW",
        quantity: quantity!(
            "loss_gap",
            "Time between losses",
            s,
            "from one data segment that the flow's ends retransmit to the next"
        ),
    },
    OfFlows {
        timed: TimedQuantity::Transfer,
        is_for: transport::is_for,
        before: "",
        before_of_all: transport::BEFORE,
        whose: "",
        whose_of_flow: ", FLOW",
        quantity: quantity!(
            "transfer",
            "Transfer time",
            s,
            "from the SYN of a connection to the FIN behind its last byte, at the end that received \
             more than it sent"
        ),
    },
];

/// What follows from round trips besides.
pub const TRIPS: &[Declared<Distribution>] = &[Declared {
    metric: Metric {
        name: "responsiveness_rpm",
        label: "Responsiveness",
        unit: "round trips/min",
        about: "round trips that fit into a minute one after another, by the mean of the shortest \
                95 % (draft-ietf-ippm-responsiveness-08, \"Aggregating the Measurements\", TMP 95 %); of \
                what was measured under load the responsiveness under working conditions, of TCP \
                on the loaded connections themselves and of pings beside them, which the draft \
                averages",
    },
    value: |of| of.trimmed_mean_s(0.95).map(|seconds| 60.0 / seconds),
}];

impl OfFlows {
    fn give(&self, place: MetricPlace<'_>, times: &FlowDistributions, into: &mut impl Taker) {
        let values = times.of(self.timed);
        place.distribution(&self.quantity, values, into);
        if self.timed == TimedQuantity::RoundTrip {
            place.declared(TRIPS, values, into);
        }
    }
}

/// Gives how long what happens to a flow takes.
pub fn give(
    part: &RunPart<'_>,
    index: usize,
    about: &About,
    place: MetricPlace<'_>,
    into: &mut impl Taker,
) {
    let Some(times) = part.times(index) else {
        return;
    };
    for each in OF_FLOWS {
        if (each.is_for)(about) {
            each.give(place.before(each.before), &times, into);
        }
    }
}

/// Gives the same of all flows together.
pub fn give_all(part: &RunPart<'_>, plan: &Plan, into: &mut impl Taker) {
    let each = (0..plan.flows.len()).filter_map(|flow| part.times(flow));
    let Some(all) = each.reduce(|all, each| all.and(&each)) else {
        return;
    };
    let is_there = |of: &OfFlows| plan.flows.iter().any(|flow| (of.is_for)(flow.app.about()));
    for of in OF_FLOWS.iter().filter(|of| is_there(of)) {
        of.give(MetricPlace::RUN.before(of.before_of_all), &all, into);
    }
}
