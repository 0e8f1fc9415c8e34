//! The blocks of pcapng files (draft-ietf-opsawg-pcapng; section numbers of its
//! revision 02).
//!
//! Only the fixed fields of packet blocks and the two options of an interface
//! that change a packet's time are read; whatever else a block holds is passed
//! over by its length. That is so little that a parser of whole blocks costs
//! more than it saves: the kept crates build the list of options of every block,
//! stop at the obsolete packet block, or want a block whole in memory however
//! large it says it is.

use super::pcap::{u16_at, u32_at};

// Block types, §11.1.
pub const SECTION_HEADER: u32 = 0x0A0D_0D0A;
pub const INTERFACE_DESCRIPTION: u32 = 1;
pub const OBSOLETE_PACKET: u32 = 2;
pub const SIMPLE_PACKET: u32 = 3;
pub const ENHANCED_PACKET: u32 = 6;

/// The byte-order magic of a section header, which reads so in its own order (§4.1).
const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;

/// Block type and length in front, the length again behind (§3.1).
pub const BLOCK_FRAME: u32 = 12;

// Options of an interface, §4.2.
const OPT_END: u16 = 0;
const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;

/// The latest time: in the year 2262, the last that fits into signed 64 bits, so that whoever
/// adds a little to it need not mind an overflow.
const LATEST_NS: u64 = i64::MAX as u64;

/// Returns whether a section is big-endian, from the 12 bytes that open its header; none if they
/// don't open one.
pub fn byte_order(opening: &[u8]) -> Option<bool> {
    if u32_at(opening, 0, false) != SECTION_HEADER {
        return None;
    }
    [true, false]
        .into_iter()
        .find(|&order| u32_at(opening, 8, order) == BYTE_ORDER_MAGIC)
}

/// An interface of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcapngInterface {
    /// Link type of its packets.
    pub link_type: u32,
    /// The most bytes kept of a packet; 0 for all of them.
    pub snap_len: u32,
    resolution: TimestampResolution,
    offset_ns: i64,
}

/// The unit of an interface's time stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimestampResolution {
    /// A unit is this many nanoseconds.
    Coarse(u64),
    /// This many units are a nanosecond.
    Fine(u64),
    /// A unit is two to minus this of a second.
    Binary(u32),
}

impl TimestampResolution {
    /// §4.2, `if_tsresol`: a power of ten, or of two with the top bit set. None for a power
    /// that no 64-bit time stamp could use.
    fn parse(value: u8) -> Option<Self> {
        let exponent = u32::from(value & 0x7F);
        match (value & 0x80 != 0, exponent) {
            (true, 0..=63) => Some(TimestampResolution::Binary(exponent)),
            (false, 0..=9) => Some(TimestampResolution::Coarse(10_u64.pow(9 - exponent))),
            (false, 10..=19) => Some(TimestampResolution::Fine(10_u64.pow(exponent - 9))),
            _ => None,
        }
    }

    #[inline]
    fn nanoseconds(self, units: u64) -> u64 {
        match self {
            TimestampResolution::Coarse(ns) => units.saturating_mul(ns),
            TimestampResolution::Fine(units_per_ns) => units / units_per_ns,
            TimestampResolution::Binary(shift) => {
                let ns = (u128::from(units) * 1_000_000_000) >> shift;
                ns.try_into().unwrap_or(u64::MAX)
            }
        }
    }
}

impl PcapngInterface {
    /// Reads the body of an interface description block. None if it is too short or counts
    /// time in a unit that cannot be.
    pub fn parse(body: &[u8], is_big_endian: bool) -> Option<PcapngInterface> {
        if body.len() < 8 {
            return None;
        }
        let mut interface = PcapngInterface {
            link_type: u16_at(body, 0, is_big_endian).into(),
            snap_len: u32_at(body, 4, is_big_endian),
            resolution: TimestampResolution::Coarse(1_000),
            offset_ns: 0,
        };
        let mut options = &body[8..];
        while options.len() >= 4 {
            let code = u16_at(options, 0, is_big_endian);
            let length = usize::from(u16_at(options, 2, is_big_endian));
            let Some(value) = options.get(4..4 + length) else {
                break;
            };
            match (code, value) {
                (OPT_END, _) => break,
                (IF_TSRESOL, &[resolution, ..]) => {
                    interface.resolution = TimestampResolution::parse(resolution)?;
                }
                (IF_TSOFFSET, &[_, _, _, _, _, _, _, _, ..]) => {
                    interface.offset_ns =
                        seconds(value, is_big_endian).saturating_mul(1_000_000_000);
                }
                _ => {}
            }
            options = options.get(4 + length.next_multiple_of(4)..).unwrap_or(&[]);
        }
        Some(interface)
    }

    /// Nanoseconds since 1970 of a time stamp in its two halves, the upper first.
    #[inline]
    fn time_ns(&self, high: u32, low: u32) -> u64 {
        let units = u64::from(high) << 32 | u64::from(low);
        self.resolution
            .nanoseconds(units)
            .saturating_add_signed(self.offset_ns)
            .min(LATEST_NS)
    }
}

