//! Counts of a queue.

use units::Duration;
use units::declaration::{CountedMetric, Metric};

/// Counts of a queue since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Packets that have left for the sender, those included that never waited.
    pub sent: u64,
    /// Total time that they waited.
    pub sojourn: Duration,
    /// The longest that one of them waited, since this was asked for last.
    pub longest_sojourn: Duration,
    /// Packets dropped for want of room.
    pub full: u64,
    /// Packets dropped on arrival as an early sign of congestion.
    pub early: u64,
    /// Packets dropped because those before them had waited for too long.
    pub late: u64,
    /// Packets marked instead of dropped.
    pub marked: u64,
}

/// What a queue in front of a radio has done for one station, and what it has of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StationCounts {
    /// Packets that wait.
    pub packets: u64,
    /// Bytes of their Ethernet frames.
    pub bytes: u64,
    /// Times that a flow came to have packets.
    pub new_flows: u64,
    /// Packets dropped because those before them had waited for too long.
    pub late: u64,
    /// Packets marked instead.
    pub marked: u64,
    /// Packets dropped for want of room.
    pub full: u64,
    /// Packets that have left for the radio.
    pub sent: u64,
    /// Bytes of IP of those.
    pub sent_bytes: u64,
    /// Airtime of data to the station.
    pub to_station: Duration,
    /// Airtime of data from it.
    pub from_station: Duration,
    /// What its airtime weighs.
    pub weight: u32,
    /// Microseconds that are left of its turn.
    pub deficit_us: f64,
    /// Airtime of its packets in the hardware.
    pub pending: Duration,
}

impl QueueCounts {
    /// Packets dropped, whatever for.
    pub fn drops(&self) -> u64 {
        self.full + self.early + self.late
    }

    /// Metrics reported of each queue.
    pub const METRICS: &[CountedMetric<QueueCounts>] = &[
        CountedMetric {
            metric: Metric {
                name: "drops",
                label: "Drops",
                unit: "packets",
                about: "packets that the queue dropped, whatever for",
            },
            count: QueueCounts::drops,
        },
        CountedMetric {
            metric: Metric {
                name: "drops_full",
                label: "Drops, no room",
                unit: "packets",
                about: "packets that the queue dropped for want of room",
            },
            count: |of| of.full,
        },
        CountedMetric {
            metric: Metric {
                name: "drops_early",
                label: "Drops, early sign",
                unit: "packets",
                about: "packets that the queue dropped on arrival as an early sign of congestion \
                        (RED, PIE)",
            },
            count: |of| of.early,
        },
        CountedMetric {
            metric: Metric {
                name: "drops_late",
                label: "Drops, waited too long",
                unit: "packets",
                about: "packets that the queue dropped as their time came, because packets had \
                        waited for too long (CoDel, FQ-CoDel)",
            },
            count: |of| of.late,
        },
        CountedMetric {
            metric: Metric {
                name: "marks",
                label: "Congestion marks",
                unit: "packets",
                about: "packets that the queue marked (CE, RFC 3168) where it would have dropped \
                        others",
            },
            count: |of| of.marked,
        },
    ];
}
