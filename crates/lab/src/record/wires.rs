//! What is measured of each wire, from either end.

use net::impairment::StageCounts;
use units::declaration::{Declared, Metric};

use super::cut::{RunPart, StageCut};
use super::declared::{MetricPlace, MetricScope, Taker};
use super::queues::{self, Waits};
use crate::plan::{Plan, WirePlan};

/// What is given of a stage besides its counts.
pub const STAGE: &[Declared<StageCut>] = &[
    Declared {
        metric: Metric {
            name: "awaited",
            label: "Packets that never came",
            unit: "packets",
            about: "packets that the stage waits for by number and that had not come when the run, \
                    or the window, ended; of stages with a list of packets",
        },
        value: |of| of.awaited.packets.map(|count| count as f64),
    },
    Declared {
        metric: Metric {
            name: "connections_awaited",
            label: "Connections that never came",
            unit: "connections",
            about: "connections, up to the one that the stage is about, that had not come when the \
                    run, or the window, ended; of stages that are about one connection",
        },
        value: |of| of.awaited.connections.map(|count| count as f64),
    },
];

/// Gives what is measured of every wire.
pub fn give(part: &RunPart<'_>, plan: &Plan, into: &mut impl Taker) {
    for (index, wire) in plan.wires.iter().enumerate() {
        for end in 0..2 {
            let from = &plan.nodes[wire.ends[end].node].name;
            give_end(part, (wire, 2 * index + end, end), &after(from), into);
        }
    }
}

/// Returns what the names of an end's metrics end with.
pub fn after(from: &str) -> String {
    format!("_from.{from}")
}

fn give_end(
    part: &RunPart<'_>,
    (wire, link, end): (&WirePlan, usize, usize),
    after: &str,
    into: &mut impl Taker,
) {
    let place = MetricPlace {
        after,
        ..MetricPlace::of(MetricScope::Wire, &wire.name)
    };
    queues::give(
        Waits::of(part, |cut| Some(&cut.links[link].queue)),
        place,
        into,
    );
    let [first, last] = [part.first(), part.last()].map(|cut| &cut.links[link]);
    for (number, stage) in wire.impair[end].iter().enumerate() {
        let [first, last] = [first, last].map(|link| link.stages[number]);
        let before = format!("{}.", stage.name);
        let place = place.before(&before);
        let count =
            |count: fn(&StageCounts) -> u64| (count(&last.counts) - count(&first.counts)) as f64;
        place.counted(StageCounts::METRICS, count, into);
        place.declared(STAGE, &last, into);
    }
}
