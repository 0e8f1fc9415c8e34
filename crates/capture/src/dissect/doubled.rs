//! Packets that the capture itself doubled.
//!
//! A capture of all interfaces sees a packet where it comes in and where it goes out; the mirror
//! of a switch's port sees it in either direction. Neither the sender nor the network sent it
//! twice. Such a packet equals an earlier one in all its numbers, and was captured
//! - elsewhere: at another interface, in another direction, or with another time to live, as a
//!   router leaves it, within [`ELSEWHERE_NS`]; or
//! - at the same place, within [`SAME_PLACE_NS`] and with an IP identification that is set.
//!
//! The identification tells it from what a sender repeats (RFC 6864 §4.1 leaves it open where
//! packets must not be fragmented, but stacks that set it count on). What a network doubles
//! behind some queue or link mostly comes later than that, and is told as a network duplicate.
//! One that comes as soon looks the same from here; a second capture tells who doubled it.
//!
//! Most captures are taken at one place, where looking at a thousand packets suffices. From when on
//! a packet is captured at another, all packets of a second are remembered: through the queue of a
//! router thousands may come between two copies.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use super::Segment;
use crate::mix::{WORDS, fold};

/// How long a packet may take through the host that captures it, with its queues. (Inferred:
/// the longest that a queue is seen to hold back what is still of use, as TCP's first timeout
/// is a second, RFC 6298 §2.)
const ELSEWHERE_NS: u64 = 1_000_000_000;

/// How far apart two captures of one packet at one place may be: a mirror sends the copy behind
/// what waits for its port, some packets of 12 µs at 1 Gbit/s. (Inferred.)
const SAME_PLACE_NS: u64 = 100_000;

/// Packets that are remembered of a capture at one place, each where its numbers say; a power of
/// two. Their digests fill a part of a first-level cache.
const LATELY: usize = 1024;

/// Packets that are remembered of a capture at several places: those of [`ELSEWHERE_NS`] at 3
/// Gbit/s in full frames.
const MOST: usize = 1 << 18;

/// Where a packet was captured before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    SamePlace,
    Elsewhere,
}

/// Finds what was captured before.
#[derive(Debug, Default)]
pub(super) struct Doubled {
    lately: Lately,
    /// Where the first packet was captured.
    place: Option<u64>,
    /// From when on packets were captured at several places.
    several: Option<Box<Several>>,
}

impl Doubled {
    /// Where the segment, captured at `place` on a wire or `is_air`, was captured before. If
    /// nowhere, it is remembered. What an access point hands on comes soon, as its queue is short.
    #[inline]
    pub fn find(&mut self, segment: &Segment, place: u64, is_air: bool) -> Option<Before> {
        let digest = digest(segment);
        let now = Seen {
            time_ns: segment.time_ns,
            place: place << 8 | u64::from(segment.ttl),
            is_numbered: segment.ip_id.is_some_and(|id| id != 0),
        };
        if is_air {
            return self.lately.find(digest, now);
        }
        if self.several.is_some() || *self.place.get_or_insert(place) != place {
            return self.find_in_several(digest, now);
        }
        let before = self.lately.find(digest, now);
        if before == Some(Before::Elsewhere) {
            // At one interface, with another time to live: routers in front of it and behind it.
            self.several.get_or_insert_with(|| self.lately.remember());
        }
        before
    }

    #[cold]
    fn find_in_several(&mut self, digest: u64, now: Seen) -> Option<Before> {
        let several = self.several.get_or_insert_with(|| self.lately.remember());
        several.find(digest, now)
    }
}

/// When and where a packet was captured.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    time_ns: u64,
    /// The place, and the time to live.
    place: u64,
    /// It has an IP identification.
    is_numbered: bool,
}

impl Seen {
    /// Where it was captured, if what equals it and is captured `now` is the same packet.
    #[inline]
    fn before(self, now: Seen) -> Option<Before> {
        let apart_ns = now.time_ns.abs_diff(self.time_ns);
        if self.place == now.place {
            (apart_ns < SAME_PLACE_NS && now.is_numbered).then_some(Before::SamePlace)
        } else {
            (apart_ns < ELSEWHERE_NS).then_some(Before::Elsewhere)
        }
    }
}

/// The last packets, but for those whose room others took.
#[derive(Debug)]
struct Lately {
    /// Digests of everything that both copies share; 0 of nothing. They stand by themselves,
    /// because what else is known of a packet is seldom read.
    digests: Box<[u64; LATELY]>,
    seen: Box<[Seen; LATELY]>,
}

impl Default for Lately {
    fn default() -> Self {
        Lately {
            digests: Box::new([0; LATELY]),
            seen: Box::new([Seen::default(); LATELY]),
        }
    }
}

impl Lately {
    #[inline]
    fn find(&mut self, digest: u64, now: Seen) -> Option<Before> {
        let at = (digest >> 32) as usize % LATELY;
        let seen = &mut self.seen[at];
        if self.digests[at] == digest {
            let before = seen.before(now);
            if before.is_some() {
                return before;
            }
        }
        self.digests[at] = digest;
        *seen = now;
        None
    }

