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

use super::Segment;
use crate::mix::{WORDS, fold};

/// How long a packet may take through the host that captures it, with its queues. (Inferred:
/// the longest that a queue is seen to hold back what is still of use, as TCP's first timeout
/// is a second, RFC 6298 §2.)
const ELSEWHERE_NS: u64 = 1_000_000_000;

/// How far apart two captures of one packet at one place may be: a mirror sends the copy behind
/// what waits for its port, some packets of 12 µs at 1 Gbit/s. (Inferred.)
const SAME_PLACE_NS: u64 = 100_000;

/// Packets that are remembered, each at a place given by its numbers; a power of two. Their
/// digests fill a part of a first-level cache.
const REMEMBERED: usize = 1024;

#[derive(Debug)]
pub(super) struct Doubled {
    /// Digests of everything that both copies share; 0 of nothing. They stand by themselves,
    /// because what else is known of a packet is seldom read.
    digests: Box<[u64; REMEMBERED]>,
    seen: Box<[Seen; REMEMBERED]>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    time_ns: u64,
    /// Where it was captured, and its time to live.
    place: u64,
}

impl Default for Doubled {
    fn default() -> Self {
        Doubled {
            digests: Box::new([0; REMEMBERED]),
            seen: Box::new([Seen::default(); REMEMBERED]),
        }
    }
}

/// Where a packet was captured before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    SamePlace,
    Elsewhere,
}

impl Doubled {
    /// Where the segment, captured at `place`, was captured before. If nowhere, it is remembered.
    #[inline]
    pub fn find(&mut self, segment: &Segment, place: u64) -> Option<Before> {
        let digest = digest(segment);
        let place = place << 8 | u64::from(segment.ttl);
        let at = (digest >> 32) as usize % REMEMBERED;
        let seen = &mut self.seen[at];
        if self.digests[at] == digest {
            let apart_ns = segment.time_ns.abs_diff(seen.time_ns);
            let (before, is_known) = if seen.place == place {
                let is_numbered = segment.ip_id.is_some_and(|id| id != 0);
                (Before::SamePlace, apart_ns < SAME_PLACE_NS && is_numbered)
            } else {
                (Before::Elsewhere, apart_ns < ELSEWHERE_NS)
            };
            if is_known {
                return Some(before);
            }
        }
        self.digests[at] = digest;
        *seen = Seen {
            time_ns: segment.time_ns,
            place,
        };
        None
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
