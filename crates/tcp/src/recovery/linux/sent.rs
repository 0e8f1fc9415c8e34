//! The segments sent and not acknowledged, and what has become of each.

use std::collections::VecDeque;

use units::Time;

use crate::ranges::OffsetRange;

/// State of a segment (the TCPCB_ flags of `include/net/tcp.h`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SegmentMarks(u8);

impl SegmentMarks {
    pub const SACKED: SegmentMarks = SegmentMarks(1);
    /// Retransmitted, and that copy is in flight.
    pub const RETRANSMITTED: SegmentMarks = SegmentMarks(2);
    pub const LOST: SegmentMarks = SegmentMarks(4);
    pub const EVER_RETRANSMITTED: SegmentMarks = SegmentMarks(8);
    /// In the order of sending that detection looks through.
    pub const LISTED: SegmentMarks = SegmentMarks(16);
    /// It ends what was to be pushed to the peer, and carries PSH.
    pub const PUSHED: SegmentMarks = SegmentMarks(32);
    /// The first segment of a piece.
    pub const BEGINS_PIECE: SegmentMarks = SegmentMarks(64);
    /// It ends a record: it carries PSH, too, and is never joined with what follows (`eor`).
    pub const RECORD_END: SegmentMarks = SegmentMarks(128);
    /// It carries PSH.
    pub const ENDS: SegmentMarks = SegmentMarks(32 | 128);
    /// Retransmitted at some time, in flight or not (TCPCB_RETRANS).
    pub const SENT_AGAIN: SegmentMarks = SegmentMarks(2 | 8);

    /// Returns whether any flag of `other` is set.
    #[inline]
    pub fn contains(self, other: SegmentMarks) -> bool {
        self.0 & other.0 != 0
    }

    #[inline]
    pub fn set(&mut self, other: SegmentMarks) {
        self.0 |= other.0;
    }

    #[inline]
    pub fn clear(&mut self, other: SegmentMarks) {
        self.0 &= !other.0;
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SentSegment {
    pub range: OffsetRange,
    /// Time when it left last.
    pub at: Time,
    /// Number of segments delivered by then.
    pub delivered: u64,
    pub marks: SegmentMarks,
}

impl SentSegment {
    pub fn ends_record(&self) -> bool {
        self.marks.contains(SegmentMarks::RECORD_END)
    }
}

/// In the order of the stream, and beside it in the order of sending. Both queues keep their
/// capacity, so the steady state allocates nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct SentQueue {
    segments: VecDeque<SentSegment>,
    /// The time and the first offset of every sending; those that are out of date are passed
    /// over, and forgotten once they come to the front.
    order: VecDeque<(Time, u64)>,
}

impl SentQueue {
    #[inline]
    pub fn len(&self) -> u32 {
        self.segments.len() as u32
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    #[inline]
    pub fn front(&self) -> Option<&SentSegment> {
        self.segments.front()
    }

    /// Returns how many pieces there are, the rest of one among them.
    pub fn pieces(&self) -> u64 {
        let begins = |sent: &&SentSegment| sent.marks.contains(SegmentMarks::BEGINS_PIECE);
        let has_rest = self.front().is_some_and(|first| !begins(&first));
        self.segments.iter().filter(begins).count() as u64 + u64::from(has_rest)
    }

    /// Returns when the oldest of them left, or one before it.
    pub fn oldest(&self) -> Option<Time> {
        self.order.front().map(|oldest| oldest.0)
    }

    pub fn last_index(&self) -> Option<usize> {
        self.segments.len().checked_sub(1)
    }

    pub fn get(&self, index: usize) -> Option<&SentSegment> {
        self.segments.get(index)
    }

    pub fn at_mut(&mut self, index: usize) -> &mut SentSegment {
        &mut self.segments[index]
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut SentSegment> {
        self.segments.iter_mut()
    }

    #[inline]
    pub fn push(&mut self, range: OffsetRange, at: Time, delivered: u64) {
        let marks = SegmentMarks::LISTED;
        let sent = SentSegment {
            range,
            at,
            delivered,
            marks,
        };
        self.segments.push_back(sent);
        self.order.push_back((at, range.start));
    }

    /// Marks the newest segment.
    #[inline]
    pub fn mark_last(&mut self, marks: SegmentMarks) {
        if let Some(last) = self.segments.back_mut() {
            last.marks.set(marks);
        }
    }

    /// The segment at `index` leaves again.
    pub fn retransmit(&mut self, index: usize, at: Time, delivered: u64) {
        let sent = &mut self.segments[index];
        (sent.at, sent.delivered) = (at, delivered);
        sent.marks.set(SegmentMarks::LISTED);
        sent.marks.set(SegmentMarks::EVER_RETRANSMITTED);
        self.order.push_back((at, sent.range.start));
    }

    /// The oldest segment is acknowledged.
    #[inline]
    pub fn pop_front(&mut self) {
        self.segments.pop_front();
        if self.segments.is_empty() {
            self.order.clear();
        } else {
            self.forget_front();
        }
    }

    fn forget_front(&mut self) {
        let first = self.segments.front().map_or(0, |s| s.range.start);
        while self.order.front().is_some_and(|o| o.1 < first) {
            self.order.pop_front();
        }
    }

    /// The index of the segment that ends beyond `offset`.
    #[inline]
    pub fn index_beyond(&self, offset: u64) -> usize {
        if self.segments.front().is_none_or(|s| s.range.end > offset) {
            return 0;
        }
        self.segments.partition_point(|s| s.range.end <= offset)
    }

    /// The index of what was the `place`-th to be sent: `Err` if that is out of date, `None` at
    /// the end.
    pub fn in_order(&self, place: usize) -> Option<Result<usize, ()>> {
        let &(at, start) = self.order.get(place)?;
        let index = self.index_beyond(start);
        let current = self.segments.get(index).filter(|s| {
            s.range.start == start && s.at == at && s.marks.contains(SegmentMarks::LISTED)
        });
        Some(current.map(|_| index).ok_or(()))
    }

    /// Forgets the oldest of the order, which is out of date.
    pub fn drop_oldest(&mut self) {
        self.order.pop_front();
    }

    /// Cuts the segment at `index` after `length` bytes (`tcp_fragment`).
    pub fn split(&mut self, index: usize, length: u64) {
        let first = &mut self.segments[index];
        let mut second = *first;
        first.range.end = first.range.start + length;
        second.range.start = first.range.end;
        second.marks.clear(SegmentMarks::BEGINS_PIECE);
        first.marks.clear(SegmentMarks::ENDS);
        self.order.push_back((second.at, second.range.start));
        self.segments.insert(index + 1, second);
        let sorted = self.order.make_contiguous();
        sorted.sort_by_key(|o| o.0);
    }

    /// Joins the segment at `index` with the next (`tcp_collapse_retrans`); gives what the next
    /// was marked with.
    pub fn join_next(&mut self, index: usize) -> SegmentMarks {
        let next = self.segments.remove(index + 1).expect("there is a next");
        let sent = &mut self.segments[index];
        sent.range.end = next.range.end;
        let kept = SegmentMarks(SegmentMarks::EVER_RETRANSMITTED.0 | SegmentMarks::ENDS.0);
        sent.marks.set(SegmentMarks(next.marks.0 & kept.0));
        next.marks
    }
}
