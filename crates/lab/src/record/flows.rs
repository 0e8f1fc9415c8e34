//! What is measured of each flow, and of all together.

use traffic::{About, TimingRecord, Transport};
use units::Duration;
use units::declaration::{Declared, Metric};

use super::cut::RunPart;
use super::declared::{MetricPlace, MetricScope, Taker, Unseen};
use super::interval::{deviation, half_width};
use super::{times, transport};
use crate::meters::{DatagramMeter, FlowMeter};
use crate::plan::{FlowPlan, Plan};

/// A flow, or all of them, in a part of a run.
pub struct Flows {
    seconds: f64,
    /// How many share the goodput.
    connections: usize,
    /// How many of them have failed, if that can be seen.
    failed: Option<usize>,
    meter: FlowMeter,
    /// What those that start the flows have sent, if that can be seen.
    packets: Option<u64>,
}

/// Metrics of some kinds of flows.
pub struct FlowGroup<Of: 'static> {
    /// Which ones.
    pub is_for: fn(&About) -> bool,
    pub metrics: &'static [Declared<Of>],
}

/// What is given of every flow.
pub const EVERY: FlowGroup<Flows> = FlowGroup {
    is_for: |_| true,
    metrics: &[
        Declared {
            metric: Metric {
                name: "goodput_mbps",
                label: "Goodput",
                unit: "Mbit/s",
                about: "application bytes received over the measured time",
            },
            value: |of| Some(of.mbps()),
        },
        Declared {
            metric: Metric {
                name: "bytes",
                label: "Bytes",
                unit: "bytes",
                about: "application bytes that the receiver read; of a script, those that either end \
                        read; of a ping, those echoed",
            },
            value: |of| Some(of.meter.bytes as f64),
        },
        BYTES_PER_S,
        PACKETS_PER_S,
    ],
};

const BYTES_PER_S: Declared<Flows> = Declared {
    metric: Metric {
        name: "bytes_per_s",
        label: "Bytes a second",
        unit: "bytes/s",
        about: "application bytes received, a second",
    },
    value: |of| Some(of.meter.bytes as f64 / of.seconds),
};

const PACKETS_PER_S: Declared<Flows> = Declared {
    metric: Metric {
        name: "packets_per_s",
        label: "Packets a second",
        unit: "packets/s",
        about: "segments of every kind, datagrams or echo requests that the sender sent, a second",
    },
    value: |of| Some(of.packets? as f64 / of.seconds),
};

/// What is given where round trips are timed.
pub const TRIPS: FlowGroup<Flows> = FlowGroup {
    is_for: |about| about.transport != Transport::Udp,
    metrics: &[
        Declared {
            metric: Metric {
                name: "rtt_ms_mean",
                label: "Mean RTT",
                unit: "ms",
                about: "mean of the round-trip times measured",
            },
            value: |of| of.meter.rtt.mean_ms(),
        },
        Declared {
            metric: Metric {
                name: "rtt_ms_max",
                label: "Largest RTT",
                unit: "ms",
                about: "largest round-trip time measured",
            },
            value: |of| of.meter.rtt.longest_ms(),
        },
    ],
};

/// What is given where datagrams are sent: of those from the end that starts the flow, and, where
/// the other one answers, of those, too, behind [`ANSWERS`].
pub const DATAGRAMS: FlowGroup<DatagramMeter> = FlowGroup {
    is_for: |about| about.transport == Transport::Udp,
    metrics: &[
        Declared {
            metric: Metric {
                name: "datagrams_sent",
                label: "Datagrams sent",
                unit: "datagrams",
                about: "datagrams sent",
            },
            value: |of| Some(of.sent as f64),
        },
        Declared {
            metric: Metric {
                name: "datagrams_received",
                label: "Datagrams received",
                unit: "datagrams",
                about: "datagrams that arrived, duplicates included",
            },
            value: |of| Some(of.received as f64),
        },
        Declared {
            metric: Metric {
                name: "datagram_loss",
                label: "Datagram loss",
                unit: "",
                about: "share that is missing of the datagrams up to the last that arrived (RFC 3550 §A.3); \
                        below zero where duplicates are more",
            },
            value: DatagramMeter::lost_share,
        },
        Declared {
            metric: Metric {
                name: "delay_ms_mean",
                label: "Mean one-way delay",
                unit: "ms",
                about: "mean time from a datagram's sending to its arrival",
            },
            value: |of| of.delay.mean_ms(),
        },
        Declared {
            metric: Metric {
                name: "delay_ms_max",
                label: "Largest one-way delay",
                unit: "ms",
                about: "largest time from a datagram's sending to its arrival",
            },
            value: |of| of.delay.longest_ms(),
        },
        Declared {
            metric: Metric {
                name: "jitter_ms_mean",
                label: "Jitter",
                unit: "ms",
                about: "mean over the arrivals of the interarrival jitter of RFC 3550 §6.4.1",
            },
            value: |of| of.jitter.mean_ms(),
        },
    ],
};