fn seconds(value: &[u8], is_big_endian: bool) -> i64 {
    let bytes = value[..8].try_into().expect("eight bytes");
    if is_big_endian {
        i64::from_be_bytes(bytes)
    } else {
        i64::from_le_bytes(bytes)
    }
}

/// The fixed fields of a packet block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketBlock {
    /// Index of the interface in its section.
    pub interface: u32,
    /// Nanoseconds since 1970.
    pub time_ns: u64,
    /// Where the packet begins in the block's body.
    pub at: usize,
    /// Bytes kept.
    pub captured: u32,
    /// Bytes on the medium.
    pub original: u32,
}

impl PacketBlock {
    /// Bytes of the fixed fields of an enhanced and of an obsolete packet block (§4.3, A).
    pub const FIXED: usize = 20;

    /// Reads the fixed fields of the packet block `kind`, of which `body` holds the front.
    /// `Err` says why the block cannot be used.
    #[inline]
    pub fn parse(
        kind: u32,
        body: &[u8],
        body_len: usize,
        is_big_endian: bool,
        interfaces: &[PcapngInterface],
    ) -> Result<PacketBlock, &'static str> {
        if kind == SIMPLE_PACKET {
            return Self::simple(body, body_len, is_big_endian, interfaces);
        }
        if body.len() < Self::FIXED {
            return Err("a packet block shorter than its fixed fields");
        }
        let number = if kind == OBSOLETE_PACKET {
            u16_at(body, 0, is_big_endian).into()
        } else {
            u32_at(body, 0, is_big_endian)
        };
        let Some(interface) = interfaces.get(number as usize) else {
            return Err("a packet of an interface that is not described");
        };
        let [high, low, captured, original] =
            [4, 8, 12, 16].map(|at| u32_at(body, at, is_big_endian));
        if captured as usize > body_len - Self::FIXED {
            return Err("a packet longer than its block");
        }
        Ok(PacketBlock {
            interface: number,
            time_ns: interface.time_ns(high, low),
            at: Self::FIXED,
            captured,
            original,
        })
    }

    /// A simple packet block has neither time nor interface: it is of the first (§4.4).
    fn simple(
        body: &[u8],
        body_len: usize,
        is_big_endian: bool,
        interfaces: &[PcapngInterface],
    ) -> Result<PacketBlock, &'static str> {
        let Some(interface) = interfaces.first() else {
            return Err("a packet of an interface that is not described");
        };
        if body.len() < 4 {
            return Err("a packet block shorter than its fixed fields");
        }
        let original = u32_at(body, 0, is_big_endian);
        let room = (body_len - 4) as u32;
        let limit = match interface.snap_len {
            0 => room,
            snap => room.min(snap),
        };
        Ok(PacketBlock {
            interface: 0,
            time_ns: 0,
            at: 4,
            captured: original.min(limit),
            original,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(options: &[u8]) -> Option<PcapngInterface> {
        let body = [&[1, 0, 0, 0, 0, 0, 0, 0], options].concat();
        PcapngInterface::parse(&body, false)
    }

    #[test]
    fn time_stamps_count_microseconds_unless_the_interface_says_otherwise() {
        let at = |options: &[u8], units: u32| interface(options).unwrap().time_ns(0, units);
        assert_eq!(at(&[], 5), 5_000);
        assert_eq!(at(&[9, 0, 1, 0, 9, 0, 0, 0], 5), 5);
        assert_eq!(at(&[9, 0, 1, 0, 12, 0, 0, 0], 5_000), 5);
        assert_eq!(at(&[9, 0, 1, 0, 0x8A, 0, 0, 0], 512), 500_000_000);
        assert_eq!(at(&[14, 0, 8, 0, 3, 0, 0, 0, 0, 0, 0, 0], 0), 3_000_000_000);
    }

    #[test]
    fn no_time_is_so_late_that_nothing_can_be_added() {
        let seconds = interface(&[9, 0, 1, 0, 0, 0, 0, 0]).unwrap();
        assert_eq!(seconds.time_ns(u32::MAX, u32::MAX), LATEST_NS);
    }

    #[test]
    fn a_unit_that_cannot_be_is_refused() {
        assert_eq!(interface(&[9, 0, 1, 0, 40, 0, 0, 0]), None);
        assert_eq!(interface(&[9, 0, 1, 0, 0xFF, 0, 0, 0]), None);
    }

    #[test]
    fn options_that_run_out_of_the_block_end_the_list() {
        assert!(interface(&[2, 0, 200, 0, b'e']).is_some());
    }

    #[test]
    fn a_simple_packet_is_as_long_as_interface_and_block_allow() {
        let mut first = interface(&[]).unwrap();
        first.snap_len = 96;
        let body = [&1500_u32.to_le_bytes()[..], &[0; 96]].concat();
        let packet = PacketBlock::parse(SIMPLE_PACKET, &body, body.len(), false, &[first]);
        let packet = packet.unwrap();
        assert_eq!((packet.captured, packet.original, packet.at), (96, 1500, 4));
    }
}
