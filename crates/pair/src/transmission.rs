//! One segment as one capture has it, and whether another capture's may be the same.

use super::air::AirPassage;
use dissect::mix::GOLDEN;
use dissect::{ControlBits, SackRange, TcpSegment};

/// A segment that one of the two captures has.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathTransmission {
    /// Time when it was captured, by the capture's own clock.
    pub time_ns: u64,
    /// The same on the first capture's clock.
    pub aligned_ns: i64,
    /// Number of its packet in the file.
    pub number: u64,
    /// Unwrapped sequence numbers that it takes up, SYN and FIN included.
    pub start: u64,
    pub end: u64,
    /// The sequence number as it stands there.
    pub seq: u32,
    /// The acknowledgment number, in terms of the first capture.
    pub ack: u32,
    pub timestamps: Option<(u32, u32)>,
    /// The snap length cut off timestamps, or any other options, that may have been there.
    pub has_lost_timestamps: bool,
    is_cut: bool,
    /// 0 where there is none, or where the sender does not count.
    pub ip_id: u16,
    pub window: u16,
    pub ttl: u8,
    pub flags: ControlBits,
    pub payload: u32,
    /// Digest of the SACK blocks.
    blocks: u32,
    pub exchange: Option<AirPassage>,
    /// Sequence numbers of it that the other capture has not shown yet; 1 for a segment without
    /// any, until the other shows it.
    pub open: u32,
    /// The same capture had an equal one before.
    pub is_equal: bool,
    /// It is a second copy of that, as its IP identification proves.
    pub is_copy: bool,
    /// The receiver has reported its bytes as received twice.
    pub is_reported: bool,
}

impl PathTransmission {
    /// A segment whose sequence number is `start` when unwrapped.
    pub fn new(
        segment: &TcpSegment,
        exchange: Option<AirPassage>,
        aligned_ns: i64,
        start: u64,
    ) -> Self {
        let flags = segment.flags;
        let markers =
            u32::from(flags.has(ControlBits::SYN)) + u32::from(flags.has(ControlBits::FIN));
        let length = segment.payload.saturating_add(markers);
        PathTransmission {
            time_ns: segment.time_ns,
            aligned_ns,
            number: segment.number,
            start,
            end: start + u64::from(length),
            seq: segment.seq,
            ack: segment.ack,
            timestamps: segment.options.timestamps,
            has_lost_timestamps: segment.options.has_lost_timestamps(),
            is_cut: segment.options.is_cut,
            ip_id: segment.ip_id.unwrap_or(0),
            window: segment.window,
            ttl: segment.ttl,
            flags,
            payload: segment.payload,
            blocks: digest(segment.ack, segment.options.sack()),
            exchange,
            open: length.max(1),
            is_equal: false,
            is_copy: false,
            is_reported: false,
        }
    }

    /// Returns whether it takes up no sequence numbers: a pure acknowledgment, a reset.
    #[inline]
    pub const fn is_bare(&self) -> bool {
        self.start == self.end
    }

    /// Sequence numbers of it without payload: those of SYN and FIN.
    #[inline]
    pub const fn markers(&self) -> u64 {
        self.end - self.start - self.payload as u64
    }

    /// Returns whether both have the same timestamps, as far as both were captured with theirs.
    #[inline]
    pub fn agrees_in_clock(&self, other: &PathTransmission) -> bool {
        let is_lost = self.has_lost_timestamps || other.has_lost_timestamps;
        is_lost || self.timestamps == other.timestamps
    }

    /// Returns what two bare segments must have in common.
    #[inline]
    pub const fn bare_key(&self) -> u64 {
        (self.start << 32) | self.ack as u64
    }
}

/// The SACK blocks in terms of the acknowledgment, so that it does not matter where sequence
/// numbers begin.
fn digest(ack: u32, blocks: &[SackRange]) -> u32 {
    let words = blocks.iter().map(|block| {
        let (left, right) = (block.left.wrapping_sub(ack), block.right.wrapping_sub(ack));
        left.rotate_left(16) ^ right
    });
    words.fold(0, |all, word| mix(&[all, word]))
}

/// Words to one.
fn mix(words: &[u32]) -> u32 {
    words.iter().fold(1, |all: u32, &word| {
        let product = (u64::from(all ^ word)).wrapping_mul(GOLDEN);
        (product >> 32) as u32 ^ product as u32
    })
}

/// Fields that two captures agree on in one direction of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Customs {
    /// Packets whose IP identification was, and was not, the same in both.
    pub ids: [u32; 2],
    /// Packets have the same timestamps in both, and have others.
    pub has_same_clock: bool,
    pub has_other_clock: bool,
}

impl Customs {
    /// Something between the captures changes the timestamps.
    pub const fn rewrites_timestamps(&self) -> bool {
        self.has_other_clock && !self.has_same_clock
    }

    /// Returns whether an IP identification that differs means another packet.
    const fn trusts_ids(&self) -> bool {
        // Some translators number packets anew; a sender's odd zero is no sign of that.
        self.ids[0] > 4 * self.ids[1]
    }
}

