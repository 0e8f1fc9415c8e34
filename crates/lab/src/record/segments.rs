//! What is measured of each segment, by who shares it.

use net::segment::EthernetCounts;

use super::cut::RunPart;
use super::declared::{MetricPlace, MetricScope, Taker};
use super::queues::{self, Waits};
use super::wires::after;
use crate::plan::Plan;

/// Gives what is measured of every segment.
pub fn give(part: &RunPart<'_>, plan: &Plan, into: &mut impl Taker) {
    for (index, segment) in plan.segments.iter().enumerate() {
        for (station, member) in segment.members.iter().enumerate() {
            let after = after(&plan.nodes[member.node].name);
            let place = MetricPlace {
                after: &after,
                ..MetricPlace::of(MetricScope::Segment, &segment.name)
            };
            let waits = Waits::of(part, |cut| Some(&cut.segments[index][station].1));
            queues::give(waits, place, into);
            let [first, last] =
                [part.first(), part.last()].map(|cut| &cut.segments[index][station].0);
            let count = |count: fn(&EthernetCounts) -> u64| (count(last) - count(first)) as f64;
            place.counted(EthernetCounts::METRICS, count, into);
        }
    }
}
