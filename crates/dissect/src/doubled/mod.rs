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
//! Most captures are taken at one place, where remembering some hundred packets suffices. From when
//! on packets are captured at another, room is made for those of a second, because through the
//! queue of a router or an access point thousands may come between two copies. From the first copy
//! on, [pieces] are looked for too.

mod memory;
mod pieces;

use super::{IpAddress, TcpSegment};
use crate::mix::{WORDS, fold};

use memory::{PacketMemory, Seen};
use pieces::Pieces;

/// Longest time that a packet may take through the host that captures it, with its queues.
/// (Inferred: the longest that a queue is seen to hold back what is still of use, as TCP's first
/// timeout is a second, RFC 6298 §2.)
const ELSEWHERE_NS: u64 = 1_000_000_000;

/// Largest distance of two captures of one packet at one place: a mirror sends the copy behind
/// what waits for its port, some packets of 12 µs at 1 Gbit/s. (Inferred.)
const SAME_PLACE_NS: u64 = 100_000;

/// Packets that are remembered in any case: six times those of [`SAME_PLACE_NS`] at 10 Gbit/s in
/// full frames, because some sets fill sooner than others. They fill a part of a first-level cache
/// only.
const FEWEST: usize = 1 << 9;

/// Packets that are remembered of several places, of which none has been a copy so far: a capture
/// of all interfaces of a host that hands nothing on should not pay for those that do. (Inferred:
/// what 50 ms hold at 1 Gbit/s in full frames, and few enough for a second-level cache.)
const MOST_OF_NO_COPIES: usize = 1 << 12;

/// Packets that are remembered where copies come: those of [`ELSEWHERE_NS`] at 3 Gbit/s in full
/// frames.
const MOST: usize = 1 << 18;

/// Where a packet was captured before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EarlierCapture {
    SamePlace,
    Elsewhere,
}

/// Where packets have been captured so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CapturePlaces {
    /// All at one place.
    #[default]
    One,
    /// At several places.
    Several,
    /// One of them at two places.
    Passed,
}

impl CapturePlaces {
    /// Returns how many packets may be remembered.
    const fn most(self) -> usize {
        match self {
            CapturePlaces::One => FEWEST,
            CapturePlaces::Several => MOST_OF_NO_COPIES,
            CapturePlaces::Passed => MOST,
        }
    }
}

/// Finds what was captured before.
#[derive(Debug)]
pub(super) struct Doubled {
    memory: PacketMemory<()>,
    pieces: Pieces,
    /// Where the first packet was captured.
    first: Option<u64>,
    places: CapturePlaces,
}

impl Default for Doubled {
    fn default() -> Self {
        Doubled {
            memory: PacketMemory::of(FEWEST),
            pieces: Pieces::default(),
            first: None,
            places: CapturePlaces::default(),
        }
    }
}

impl Doubled {
    /// Where the segment, captured at `place`, was captured before. If nowhere, it is remembered.
    #[inline]
    pub fn find(&mut self, segment: &TcpSegment, place: u64) -> Option<EarlierCapture> {
        if *self.first.get_or_insert(place) != place && self.places == CapturePlaces::One {
            self.places = CapturePlaces::Several;
        }
        let digest = digest(segment);
        let now = Seen {
            time_ns: segment.time_ns,
            place: place << 8 | u64::from(segment.ttl),
        };
        let set = self.memory.set(digest);
        if let Some(seen) = set.find(digest) {
            let before = before(*seen, now, segment.ip_id);
            match before {
                None => *seen = now,
                Some(EarlierCapture::Elsewhere) => self.places = CapturePlaces::Passed,
                Some(EarlierCapture::SamePlace) => {}
            }
            return before;
        }
        if self.places == CapturePlaces::One {
            set.enter(digest, now, ());
            return None;
        }
        self.memory.enter(digest, now, (), self.places.most());
        if self.places == CapturePlaces::Passed {
            return self.find_whole(segment, now);
        }
        None
    }

    /// Where the whole was captured of which the segment is a piece. If it is none, it is
    /// remembered as a whole.
    #[inline(never)]
    fn find_whole(&mut self, segment: &TcpSegment, now: Seen) -> Option<EarlierCapture> {
        if self.pieces.has(segment, now) {
            return Some(EarlierCapture::Elsewhere);
        }
        self.pieces.remember(segment, now);
        None
    }
}

/// Where what was `seen` was captured, if what equals it and is captured `now` is the same packet.
fn before(seen: Seen, now: Seen, ip_id: Option<u16>) -> Option<EarlierCapture> {
    if seen.place == now.place {
        let apart_ns = now.time_ns.abs_diff(seen.time_ns);
        let is_numbered = ip_id.is_some_and(|id| id != 0);
        (apart_ns < SAME_PLACE_NS && is_numbered).then_some(EarlierCapture::SamePlace)
    } else {
        seen.is_elsewhere(now).then_some(EarlierCapture::Elsewhere)
    }
}

