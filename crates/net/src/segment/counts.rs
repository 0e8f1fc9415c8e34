//! Counts of a station of a segment.

use units::declaration::{CountedMetric, Metric};

/// Counts of a station since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EthernetCounts {
    /// Frames that it has sent to their end.
    pub frames: u64,
    /// Frames that it began and that met with another one.
    pub collisions: u64,
    /// Frames that it gave up after the last attempt.
    pub given_up: u64,
}

const fn counted(
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    about: &'static str,
    count: fn(&EthernetCounts) -> u64,
) -> CountedMetric<EthernetCounts> {
    let metric = Metric {
        name,
        label,
        unit,
        about,
    };
    CountedMetric { metric, count }
}

impl EthernetCounts {
    /// Metrics reported of each station.
    pub const METRICS: &[CountedMetric<EthernetCounts>] = &[
        counted(
            "frames",
            "Frames",
            "frames",
            "frames that this end has sent to all others",
            |of| of.frames,
        ),
        counted(
            "collisions",
            "Collisions",
            "frames",
            "frames that this end began, and broke off because another one had begun as well",
            |of| of.collisions,
        ),
        counted(
            "given_up",
            "Frames given up",
            "frames",
            "frames that this end gave up after 16 collisions",
            |of| of.given_up,
        ),
    ];
}
