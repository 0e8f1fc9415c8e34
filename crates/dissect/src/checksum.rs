//! The checksum of a TCP segment (RFC 9293 §3.1).
//!
//! Every segment that was kept as a whole is summed. That costs little beside reading it: its
//! bytes were just copied into the cache, and of packets that a snap length cut, which is how
//! large captures are made, nothing can be summed at all. A sample would be cheaper yet, but a
//! corrupted segment is one in many thousands and would not be in it.

use super::IpAddress;
use super::ip::{IpPacket, TCP};

/// Verdict on the checksum of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checksum {
    /// Nothing: the segment was not kept as a whole, or the addresses that it covers are not
    /// those of its packet.
    #[default]
    Unknown,
    /// The segment is as it was sent.
    Right,
    /// It covers the pseudo header alone: the sender's kernel left the rest to its card, which
    /// the packet had not reached yet.
    Partial,
    /// The segment is corrupted, or its sender's card was still to put the checksum in.
    Wrong,
}

/// Where the field stands in a TCP header.
const PLACE: core::ops::Range<usize> = 16..18;

impl Checksum {
    /// Returns what the checksum of the TCP segment in a datagram says.
    #[inline]
    pub(super) fn of(datagram: &IpPacket<'_>) -> Checksum {
        let segment = datagram.payload;
        let is_whole = segment.len() == datagram.payload_len as usize;
        if !is_whole || datagram.fragment.is_some() || datagram.may_be_source_routed {
            return Checksum::Unknown;
        }
        let pseudo = pseudo_header(datagram);
        if fold(pseudo + sum(segment)) == 0xFFFF {
            return Checksum::Right;
        }
        let field = &segment[PLACE];
        if fold(pseudo) == u16::from_ne_bytes([field[0], field[1]]) {
            Checksum::Partial
        } else {
            Checksum::Wrong
        }
    }
}

/// The sum of the pseudo header (RFC 9293 §3.1, RFC 8200 §8.1). The prefix of a mapped address
/// adds nothing: it is all ones.
#[inline]
fn pseudo_header(datagram: &IpPacket<'_>) -> u128 {
    let word = |bits: u64| u128::from(bits.to_be());
    let address = |IpAddress(bits)| word((bits >> 64) as u64) + word(bits as u64);
    let rest = u64::from(datagram.payload_len) << 32 | u64::from(TCP);
    address(datagram.source) + address(datagram.destination) + word(rest)
}

/// The sum of bytes as words of 64 bits in the machine's own order: one's complement addition does
/// not mind the order of bytes, nor how many words are added at once (RFC 1071 §2). Carries gather
/// in the upper half. Four sums side by side wait for each other four times less.
#[inline]
fn sum(bytes: &[u8]) -> u128 {
    let value = |word: &[u8]| u128::from(u64::from_ne_bytes(word.try_into().expect("eight bytes")));
    let mut lanes = [0; 4];
    let mut quads = bytes.chunks_exact(32);
    for quad in &mut quads {
        for (lane, word) in lanes.iter_mut().zip(quad.chunks_exact(8)) {
            *lane += value(word);
        }
    }
    let words = quads.remainder().chunks_exact(8);
    lanes.iter().sum::<u128>() + words.map(value).sum::<u128>() + u128::from(tail(bytes))
}

/// The bytes behind the last whole word, and zeros behind them. They are taken from the last eight
/// bytes, because copying an unknown number of bytes is a call.
#[inline]
fn tail(segment: &[u8]) -> u64 {
    let count = segment.len() % 8;
    if count == 0 {
        return 0;
    }
    let last = segment.last_chunk().expect("a TCP header has 20 bytes");
    let word = u64::from_le_bytes(*last) >> (64 - 8 * count);
    u64::from_ne_bytes(word.to_le_bytes())
}

/// The one's complement sum in 16 bits.
#[inline]
const fn fold(sum: u128) -> u16 {
    let sum = (sum >> 64) + (sum & u64::MAX as u128);
    let sum = ((sum >> 64) + (sum & u64::MAX as u128)) as u64;
    let sum = (sum >> 32) + (sum & 0xFFFF_FFFF);
    let sum = (sum >> 32) + (sum & 0xFFFF_FFFF);
    let sum = (sum >> 16) + (sum & 0xFFFF);
    let sum = (sum >> 16) + (sum & 0xFFFF);
    let sum = (sum >> 16) + (sum & 0xFFFF);
    sum as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// RFC 1071 §4.1: 16 bits at a time, and a byte that is left over with a zero behind it.
        #[test]
        fn the_sum_is_that_of_words_of_16_bits(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 20..200),
        ) {
            let words = bytes.chunks(2).map(|word| [word[0], word.get(1).copied().unwrap_or(0)]);
            let plain: u32 = words.map(|word| u32::from(u16::from_be_bytes(word))).sum();
            let plain = (plain >> 16) + (plain & 0xFFFF);
            let plain = ((plain >> 16) + (plain & 0xFFFF)) as u16;
            proptest::prop_assert_eq!(fold(sum(&bytes)).to_be(), plain);
        }
    }
}
