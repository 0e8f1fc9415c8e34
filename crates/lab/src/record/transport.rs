//! What TCP does, of each flow and of all.

use tcp::{Counters, Failure};
use traffic::{About, Transport};
use units::Duration;
use units::declaration::{Declared, Metric};

use super::cut::RunPart;
use super::declared::{MetricPlace, Taker, Unseen};
use crate::meters::{FlowMeter, Stopwatch};
use crate::plan::{FlowPlan, Plan};

/// What the names of TCP's metrics of all flows begin with.
pub const BEFORE: &str = "tcp.";

/// TCP of a flow or of all, in a part of a run.
pub struct TcpTotals {
    counters: Counters,
    meter: FlowMeter,
    /// How many flows had a connection time out, refused and reset.
    failed: [u32; 3],
}

/// Returns whether a kind of flow has TCP.
pub fn is_for(about: &About) -> bool {
    about.transport == Transport::Tcp
}

/// What is given besides the counters of the connections.
pub const METRICS: &[Declared<TcpTotals>] = &[
    Declared {
        metric: Metric {
            name: "retransmissions_spurious",
            label: "Spurious retransmissions",
            unit: "segments",
            about: "resent data segments that arrived where every byte of them was there already",
        },
        value: |of| Some(of.meter.spurious as f64),
    },
    Declared {
        metric: Metric {
            name: "cwnd_bytes_mean",
            label: "Mean congestion window",
            unit: "bytes",
            about: "the sender's congestion window, without what fast recovery adds to it, \
                    averaged over the segments that came to it",
        },
        value: |of| of.meter.congestion_window.mean(),
    },
    Declared {
        metric: Metric {
            name: "cwnd_bytes_max",
            label: "Largest congestion window",
            unit: "bytes",
            about: "the same, at its largest",
        },
        value: |of| of.meter.congestion_window.largest(),
    },
    Declared {
        metric: Metric {
            name: "rwnd_bytes_mean",
            label: "Mean advertised window",
            unit: "bytes",
            about: "the window that the receiver leaves beyond what it has acknowledged, averaged \
                    over the segments that came to the sender",
        },
        value: |of| of.meter.advertised_window.mean(),
    },
    Declared {
        metric: Metric {
            name: "rwnd_bytes_max",
            label: "Largest advertised window",
            unit: "bytes",
            about: "the same, at its largest",
        },
        value: |of| of.meter.advertised_window.largest(),
    },
    Declared {
        metric: Metric {
            name: "setup_ms_mean",
            label: "Connection set-up time",
            unit: "ms",
            about: "from a connection's SYN to the end of its handshake at the end that opened it",
        },
        value: |of| of.meter.setup.mean_ms(),
    },
    Declared {
        metric: Metric {
            name: "setup_ms_max",
            label: "Longest connection set-up",
            unit: "ms",
            about: "the longest of these",
        },
        value: |of| of.meter.setup.longest_ms(),
    },
    Declared {
        metric: Metric {
            name: "transfers",
            label: "Transfers",
            unit: "transfers",
            about: "connections that brought all their data: whose end that received more than it \
                    sent had the other one's FIN",
        },
        value: |of| Some(of.meter.transfers.count as f64),
    },
    Declared {
        metric: Metric {
            name: "transfer_s_mean",
            label: "Transfer time",
            unit: "s",
            about: "from the SYN of such a connection to that FIN, averaged; absent without any",
        },
        value: |of| of.meter.transfers.mean().map(|nanos| nanos / 1e9),
    },
    Declared {
        metric: Metric {
            name: "transfer_s_max",
            label: "Longest transfer",
            unit: "s",
            about: "the longest of these",
        },
        value: |of| of.meter.transfers.largest().map(|nanos| nanos / 1e9),
    },
    Declared {
        metric: Metric {
            name: "stalled_s",
            label: "Stalled time",
            unit: "s",
            about: "time without new acknowledgements of outstanding data, from where the \
                    retransmission timer that expired was started to the next one; each \
                    connection's counts",
        },
        value: |of| Some(seconds(&of.meter.stalled)),
    },
    Declared {
        metric: Metric {
            name: "blocked_s",
            label: "Blocked time",
            unit: "s",
            about: "time that a sending application had data for which the send buffer had no \
                    room; each connection's counts",
        },
        value: |of| Some(seconds(&of.meter.blocked)),
    },
    Declared {
        metric: Metric {
            name: "reordered",
            label: "Reordered segments",
            unit: "segments",
            about: "data segments, sent for the first time, that arrived behind one sent later \
                    (RFC 4737 §3)",
        },
        value: |of| Some(of.meter.reordering.count as f64),
    },
    Declared {
        metric: Metric {
            name: "reordering_extent_mean",
            label: "Mean reordering extent",
            unit: "segments",
            about: "how many data segments a reordered one came behind the first that should \
                    have followed it (RFC 4737 §4.2), averaged",
        },
        value: |of| of.meter.reordering.mean(),
    },
    Declared {
        metric: Metric {
            name: "reordering_extent_max",
            label: "Largest reordering extent",
            unit: "segments",
            about: "the same, at its largest",
        },
        value: |of| of.meter.reordering.largest(),
    },
    Declared {
        metric: Metric {
            name: "failed_timed_out",
            label: "Connections timed out",
            unit: "connections",
            about: "flows whose first failure, in the warm-up too, was that nothing was \
                    acknowledged any more",
        },
        value: |of| Some(f64::from(of.failed[0])),
    },
    Declared {
        metric: Metric {
            name: "failed_refused",
            label: "Connections refused",
            unit: "connections",
            about: "flows whose first failure was a reset in answer to a SYN",
        },
        value: |of| Some(f64::from(of.failed[1])),
    },
    Declared {
        metric: Metric {
            name: "failed_reset",
            label: "Connections reset",
            unit: "connections",
            about: "flows whose first failure was a reset later on",
        },
        value: |of| Some(f64::from(of.failed[2])),
    },
];

