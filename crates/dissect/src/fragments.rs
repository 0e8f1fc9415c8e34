//! IP fragments put together, as far as the numbers of a segment need it.
//!
//! The payload's bytes do not matter here, only how many there are: of each
//! packet under way the TCP header is kept, and a map of the bytes that came.

use std::collections::VecDeque;

use super::ip::{IpFragment, IpPacket};
use super::{IpAddress, Nothing, TcpSegment, tcp};

/// Packets under way at once, the oldest of which gives way, and the last that became whole. Hosts
/// hold a comparable number (Linux `ipfrag_high_thresh`: 4 MiB, so about 64 of the largest).
const MOST: usize = 64;

/// Time that the rest of a packet is awaited (Linux `ipfrag_time`; RFC 1122, 3.3.2 allows 60 to
/// 120).
const PATIENCE_NS: u64 = 30_000_000_000;

/// Fragments begin at multiples of eight bytes (RFC 791, 3.1).
const UNIT: u32 = 8;
const UNITS: usize = 65_536 / UNIT as usize;

/// The longest TCP header: its length stands there in four bits, in words of four bytes (RFC 9293
/// §3.1).
const LONGEST_HEADER: usize = 60;

#[derive(Debug, Default)]
pub(super) struct Fragments {
    packets: Vec<FragmentedPacket>,
    whole: VecDeque<FragmentKey>,
}

/// Fields that all fragments of a packet have in common, and no other packet of TCP (RFC 791, 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FragmentKey {
    source: IpAddress,
    destination: IpAddress,
    identification: u32,
}

#[derive(Debug)]
struct FragmentedPacket {
    name: FragmentKey,
    first_ns: u64,
    /// The first bytes of the payload, and a bit for each that was captured: a header may lie in
    /// several fragments.
    head: [u8; LONGEST_HEADER],
    head_came: u64,
    /// The payload's length, once the last fragment is there.
    length: Option<u32>,
    came: Box<[u64; UNITS / 64]>,
    units: u32,
    /// True if another of its name was whole a moment ago, so that it is captured twice.
    is_copy: bool,
    /// Fragments that are told to be without the rest, as long as it is missing.
    left: u64,
}

impl Fragments {
    /// Takes a fragment; gives the segment that it completes. Counts into `left` the fragments
    /// whose packet is not whole.
    #[cold]
    pub fn add(
        &mut self,
        part: IpPacket<'_>,
        now_ns: u64,
        left: &mut u64,
    ) -> Option<Result<TcpSegment, Nothing>> {
        let fragment = part.fragment?;
        self.packets
            .retain(|packet| now_ns.saturating_sub(packet.first_ns) < PATIENCE_NS);
        let index = self.find(FragmentKey::of(&part, fragment), now_ns);
        let packet = &mut self.packets[index];
        *left += packet.take(&part, fragment);
        if !packet.is_complete() {
            return None;
        }
        let packet = self.packets.remove(index);
        *left -= packet.left;
        self.remember(packet.name);
        Some(packet.segment(part))
    }

    fn find(&mut self, name: FragmentKey, now_ns: u64) -> usize {
        let known = self.packets.iter().position(|packet| packet.name == name);
        known.unwrap_or_else(|| {
            if self.packets.len() == MOST {
                self.packets.remove(0);
            }
            let is_copy = self.whole.contains(&name);
            self.packets
                .push(FragmentedPacket::new(name, is_copy, now_ns));
            self.packets.len() - 1
        })
    }

    fn remember(&mut self, name: FragmentKey) {
        if self.whole.len() == MOST {
            self.whole.pop_front();
        }
        self.whole.push_back(name);
    }
}

impl FragmentKey {
    fn of(part: &IpPacket<'_>, fragment: IpFragment) -> Self {
        FragmentKey {
            source: part.source,
            destination: part.destination,
            identification: fragment.identification,
        }
    }
}

impl FragmentedPacket {
    fn new(name: FragmentKey, is_copy: bool, first_ns: u64) -> Self {
        FragmentedPacket {
            name,
            first_ns,
            head: [0; LONGEST_HEADER],
            head_came: 0,
            length: None,
            came: Box::new([0; UNITS / 64]),
            units: 0,
            is_copy,
            left: 0,
        }
    }

    /// Takes a fragment; gives how many more are left without the rest.
    fn take(&mut self, part: &IpPacket<'_>, fragment: IpFragment) -> u64 {
        let end = (fragment.offset + part.payload_len).min(65_535);
        if fragment.is_last {
            self.length = Some(end);
        }
        for unit in fragment.offset / UNIT..end.div_ceil(UNIT) {
            let (word, bit) = (unit as usize / 64, 1_u64 << (unit % 64));
            self.units += u32::from(self.came[word] & bit == 0);
            self.came[word] |= bit;
        }
        self.take_head(part.payload, fragment.offset as usize);
        let more = u64::from(!self.is_copy);
        self.left += more;
        more
    }

    fn take_head(&mut self, payload: &[u8], offset: usize) {
        if let Some(room) = self.head.get_mut(offset..) {
            let count = room.len().min(payload.len());
            room[..count].copy_from_slice(&payload[..count]);
            self.head_came |= ((1 << count) - 1) << offset;
        }
    }

    fn is_complete(&self) -> bool {
        let has_first = self.came[0] & 1 != 0;
        has_first
            && self
                .length
                .is_some_and(|length| self.units >= length.div_ceil(UNIT))
    }

    /// The segment in it, now that its last part has come.
    fn segment(&self, last: IpPacket<'_>) -> Result<TcpSegment, Nothing> {
        let captured = self.head_came.trailing_ones() as usize;
        let datagram = IpPacket {
            payload: &self.head[..captured],
            payload_len: self.length.unwrap_or_default(),
            ..last
        };
        let mut segment = TcpSegment::default();
        tcp::parse(&datagram, &mut segment)?;
        Ok(segment)
    }
}
