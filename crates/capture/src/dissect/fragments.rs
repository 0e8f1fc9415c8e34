//! IP fragments put together, as far as the numbers of a segment need it.
//!
//! The payload's bytes do not matter here, only how many there are: of each
//! packet under way the TCP header is kept, and a map of the bytes that came.

use super::ip::{Datagram, Fragment};
use super::{Address, Nothing, Segment, tcp};

/// Packets under way at once; the oldest gives way. Hosts hold a comparable number (Linux
/// `ipfrag_high_thresh`: 4 MiB, so about 64 of the largest).
const MOST: usize = 64;

/// How long the rest of a packet is awaited (Linux `ipfrag_time`; RFC 1122, 3.3.2 allows 60 to 120).
const PATIENCE_NS: u64 = 30_000_000_000;

/// Fragments begin at multiples of eight bytes (RFC 791, 3.1).
const UNIT: u32 = 8;
const UNITS: usize = 65_536 / UNIT as usize;

#[derive(Debug, Default)]
pub(super) struct Fragments {
    packets: Vec<Packet>,
}

#[derive(Debug)]
struct Packet {
    source: Address,
    destination: Address,
    identification: u32,
    first_ns: u64,
    segment: Option<Result<Segment, Nothing>>,
    /// The payload's length, once the last fragment is there.
    length: Option<u32>,
    came: Box<[u64; UNITS / 64]>,
    units: u32,
}

impl Fragments {
    /// Takes a fragment; gives the segment that it completes.
    #[cold]
    pub fn add(&mut self, part: Datagram<'_>, now_ns: u64) -> Option<Result<Segment, Nothing>> {
        let fragment = part.fragment?;
        self.packets
            .retain(|packet| now_ns.saturating_sub(packet.first_ns) < PATIENCE_NS);
        let index = self.find(&part, fragment.identification, now_ns);
        let packet = &mut self.packets[index];
        packet.take(&part, fragment);
        if !packet.is_complete() {
            return None;
        }
        let packet = self.packets.remove(index);
        packet.segment
    }

    fn find(&mut self, part: &Datagram<'_>, identification: u32, now_ns: u64) -> usize {
        let known = self.packets.iter().position(|packet| {
            packet.identification == identification
                && packet.source == part.source
                && packet.destination == part.destination
        });
        known.unwrap_or_else(|| {
            if self.packets.len() == MOST {
                self.packets.remove(0);
            }
            self.packets.push(Packet::new(part, identification, now_ns));
            self.packets.len() - 1
        })
    }
}

impl Packet {
    fn new(part: &Datagram<'_>, identification: u32, first_ns: u64) -> Self {
        Packet {
            source: part.source,
            destination: part.destination,
            identification,
            first_ns,
            segment: None,
            length: None,
            came: Box::new([0; UNITS / 64]),
            units: 0,
        }
    }

    fn take(&mut self, part: &Datagram<'_>, fragment: Fragment) {
        let end = (fragment.offset + part.payload_len).min(65_535);
        if fragment.is_last {
            self.length = Some(end);
        }
        for unit in fragment.offset / UNIT..end.div_ceil(UNIT) {
            let (word, bit) = (unit as usize / 64, 1_u64 << (unit % 64));
            self.units += u32::from(self.came[word] & bit == 0);
            self.came[word] |= bit;
        }
        if fragment.offset == 0 {
            let mut segment = Segment::default();
            let parsed = tcp::parse(part, &mut segment);
            self.segment = Some(parsed.map(|()| segment));
        }
        if let (Some(Ok(segment)), Some(length)) = (&mut self.segment, self.length) {
            let header = segment.options.header_len.into();
            segment.payload = length.saturating_sub(header);
        }
    }

    fn is_complete(&self) -> bool {
        self.segment.is_some()
            && self
                .length
                .is_some_and(|length| self.units >= length.div_ceil(UNIT))
    }
}
