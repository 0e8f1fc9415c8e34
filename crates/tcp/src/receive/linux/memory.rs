//! Cost of segments in the receive buffer: a host's buffer holds packets, not bytes.
//!
//! A packet lies in one piece of memory of a size the allocator has, and counts with all of it and
//! with its descriptor (`skb->truesize`). Which size that is depends on the driver; here it is what
//! a driver gets that asks for as much as the packet needs. Where a packet fits behind the one
//! before it, it is copied there (`tcp_try_coalesce`) and costs nothing.

use std::collections::VecDeque;

use crate::ranges::OffsetRange;

/// SKB_TRUESIZE's parts on 64-bit hosts: `struct sk_buff`, `struct skb_shared_info`.
const DESCRIPTOR: u32 = 256;
const SHARED_INFO: u32 = 320;
/// NET_SKB_PAD, and the headers of IP and TCP without options.
const HEADROOM: u32 = 64;
const HEADERS: u32 = 40;
/// SKB_SMALL_HEAD_CACHE_SIZE: the least piece of memory a packet gets.
const SMALL_HEAD: u32 = 576;
/// Size of a page; a larger packet lies in several (`tun_alloc_skb`).
const PAGE: u32 = 4096;
/// Share of the buffer given up at once where memory is short.
const PRUNED_AT_ONCE: u64 = 8;

/// One packet, or several behind each other, by what it holds of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeldSegments {
    pub range: OffsetRange,
    /// Bytes of the buffer it takes.
    pub cost: u32,
    /// Room behind it.
    room: u32,
}

impl HeldSegments {
    /// A segment that holds `range`, FIN included, with so much payload and so many bytes of
    /// options.
    pub fn new(range: OffsetRange, payload: u32, options: u32) -> HeldSegments {
        let used = HEADROOM + HEADERS + options + payload;
        let memory = match used + SHARED_INFO {
            0..=SMALL_HEAD => SMALL_HEAD,
            needed @ 0..=PAGE => needed.next_power_of_two(),
            needed => needed.next_multiple_of(PAGE),
        };
        HeldSegments {
            range,
            cost: memory + DESCRIPTOR,
            room: match memory <= PAGE {
                true => memory - SHARED_INFO - used,
                false => 0, // only the first page could be copied into, and it is full
            },
        }
    }

    /// Takes `next` in behind, if it follows and fits.
    fn append(&mut self, next: &HeldSegments) -> bool {
        let fits = self.range.end == next.range.start && next.range.len() <= u64::from(self.room);
        if fits {
            self.range.end = next.range.end;
            self.room -= next.range.len() as u32;
        }
        fits
    }
}

/// The packets that are held: those in order, until they are read, and those beyond a gap.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceiveMemory {
    in_order: VecDeque<HeldSegments>,
    /// Sorted by where they begin. They may overlap.
    beyond: Vec<HeldSegments>,
    used: u64,
}

impl ReceiveMemory {
    /// Bytes of the buffer in use (sk_rmem_alloc).
    pub fn used(&self) -> u64 {
        self.used
    }

    pub fn has_in_order(&self) -> bool {
        !self.in_order.is_empty()
    }

    /// The end of the last packet beyond a gap.
    pub fn last_end(&self) -> Option<u64> {
        self.beyond.last().map(|packet| packet.range.end)
    }

    /// A packet extends the stream (tcp_queue_rcv).
    pub fn push(&mut self, packet: HeldSegments) {
        let is_taken = self
            .in_order
            .back_mut()
            .is_some_and(|last| last.append(&packet));
        if !is_taken {
            self.used += u64::from(packet.cost);
            self.in_order.push_back(packet);
        }
    }

    /// A packet lies beyond a gap (tcp_data_queue_ofo). What it costs is to be charged later.
    pub fn insert(&mut self, packet: HeldSegments) -> GapInsertion {
        let mut inserted = GapInsertion::default();
        let OffsetRange { start, end } = packet.range;
        let mut at = self.beyond.partition_point(|p| p.range.start <= start);
        if let Some(before) = at.checked_sub(1).map(|i| &mut self.beyond[i]) {
            if start < before.range.end {
                if end <= before.range.end {
                    inserted.is_known = true;
                    inserted.extend(start, end);
                    return inserted;
                }
                if before.range.start < start {
                    inserted.extend(start, before.range.end);
                } else {
                    at -= 1; // it covers the other, which goes below
                }
            } else if before.append(&packet) {
                return inserted;
            }
        }
        self.discard_covered(at, end, &mut inserted);
        inserted.cost = packet.cost;
        self.beyond.insert(at, packet);
        inserted
    }

    /// So many more bytes of the buffer are in use.
    pub fn charge(&mut self, cost: u32) {
        self.used += u64::from(cost);
    }

