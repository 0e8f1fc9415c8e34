//! Fate of a packet between the two points of capture.

use serde::Serialize;

use super::air::AirPassage;

/// The way a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PathDirection {
    /// From the first capture's point to the second's.
    Forth,
    /// From the second to the first.
    Back,
}

impl PathDirection {
    /// Both, in the order of their numbers.
    pub const ALL: [PathDirection; 2] = [PathDirection::Forth, PathDirection::Back];

    /// The capture that a packet passes first: 0 or 1.
    #[inline]
    pub const fn upstream(self) -> usize {
        self as usize
    }
}

/// Fate of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PacketOutcome {
    /// Both captures have it.
    Passed,
    /// It passed the first point of its way and was lost before the second.
    Lost,
    /// The capture at the second point of its way missed it: the receiver acknowledged what
    /// never passed there otherwise.
    Uncaptured,
    /// Only the capture at the second point has it: the other missed it, or something between
    /// them sent it.
    Appeared,
    /// A second copy of a packet: doubled before the first point of its way if both captures have
    /// it, between the points if only the second has, and by the capture itself, or before it and
    /// lost behind it, if only the first has.
    Doubled,
    /// The other capture was not running when it passed, or ended while it was under way.
    Outside,
}

impl PacketOutcome {
    /// All, in the order of their numbers.
    pub const ALL: [PacketOutcome; 6] = [
        PacketOutcome::Passed,
        PacketOutcome::Lost,
        PacketOutcome::Uncaptured,
        PacketOutcome::Appeared,
        PacketOutcome::Doubled,
        PacketOutcome::Outside,
    ];

    /// The name in documents and tables.
    pub const fn name(self) -> &'static str {
        match self {
            PacketOutcome::Passed => "passed",
            PacketOutcome::Lost => "lost",
            PacketOutcome::Uncaptured => "uncaptured",
            PacketOutcome::Appeared => "appeared",
            PacketOutcome::Doubled => "doubled",
            PacketOutcome::Outside => "outside",
        }
    }
}

/// Where a capture has a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// Number of the packet in the file, from 1.
    pub number: u64,
    /// Time when it was captured, by the capture's own clock, in nanoseconds since 1970.
    pub time_ns: u64,
    /// The same on the first capture's clock.
    pub aligned_ns: i64,
}

/// A packet, or the part of a large one that the other capture has as a packet of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passage {
    /// Number of the connection, from 1 in the order of first packets.
    pub connection: u32,
    /// The end that sent it: 0 for the client, or for whose packet was captured first.
    pub end: u8,
    /// Its way.
    pub way: PathDirection,
    /// Fate of it.
    pub fate: PacketOutcome,
    /// Where the first capture has it, and where the second.
    pub sights: [Option<Sight>; 2],
    /// Sequence number, as the capture has it that it passed first.
    pub seq: u32,
    /// Sequence numbers that it takes up, SYN and FIN included.
    pub length: u32,
    /// Number of segments on the path: more than one if both captures have it before its
    /// card cut it, or put together.
    pub segments: u32,
    /// Control bits.
    pub flags: u8,
    /// Another packet agreed as well, and the order decided.
    pub is_ambiguous: bool,
    /// A packet sent later arrived earlier.
    pub is_late: bool,
    /// It was lost, and its bytes had come through before: it was retransmitted needlessly.
    pub is_needless: bool,
    /// It is a second copy that only one capture has, and the receiver reported its bytes as
    /// received twice (RFC 2883).
    pub is_reported: bool,
    /// Exchanges on the air, by each capture if it is one of 802.11 frames.
    pub exchanges: [Option<AirPassage>; 2],
}

impl Passage {
    /// Returns how long it was under way, in nanoseconds, if both captures have it. Less than zero
    /// only where the clocks are not even.
    pub fn delay_ns(&self) -> Option<i64> {
        let from = self.way.upstream();
        let (sent, arrived) = (self.sights[from]?, self.sights[1 - from]?);
        Some(arrived.aligned_ns.saturating_sub(sent.aligned_ns))
    }

    /// Returns what happened on the air: by the first capture from there, with the number of that
    /// capture.
    pub fn exchange(&self) -> Option<(usize, AirPassage)> {
        let of = |side: usize| self.exchanges[side].map(|exchange| (side, exchange));
        of(0).or_else(|| of(1))
    }

    /// Returns when it passed the first point of its way, or the point where it was captured, on
    /// the first capture's clock.
    pub fn at_ns(&self) -> i64 {
        let from = self.way.upstream();
        let sight = self.sights[from].or(self.sights[1 - from]);
        sight.map_or(0, |sight| sight.aligned_ns)
    }
}