/// What the names of metrics of answering datagrams begin with.
pub const ANSWERS: &str = "answers.";

/// What is given of all flows together.
pub const ALL: &[Declared<Flows>] = &[
    Declared {
        metric: Metric {
            name: "measured_s",
            label: "Measured time",
            unit: "s",
            about: "simulated time of a run after its warm-up; of a window, its length",
        },
        value: |of| Some(of.seconds),
    },
    Declared {
        metric: Metric {
            name: "goodput_mbps",
            label: "Total goodput",
            unit: "Mbit/s",
            about: "application bytes that receivers read from all TCP connections and UDP flows, \
                    over the measured time",
        },
        value: |of| Some(of.mbps()),
    },
    Declared {
        metric: Metric {
            name: "goodput_per_connection_mbps",
            label: "Goodput per connection",
            unit: "Mbit/s",
            about: "total goodput over the number of TCP connections and UDP flows in the scenario",
        },
        value: |of| Some(of.mbps() / of.connections.max(1) as f64),
    },
    BYTES_PER_S,
    PACKETS_PER_S,
    Declared {
        metric: Metric {
            name: "connections_failed",
            label: "Failed connections",
            unit: "connections",
            about: "flows of which a TCP connection was ended by an error, in the warm-up too",
        },
        value: |of| Some(of.failed? as f64),
    },
    Declared {
        metric: Metric {
            name: "rtt_ms_mean",
            label: "Mean RTT",
            unit: "ms",
            about: "mean of all round-trip times that either end of a TCP connection or a ping \
                    measured",
        },
        value: |of| of.meter.rtt.mean_ms(),
    },
    Declared {
        metric: Metric {
            name: "rtt_ms_max",
            label: "Largest RTT",
            unit: "ms",
            about: "largest round-trip time that either end of a TCP connection or a ping measured",
        },
        value: |of| of.meter.rtt.longest_ms(),
    },
];

/// The timing records of a flow.
pub struct Records {
    seconds: f64,
    /// Of each record its rate.
    mbps: Vec<f64>,
    /// Of each record how long it took, in seconds.
    elapsed: Vec<f64>,
    transactions: u64,
    /// The longest of the records over its transactions, in seconds.
    longest: f64,
}

/// What is given where there are timing records: what IxChariot's console shows of a pair.
pub const RECORDS: FlowGroup<Records> = FlowGroup {
    is_for: |about| about.records,
    metrics: &[
        Declared {
            metric: Metric {
                name: "records",
                label: "Timing records",
                unit: "records",
                about: "timing records completed",
            },
            value: |of| Some(of.mbps.len() as f64),
        },
        Declared {
            metric: Metric {
                name: "record_mbps_mean",
                label: "Throughput of a record",
                unit: "Mbit/s",
                about: "mean over the timing records of bytes over duration",
            },
            value: |of| of.any(of.mbps.iter().sum::<f64>() / of.mbps.len() as f64),
        },
        Declared {
            metric: Metric {
                name: "record_mbps_sd",
                label: "Spread of the records' throughput",
                unit: "Mbit/s",
                about: "standard deviation over the timing records of bytes over duration; from two \
                        records on",
            },
            value: |of| deviation(&of.mbps),
        },
        Declared {
            metric: Metric {
                name: "record_mbps_min",
                label: "Least throughput of a record",
                unit: "Mbit/s",
                about: "smallest of the timing records' bytes over duration",
            },
            value: |of| of.any(of.mbps.iter().copied().fold(f64::INFINITY, f64::min)),
        },
        Declared {
            metric: Metric {
                name: "record_mbps_max",
                label: "Largest throughput of a record",
                unit: "Mbit/s",
                about: "largest of the timing records' bytes over duration",
            },
            value: |of| of.any(of.mbps.iter().copied().fold(0.0, f64::max)),
        },
        Declared {
            metric: Metric {
                name: "transactions_per_s",
                label: "Transaction rate",
                unit: "transactions/s",
                about: "transactions of the timing records over the time these took",
            },
            value: |of| of.any(of.transactions as f64 / of.seconds),
        },
        Declared {
            metric: Metric {
                name: "response_ms_mean",
                label: "Response time",
                unit: "ms",
                about: "time that the timing records took over their transactions",
            },
            value: |of| of.any(of.seconds * 1e3 / of.transactions as f64),
        },
        Declared {
            metric: Metric {
                name: "response_ms_max",
                label: "Longest response",
                unit: "ms",
                about: "longest of the timing records' durations, each over its transactions",
            },
            value: |of| of.any(of.longest * 1e3),
        },
        Declared {
            metric: Metric {
                name: "relative_precision",
                label: "Relative precision",
                unit: "%",
                about: "half-width of the 95 % t interval of the mean duration of a timing \
                        record, over that mean; from two records on",
            },
            value: |of| {
                let mean = of.elapsed.iter().sum::<f64>() / of.elapsed.len() as f64;
                half_width(&of.elapsed).map(|half| 100.0 * half / mean)
            },
        },
    ],
};