    /// Drops the packets from the place `at` on that lie below `end`.
    fn discard_covered(&mut self, at: usize, end: u64, inserted: &mut GapInsertion) {
        let mut last = at;
        while let Some(next) = self.beyond.get(last).filter(|p| p.range.start < end) {
            inserted.extend(next.range.start, next.range.end.min(end));
            if next.range.end > end {
                break;
            }
            self.used -= u64::from(next.cost);
            last += 1;
        }
        self.beyond.drain(at..last);
    }

    /// The stream has reached `nxt`: what waits there follows (tcp_ofo_queue). Gives the new end
    /// of the stream, and what of it was there twice.
    pub fn join(&mut self, nxt: u64, duplicate: Option<OffsetRange>) -> (u64, Option<OffsetRange>) {
        let mut twice = GapInsertion {
            duplicate,
            ..GapInsertion::default()
        };
        let (mut end, mut joined) = (nxt, 0);
        while let Some(&packet) = self.beyond.get(joined).filter(|p| p.range.start <= end) {
            if packet.range.start < nxt {
                twice.extend(packet.range.start, packet.range.end.min(nxt));
            }
            self.used -= u64::from(packet.cost);
            if packet.range.end > end {
                end = packet.range.end;
                self.push(packet);
            }
            joined += 1;
        }
        self.beyond.drain(..joined);
        (end, twice.duplicate)
    }

    /// Gives up packets beyond a gap, the last first, down to one that begins before `start`: an
    /// eighth of a buffer of `size` at a time, until it holds the rest (tcp_prune_ofo_queue). True if
    /// there were any.
    pub fn prune(&mut self, start: u64, size: u64) -> bool {
        let mut freed = 0;
        let before = self.beyond.len();
        while let Some(&last) = self.beyond.last().filter(|last| last.range.start >= start) {
            self.beyond.pop();
            self.used -= u64::from(last.cost);
            freed += u64::from(last.cost);
            if freed >= size / PRUNED_AT_ONCE {
                if self.used <= size {
                    break;
                }
                freed = 0;
            }
        }
        self.beyond.len() < before
    }

    /// Nothing beyond a gap is of use any more.
    pub fn forget_beyond(&mut self) {
        let cost: u64 = self.beyond.iter().map(|p| u64::from(p.cost)).sum();
        self.used -= cost;
        self.beyond.clear();
    }

    /// The end of the first packet in order.
    pub fn first_end(&self) -> Option<u64> {
        self.in_order.front().map(|packet| packet.range.end)
    }

    /// The application has read all of the first packet.
    pub fn pop(&mut self) {
        if let Some(packet) = self.in_order.pop_front() {
            self.used -= u64::from(packet.cost);
        }
    }
}

/// Fate of a packet beyond a gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GapInsertion {
    /// The part of it that was there before.
    pub duplicate: Option<OffsetRange>,
    /// True if all of it was.
    pub is_known: bool,
    /// The memory it takes.
    pub cost: u32,
}

impl GapInsertion {
    /// tcp_dsack_extend: one range is reported, and another only where they touch.
    fn extend(&mut self, start: u64, end: u64) {
        match &mut self.duplicate {
            None => self.duplicate = Some(OffsetRange::new(start, end)),
            Some(range) if start <= range.end && range.start <= end => {
                *range = OffsetRange::new(range.start.min(start), range.end.max(end));
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(start: u64, payload: u32) -> HeldSegments {
        HeldSegments::new(
            OffsetRange::new(start, start + u64::from(payload)),
            payload,
            12,
        )
    }

    /// What the kernel's SO_MEMINFO tells of packets that came through a TUN device.
    #[test]
    fn a_packet_costs_the_memory_it_lies_in() {
        let costs = [1, 140, 141, 524, 1448].map(|payload| packet(1, payload).cost);
        assert_eq!(costs, [832, 832, 1280, 1280, 2304]);
    }

    #[test]
    fn what_fits_behind_the_packet_before_costs_nothing() {
        let mut memory = ReceiveMemory::default();
        memory.push(packet(1, 55));
        memory.push(packet(56, 7));
        assert_eq!(memory.used(), 832);
        memory.push(packet(63, 100));
        assert_eq!(memory.used(), 2 * 832);
        memory.pop();
        assert_eq!((memory.used(), memory.first_end()), (832, Some(163)));
    }

    #[test]
    fn packets_beyond_a_gap_join_the_stream_and_overlaps_are_told() {
        let mut memory = ReceiveMemory::default();
        memory.insert(packet(2001, 1000));
        let again = memory.insert(packet(2501, 500));
        assert_eq!(
            (again.is_known, again.duplicate),
            (true, Some(OffsetRange::new(2501, 3001)))
        );
        let partly = memory.insert(packet(2501, 1000));
        assert_eq!(partly.duplicate, Some(OffsetRange::new(2501, 3001)));
        memory.push(packet(1, 1000));
        memory.push(packet(1001, 1100));
        let joined = memory.join(2101, None);
        assert_eq!(joined, (3501, Some(OffsetRange::new(2001, 2101))));
    }
}
