//! The TCP header (RFC 9293 §3.1) and its options.
//!
//! The walk over the options is our own because it must go on behind options it
//! does not know (multipath, fast open, authentication), where the kept parser
//! stops, and because it must use what a snap length has left of them.

use super::ip::IpPacket;
use super::{Checksum, Nothing, TcpSegment};

/// The largest segment in a jumbo frame of 9000 bytes. What is larger, without the receiver having
/// said that it takes it, was not on the wire as it stands, and will most likely be cut to
/// [`ETHERNET_MSS`]. (Inferred.)
pub const JUMBO_MSS: u16 = 8_960;

/// The largest segment in a frame of Ethernet (1500 bytes, RFC 894).
pub const ETHERNET_MSS: u16 = 1_460;

/// The control bits of a TCP header, as they stand there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ControlBits(pub u8);

impl ControlBits {
    /// No more data from the sender.
    pub const FIN: u8 = 0x01;
    /// Synchronize sequence numbers.
    pub const SYN: u8 = 0x02;
    /// Reset the connection.
    pub const RST: u8 = 0x04;
    /// Push.
    pub const PSH: u8 = 0x08;
    /// The acknowledgment number counts.
    pub const ACK: u8 = 0x10;
    /// Echo of a mark of congestion (RFC 3168 §6.1.3).
    pub const ECE: u8 = 0x40;
    /// Congestion window reduced (RFC 3168 §6.1.2).
    pub const CWR: u8 = 0x80;

    /// Returns whether any of the bits `mask` is set.
    #[inline]
    pub const fn has(self, mask: u8) -> bool {
        self.0 & mask != 0
    }
}

/// Signs of congestion in a packet beside the control bits: in the IP header whether its sender
/// understands marks, or that it was marked (RFC 3168 §5), and the flag that accurate ECN has added
/// to the TCP header (RFC 9768 §3.1.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CongestionMarks(pub u8);

impl CongestionMarks {
    /// The two bits of the IP header; both are set where congestion was experienced.
    const IP: u8 = 0x03;
    /// The flag AE, as it stands in the TCP header behind the length of that, moved.
    const ACCURATE: u8 = 0x04;

    #[inline]
    const fn of(traffic_class: u8, behind_length: u8) -> CongestionMarks {
        CongestionMarks(traffic_class & Self::IP | (behind_length & 1) << 2)
    }

    /// Returns whether a queue marked it.
    #[inline]
    pub const fn has_met_congestion(self) -> bool {
        self.0 & Self::IP == Self::IP
    }

    /// Returns whether it may be marked instead of dropped, or was.
    #[inline]
    pub const fn is_capable(self) -> bool {
        self.0 & Self::IP != 0
    }

    /// The flag that accurate ECN has added.
    #[inline]
    pub const fn is_accurate(self) -> bool {
        self.0 & Self::ACCURATE != 0
    }
}

/// A range of sequence numbers that the receiver has: `left` to before `right`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackRange {
    /// The first sequence number.
    pub left: u32,
    /// The sequence number behind the last.
    pub right: u32,
}

/// The options of a TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeaderOptions {
    /// Maximum segment size.
    pub mss: Option<u16>,
    /// Window scale shift.
    pub window_scale: Option<u8>,
    /// SACK permitted.
    pub sack_permitted: bool,
    /// Timestamps: the sender's clock, and the peer's as last seen.
    pub timestamps: Option<(u32, u32)>,
    blocks: [SackRange; 4],
    block_count: u8,
    /// Bytes of the whole TCP header.
    pub header_len: u8,
    /// The snap length cut them off, or a part of them: what is not found here may have been there.
    pub is_cut: bool,
}

impl TcpSegment {
    /// The block that reports what the receiver has twice: the first, if it lies below the
    /// acknowledgment or inside the second block (RFC 2883 §4).
    #[inline]
    pub fn duplicate_report(&self) -> Option<SackRange> {
        let (first, others) = self.options.sack().split_first()?;
        let is_below = is_at_most(first.right, self.ack);
        let is_inside = |second: &SackRange| {
            is_at_most(second.left, first.left) && is_at_most(first.right, second.right)
        };
        let is_report = is_below || others.first().is_some_and(is_inside);
        (!is_at_most(first.right, first.left) && is_report).then_some(*first)
    }
}

/// Compares sequence numbers (RFC 9293 §3.4).
const fn is_at_most(one: u32, other: u32) -> bool {
    other.wrapping_sub(one) as i32 >= 0
}

impl HeaderOptions {
    pub(super) const BLANK: HeaderOptions = HeaderOptions {
        mss: None,
        window_scale: None,
        sack_permitted: false,
        timestamps: None,
        blocks: [SackRange { left: 0, right: 0 }; 4],
        block_count: 0,
        header_len: 0,
        is_cut: false,
    };

    /// The SACK blocks, in the order of the header.
    #[inline]
    pub fn sack(&self) -> &[SackRange] {
        &self.blocks[..usize::from(self.block_count)]
    }

    /// Returns whether there may have been timestamps in what the snap length cut off.
    #[inline]
    pub const fn has_lost_timestamps(&self) -> bool {
        self.is_cut && self.timestamps.is_none()
    }

    /// Appends a SACK block; a header has room for four.
    pub fn push_sack(&mut self, block: SackRange) {
        if let Some(place) = self.blocks.get_mut(usize::from(self.block_count)) {
            *place = block;
            self.block_count += 1;
        }
    }
}

