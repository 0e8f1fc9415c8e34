//! What is measured of queues: in front of wires, and of radios where they have one of their own.

use net::queue::Counts;
use units::declaration::{Declared, Metric};

use super::cut::{Cut, Part};
use super::declared::{Place, Taker};

/// A queue in a part of a run.
pub struct Waits {
    first: Counts,
    last: Counts,
    longest_ms: f64,
}

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
    /// A queue in a part of a run, whose counts are found in every cut; none where it is in none.
    pub fn of(part: &Part<'_>, counts: impl Fn(&Cut) -> Option<&Counts>) -> Option<Waits> {
        let longest = |cut| counts(cut).map(|of| of.longest_sojourn.as_secs_f64() * 1e3);
        Some(Waits {
            first: *counts(part.first())?,
            last: *counts(part.last())?,
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
pub fn give(waits: Option<Waits>, place: Place<'_>, into: &mut impl Taker) {
    let Some(waits) = waits else { return };
    let count = |count: fn(&Counts) -> u64| (count(&waits.last) - count(&waits.first)) as f64;
    place.counted(Counts::METRICS, count, into);
    place.declared(WAITS, &waits, into);
}
