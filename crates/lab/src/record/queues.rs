//! What is measured of queues: in front of wires, and of radios where they have one of their own.

use net::queue::QueueCounts;
use units::declaration::{Declared, Metric};
use units::histogram::Distribution;

use super::cut::{Cut, QueueCut, RunPart};
use super::declared::{MetricPlace, Taker};
use super::distributions::{DistributedQuantity, quantity};

/// A queue in a part of a run.
pub struct Waits {
    first: QueueCounts,
    last: QueueCounts,
    longest_ms: f64,
    sojourns: Option<Distribution>,
}

/// How long packets waited, each of them.
pub const SOJOURN: DistributedQuantity = quantity!(
    "queue",
    "Wait in the queue",
    ms,
    "from a packet's coming to the queue until it is the next to be sent"
);

/// What is given of a queue besides its counts.
pub const WAITS: &[Declared<Waits>] = &[
    Declared {
        metric: Metric {
            name: "queue_ms_mean",
            label: "Mean wait in the queue",
            unit: "ms",
            about: "how long packets waited in the queue until the sender took them, averaged over \
                    all that it took; absent without any",
        },
        value: |of| of.mean_ms(),
    },
    Declared {
        metric: Metric {
            name: "queue_ms_max",
            label: "Longest wait in the queue",
            unit: "ms",
            about: "the same, at its longest",
        },
        value: |of| of.mean_ms().map(|_| of.longest_ms),
    },
];

impl Waits {
    /// A queue in a part of a run, which is found in every cut; none where it is in none.
    pub fn of(part: &RunPart<'_>, queue: impl Fn(&Cut) -> Option<&QueueCut>) -> Option<Waits> {
        let longest = |cut| queue(cut).map(|of| of.counts.longest_sojourn.as_secs_f64() * 1e3);
        let [first, last] = [queue(part.first())?, queue(part.last())?];
        let sojourns = last.sojourns.as_ref().zip(first.sojourns.as_ref());
        Some(Waits {
            first: first.counts,
            last: last.counts,
            sojourns: sojourns.map(|(last, first)| last.since(first)),
            longest_ms: part.pieces().iter().filter_map(longest).fold(0.0, f64::max),
        })
    }

    fn mean_ms(&self) -> Option<f64> {
        let sent = self.last.sent - self.first.sent;
        let waited = (self.last.sojourn - self.first.sojourn).as_secs_f64();
        (sent > 0).then(|| waited * 1e3 / sent as f64)
    }
}

/// Gives what is measured of a queue, if there is one.
pub fn give(waits: Option<Waits>, place: MetricPlace<'_>, into: &mut impl Taker) {
    let Some(waits) = waits else { return };
    let count = |count: fn(&QueueCounts) -> u64| (count(&waits.last) - count(&waits.first)) as f64;
    place.counted(QueueCounts::METRICS, count, into);
    place.declared(WAITS, &waits, into);
    if let Some(sojourns) = &waits.sojourns {
        place.distribution(&SOJOURN, sojourns, into);
    }
}
