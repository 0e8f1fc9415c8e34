//! Pieces of what was captured whole before.
//!
//! Linux joins packets where they come in (GRO), and cuts them where they go out if the queue
//! (`tbf`) or the card there takes none so large (GSO), before they are captured again. A piece has
//! all numbers of the whole (tcp_gso_segment, inet_gso_segment) but for
//! - its part of the sequence numbers;
//! - the IP identification, which counts on with the pieces, or stays where all that were joined
//!   had the same (SKB_GSO_TCP_FIXEDID);
//! - PSH and FIN, which are the last one's, and CWR, which is the first one's.
//!
//! What a sender repeats has an identification of its own, mostly another timestamp too, and comes
//! in where the first came in.
//!
//! A queue drops some pieces of a whole and not others, so that each is looked for by itself:
//! among the wholes that touch its [`STRETCH`] of the sequence numbers.

use super::memory::{PacketMemory, Seen};
use super::{FEWEST, MOST, digest};
use crate::mix::{WORDS, fold};
use crate::{ControlBits, TcpSegment};

/// Sequence numbers, the first a multiple of their count, among which wholes are looked for: so
/// few that not more with the same numbers touch them than a set of the memory holds.
const STRETCH: u32 = 1 << 12;

/// Payload that a packet of 1500 bytes holds behind the headers of IPv4 and TCP: nothing smaller is
/// taken for a whole, so that ordinary packets need not be remembered as one. (Inferred: two pieces
/// that are smaller together have an MSS below 731.)
const ORDINARY: u32 = 1460;

/// The largest that Linux joins, GSO_MAX_SIZE. A header may say more.
const LARGEST: u32 = 8 * 65_535;

/// The flags that only the last piece has.
const LAST: u8 = ControlBits::PSH | ControlBits::FIN;

/// Finds pieces.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// None before there is one.
    wholes: Option<PacketMemory<WholeSegment>>,
}

impl Pieces {
    /// Returns whether the segment is a piece of one that was captured elsewhere.
    pub fn has(&mut self, segment: &TcpSegment, now: Seen) -> bool {
        let Some(wholes) = self.wholes.as_mut().filter(|_| segment.payload > 0) else {
            return false;
        };
        let digest = at(shared(segment), segment.seq / STRETCH);
        (wholes.set(digest).all(digest))
            .any(|(seen, whole)| seen.is_elsewhere(now) && whole.has(segment))
    }

    /// Remembers the segment if it may be cut into pieces.
    pub fn remember(&mut self, segment: &TcpSegment, now: Seen) {
        if segment.payload <= ORDINARY || segment.payload > LARGEST {
            return;
        }
        let wholes = self.wholes.get_or_insert_with(|| PacketMemory::of(FEWEST));
        let shared = shared(segment);
        let first = segment.seq / STRETCH;
        let further = (segment.seq % STRETCH + segment.payload - 1) / STRETCH;
        for stretch in first..=first + further {
            let digest = at(shared, stretch % (u32::MAX / STRETCH + 1));
            wholes.enter(digest, now, WholeSegment::of(segment), MOST);
        }
    }
}

/// Fields of a segment that its pieces do not share.
#[derive(Clone, Copy, Debug, Default)]
struct WholeSegment {
    seq: u32,
    payload: u32,
    ip_id: Option<u16>,
    flags: ControlBits,
}

impl WholeSegment {
    const fn of(segment: &TcpSegment) -> Self {
        WholeSegment {
            seq: segment.seq,
            payload: segment.payload,
            ip_id: segment.ip_id,
            flags: segment.flags,
        }
    }

    /// Returns whether a segment that shares its other numbers is a piece of it.
    fn has(&self, piece: &TcpSegment) -> bool {
        let offset = piece.seq.wrapping_sub(self.seq);
        let Some(behind) =
            (self.payload.checked_sub(offset)).and_then(|rest| rest.checked_sub(piece.payload))
        else {
            return false;
        };
        let last = if behind == 0 { self.flags.0 & LAST } else { 0 };
        piece.flags.0 & LAST == last && self.counts_on_to(piece, offset, behind)
    }

    /// Returns whether the identification of the piece is that of the whole, or has counted on by
    /// one for each before it. Those are of one size; some cards take several of them at once
    /// (NETIF_F_GSO_PARTIAL).
    fn counts_on_to(&self, piece: &TcpSegment, offset: u32, behind: u32) -> bool {
        let (Some(first), Some(id)) = (self.ip_id, piece.ip_id) else {
            return self.ip_id == piece.ip_id;
        };
        let before = u32::from(id.wrapping_sub(first));
        if before == 0 {
            return true;
        }
        let size = offset / before;
        size > 0 && size * before == offset && (behind == 0 || piece.payload.is_multiple_of(size))
    }
}