    /// All of them, to be remembered for longer.
    fn remember(&self) -> Box<Several> {
        let mut last: Vec<(u64, Seen)> = self.digests.iter().copied().zip(*self.seen).collect();
        last.retain(|&(digest, _)| digest != 0);
        last.sort_by_key(|(_, seen)| seen.time_ns);
        let mut several = Box::<Several>::default();
        for (digest, seen) in last {
            several.enter(digest, seen);
        }
        several
    }
}

/// All packets of the last second.
#[derive(Debug, Default)]
struct Several {
    seen: BTreeMap<u64, Seen>,
    /// Times and digests in the order of the capture.
    order: VecDeque<(u64, u64)>,
}

impl Several {
    fn find(&mut self, digest: u64, now: Seen) -> Option<Before> {
        self.forget(now.time_ns);
        let before = self.seen.get(&digest).and_then(|seen| seen.before(now));
        if before.is_none() {
            self.enter(digest, now);
        }
        before
    }

    fn enter(&mut self, digest: u64, seen: Seen) {
        self.seen.insert(digest, seen);
        self.order.push_back((seen.time_ns, digest));
    }

    fn forget(&mut self, now_ns: u64) {
        while let Some(&(time_ns, digest)) = self.order.front() {
            let is_recent = now_ns.saturating_sub(time_ns) < ELSEWHERE_NS;
            if is_recent && self.order.len() < MOST {
                return;
            }
            self.order.pop_front();
            // What equals it may have come since.
            if let Entry::Occupied(known) = self.seen.entry(digest)
                && known.get().time_ns == time_ns
            {
                known.remove();
            }
        }
    }
}

/// Two segments that differ have the same digest once in 2⁶⁰ pairs or so; it is never 0.
#[inline]
pub(crate) fn digest(segment: &Segment) -> u64 {
    let Segment {
        source: from,
        destination: to,
        options,
        ..
    } = segment;
    let addresses = from.address.0 ^ to.address.0.rotate_left(61);
    let (clock, echo) = options.timestamps.unwrap_or_default();
    let block = options.sack().first().copied().unwrap_or_default();
    let numbers = u64::from(segment.seq) << 32 | u64::from(segment.ack);
    let sizes = u64::from(segment.payload) << 32
        | u64::from(segment.ip_id.unwrap_or(0)) << 16
        | u64::from(segment.window);
    let ports = u64::from(from.port) << 48
        | u64::from(to.port) << 32
        | u64::from(segment.flags.0) << 8
        | u64::from(options.header_len);
    let hosts = addresses as u64 ^ (addresses >> 64) as u64;
    let clocks = u64::from(clock) << 32 | u64::from(echo);
    let block = u64::from(block.left) << 32 | u64::from(block.right);
    // Pair by pair, so that none waits for another.
    let digest = fold(numbers ^ WORDS[0], sizes ^ WORDS[1])
        ^ fold(ports ^ WORDS[2], hosts ^ WORDS[3])
        ^ fold(clocks ^ WORDS[4], block ^ WORDS[5]);
    digest.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packet `number` of a flow at 10,000 a second, leaving `delay_ns` after it came.
    fn packet(number: u32, delay_ns: u64, ttl: u8) -> Segment {
        Segment {
            time_ns: u64::from(number) * 100_000 + delay_ns,
            seq: number,
            ip_id: Some(number as u16),
            ttl,
            ..Segment::default()
        }
    }

    #[test]
    fn a_router_s_queue_may_hold_thousands_between_two_copies() {
        const WAITING: u32 = 6_000;
        for (places, ttl) in [([0, 1], 64), ([0, 0], 63)] {
            let mut doubled = Doubled::default();
            // The first comes and goes at once.
            assert_eq!(doubled.find(&packet(0, 0, 64), places[0], false), None);
            let gone = doubled.find(&packet(0, 10_000, ttl), places[1], false);
            assert_eq!(gone, Some(Before::Elsewhere), "{places:?}");
            for number in 1..20_000 {
                assert_eq!(doubled.find(&packet(number, 0, 64), places[0], false), None);
                if let Some(first) = number.checked_sub(WAITING).filter(|&first| first > 0) {
                    let delay_ns = u64::from(WAITING) * 100_000 + 10_000;
                    let gone = doubled.find(&packet(first, delay_ns, ttl), places[1], false);
                    assert_eq!(gone, Some(Before::Elsewhere), "packet {first}");
                }
            }
        }
    }

    #[test]
    fn what_comes_back_after_a_second_is_another_packet_and_its_memory_is_bounded() {
        let mut doubled = Doubled::default();
        for number in 0..30_000 {
            assert_eq!(
                doubled.find(&packet(number, 0, 64), u64::from(number) % 2, false),
                None
            );
        }
        let remembered = doubled.several.as_ref().unwrap().order.len();
        assert_eq!(remembered, 10_000, "those of a second");
        let late = packet(0, 4_000_000_000, 64);
        assert_eq!(doubled.find(&late, 1, false), None);
    }
}