const FIXED: usize = 20;

/// Reads the header in front of a datagram's payload into `segment`, where it stays: a segment is
/// too large to be handed around.
#[inline]
pub(super) fn parse(datagram: &IpPacket<'_>, segment: &mut TcpSegment) -> Result<(), Nothing> {
    let bytes = datagram.payload;
    let Some(header) = bytes.first_chunk::<FIXED>() else {
        return Err(Nothing::Cut);
    };
    let word = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    let long = |at: usize| {
        u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    let header_len = usize::from(header[12] >> 4) * 4;
    let Some(payload) = datagram.payload_len.checked_sub(header_len as u32) else {
        return Err(Nothing::Malformed);
    };
    if header_len < FIXED {
        return Err(Nothing::Malformed);
    }
    segment.source.address = datagram.source;
    segment.source.port = word(0);
    segment.destination.address = datagram.destination;
    segment.destination.port = word(2);
    segment.seq = long(4);
    segment.ack = long(8);
    segment.payload = payload;
    segment.window = word(14);
    segment.ip_id = datagram.ip_id;
    segment.ttl = datagram.ttl;
    segment.flags = ControlBits(header[13]);
    segment.marks = CongestionMarks::of(datagram.traffic_class, header[12]);
    segment.checksum = Checksum::of(datagram);
    segment.options.header_len = header_len as u8;
    if header_len > FIXED {
        segment.options.is_cut = bytes.len() < header_len;
        let options = &bytes[FIXED..bytes.len().min(header_len)];
        segment.options.parse(options);
    }
    Ok(())
}

// Option kinds: RFC 9293 §3.1, RFC 7323 §2 and §3, RFC 2018 §2 and §3.
const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

impl HeaderOptions {
    #[inline]
    fn parse(&mut self, bytes: &[u8]) {
        // The layout of nearly every segment that has options (RFC 7323, appendix A).
        if let Some((usual, rest)) = bytes.split_first_chunk::<12>() {
            if usual[..4] == [NO_OPERATION, NO_OPERATION, TIMESTAMPS, 10] {
                let values = usual[4..].first_chunk().expect("eight bytes");
                self.timestamps = Some(two_longs(values));
                if rest.is_empty() {
                    return;
                }
                return self.walk(rest);
            }
        }
        self.walk(bytes);
    }

    fn walk(&mut self, mut bytes: &[u8]) {
        while let [kind, rest @ ..] = bytes {
            match (*kind, rest) {
                (END, _) => return,
                (NO_OPERATION, _) => bytes = rest,
                (kind, &[length, ..]) if length >= 2 => {
                    let length = usize::from(length);
                    self.take(kind, &bytes[2..bytes.len().min(length)]);
                    bytes = bytes.get(length..).unwrap_or(&[]);
                }
                _ => return,
            }
        }
    }

    fn take(&mut self, kind: u8, value: &[u8]) {
        match (kind, value) {
            (MSS, &[high, low]) => self.mss = Some(u16::from_be_bytes([high, low])),
            (WINDOW_SCALE, &[shift]) => self.window_scale = Some(shift),
            (SACK_PERMITTED, []) => self.sack_permitted = true,
            (TIMESTAMPS, value) => {
                if let Some(values) = value.first_chunk() {
                    self.timestamps = Some(two_longs(values));
                }
            }
            (SACK, value) => {
                for block in value.chunks_exact(8) {
                    let (left, right) = two_longs(block.try_into().expect("eight bytes"));
                    self.push_sack(SackRange { left, right });
                }
            }
            _ => {}
        }
    }
}

#[inline]
fn two_longs(bytes: &[u8; 8]) -> (u32, u32) {
    let both = u64::from_be_bytes(*bytes);
    ((both >> 32) as u32, both as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(bytes: &[u8]) -> HeaderOptions {
        let mut options = HeaderOptions::default();
        options.parse(bytes);
        options
    }

    #[test]
    fn the_options_of_a_syn_are_found_behind_those_that_are_unknown() {
        let multipath = [30, 4, 0, 0];
        let syn = [
            2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 3, 3, 7,
        ];
        let found = options(&[&multipath[..], &syn].concat());
        assert_eq!((found.mss, found.window_scale), (Some(1460), Some(7)));
        assert!(found.sack_permitted);
        assert_eq!(found.timestamps, Some((1, 2)));
    }

    #[test]
    fn sack_blocks_stand_behind_the_usual_timestamps() {
        let clock = [1, 1, 8, 10, 0, 0, 0, 9, 0, 0, 0, 8];
        let sack = [1, 1, 5, 18, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 6];
        let found = options(&[&clock[..], &sack].concat());
        let expected = [
            SackRange { left: 1, right: 2 },
            SackRange { left: 5, right: 6 },
        ];
        assert_eq!(
            (found.timestamps, found.sack()),
            (Some((9, 8)), &expected[..])
        );
    }

    #[test]
    fn options_that_were_cut_give_what_is_left() {
        let sack = [1, 1, 5, 18, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0];
        assert_eq!(options(&sack).sack(), [SackRange { left: 1, right: 2 }]);
        assert_eq!(
            options(&[3, 0, 7]),
            HeaderOptions::default(),
            "a length of zero ends the walk"
        );
        assert_eq!(options(&[2]), HeaderOptions::default());
    }
}
