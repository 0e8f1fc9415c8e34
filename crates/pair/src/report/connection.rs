//! Report of a connection.

use std::net::IpAddr;

use serde::Serialize;

use crate::connection::{PairedConnection, Syn};
use crate::passage::PathDirection;
use dissect::ConnectionEnd;

/// A connection that both captures have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ConnectionReport {
    /// Its number.
    pub number: u32,
    /// Its ends in the first capture: the client, or who was seen first, and the other.
    pub ends: [(IpAddr, u16); 2],
    /// The same ends in the second capture, if they have other addresses or ports there.
    pub ends_second: Option<[(IpAddr, u16); 2]>,
    /// Report of each direction.
    pub lanes: [LaneReport; 2],
}

/// One direction of a connection.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LaneReport {
    /// The way its packets go.
    pub way: PathDirection,
    /// Routers between the points, as the time to live tells; none if no packet is in both.
    pub hops: Option<i16>,
    /// Packets that the first capture has, and the second.
    pub packets: [u64; 2],
    /// Their payload bytes.
    pub bytes: [u64; 2],
    /// At each point: packets that filled a gap, lost or overtaken before it.
    pub fills: [u64; 2],
    /// At each point: packets whose bytes had passed there before and were not acknowledged:
    /// lost behind it, or retransmitted too early.
    pub again: [u64; 2],
    /// At each point: packets whose bytes were acknowledged already: retransmitted needlessly.
    pub again_needless: [u64; 2],
    /// At each point: the payload of the packets of both kinds.
    pub bytes_again: [u64; 2],
    /// Number of times the last bytes under way were lost, all of them.
    pub tails_lost: u64,
    /// Fields that something between the points changes.
    pub alterations: Vec<Alteration>,
}

/// A field that something between the points changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Alteration {
    /// The second capture's sequence numbers are larger by this.
    SequenceNumbers {
        /// Modulo 2³².
        shift: u32,
    },
    /// The IP identification.
    Identification,
    /// The values of the timestamps.
    Timestamps,
    /// The maximum segment size of the SYN.
    MaximumSegmentSize {
        /// In the first capture.
        first: Option<u16>,
        /// In the second.
        second: Option<u16>,
    },
    /// The window scale of the SYN.
    WindowScale {
        /// In the first capture.
        first: Option<u8>,
        /// In the second.
        second: Option<u8>,
    },
    /// SACK is offered in one capture only.
    SackPermitted,
    /// Timestamps are offered in one capture only.
    TimestampsOption,
}

impl ConnectionReport {
    /// A connection, if both captures have it.
    pub(super) fn of(connection: &PairedConnection) -> Option<Self> {
        let [Some(first), Some(second)] = connection.ends else {
            return None;
        };
        if !connection.is_matched() {
            return None;
        }
        let named = |ends: [ConnectionEnd; 2]| ends.map(|end| (end.address.into(), end.port));
        Some(ConnectionReport {
            number: connection.number,
            ends: named(first),
            ends_second: (first != second).then(|| named(second)),
            lanes: [0, 1].map(|end| LaneReport::of(connection, end)),
        })
    }
}

impl LaneReport {
    fn of(connection: &PairedConnection, end: usize) -> Self {
        let lane = &connection.lanes[end];
        let way = connection.way(end);
        LaneReport {
            way,
            // The time to live becomes less on the way, whichever that is.
            hops: lane.hops.map(|lost| match way {
                PathDirection::Forth => lost,
                PathDirection::Back => -lost,
            }),
            packets: lane.counts.map(|counts| counts.packets),
            bytes: lane.counts.map(|counts| counts.bytes),
            fills: lane.counts.map(|counts| counts.fills),
            again: lane.counts.map(|counts| counts.again),
            again_needless: lane.counts.map(|counts| counts.again_needless),
            bytes_again: lane.counts.map(|counts| counts.bytes_again),
            tails_lost: lane.tails_lost,
            alterations: alterations(connection, end),
        }
    }
}

fn alterations(connection: &PairedConnection, end: usize) -> Vec<Alteration> {
    let customs = &connection.lanes[end].customs;
    let mut found = Vec::new();
    let shift = connection.shift(end);
    if shift != 0 {
        found.push(Alteration::SequenceNumbers { shift });
    }
    if customs.ids[1] > customs.ids[0] {
        found.push(Alteration::Identification);
    }
    if customs.rewrites_timestamps() {
        found.push(Alteration::Timestamps);
    }
    if let [Some(first), Some(second)] = connection.syns.map(|syns| syns[end]) {
        compare_syns(first, second, &mut found);
    }
    found
}

fn compare_syns(first: Syn, second: Syn, found: &mut Vec<Alteration>) {
    if first.is_cut || second.is_cut {
        // What one capture has and the other has not may be what its snap length cut off.
        return;
    }
    if first.mss != second.mss {
        found.push(Alteration::MaximumSegmentSize {
            first: first.mss,
            second: second.mss,
        });
    }
    if first.window_scale != second.window_scale {
        let (first, second) = (first.window_scale, second.window_scale);
        found.push(Alteration::WindowScale { first, second });
    }
    if first.sack_permitted != second.sack_permitted {
        found.push(Alteration::SackPermitted);
    }
    if first.has_timestamps != second.has_timestamps {
        found.push(Alteration::TimestampsOption);
    }
}
