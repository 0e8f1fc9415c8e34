//! What is measured of each radio and its queue, of all MACs, and of machines.

use dot11::{GapStatistics, MacCounters};
use units::Duration;
use units::declaration::{Declared, Metric};
use units::histogram::Distribution;

use super::channel;
use super::cut::{Cut, RunPart};
use super::declared::{MetricPlace, MetricScope, Taker};
use super::distributions::{DistributedQuantity, quantity};
use super::queues::{self, Waits};
use crate::meters::Discards;
use crate::meters::absent_stations::{self, Drops};
use crate::plan::{NodeRole, Plan};

/// The MAC of a radio, or those of all, in a part of a run.
pub struct Macs {
    seconds: f64,
    /// The counters at the beginning and at the end, of each.
    counters: Vec<[MacCounters; 2]>,
    gaps: GapStatistics,
    /// Time that data frames from it or to it lasted, of one radio from 802.11n on.
    data_airtime: Option<Duration>,
}

/// A radio's interface queue.
pub struct InterfaceQueueCounts {
    mean: f64,
    most: u32,
}

/// What is given of a queue.
pub const QUEUE: &[Declared<InterfaceQueueCounts>] = &[
    Declared {
        metric: Metric {
            name: "queue_mean_packets",
            label: "Mean queue",
            unit: "packets",
            about: "interface queue averaged over time, the packet in service included",
        },
        value: |of| Some(of.mean),
    },
    Declared {
        metric: Metric {
            name: "queue_max_packets",
            label: "Longest queue",
            unit: "packets",
            about: "most packets in the interface queue, the one in service included",
        },
        value: |of| Some(f64::from(of.most)),
    },
];

/// How long a MAC has to do with a packet.
pub const SERVICE: DistributedQuantity = quantity!(
    "service",
    "Service time in the MAC",
    ms,
    "from a packet's being the next to be sent until it is acknowledged, sent to all, or given up"
);

/// What the names of a radio's own queue begin with.
pub const INTERFACE_QUEUE: &str = "queue.";

/// What is given of MACs besides their counters.
pub const MAC: &[Declared<Macs>] = &[
    Declared {
        metric: Metric {
            name: "fragments_per_msdu",
            label: "Fragments per MSDU",
            unit: "",
            about: "data MPDUs sent without the retry bit over MSDUs acknowledged",
        },
        value: |of| Some(of.fragments_per_msdu()),
    },
    Declared {
        metric: Metric {
            name: "frames_per_s",
            label: "Frames a second",
            unit: "frames/s",
            about: "data MPDUs transmitted a second, retries included",
        },
        value: |of| Some(of.count(MacCounters::attempts) as f64 / of.seconds),
    },
    Declared {
        metric: Metric {
            name: "airtime_share",
            label: "Share of the airtime",
            unit: "",
            about: "part of the time in which data frames went to the radio or came from it, \
                    preambles included and what collided; from 802.11n on",
        },
        value: |of| (of.data_airtime).map(|airtime| airtime.as_secs_f64() / of.seconds),
    },
    Declared {
        metric: Metric {
            name: "fragment_gap_us_mean",
            label: "Mean gap between fragments",
            unit: "µs",
            about: "from the last bit of an ACK to the first of the next fragment of a burst, \
                    averaged",
        },
        value: |of| of.gap(micros(of.gaps.total) / of.gaps.count as f64),
    },
    Declared {
        metric: Metric {
            name: "fragment_gap_us_min",
            label: "Shortest gap between fragments",
            unit: "µs",
            about: "the same, at its shortest",
        },
        value: |of| of.gap(micros(of.gaps.shortest)),
    },
    Declared {
        metric: Metric {
            name: "fragment_gap_us_max",
            label: "Longest gap between fragments",
            unit: "µs",
            about: "the same, at its longest",
        },
        value: |of| of.gap(micros(of.gaps.longest)),
    },
];

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

impl Macs {
    fn of(part: &RunPart<'_>, radio: usize) -> Macs {
        let pieces = part.pieces().iter().map(|cut| cut.radios[radio].gaps);
        let [first, last] = [part.first(), part.last()].map(|cut| cut.radios[radio].data_airtime);
        Macs {
            seconds: part.seconds(),
            counters: vec![[part.first(), part.last()].map(|cut| cut.radios[radio].mac.clone())],
            gaps: pieces.fold(GapStatistics::default(), GapStatistics::and),
            data_airtime: first.zip(last).map(|(first, last)| last - first),
        }
    }

