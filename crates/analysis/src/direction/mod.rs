//! One direction of a connection: what one end sends, and what the other says of it.

mod acknowledgment;
mod backoff;
mod books;
mod echo;
mod marks;
mod needless;
mod order;
mod out_of_sequence;
mod pace;
mod pause;
mod probe;
mod report;
mod view;
mod window;

use core::mem::offset_of;
use std::collections::VecDeque;

use super::cause::{Cause, InferredPhase};
use super::counters::DirectionCounters;
use super::holes::{HoleLeaver, Holes};
use super::limit::{Accounts, Idle};
use super::outstanding::{SegmentInFlight, SegmentsInFlight};
use super::rtt::{SampleMeter, SmoothedRtt};
use super::step::{Fact, Note, SegmentKind};
use super::suspicion::Suspicion;
use dissect::prefetch::{LINE, prefetch};
use dissect::{Checksum, ControlBits, ETHERNET_MSS, JUMBO_MSS, SackRange, TcpSegment};

use backoff::Backoff;
use books::Verdicts;
use echo::{FollowedAck, Following};
use out_of_sequence::DoubtfulRetransmission;
use pace::SendingPace;
use pause::Signs;
use report::Reports;

pub(super) use view::Amounts;

/// Sequence numbers are counted on from here, so that one from before the first seen is
/// still positive.
const ORIGIN: u64 = 1 << 32;

/// The largest window there can be (RFC 7323 §2.3). What is further away belongs to another
/// connection, or is damaged.
const LARGEST_WINDOW: u64 = 1 << 30;

/// Earliest retransmission of a SYN (RFC 6298 §2.1): one that comes sooner behind its
/// answer is the one that was answered.
const SYN_AGAIN_NS: u64 = 1_000_000_000;

/// One direction.
///
/// Captures of many connections are bound by memory, so the fields stand in lines of the cache
/// by their use. An end that only acknowledges needs the first; one that sends data needs three
/// more; what stands behind them is rare. Counts that follow from others are not kept here:
/// [`DirectionState::counters`] works them out.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(super) struct DirectionState {
    // Who is where, and what this end says of itself in every segment.
    /// Behind the highest sequence number sent; 0 before the first segment.
    pub next: u64,
    /// Highest number that the receiver has acknowledged.
    pub acked: u64,
    pub last_data_ns: u64,
    /// Time when the receiver was heard last.
    last_ack_ns: u64,
    pub packets: u64,
    /// The receiver's window behind `acked`.
    room: u32,
    /// Segments in a row, but for those of which nothing is known, whose checksums say this.
    checksums_alike: u32,
    checksum: Checksum,
    /// True if what was acknowledged last was less than two full segments.
    has_acked_little: bool,
    /// The window field last sent by this end, and the extremes: the least as its distance from
    /// the largest there can be.
    window: u16,
    window_max: u16,
    window_min_below: u16,
    /// The largest payload that the network carried in one piece, as far as it can be told.
    segment_max: u16,
    pub shift: u8,
    ttl: u8,
    /// True if the scale of this end's window is known, which a SYN tells.
    pub knows_scale: bool,
    has_acked: bool,
    following: Following,
    signs: Signs,

    // Sending.
    outstanding: SegmentsInFlight,
    bytes: u64,
    packets_data: u64,
    pushes: u64,
    /// Time when a segment was last retransmitted.
    last_retransmission_ns: u64,
    /// Duplicate acknowledgments in a row.
    duplicates: u16,
    ip_id: u16,
    is_first_window: bool,
    /// True if the receiver has reported something beyond what it acknowledged.
    has_reports: bool,
    /// True if the receiver reports by SACK what it holds behind a hole, so that what it
    /// acknowledges without having reported it arrived just then.
    hears_reports: bool,
    phase: InferredPhase,

    // Sending, and being acknowledged.
    /// The handshake's round trip, the whole path wherever the capture is taken.
    pub handshake_ns: u64,
    /// The shortest time between an acknowledgment and what it set off: the sender's own, and
    /// the way to it and back from where the capture was taken.
    reaction_ns: u64,
    newest_delivered_ns: u64,
    flight_max: u64,
    flight_min: u64,
    mss_max: u32,
    mss_min: u32,
    /// The highest timestamp sent, if `has_clock`.
    highest_clock: u32,
    has_clock: bool,
    /// The payload of the segment with the highest numbers; this at most.
    newest_payload: u16,
    ip_id_steps: [u32; 2],

    // Round trips.
    pub estimator: SmoothedRtt,
    pub rtt: SampleMeter,

    // Once or seldom in a connection.
    /// Behind what was sent when the recovery began.
    recovery_end: u64,
    first_ack_ns: u64,
    first_data_ns: u64,
    flight_initial: u64,
    pub syns: u64,
    fins: u64,
    resets: u64,
    /// Segments without ACK; segments that are neither mere acknowledgments nor counted as data.
    packets_without_ack: u64,
    packets_other: u64,
    /// Payload bytes that came more often than once, or in probes.
    bytes_not_unique: u64,
    ttl_min: u8,
    ttl_max: u8,
    pub has_sack: bool,
    /// True if the receiver ever had no room for a full segment.
    was_closed: bool,
    /// The largest segment that the receiver takes, if it said so.
    pub mss_announced: Option<u16>,
    /// Checksums before those that are alike.
    checksums: Verdicts,
    /// The lowest sequence number that is known to have been captured, from [`ORIGIN`] on.
    lowest: u32,
    echo: FollowedAck,
    accounts: Accounts,
    trouble: Option<Box<DirectionTrouble>>,
}