impl Flows {
    fn mbps(&self) -> f64 {
        self.meter.bytes as f64 * 8.0 / 1e6 / self.seconds
    }

    fn of(part: &RunPart<'_>, plan: &Plan, index: usize) -> Flows {
        let meter = part.meter(index);
        let [starting, _] = part.tcp(index);
        let is_seen = !transport::is_unseen(plan, &plan.flows[index]);
        let packets = starting.segments_sent + meter.datagrams[0].sent + meter.requests;
        Flows {
            seconds: part.seconds(),
            connections: 1,
            failed: is_seen.then_some(usize::from(meter.failure.is_some())),
            packets: is_seen.then_some(packets),
            meter,
        }
    }

    /// All flows; bytes that pings have carried are no goodput.
    fn all(part: &RunPart<'_>, plan: &Plan) -> Flows {
        let mut all = Flows {
            seconds: part.seconds(),
            connections: 0,
            failed: Some(0),
            meter: FlowMeter::default(),
            packets: Some(0),
        };
        for (index, flow) in plan.flows.iter().enumerate() {
            let mut each = Flows::of(part, plan, index);
            if flow.app.about().transport == Transport::Icmp {
                each.meter.bytes = 0;
                each.connections = 0;
            }
            all.meter.add(&each.meter);
            all.connections += each.connections;
            all.failed = all.failed.zip(each.failed).map(|(all, each)| all + each);
            all.packets = all.packets.zip(each.packets).map(|(all, each)| all + each);
        }
        all
    }
}

impl Records {
    fn of(records: &[TimingRecord]) -> Records {
        let seconds = |record: &TimingRecord| record.elapsed.as_secs_f64();
        let bits = |record: &TimingRecord| record.bytes as f64 * 8.0 / 1e6;
        let together = (records.iter()).fold(Duration::ZERO, |sum, record| sum + record.elapsed);
        Records {
            seconds: together.as_secs_f64(),
            mbps: (records.iter())
                .map(|each| bits(each) / seconds(each))
                .collect(),
            elapsed: records.iter().map(seconds).collect(),
            transactions: records
                .iter()
                .map(|each| u64::from(each.transactions))
                .sum(),
            longest: (records.iter())
                .map(|each| seconds(each) / f64::from(each.transactions))
                .fold(0.0, f64::max),
        }
    }

    /// The value, if there are any records.
    fn any(&self, value: f64) -> Option<f64> {
        (!self.mbps.is_empty()).then_some(value)
    }
}

/// Gives what is measured of every flow and of all.
pub fn give(part: &RunPart<'_>, plan: &Plan, into: &mut impl Taker) {
    MetricPlace::RUN.declared(ALL, &Flows::all(part, plan), into);
    for (index, flow) in plan.flows.iter().enumerate() {
        give_flow(part, plan, index, flow, into);
    }
    transport::give_all(part, plan, into);
    times::give_all(part, plan, into);
}

fn give_flow(
    part: &RunPart<'_>,
    plan: &Plan,
    index: usize,
    flow: &FlowPlan,
    into: &mut impl Taker,
) {
    let about = flow.app.about();
    let place = MetricPlace::of(MetricScope::Flow, &flow.name);
    let measured = Flows::of(part, plan, index);
    for group in [EVERY, TRIPS] {
        if (group.is_for)(about) {
            place.declared(group.metrics, &measured, into);
        }
    }
    if (RECORDS.is_for)(about) {
        place.declared(RECORDS.metrics, &Records::of(part.records(index)), into);
    }
    if transport::is_for(about) {
        transport::give(part, plan, index, place, into);
    }
    if (DATAGRAMS.is_for)(about) {
        let [there, back] = measured.meter.datagrams;
        place.declared(DATAGRAMS.metrics, &there, into);
        if about.answers {
            place
                .before(ANSWERS)
                .declared(DATAGRAMS.metrics, &back, into);
        }
    }
    times::give(part, index, about, place, into);
    let [before, now] = [part.first(), part.last()].map(|cut| &cut.flows[index].app);
    // A program outside hears, counts and waits by itself; what an echo took is seen from here.
    match plan.is_outside(flow) && about.transport != Transport::Icmp {
        true => place.declared(about.metrics, &now.since(before), &mut Unseen(into)),
        false => place.declared(about.metrics, &now.since(before), into),
    }
}
