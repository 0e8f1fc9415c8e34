//! The verdict on a segment, given its connection, of which everything that is told segment by
//! segment is a fold.
//!
//! Where the analysis counts something, it says so to whoever notes it. Where nobody does, nothing of
//! that is left in the program.

use serde::Serialize;

use super::cause::Cause;
use super::stall::Stall;
use dissect::TcpSegment;

/// Kind of a segment in the direction that sent it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentKind {
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

impl SegmentKind {
    /// All of them, in the order of their codes.
    pub const ALL: [SegmentKind; 9] = [
        SegmentKind::Bare,
        SegmentKind::New,
        SegmentKind::Retransmitted,
        SegmentKind::OutOfOrder,
        SegmentKind::Syn,
        SegmentKind::SynAgain,
        SegmentKind::KeepAlive,
        SegmentKind::WindowProbe,
        SegmentKind::Strange,
    ];
}

/// Kind of a segment's acknowledgment in the other direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AckKind {
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

impl AckKind {
    /// All of them, in the order of their codes.
    pub const ALL: [AckKind; 7] = [
        AckKind::None,
        AckKind::Advance,
        AckKind::Unseen,
        AckKind::Duplicate,
        AckKind::Repeat,
        AckKind::Old,
        AckKind::Strange,
    ];
}

/// Something that the analysis has found of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// It is of this kind, and of none that was said before.
    Is(SegmentKind),
    /// Why it was retransmitted or late, and how many bytes of its payload were seen before.
    SentAgain(Cause, u64),
    /// The place of the rule that names the cause.
    ByRule(usize),
    /// It passes over so many numbers.
    Skips(u64),
    /// It fills a place that was left empty at this time.
    FillsLeftAt(u64),
    /// It ends a pause.
    EndsPause(Stall, u64),
    /// It shows that the retransmission timer expired.
    TimerExpired,
    /// It begins a recovery that is not by timeout.
    BeginsRecovery,
    /// Kind of its acknowledgment.
    Answers(AckKind),
    /// It acknowledges so much more.
    AcknowledgesMore(u64),
    /// It ends a round trip that took so long.
    EndsRoundTrip(u64),
    /// Its SACK blocks tell something new.
    HasSackNews,
    /// It reports data that came twice.
    ReportsDuplicate,
    /// It shows that another was retransmitted for another reason than it seemed.
    Revises(Revision),
}

/// A retransmission, by its packet and its first sequence number in full, and why it was sent after
/// all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Revision {
    /// The end that sent it: that of the revising segment, or the other.
    pub is_own: bool,
    pub packet: u64,
    pub start: u64,
    pub cause: Cause,
}

/// Who notes what is found.
pub(super) trait Note {
    fn note(&mut self, fact: Fact);
}

/// Nobody does.
impl Note for () {
    #[inline(always)]
    fn note(&mut self, _: Fact) {}
}

/// Verdict on one segment, and its consequences.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// The end that sent it: 0 the client.
    pub from: usize,
    /// Its sequence numbers, in full; none if it is strange or nothing is known of them.
    pub range: Option<(u64, u64)>,
    pub kind: SegmentKind,
    /// Why it was retransmitted or late.
    pub cause: Option<Cause>,
    /// The place of the rule that named the cause.
    pub rule: Option<usize>,
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
    /// Time when the place was left empty that it fills.
    pub left_at_ns: Option<u64>,
    pub answer: AckKind,
    /// Number that it acknowledges, in full numbers of the other direction.
    pub ack: Option<u64>,
    /// The window that it advertises, if the scale is known.
    pub window: Option<u64>,
    /// The round trip that it ends.
    pub rtt_ns: Option<u64>,
    /// Bytes that it is the first to acknowledge.
    pub acked_anew: u64,
    /// Its SACK blocks tell something new.
    pub has_sack_news: bool,
    /// It reports data that came twice.
    pub reports_duplicate: bool,
    /// Data in flight behind it, from its sender and from the other end, if that is known.
    pub flight: Option<u64>,
    pub peer_flight: Option<u64>,
    /// New verdicts on earlier retransmissions.
    pub revisions: Vec<Revision>,
}

impl Note for Step {
    fn note(&mut self, fact: Fact) {
        match fact {
            Fact::Is(kind) => self.kind = kind,
            Fact::SentAgain(cause, bytes_seen) => {
                (self.cause, self.bytes_seen) = (Some(cause), bytes_seen);
            }
            Fact::ByRule(place) => self.rule = Some(place),
            Fact::Skips(numbers) => self.skipped = numbers,
            Fact::FillsLeftAt(left_at_ns) => self.left_at_ns = Some(left_at_ns),
            Fact::EndsPause(stall, pause_ns) => self.pause = Some((stall, pause_ns)),
            Fact::TimerExpired => self.timer_expired = true,
            Fact::BeginsRecovery => self.begins_recovery = true,
            Fact::Answers(answer) => self.answer = answer,
            Fact::AcknowledgesMore(bytes) => self.acked_anew = bytes,
            Fact::EndsRoundTrip(rtt_ns) => self.rtt_ns = Some(rtt_ns),
            Fact::HasSackNews => self.has_sack_news = true,
            Fact::ReportsDuplicate => self.reports_duplicate = true,
            Fact::Revises(revision) => self.revisions.push(revision),
        }
    }
}

impl Step {
    /// Returns whether the segment brought data: payload whose numbers make sense.
    pub const fn has_payload(&self, segment: &TcpSegment) -> bool {
        segment.payload > 0 && !matches!(self.kind, SegmentKind::Bare | SegmentKind::Strange)
    }
}