/// State that a direction needs only when something goes wrong in it, or pauses.
#[derive(Debug, Default)]
struct DirectionTrouble {
    /// Those counters that are not kept in [`DirectionState`].
    counters: DirectionCounters,
    idle: Idle,
    pace: SendingPace,
    holes: Holes,
    suspicion: Suspicion,
    /// Behind a probe into the closed window, which does not count as sent.
    probe_end: u64,
    /// Time when the closed window was last probed.
    last_probe_ns: u64,
    /// The third duplicate acknowledgment in a row: its timestamp, and when it passed.
    third_duplicate: Option<(u32, u64)>,
    /// Time taken by the last echo behind a pause.
    echo_took_ns: u64,
    backoff: Backoff,
    reports: Reports,
    /// The count that this end told last of marked packets that it received.
    marks_counted: Option<u8>,
    /// The SACK blocks that were told last.
    blocks: [SackRange; 4],
    /// Behind the last sequence number that any told.
    reported: u64,
    recent: VecDeque<DoubtfulRetransmission>,
    /// The timestamp of the first that was retransmitted since the last recovery was over.
    recovery_clock: Option<u32>,
    /// The timestamps of what was retransmitted, and when each was first sent.
    clocks_again: VecDeque<(u32, u64)>,
    /// The snap length cut off what the receiver may have reported.
    reports_are_cut: bool,
}

const _: () = assert!(
    offset_of!(DirectionState, outstanding) == LINE
        && offset_of!(DirectionState, recovery_end) == 4 * LINE
        && size_of::<DirectionState>() == 7 * LINE,
    "the fields fill their lines"
);

impl DirectionState {
    /// The line that every segment of the connection needs.
    pub const NEAR: usize = LINE;

    /// Asks for what an end that sends data needs.
    #[inline]
    pub fn prefetch_sending(&self) {
        if self.segment_max > 0 {
            prefetch(self, LINE, 4 * LINE);
        }
    }

    /// Asks for the segments on their way.
    #[inline]
    pub fn prefetch_segments(&self) {
        if self.segment_max > 0 {
            self.outstanding.prefetch();
        }
    }

    fn trouble(&mut self) -> &mut DirectionTrouble {
        self.trouble.get_or_insert_default()
    }

    pub const fn is_started(&self) -> bool {
        self.next != 0
    }

    /// A SYN, for the first time or again. It takes up a sequence number.
    pub fn on_syn(&mut self, segment: &TcpSegment, is_again: bool) {
        if is_again {
            self.last_retransmission_ns = segment.time_ns;
            let ip_id = segment.ip_id.unwrap_or(0);
            self.outstanding
                .retransmit(self.acked, self.acked + 1, segment.time_ns, ip_id);
            return;
        }
        if self.is_answered() && self.lowest == segment.seq.wrapping_add(1) {
            return self.on_answered_syn(segment);
        }
        self.start(segment.seq);
        self.next += 1;
        self.push(segment, self.acked, self.next, true);
    }

    /// A SYN whose answer was captured before: of what came behind it nothing is void.
    #[cold]
    fn on_answered_syn(&mut self, segment: &TcpSegment) {
        self.lowest = segment.seq;
        if segment.time_ns.saturating_sub(self.last_ack_ns) < SYN_AGAIN_NS {
            self.on_early_ack(self.last_ack_ns, segment.time_ns);
        }
    }