    fn count(&self, count: fn(&MacCounters) -> u64) -> u64 {
        let increase = |[first, last]: &[MacCounters; 2]| count(last) - count(first);
        self.counters.iter().map(increase).sum()
    }

    /// Frames sent for the first time per MSDU acknowledged; not a number without any.
    fn fragments_per_msdu(&self) -> f64 {
        match self.count(|of| of.acknowledged) {
            0 => f64::NAN,
            msdus => self.count(|of| of.attempts() - of.retries) as f64 / msdus as f64,
        }
    }

    /// The value, if there was any gap.
    fn gap(&self, value: f64) -> Option<f64> {
        (self.gaps.count > 0).then_some(value)
    }

    fn give(&self, place: MetricPlace<'_>, into: &mut impl Taker) {
        place.counted(MacCounters::METRICS, |count| self.count(count) as f64, into);
        place.declared(MAC, self, into);
    }
}

impl InterfaceQueueCounts {
    fn of(part: &RunPart<'_>, radio: usize) -> InterfaceQueueCounts {
        let of = |cut: &Cut| cut.radios[radio].area;
        let nanos = (part.last().at - part.first().at).as_nanos();
        let most = part.pieces().iter().map(|cut| cut.radios[radio].most);
        InterfaceQueueCounts {
            mean: (of(part.last()) - of(part.first())) as f64 / nanos as f64,
            most: most.max().unwrap_or_default(),
        }
    }
}

/// Gives what is measured of every radio, by its node's name, and of all.
pub fn give(part: &RunPart<'_>, radios: &[&str], into: &mut impl Taker) {
    let mut all = Macs {
        seconds: part.seconds(),
        counters: Vec::new(),
        gaps: GapStatistics::default(),
        data_airtime: None,
    };
    let mut services = None;
    for (radio, name) in radios.iter().enumerate() {
        let place = MetricPlace::of(MetricScope::Node, name);
        let macs = Macs::of(part, radio);
        place.declared(QUEUE, &InterfaceQueueCounts::of(part, radio), into);
        let interface_queue = Waits::of(part, |cut| cut.radios[radio].interface_queue.as_ref());
        queues::give(interface_queue, place.before(INTERFACE_QUEUE), into);
        macs.give(place, into);
        if let Some(times) = part.service_times(radio) {
            place.distribution(&queues::SOJOURN, &times.waits, into);
            place.distribution(&SERVICE, &times.services, into);
            services = Some(services.map_or_else(
                || times.services.clone(),
                |all: Distribution| all.and(&times.services),
            ));
        }
        all.counters.extend(macs.counters);
        all.gaps = all.gaps.and(macs.gaps);
    }
    all.give(MetricPlace::CHANNEL.before(channel::BEFORE), into);
    if let Some(services) = services {
        (MetricPlace::CHANNEL.before(channel::BEFORE)).distribution(&SERVICE, &services, into);
    }
}

/// Gives what every machine has discarded, where frames are damaged.
pub fn give_discards(part: &RunPart<'_>, plan: &Plan, into: &mut impl Taker) {
    let [first, last] = [part.first(), part.last()].map(|cut| &cut.discards);
    for ((node, first), last) in plan.nodes.iter().zip(first).zip(last) {
        let count = |count: fn(&Discards) -> u64| (count(last) - count(first)) as f64;
        MetricPlace::of(MetricScope::Node, &node.name).counted(Discards::METRICS, count, into);
    }
}

/// Gives what every access point had for stations that were not with it, where stations leave.
pub fn give_absent_stations(part: &RunPart<'_>, plan: &Plan, into: &mut impl Taker) {
    let [first, last] = [part.first(), part.last()].map(|cut| &cut.absent_stations);
    let all = plan.nodes.iter().zip(first).zip(last);
    for ((node, first), last) in all.filter(|((node, _), _)| node.role == NodeRole::Ap) {
        let count = |count: fn(&Drops) -> u64| (count(last) - count(first)) as f64;
        MetricPlace::of(MetricScope::Node, &node.name).counted(
            absent_stations::METRICS,
            count,
            into,
        );
    }
}
