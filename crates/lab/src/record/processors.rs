//! What is measured of the processor of each machine that has a cost.

use units::Duration;
use units::declaration::{Declared, Metric};

use super::cut::{ProcessorCut, RunPart};
use super::declared::{MetricPlace, MetricScope, Taker};
use crate::plan::Plan;

/// A processor in a part of a run.
pub struct ProcessorWork {
    seconds: f64,
    busy: Duration,
    packets: u64,
    /// How long all those packets together were with it.
    stay: Duration,
    mean: f64,
    most: u32,
    drops: u64,
}

/// What is given of a processor.
pub const PROCESSOR: &[Declared<ProcessorWork>] = &[
    Declared {
        metric: Metric {
            name: "processor_busy",
            label: "Processor busy",
            unit: "",
            about: "share of the time in which the processor worked",
        },
        value: |of| Some(of.busy.as_secs_f64() / of.seconds),
    },
    Declared {
        metric: Metric {
            name: "processor_packets",
            label: "Packets processed",
            unit: "packets",
            about: "packets received, made or passed on that the processor was done with",
        },
        value: |of| Some(of.packets as f64),
    },
    Declared {
        metric: Metric {
            name: "processor_drops",
            label: "Packets not processed",
            unit: "packets",
            about: "packets received or made that the processor had no room for",
        },
        value: |of| Some(of.drops as f64),
    },
    Declared {
        metric: Metric {
            name: "processor_queue_mean_packets",
            label: "Mean queue at the processor",
            unit: "packets",
            about: "packets at the processor averaged over time, the one in work included",
        },
        value: |of| Some(of.mean),
    },
    Declared {
        metric: Metric {
            name: "processor_queue_max_packets",
            label: "Longest queue at the processor",
            unit: "packets",
            about: "most packets at the processor, the one in work included",
        },
        value: |of| Some(f64::from(of.most)),
    },
    Declared {
        metric: Metric {
            name: "processor_time_ms_mean",
            label: "Mean time at the processor",
            unit: "ms",
            about: "from a packet's coming to the processor until that is done with it, averaged; \
                    absent without packets",
        },
        value: |of| (of.packets > 0).then(|| of.stay.as_secs_f64() * 1e3 / of.packets as f64),
    },
];

impl ProcessorWork {
    fn of(part: &RunPart<'_>, index: usize) -> ProcessorWork {
        let [first, last] = [part.first(), part.last()].map(|cut| &cut.processors[index]);
        let elapsed = part.last().at - part.first().at;
        let most = part.pieces().iter().map(|cut| cut.processors[index].most);
        ProcessorWork {
            seconds: elapsed.as_secs_f64(),
            busy: last.busy - first.busy,
            packets: last.stays.count - first.stays.count,
            stay: Duration::from_nanos(last.stays.sum - first.stays.sum),
            mean: (last.area - first.area) as f64 / elapsed.as_nanos() as f64,
            most: most.max().unwrap_or_default(),
            drops: last.drops - first.drops,
        }
    }
}

/// Gives what is measured of every processor, by its node's name.
pub fn give(part: &RunPart<'_>, plan: &Plan, into: &mut impl Taker) {
    for (index, &ProcessorCut { node, .. }) in part.first().processors.iter().enumerate() {
        let place = MetricPlace::of(MetricScope::Node, &plan.nodes[node.index()].name);
        place.declared(PROCESSOR, &ProcessorWork::of(part, index), into);
    }
}