    /// The first sequence number of this direction is known, or another takes its place: what
    /// was known in terms of the old one is void.
    pub fn start(&mut self, seq: u32) {
        self.outstanding = SegmentsInFlight::default();
        if let Some(trouble) = &mut self.trouble {
            trouble.holes = Holes::default();
            trouble.suspicion = Suspicion::default();
            trouble.recent.clear();
            trouble.probe_end = 0;
        }
        self.phase = InferredPhase::Open;
        self.next = ORIGIN | u64::from(seq);
        self.lowest = seq;
        self.acked = self.next;
        // Nobody has told a window yet that could be full.
        self.room = LARGEST_WINDOW as u32;
        self.reaction_ns = u64::MAX;
        self.is_first_window = true;
    }

    /// The full number of a sequence number; none if it is too far from all others.
    #[inline]
    fn unwrap(&self, seq: u32) -> Option<u64> {
        let distance = seq.wrapping_sub(self.next as u32) as i32;
        let full = self.next.wrapping_add_signed(distance.into());
        (u64::from(distance.unsigned_abs()) <= LARGEST_WINDOW).then_some(full)
    }

    /// A segment of this direction that occupies sequence numbers, whose receiver is heard or
    /// not; gives why it was retransmitted or late, if it was.
    #[inline]
    pub fn on_sent(
        &mut self,
        segment: &TcpSegment,
        is_heard: bool,
        note: &mut impl Note,
    ) -> Option<Cause> {
        let is_fin = segment.flags.has(ControlBits::FIN);
        let length = segment.payload + u32::from(is_fin);
        let now = segment.time_ns;
        let Some(start) = self.unwrap(segment.seq) else {
            self.trouble().counters.segments_strange += 1;
            note.note(Fact::Is(SegmentKind::Strange));
            self.packets_other += u64::from(segment.payload > 0);
            return None;
        };
        self.on_data(segment, start);
        let before = self.next;
        let end = start + u64::from(length);
        let cause = if start >= self.next && !self.is_beyond_window(start, segment.payload) {
            self.send_new(segment, start, end, is_heard, note);
            None
        } else if self.is_probe(segment, start, end, note) {
            // What was waited for is waited for still.
            self.note_clocks(segment, false);
            return None;
        } else {
            self.send_old(segment, start, end, is_heard, note)
        };
        if segment.payload > 0 {
            if self.last_ack_ns > self.last_data_ns {
                let reaction_ns = now.saturating_sub(self.last_ack_ns);
                self.reaction_ns = self.reaction_ns.min(reaction_ns);
            }
            if self.following == Following::One {
                self.hear_echo(segment, cause);
            }
            self.note_gap(segment, before, cause, note);
            if segment.payload > self.segment_max.into() {
                self.take_size(segment.payload);
            }
        }
        self.note_clocks(segment, start == before && self.packets_data > 1);
        cause
    }

    /// A segment is larger than all before, or larger than it will be on the wire.
    #[cold]
    fn take_size(&mut self, payload: u32) {
        let payload = u16::try_from(payload).unwrap_or(u16::MAX);
        let on_wire = match self.mss_announced {
            Some(most) => payload.min(most),
            None if payload > JUMBO_MSS => ETHERNET_MSS,
            None => payload,
        };
        self.segment_max = self.segment_max.max(on_wire);
    }

    #[inline]
    fn send_new(
        &mut self,
        segment: &TcpSegment,
        start: u64,
        end: u64,
        is_heard: bool,
        note: &mut impl Note,
    ) {
        if start > self.next {
            let (next, acked) = (self.next, self.acked);
            let trouble = self.trouble();
            trouble
                .holes
                .leave(next, start, HoleLeaver::by(segment), acked);
            trouble.counters.gaps += 1;
            note.note(Fact::Skips(start - next));
            self.signs.on_hole();
        }
        self.next = end;
        self.push(segment, start, end, is_heard);
        if segment.payload > 0 {
            let flight = end.saturating_sub(self.acked);
            // The number of a SYN is on its way with the data in it, and is no byte.
            let is_opening = self.last_ack_ns == 0 && self.syns > 0;
            self.on_flight(flight.saturating_sub(is_opening.into()));
        }
    }

    #[inline]
    fn push(&mut self, segment: &TcpSegment, start: u64, end: u64, is_heard: bool) {
        self.outstanding
            .push(Self::sent(segment, start, end), is_heard);
    }

    #[inline]
    fn sent(segment: &TcpSegment, start: u64, end: u64) -> SegmentInFlight {
        SegmentInFlight {
            end,
            last_ns: segment.time_ns,
            length: (end - start) as u32,
            ip_id: segment.ip_id.unwrap_or(0),
            times: 1,
            is_sacked: false,
        }
    }
}
