//! Retransmission (`tcp_xmit_retransmit_queue`, `__tcp_retransmit_skb`).

use super::sent::{SegmentMarks, SentSegment};
use super::{RexmitOrder, RouteMtu, Sender, TimerPurpose, View};
use crate::congestion::Controller;
use crate::ranges::OffsetRange;
use crate::send::FIRST_BYTE;

/// A segment to be retransmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Retransmission {
    index: usize,
    pub range: OffsetRange,
    pub is_pushed: bool,
}

/// Limits of retransmission.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetransmissionLimits {
    /// The right edge of the peer's window.
    pub edge: u64,
    /// Payload that a segment takes at present.
    pub mss: u64,
}

impl Sender {
    #[inline]
    pub fn order(&self) -> RexmitOrder {
        self.order
    }

    pub fn set_order(&mut self, order: RexmitOrder) {
        self.order = order;
    }

    /// Returns whether new data wait for the next occasion.
    #[inline]
    pub fn waits(&self) -> bool {
        self.waits
    }

    #[inline]
    pub fn wait(&mut self) {
        self.waits = true;
    }

    /// An acknowledgement, a write or the like: new data may be sent once more.
    #[inline]
    pub fn on_occasion(&mut self) {
        self.waits = false;
        self.end_occasion();
        if let Some(RouteMtu::Known(limit)) = self.route {
            self.route = Some(RouteMtu::Due(limit));
        }
    }

    /// Something leaves, by the route there is.
    #[inline]
    pub fn learn_route(&mut self) {
        if let Some(RouteMtu::New(limit)) = self.route {
            self.route = Some(RouteMtu::Known(limit));
        }
    }

    /// New data have gone out first, or could not: was that the question F-RTO asks?
    pub fn settle_new_first(&mut self, view: &View) {
        if view.nxt > self.high_seq {
            self.order = RexmitOrder::Nothing;
        } else {
            self.frto = false;
            self.order = RexmitOrder::Lost;
        }
    }

    /// The next segment that is lost and not retransmitted, the congestion window allowing.
    pub fn next_lost(
        &mut self,
        view: &View,
        limits: RetransmissionLimits,
        congestion: &Controller,
    ) -> Option<Retransmission> {
        if self.lost_out == 0 || !self.has_room(congestion) {
            return None;
        }
        let mut index = self.sent.index_beyond(self.hint);
        while let Some(sent) = self.sent.get(index) {
            let marks = sent.marks;
            let is_due = marks.contains(SegmentMarks::LOST)
                && !marks.contains(SegmentMarks::SACKED)
                && !marks.contains(SegmentMarks::RETRANSMITTED);
            if is_due {
                self.hint = sent.range.start;
                return self.fitted(index, view, limits);
            }
            index += 1;
        }
        None
    }

    /// The first segment.
    pub fn head(&mut self, view: &View, limits: RetransmissionLimits) -> Option<Retransmission> {
        if self.sent.is_empty() {
            return None;
        }
        let head = self.fitted(0, view, limits);
        self.begin_piece_at(1); // `tcp_fragment`
        head
    }

    /// The last segment, as a tail loss probe.
    pub fn tail(&mut self, view: &View, limits: RetransmissionLimits) -> Option<Retransmission> {
        let index = self.sent.last_index()?;
        self.begin_piece_at(index);
        self.fitted(index, view, limits)
    }

    /// Separates from here on what has left together.
    fn begin_piece_at(&mut self, index: usize) {
        if self.sent.get(index).is_some() {
            self.sent
                .at_mut(index)
                .marks
                .set(SegmentMarks::BEGINS_PIECE);
        }
    }

    /// Makes the segment at `index` fit the peer's window, and lets short ones that follow ride
    /// with it (`tcp_retrans_try_collapse`). Beyond the window only the first goes, as a probe.
    fn fitted(
        &mut self,
        index: usize,
        view: &View,
        limits: RetransmissionLimits,
    ) -> Option<Retransmission> {
        let range = self.sent.get(index)?.range;
        let start = range.start.max(view.una);
        let available = match limits.edge.saturating_sub(start) {
            0 if start == view.una => limits.mss,
            0 => return None,
            available => available.min(limits.mss),
        };
        self.cut_piece_anew(index, start, limits.mss, view.data_end);
        let range = self.sent.get(index)?.range;
        let length = range.end.min(view.data_end).saturating_sub(start);
        if length > available {
            self.split(index, start + available - range.start);
        } else if length < available {
            self.collapse(index, available, limits.edge, view.data_end);
        }
        let sent = self.sent.get(index)?;
        Some(Retransmission {
            index,
            range: OffsetRange::new(start, sent.range.end),
            is_pushed: sent.marks.contains(SegmentMarks::ENDS),
        })
    }

    pub(super) fn split(&mut self, index: usize, length: u64) {
        self.sent.split(index, length);
        let marks = self.sent.at_mut(index).marks;
        self.sacked_out += u32::from(marks.contains(SegmentMarks::SACKED));
        self.lost_out += u32::from(marks.contains(SegmentMarks::LOST));
        self.retrans_out += u32::from(marks.contains(SegmentMarks::RETRANSMITTED));
    }

    fn collapse(&mut self, index: usize, available: u64, edge: u64, data_end: u64) {
        let Some(first) = self
            .sent
            .get(index)
            .filter(|s| !s.marks.contains(SegmentMarks::SACKED) && s.range.start >= FIRST_BYTE)
        else {
            return;
        };
        let start = first.range.start;
        while let Some(next) = self.sent.get(index + 1) {
            let end = next.range.end;
            let fits = end.min(data_end) - start <= available && end <= edge;
            let ends_record = self.sent.get(index).is_some_and(SentSegment::ends_record);
            if !fits || ends_record || next.marks.contains(SegmentMarks::SACKED) {
                return;
            }
            let marks = self.sent.join_next(index);
            self.lost_out -= u32::from(marks.contains(SegmentMarks::LOST));
            self.retrans_out -= u32::from(marks.contains(SegmentMarks::RETRANSMITTED));
            if !self.is_sack() {
                self.sacked_out = self.sacked_out.saturating_sub(1);
            }
        }
    }

    /// `again` leaves now. True if the timer starts anew with it: not where the timer itself sent
    /// it, which has been set for the next time.
    pub fn on_retransmitted(&mut self, again: Retransmission, view: &View, is_probe: bool) -> bool {
        let left = self.leaves_at(view.now);
        if self.rates.is_some() {
            self.note_departure(left, again.range.len());
            self.end_departure(view.now);
        }
        if let Some(search) = &mut self.mtu_search {
            search.forget_probe();
        }
        self.sent.retransmit(again.index, left, self.delivered);
        self.retransmitted += 1;
        if is_probe {
            return false;
        }
        let sent = self.sent.at_mut(again.index);
        if !sent.marks.contains(SegmentMarks::RETRANSMITTED) {
            sent.marks.set(SegmentMarks::RETRANSMITTED);
            self.retrans_out += 1;
        }
        self.undo.note_sent(left);
        if self.order == RexmitOrder::Lost && self.is_reducing() {
            self.reduction.sent += 1;
        }
        self.order == RexmitOrder::Lost
            && again.index == 0
            && self.pending != TimerPurpose::Reordering
    }
}
