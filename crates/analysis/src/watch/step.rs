//! What one segment changed in the books of its connection.
//!
//! The analyser's decisions are read off its counters, before and after: so the sum of the
//! steps is the counters, and there is no second opinion on any segment.

use serde::Serialize;

use crate::cause::Cause;
use crate::connection::Connection;
use crate::counters::Counters;
use crate::half::Half;
use crate::stall::Stall;
use dissect::{Flags, Segment};

/// What a segment is to the direction that sent it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It occupies no sequence numbers.
    #[default]
    Bare,
    /// It goes on where the last ended, or beyond.
    New,
    /// Some byte of it was seen before.
    Retransmitted,
    /// It stands behind its successors and was not seen before.
    OutOfOrder,
    /// It opens the direction.
    Syn,
    /// It opens the direction once more.
    SynAgain,
    /// A keep-alive, with a byte in it or without.
    KeepAlive,
    /// A probe into a closed window.
    WindowProbe,
    /// Its sequence number is out of all proportion.
    Strange,
}

impl Kind {
    /// All of them, in the order of their codes.
    pub const ALL: [Kind; 9] = [
        Kind::Bare,
        Kind::New,
        Kind::Retransmitted,
        Kind::OutOfOrder,
        Kind::Syn,
        Kind::SynAgain,
        Kind::KeepAlive,
        Kind::WindowProbe,
        Kind::Strange,
    ];
}

/// What a segment's acknowledgment is to the other direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It acknowledges nothing.
    #[default]
    None,
    /// It acknowledges more than the last.
    Advance,
    /// It acknowledges data that were not captured.
    Unseen,
    /// A duplicate (RFC 5681 §2).
    Duplicate,
    /// It says the same again, with payload or another window.
    Repeat,
    /// It acknowledges less than an earlier one.
    Old,
    /// Its number is out of all proportion.
    Strange,
}

impl Answer {
    /// All of them, in the order of their codes.
    pub const ALL: [Answer; 7] = [
        Answer::None,
        Answer::Advance,
        Answer::Unseen,
        Answer::Duplicate,
        Answer::Repeat,
        Answer::Old,
        Answer::Strange,
    ];
}

/// What one segment changed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    /// The end that sent it: 0 the client.
    pub from: usize,
    /// Its sequence numbers, in full; none if it is strange or nothing is known of them.
    pub range: Option<(u64, u64)>,
    pub kind: Kind,
    /// Why it was sent again or late.
    pub cause: Option<Cause>,
    /// Payload bytes of it that were seen before.
    pub bytes_seen: u64,
    /// Sequence numbers that it passed over.
    pub skipped: u64,
    /// The pause that it ended.
    pub pause: Option<(Stall, u64)>,
    /// It shows that the retransmission timer expired.
    pub timer_expired: bool,
    /// It begins a recovery that is not by timeout.
    pub begins_recovery: bool,
    /// When the place was left empty that it fills.
    pub left_at_ns: Option<u64>,
    pub answer: Answer,
    /// What it acknowledges, in full numbers of the other direction.
    pub ack: Option<u64>,
    /// The window that it advertises, if the scale is known.
    pub window: Option<u64>,
    /// The round trip that it ends.
    pub rtt_ns: Option<u64>,
    /// How much it is the first to acknowledge.
    pub acked_anew: u64,
    /// Its SACK blocks tell something new.
    pub has_sack_news: bool,
    /// It reports data that came twice.
    pub reports_duplicate: bool,
    /// Data in flight behind it, from its sender and from the other end, if that is known.
    pub flight: Option<u64>,
    pub peer_flight: Option<u64>,
}

impl Step {
    /// Whether the segment brought data: payload whose numbers make sense.
    pub const fn has_payload(&self, segment: &Segment) -> bool {
        segment.payload > 0 && !matches!(self.kind, Kind::Bare | Kind::Strange)
    }
}

/// The books of a connection before it takes a segment.
pub(super) struct Books {
    from: usize,
    /// Of its sender, of the other end.
    counters: [Counters; 2],
    /// Behind what the sender sent, and what it has acknowledged of the other end.
    next: u64,
    acked: u64,
    /// Round trips that ended, of the other end.
    samples: u64,
    timed_since: Option<u64>,
    left_at_ns: Option<u64>,
}

impl Books {
    /// Copies what the segment may change.
    pub fn of(connection: &Connection, segment: &Segment) -> Self {
        let from = connection.sender(segment);
        let (own, peer) = (&connection.halves[from], &connection.halves[1 - from]);
        Books {
            from,
            counters: [own.counters(), peer.counters()],
            next: own.next,
            acked: peer.acked,
            samples: peer.rtt.count,
            timed_since: peer
                .number(segment.ack)
                .and_then(|ack| peer.timed_since(ack)),
            left_at_ns: range_of(own, segment).and_then(|(start, end)| own.left_at(start, end)),
        }
    }

