//! The records of classic pcap files (draft-ietf-opsawg-pcap).

use std::io::Read;

use super::stop::{ReadStop, corrupt, demand};
use super::window::Window;
use super::{LONGEST_PACKET, PacketPosition};

/// Layout of the records, by the file header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    /// The numbers stand most significant byte first.
    pub is_big_endian: bool,
    /// Nanoseconds in a unit of a record's fraction of a second.
    pub fraction_ns: u64,
    /// Bytes in front of each packet.
    pub record_header: usize,
    /// Link type of the packets.
    pub link_type: u32,
}

/// Bytes of the file header (§4).
pub const FILE_HEADER: usize = 24;

// Magic numbers (§4), and that of the libpcap patched by A. Kuznetsov, whose
// record headers name the interface in eight bytes more.
const MICROSECONDS: u32 = 0xA1B2_C3D4;
const NANOSECONDS: u32 = 0xA1B2_3C4D;
const KUZNETSOV: u32 = 0xA1B2_CD34;

/// The link type is the low half of its word; the rest tells of a frame check sequence (§4).
const LINK_TYPE_MASK: u32 = 0xFFFF;

/// One record's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHeader {
    /// Nanoseconds since 1970.
    pub time_ns: u64,
    /// Bytes kept.
    pub captured: u32,
    /// Bytes on the medium.
    pub original: u32,
}

impl RecordLayout {
    /// Reads the file header; none if the file is not of this format.
    pub fn parse(header: &[u8; FILE_HEADER]) -> Option<RecordLayout> {
        let is_big_endian = Self::is_magic(u32_at(header, 0, true));
        if !is_big_endian && !Self::is_magic(u32_at(header, 0, false)) {
            return None;
        }
        let magic = u32_at(header, 0, is_big_endian);
        Some(RecordLayout {
            is_big_endian,
            fraction_ns: if magic == NANOSECONDS { 1 } else { 1_000 },
            record_header: if magic == KUZNETSOV { 24 } else { 16 },
            link_type: u32_at(header, 20, is_big_endian) & LINK_TYPE_MASK,
        })
    }

    /// Finds the next packet.
    #[inline(always)]
    pub(super) fn find<R: Read>(&self, window: &mut Window<R>) -> Result<PacketPosition, ReadStop> {
        demand(window, self.record_header)?;
        let record = self.record(window.bytes());
        if record.captured > LONGEST_PACKET {
            return Err(corrupt(window, "a record longer than any packet"));
        }
        let whole = self.record_header + record.captured as usize;
        demand(window, whole)?;
        Ok(PacketPosition {
            time_ns: record.time_ns,
            link_type: self.link_type,
            interface: 0,
            at: self.record_header,
            captured: record.captured,
            original: record.original.max(record.captured),
            record: whole,
        })
    }

    /// Returns whether a file of this format may begin so, read in its byte order.
    pub const fn is_magic(magic: u32) -> bool {
        matches!(magic, MICROSECONDS | NANOSECONDS | KUZNETSOV)
    }

    /// Reads a record header, which is at the front of `bytes`.
    #[inline]
    pub fn record(&self, bytes: &[u8]) -> RecordHeader {
        let [seconds, fraction, captured, original] =
            [0, 4, 8, 12].map(|at| u32_at(bytes, at, self.is_big_endian));
        RecordHeader {
            time_ns: u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * self.fraction_ns,
            captured,
            original,
        }
    }
}

#[inline]
pub(super) fn u16_at(bytes: &[u8], at: usize, is_big_endian: bool) -> u16 {
    let word = [bytes[at], bytes[at + 1]];
    if is_big_endian {
        u16::from_be_bytes(word)
    } else {
        u16::from_le_bytes(word)
    }
}

#[inline]
pub(super) fn u32_at(bytes: &[u8], at: usize, is_big_endian: bool) -> u32 {
    let word: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
    if is_big_endian {
        u32::from_be_bytes(word)
    } else {
        u32::from_le_bytes(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(magic: [u8; 4], link_type: [u8; 4]) -> [u8; FILE_HEADER] {
        let mut header = [0; FILE_HEADER];
        header[..4].copy_from_slice(&magic);
        header[20..].copy_from_slice(&link_type);
        header
    }

    #[test]
    fn the_magic_number_gives_byte_order_and_resolution() {
        let layout = |magic, link| RecordLayout::parse(&header(magic, link));
        let little = layout([0xD4, 0xC3, 0xB2, 0xA1], [1, 0, 0, 0]).unwrap();
        assert_eq!((little.is_big_endian, little.fraction_ns), (false, 1_000));
        let big = layout([0xA1, 0xB2, 0x3C, 0x4D], [0, 0, 0, 127]).unwrap();
        assert_eq!(
            (big.is_big_endian, big.fraction_ns, big.link_type),
            (true, 1, 127)
        );
        let patched = layout([0x34, 0xCD, 0xB2, 0xA1], [1, 0, 0, 0]).unwrap();
        assert_eq!(patched.record_header, 24);
        assert_eq!(layout(*b"text", [0; 4]), None);
    }

    #[test]
    fn the_link_type_shares_its_word_with_the_length_of_the_fcs() {
        let layout = RecordLayout::parse(&header([0xD4, 0xC3, 0xB2, 0xA1], [1, 0, 0, 0x24]));
        assert_eq!(layout.unwrap().link_type, 1);
    }

    #[test]
    fn a_record_counts_from_1970() {
        let layout = RecordLayout::parse(&header([0xA1, 0xB2, 0xC3, 0xD4], [0, 0, 0, 1])).unwrap();
        let record = layout.record(&[0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 54, 0, 0, 5, 220]);
        let expected = RecordHeader {
            time_ns: 2_000_003_000,
            captured: 54,
            original: 1500,
        };
        assert_eq!(record, expected);
    }
}