/// Degree to which two transmissions agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kinship(u8);

const SAME_ID: u8 = 16;
const SAME_CLOCK: u8 = 8;
const SAME_EXTENT: u8 = 4;
const SAME_WINDOW: u8 = 2;
const SAME_BLOCKS: u8 = 1;

impl Kinship {
    /// Returns how well `one` and `other` agree, whose sequence numbers overlap, or are both bare
    /// with the same key; none if they cannot be the same packet, nor one be cut from the other. A
    /// full segment on the wire has `piece` bytes or more.
    #[inline]
    pub fn of(
        one: &PathTransmission,
        other: &PathTransmission,
        customs: &Customs,
        piece: u32,
    ) -> Option<Kinship> {
        let differs = ControlBits(one.flags.0 ^ other.flags.0);
        if differs.has(ControlBits::RST | ControlBits::ACK)
            || (differs.has(ControlBits::SYN) && one.start == other.start)
            || (differs.has(ControlBits::FIN) && one.end == other.end)
        {
            return None;
        }
        if one.flags.has(ControlBits::ACK) && one.ack != other.ack {
            return None;
        }
        // A SYN is where rewriting shows itself.
        if !one.flags.has(ControlBits::SYN) && !customs.rewrites_timestamps() {
            if let (Some(one), Some(other)) = (one.timestamps, other.timestamps) {
                if one != other {
                    return None;
                }
            }
        }
        let is_same_id = same_id(one, other, piece);
        if is_same_id == Some(false) && customs.trusts_ids() {
            return None;
        }
        let agrees_in_blocks = one.blocks == other.blocks || one.is_cut || other.is_cut;
        let score = |holds: bool, weight: u8| if holds { weight } else { 0 };
        Some(Kinship(
            score(is_same_id == Some(true), SAME_ID)
                + score(one.agrees_in_clock(other), SAME_CLOCK)
                + score(
                    one.start == other.start && one.end == other.end,
                    SAME_EXTENT,
                )
                + score(one.window == other.window, SAME_WINDOW)
                + score(agrees_in_blocks, SAME_BLOCKS),
        ))
    }

    /// Returns whether no other packet can agree as well.
    #[inline]
    pub const fn is_certain(self) -> bool {
        self.0 >= SAME_ID
    }
}

/// Returns whether two packets have the same IP identification, or those of a large segment and one
/// that was cut from it: they are counted on from the large one's (Linux `inet_gso_segment`).
pub(super) fn same_id(
    one: &PathTransmission,
    other: &PathTransmission,
    piece: u32,
) -> Option<bool> {
    if one.ip_id == 0 || other.ip_id == 0 {
        return (one.ip_id != other.ip_id).then_some(false);
    }
    let (large, small) = if one.payload >= other.payload {
        (one, other)
    } else {
        (other, one)
    };
    let ahead = u32::from(small.ip_id.wrapping_sub(large.ip_id));
    let pieces = if large.payload == small.payload {
        1
    } else {
        large.payload.div_ceil(piece.max(1))
    };
    Some(ahead < pieces.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dissect::HeaderOptions;

    fn data(seq: u32, payload: u32, ip_id: u16, clock: u32) -> PathTransmission {
        let mut options = HeaderOptions::default();
        options.timestamps = Some((clock, 1));
        let segment = TcpSegment {
            seq,
            payload,
            ip_id: Some(ip_id),
            flags: ControlBits(ControlBits::ACK),
            options,
            ..TcpSegment::default()
        };
        PathTransmission::new(&segment, None, 0, seq.into())
    }

    fn kin(one: &PathTransmission, other: &PathTransmission) -> Option<Kinship> {
        let customs = Customs {
            ids: [9, 0],
            ..Customs::default()
        };
        Kinship::of(one, other, &customs, 1000)
    }

    #[test]
    fn a_retransmission_is_told_from_the_first_by_its_identification_or_its_clock() {
        let first = data(1, 1000, 7, 50);
        assert!(kin(&first, &first).is_some_and(Kinship::is_certain));
        assert_eq!(kin(&first, &data(1, 1000, 8, 50)), None);
        assert_eq!(kin(&first, &data(1, 1000, 7, 51)), None);
    }

    #[test]
    fn pieces_count_on_from_the_identification_of_the_whole() {
        let whole = data(1, 10_000, 100, 5);
        assert!(kin(&whole, &data(9001, 1000, 109, 5)).is_some_and(Kinship::is_certain));
        assert!(kin(&data(9001, 1000, 109, 5), &whole).is_some_and(Kinship::is_certain));
        assert_eq!(kin(&whole, &data(9001, 1000, 110, 5)), None);
    }

    #[test]
    fn a_path_that_numbers_packets_anew_leaves_the_rest_to_compare() {
        let customs = Customs {
            ids: [1, 3],
            ..Customs::default()
        };
        let (one, other) = (data(1, 1000, 7, 50), data(1, 1000, 9000, 50));
        let kinship =
            Kinship::of(&one, &other, &customs, 1000).expect("the same but for the number");
        assert!(!kinship.is_certain());
    }
}