/// A digest of what a whole and its pieces share.
fn shared(segment: &TcpSegment) -> u64 {
    digest(&TcpSegment {
        seq: 0,
        payload: 0,
        ip_id: None,
        flags: ControlBits(segment.flags.0 & !(LAST | ControlBits::CWR)),
        ..*segment
    })
}

/// The digest under which wholes are found that touch a stretch.
fn at(shared: u64, stretch: u32) -> u64 {
    fold(shared ^ WORDS[4], u64::from(stretch) ^ WORDS[5]).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1448;
    const ACK: ControlBits = ControlBits(ControlBits::ACK);

    /// Segments of full size behind each other, `first` the number of the first.
    fn sent(first: u32, segments: u32) -> TcpSegment {
        let mut segment = TcpSegment {
            // Across the end of the sequence numbers.
            seq: (first * MSS).wrapping_sub(10 * MSS),
            payload: segments * MSS,
            ip_id: Some((first as u16).wrapping_sub(10)),
            flags: ACK,
            ..TcpSegment::default()
        };
        segment.options.timestamps = Some((7, 8));
        segment
    }

    const fn seen(time_ns: u64, place: u64) -> Seen {
        Seen { time_ns, place }
    }

    /// After segments 0 to 19 were captured whole at place 0.
    fn after_a_whole(whole: &TcpSegment) -> Pieces {
        let mut pieces = Pieces::default();
        pieces.remember(whole, seen(0, 0));
        pieces
    }

    /// Returns whether the change makes another packet of the eighth piece.
    fn is_another(change: impl Fn(&mut TcpSegment)) -> bool {
        let mut piece = sent(8, 1);
        change(&mut piece);
        !after_a_whole(&sent(0, 20)).has(&piece, seen(1_000_000, 1))
    }

    #[test]
    fn a_whole_goes_on_in_pieces_at_another_interface() {
        let mut pieces = after_a_whole(&sent(0, 20));
        let is_piece = (0..22).map(|number| pieces.has(&sent(number, 1), seen(1_000_000, 1)));
        assert!(is_piece.eq((0..22).map(|number| number < 20)));
        assert!(pieces.has(&sent(4, 4), seen(1_000_000, 1)), "larger ones");
    }

    #[test]
    fn pieces_leave_within_a_second_and_elsewhere() {
        let mut pieces = after_a_whole(&sent(0, 20));
        assert!(pieces.has(&sent(8, 1), seen(999_000_000, 1)));
        assert!(!pieces.has(&sent(8, 1), seen(1_000_000_000, 1)));
        assert!(!pieces.has(&sent(8, 1), seen(1_000_000, 0)));
    }

    #[test]
    fn what_is_retransmitted_is_no_piece() {
        assert!(!is_another(|_| {}));
        assert!(is_another(|piece| piece.ip_id = Some(11)));
        assert!(is_another(|piece| piece.options.timestamps = Some((9, 8))));
        assert!(is_another(|piece| piece.ack = 1));
        assert!(is_another(|piece| piece.window = 1));
        assert!(is_another(|piece| piece.source.port = 1));
        assert!(is_another(|piece| piece.seq += 1));
        assert!(is_another(|piece| piece.payload -= 1));
    }

    #[test]
    fn the_last_piece_is_shorter_and_ends_the_stream() {
        let mut whole = sent(0, 20);
        whole.payload -= 100;
        whole.flags = ControlBits(ControlBits::ACK | ControlBits::FIN | ControlBits::CWR);
        let mut last = sent(19, 1);
        last.payload -= 100;
        let mut pieces = after_a_whole(&whole);
        assert!(pieces.has(&sent(18, 1), seen(0, 1)));
        assert!(!pieces.has(&last, seen(0, 1)), "it has no FIN");
        last.flags = ControlBits(ControlBits::ACK | ControlBits::FIN);
        assert!(pieces.has(&last, seen(0, 1)));
    }

    #[test]
    fn the_identification_may_stay_or_be_missing() {
        for ip_id in [Some(0), None] {
            let numbered = |segment| TcpSegment { ip_id, ..segment };
            let mut pieces = after_a_whole(&numbered(sent(0, 20)));
            assert!(pieces.has(&numbered(sent(8, 1)), seen(0, 1)), "{ip_id:?}");
        }
    }

    #[test]
    fn nothing_is_remembered_of_sizes_that_are_none_of_wholes() {
        for payload in [0, MSS, u32::MAX] {
            let whole = TcpSegment {
                payload,
                ..sent(0, 0)
            };
            assert!(after_a_whole(&whole).wholes.is_none(), "{payload}");
        }
    }
}