fn seconds(watch: &Stopwatch) -> f64 {
    Duration::from_nanos(watch.nanos()).as_secs_f64()
}

impl TcpTotals {
    fn of(part: &RunPart<'_>, flow: usize) -> TcpTotals {
        let [mut counters, other] = part.tcp(flow);
        counters += other;
        let meter = part.meter(flow);
        let is = |why| u32::from(meter.failure == Some(why));
        TcpTotals {
            counters,
            failed: [Failure::TimedOut, Failure::Refused, Failure::Reset].map(is),
            meter,
        }
    }

    fn give(&self, place: MetricPlace<'_>, into: &mut impl Taker) {
        place.counted(
            Counters::METRICS,
            |count| count(&self.counters) as f64,
            into,
        );
        place.declared(METRICS, self, into);
    }
}

/// Returns whether a flow has TCP that cannot be seen: a kernel outside the world has an end of it.
pub fn is_unseen(plan: &Plan, flow: &FlowPlan) -> bool {
    is_for(flow.app.about()) && plan.is_outside(flow)
}

/// Gives what TCP does of a flow.
pub fn give(
    part: &RunPart<'_>,
    plan: &Plan,
    flow: usize,
    place: MetricPlace<'_>,
    into: &mut impl Taker,
) {
    let tcp = TcpTotals::of(part, flow);
    match is_unseen(plan, &plan.flows[flow]) {
        true => tcp.give(place, &mut Unseen(into)),
        false => tcp.give(place, into),
    }
}

/// Gives what TCP does of all flows; of that nothing is known where one of them cannot be seen.
pub fn give_all(part: &RunPart<'_>, plan: &Plan, into: &mut impl Taker) {
    let place = MetricPlace::RUN.before(BEFORE);
    let all = all(part, plan);
    match plan.flows.iter().any(|flow| is_unseen(plan, flow)) {
        true => all.give(place, &mut Unseen(into)),
        false => all.give(place, into),
    }
}

fn all(part: &RunPart<'_>, plan: &Plan) -> TcpTotals {
    let mut all = TcpTotals {
        counters: Counters::default(),
        meter: FlowMeter::default(),
        failed: [0; 3],
    };
    for (index, flow) in plan.flows.iter().enumerate() {
        if is_for(flow.app.about()) {
            let each = TcpTotals::of(part, index);
            all.counters += each.counters;
            all.meter.add(&each.meter);
            for (all, each) in all.failed.iter_mut().zip(each.failed) {
                *all += each;
            }
        }
    }
    all
}
