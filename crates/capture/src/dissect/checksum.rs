//! Whether the checksum of a TCP segment is right (RFC 9293 §3.1).
//!
//! Every segment that was kept as a whole is summed. That costs little beside reading it: its
//! bytes were just copied into the cache, and of packets that a snap length cut, which is how
//! large captures are made, nothing can be summed at all. A sample would be cheaper yet, but a
//! corrupted segment is one in many thousands and would not be in it.

use super::Address;
use super::ip::{Datagram, TCP};

/// What the checksum of a segment says.
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
    /// What the checksum of the TCP segment in a datagram says.
    #[inline]
    pub(super) fn of(datagram: &Datagram<'_>) -> Checksum {
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
fn pseudo_header(datagram: &Datagram<'_>) -> u128 {
    let word = |bits: u64| u128::from(bits.to_be());
    let address = |Address(bits)| word((bits >> 64) as u64) + word(bits as u64);
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
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(words.remainder()) {
        *to = *from;
    }
    let rest = words.map(value).sum::<u128>() + value(&last);
    lanes.iter().sum::<u128>() + rest
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