    /// What the segment changed, now that the connection has taken it.
    pub fn compare(&self, connection: &Connection, segment: &Segment) -> Step {
        let mut step = Step {
            from: self.from,
            ..Step::default()
        };
        self.compare_own(&connection.halves[self.from], segment, &mut step);
        self.compare_peer(&connection.halves[1 - self.from], segment, &mut step);
        step
    }

    fn compare_own(&self, half: &Half, segment: &Segment, step: &mut Step) {
        let (before, after) = (&self.counters[0], &half.counters());
        step.kind = kind(before, after, segment, half.next != self.next);
        step.cause = grown(&before.causes, &after.causes).map(|at| Cause::ALL[at]);
        step.range = range_of(half, segment).filter(|_| step.kind != Kind::Strange);
        step.bytes_seen = after.bytes_retransmitted - before.bytes_retransmitted;
        if let Some((start, _)) = step.range.filter(|_| after.gaps > before.gaps) {
            step.skipped = start - self.next;
        }
        let paused = |(at, stall): (usize, &Stall)| {
            let (before, after) = (before.stalls[at], after.stalls[at]);
            (after.count > before.count).then(|| (*stall, after.total_ns - before.total_ns))
        };
        step.pause = Stall::ALL.iter().enumerate().find_map(paused);
        step.timer_expired = after.timeouts > before.timeouts;
        step.begins_recovery = after.recoveries > before.recoveries;
        step.left_at_ns = self.left_at_ns.filter(|_| step.kind == Kind::OutOfOrder);
        step.window = half.advertised(segment);
        step.flight = half.flight();
    }

    fn compare_peer(&self, half: &Half, segment: &Segment, step: &mut Step) {
        let (before, after) = (&self.counters[1], &half.counters());
        step.peer_flight = half.flight();
        if !segment.flags.has(Flags::ACK) || segment.flags.has(Flags::RST) {
            return;
        }
        step.answer = self.answer(half);
        step.ack = half
            .number(segment.ack)
            .filter(|_| step.answer != Answer::Strange);
        step.rtt_ns = (self.timed_since)
            .filter(|_| half.rtt.count > self.samples)
            .map(|since_ns| segment.time_ns.saturating_sub(since_ns));
        step.acked_anew = half.acked.saturating_sub(self.acked);
        step.has_sack_news = after.duplicate_acks_sack > before.duplicate_acks_sack;
        step.reports_duplicate = after.duplicates_reported > before.duplicates_reported;
    }

    fn answer(&self, half: &Half) -> Answer {
        let (before, after) = (&self.counters[1], &half.counters());
        if after.acks_strange > before.acks_strange {
            Answer::Strange
        } else if after.acks_of_unseen > before.acks_of_unseen {
            Answer::Unseen
        } else if half.acked > self.acked && self.acked > 0 {
            Answer::Advance
        } else if after.duplicate_acks > before.duplicate_acks {
            Answer::Duplicate
        } else if after.acks_old > before.acks_old {
            Answer::Old
        } else {
            Answer::Repeat
        }
    }
}

/// What a segment was taken for, by the counter that counted it.
fn kind(before: &Counters, after: &Counters, segment: &Segment, has_moved_on: bool) -> Kind {
    let flags = segment.flags;
    if flags.has(Flags::RST) {
        Kind::Bare
    } else if after.segments_strange > before.segments_strange {
        Kind::Strange
    } else if after.keep_alives > before.keep_alives {
        Kind::KeepAlive
    } else if after.packets_retransmitted > before.packets_retransmitted {
        Kind::Retransmitted
    } else if after.packets_out_of_order > before.packets_out_of_order {
        Kind::OutOfOrder
    } else if after.cause(Cause::WindowProbe) > before.cause(Cause::WindowProbe) {
        Kind::WindowProbe
    } else if flags.has(Flags::SYN) {
        if has_moved_on {
            Kind::Syn
        } else {
            Kind::SynAgain
        }
    } else if segment.payload > 0 || flags.has(Flags::FIN) {
        Kind::New
    } else {
        Kind::Bare
    }
}

fn grown(before: &[u64], after: &[u64]) -> Option<usize> {
    before
        .iter()
        .zip(after)
        .position(|(before, after)| after > before)
}

/// The sequence numbers that a segment occupies, in full.
fn range_of(half: &Half, segment: &Segment) -> Option<(u64, u64)> {
    let flags = segment.flags;
    let markers = u64::from(flags.has(Flags::SYN)) + u64::from(flags.has(Flags::FIN));
    let start = half.number(segment.seq)?;
    Some((start, start + u64::from(segment.payload) + markers))
}