/// Two segments that differ have the same digest once in 2⁶⁰ pairs or so; it is never 0.
#[inline]
pub fn digest(segment: &TcpSegment) -> u64 {
    let TcpSegment {
        source: from,
        destination: to,
        options,
        ..
    } = segment;
    let (clock, echo) = options.timestamps.unwrap_or_default();
    let numbers = u64::from(segment.seq) << 32 | u64::from(segment.ack);
    let sizes = u64::from(segment.payload) << 32
        | u64::from(segment.ip_id.unwrap_or(0)) << 16
        | u64::from(segment.window);
    // No port at the upper end of a word: it would be read with what stands behind it, which was
    // not written at once with it, so that a processor would wait for both.
    let ports = u64::from(from.port)
        | u64::from(segment.flags.0) << 16
        | u64::from(to.port) << 24
        | u64::from(options.header_len) << 40;
    let hosts = word(from.address) ^ word(to.address).rotate_left(21);
    let clocks = u64::from(clock) << 32 | u64::from(echo);
    // Pair by pair, so that none waits for another.
    let mut digest = fold(numbers ^ WORDS[0], sizes ^ WORDS[1])
        ^ fold(ports ^ hosts ^ WORDS[2], clocks ^ WORDS[3]);
    if let [block, ..] = options.sack() {
        let block = u64::from(block.left) << 32 | u64::from(block.right);
        digest ^= fold(block ^ WORDS[4], WORDS[5]);
    }
    digest.max(1)
}

/// An address as a word, of which no bit is lost in version 4.
#[inline]
const fn word(address: IpAddress) -> u64 {
    (address.0 >> 64) as u64 ^ (address.0 as u64).rotate_left(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packet `number` of a flow at 10,000 a second, leaving `delay_ns` after it came.
    fn packet(number: u32, delay_ns: u64, ttl: u8) -> TcpSegment {
        TcpSegment {
            time_ns: u64::from(number) * 100_000 + delay_ns,
            seq: number,
            ip_id: Some(number as u16),
            ttl,
            ..TcpSegment::default()
        }
    }

    #[test]
    fn a_router_s_queue_may_hold_thousands_between_two_copies() {
        const WAITING: u32 = 6_000;
        for (places, ttl) in [([0, 1], 64), ([0, 0], 63)] {
            let mut doubled = Doubled::default();
            // The first comes and goes at once.
            assert_eq!(doubled.find(&packet(0, 0, 64), places[0]), None);
            let gone = doubled.find(&packet(0, 10_000, ttl), places[1]);
            assert_eq!(gone, Some(EarlierCapture::Elsewhere), "{places:?}");
            for number in 1..20_000 {
                assert_eq!(doubled.find(&packet(number, 0, 64), places[0]), None);
                if let Some(first) = number.checked_sub(WAITING).filter(|&first| first > 0) {
                    let delay_ns = u64::from(WAITING) * 100_000 + 10_000;
                    let gone = doubled.find(&packet(first, delay_ns, ttl), places[1]);
                    assert_eq!(gone, Some(EarlierCapture::Elsewhere), "packet {first}");
                }
            }
        }
    }

    #[test]
    fn where_packets_pass_one_may_go_on_in_pieces() {
        let mut doubled = Doubled::default();
        let sized = |number, delay_ns, ttl, payload| TcpSegment {
            payload,
            ..packet(number, delay_ns, ttl)
        };
        let mut found = |segment, place| doubled.find(&segment, place);
        assert_eq!(found(packet(0, 0, 64), 0), None);
        assert_eq!(
            found(packet(0, 10_000, 63), 1),
            Some(EarlierCapture::Elsewhere)
        );
        assert_eq!(found(sized(1, 0, 64, 2_896), 0), None);
        assert_eq!(
            found(sized(1, 10_000, 63, 1_448), 1),
            Some(EarlierCapture::Elsewhere)
        );
    }

    #[test]
    fn what_comes_back_after_a_second_is_another_packet() {
        let mut doubled = Doubled::default();
        for number in 0..30_000 {
            let place = u64::from(number) % 2;
            assert_eq!(doubled.find(&packet(number, 0, 64), place), None);
        }
        let late = packet(0, 4_000_000_000, 64);
        assert_eq!(doubled.find(&late, 1), None);
    }

    #[test]
    fn as_many_are_remembered_as_may_have_copies() {
        let remembered = |places: u64, has_copies: bool| {
            let mut doubled = Doubled::default();
            for number in 0..1_000_000 {
                // One every 2 µs.
                let mut sent = packet(number, 0, 64);
                sent.time_ns /= 50;
                doubled.find(&sent, u64::from(number) % places);
                if has_copies {
                    doubled.find(&sent, places);
                }
            }
            doubled.memory.len()
        };
        assert_eq!(remembered(1, false), FEWEST);
        assert_eq!(remembered(2, false), MOST_OF_NO_COPIES);
        assert_eq!(remembered(1, true), MOST, "500,000 in a second");
    }
}
