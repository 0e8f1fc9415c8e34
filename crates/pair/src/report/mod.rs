//! Report of two captures.

mod air;
mod connection;
mod direction;
mod reporter;

use std::io::Read;

use serde::Serialize;

use super::clock::ClockEstimate;
use super::over_time::OverTime;
use super::rows::PacketRows;
use super::source::SegmentSource;
use dissect::read::Warning;
use dissect::{Tally, Unopened};

pub use air::AirReport;
pub use connection::{Alteration, ConnectionReport, LaneReport};
pub use direction::{SegmentCounts, TailReport, WayReport};
pub(super) use reporter::Reporter;

/// Two captures of one path.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// Findings about the clocks.
    pub clock: ClockEstimate,
    /// The two captures.
    pub captures: [FileReport; 2],
    /// From the first point to the second, and back.
    pub ways: [WayReport; 2],
    /// Connections that both captures have, by their numbers.
    pub connections: Vec<ConnectionReport>,
    /// Such connections that are not listed, because there are so many.
    pub unlisted: u64,
    /// Connections that only the first capture has, and only the second: they do not pass the
    /// other point.
    pub connections_alone: [u64; 2],
    /// Their packets.
    pub packets_alone: [u64; 2],
    /// Connections that were told before their end, because too many were open.
    pub evicted: u64,
    /// Delays and losses over time.
    pub over_time: OverTime,
    /// Every packet, if that was asked for.
    #[serde(skip)]
    pub rows: PacketRows,
}

/// One of the captures.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FileReport {
    /// Time when its first packet was captured, by its own clock.
    pub first_ns: u64,
    /// Time when its last packet was captured.
    pub last_ns: u64,
    /// True if it has 802.11 frames.
    pub is_air: bool,
    /// True if all its times are whole microseconds.
    pub is_coarse: bool,
    /// True if it has packets twice that were not: it doubled them itself, as a mirror of a
    /// switch does that copies either direction.
    pub doubles: bool,
    /// Number of packets of each kind.
    pub tally: Tally,
    /// Packets of link types that are not read.
    pub unknown_links: Vec<Unopened>,
    /// Warnings about what could not be read as it stood.
    pub warnings: Vec<Warning>,
}

impl FileReport {
    /// Returns the report of a capture that has been read to its end, and of what it was first to
    /// have.
    fn of<R: Read>(source: &SegmentSource<R>, sent: &WayReport) -> Self {
        let extent = source.extent();
        FileReport {
            first_ns: extent.first_ns,
            last_ns: extent.last_ns,
            is_air: source.is_air(),
            is_coarse: source.resolution_ns() > 0,
            doubles: sent.is_doubled_at_first(),
            tally: *source.tally(),
            unknown_links: source.unknown_links(),
            warnings: source.warnings().to_vec(),
        }
    }
}
