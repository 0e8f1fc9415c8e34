//! Connection and direction of a packet, and its path.

use crate::passage::{PacketOutcome, Passage, PathDirection, Sight};
use crate::transmission::PathTransmission;

/// State of a direction's path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathState {
    pub connection: u32,
    pub end: u8,
    pub way: Option<PathDirection>,
    /// Packets of both directions say so.
    pub is_sure: bool,
}

impl PathState {
    /// The way, after a packet that the second capture has so much later than the first.
    pub fn way_by(self, difference_ns: i64) -> PathDirection {
        // Where nothing takes any time, the client is as good as anywhere before the first point.
        self.way
            .unwrap_or(match (difference_ns.signum(), self.end) {
                (1, _) | (0, 0) => PathDirection::Forth,
                _ => PathDirection::Back,
            })
    }

    /// Returns what is told of a part of a transmission that is so many segments on the path, when
    /// neither capture has shown it.
    pub fn passage(
        self,
        way: PathDirection,
        fate: PacketOutcome,
        sent: &PathTransmission,
        part: (u64, u64),
        segments: u32,
    ) -> Passage {
        Passage {
            connection: self.connection,
            end: self.end,
            way,
            fate,
            sights: [None; 2],
            seq: sent
                .seq
                .wrapping_add(part.0.saturating_sub(sent.start) as u32),
            length: (part.1 - part.0) as u32,
            segments,
            flags: sent.flags.0,
            is_ambiguous: false,
            is_late: false,
            is_needless: false,
            is_reported: false,
            exchanges: [None; 2],
        }
    }
}

/// Where a capture has a transmission.
pub(super) fn sight(sent: &PathTransmission) -> Sight {
    Sight {
        number: sent.number,
        time_ns: sent.time_ns,
        aligned_ns: sent.aligned_ns,
    }
}
