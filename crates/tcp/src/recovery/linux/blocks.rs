//! SACK blocks and duplicate reports (`tcp_sacktag_write_queue`, `tcp_check_dsack`; RFC 2018,
//! RFC 2883).

use super::sent::SegmentMarks;
use super::{Ack, Sender, View};
use crate::ranges::OffsetRange;
use crate::tcp_info::CaState;

impl Sender {
    /// Takes the blocks in the order of the option. `max_window` is the largest the peer has
    /// shown; gives whether the first block reports a duplicate.
    pub fn take_blocks(
        &mut self,
        ack: &mut Ack,
        view: &View,
        blocks: &[OffsetRange],
        max_window: u64,
    ) -> bool {
        let duplicate = self.is_duplicate_report(view, blocks)
            && self.take_duplicate_report(ack, blocks[0], max_window);
        if self.sent.is_empty() {
            return duplicate;
        }
        let mut usable = [(OffsetRange::default(), false); 4];
        let mut count = 0;
        for (i, &block) in blocks.iter().enumerate().take(usable.len()) {
            let reports = i == 0 && duplicate;
            if self.is_usable(view, block, reports, max_window) && block.end > ack.prior_una {
                usable[count] = (block, reports);
                count += 1;
            }
        }
        usable[..count].sort_by_key(|(block, _)| block.start);
        for (i, &(block, reports)) in usable[..count].iter().enumerate() {
            // The kernel meets a report first within the block that holds it, if that is news.
            let is_next = usable[..count].get(i + 1).is_some_and(|next| next.1);
            let holds_report = is_next
                && block.contains_range(blocks[0])
                && self.sacked.end_of_range_at(block.start) < block.end;
            if holds_report || reports {
                self.take_copy(ack, view, blocks[0]);
            }
            if block.end > view.una {
                self.mark_block(ack, view, block);
            }
        }
        if self.state != CaState::Loss || self.undo.marker.is_some() {
            self.note_reordering(ack.late, view);
        }
        duplicate
    }

    /// `tcp_is_sackblock_valid`: beyond the acknowledgement; a report of a duplicate also below
    /// it, since this recovery began.
    fn is_usable(&self, view: &View, block: OffsetRange, reports: bool, max_window: u64) -> bool {
        if block.end > view.nxt || block.start > view.una {
            return block.end <= view.nxt;
        }
        let Some(marker) = self
            .undo
            .marker
            .filter(|_| reports && block.end <= view.una)
        else {
            return false;
        };
        block.start >= marker || (block.end > marker && block.start + max_window >= block.end)
    }

    /// A first block below the acknowledgement, or within the second.
    fn is_duplicate_report(&self, view: &View, blocks: &[OffsetRange]) -> bool {
        match blocks {
            [first, ..] if first.start < view.una => true,
            [first, second, ..] => second.contains_range(*first),
            _ => false,
        }
    }

    /// `tcp_dsack_seen`.
    fn take_duplicate_report(
        &mut self,
        ack: &mut Ack,
        report: OffsetRange,
        max_window: u64,
    ) -> bool {
        if report.len() > max_window {
            return false;
        }
        let segments = report.len().div_ceil(self.settings.mss).max(1);
        if segments == 1 && self.probe.end == Some(report.end) {
            ack.reports_probe = true;
        }
        self.duplicates_reported += segments;
        if self.duplicates_reported > self.retransmitted {
            return false; // the network made it, or the peer lies
        }
        if self.reordering_seen > 0 && !ack.reports_probe {
            self.rack.duplicate_seen = true;
        }
        ack.reports_duplicate = true;
        self.delivered += segments;
        self.undo.note_report(report, ack.prior_una, segments);
        true
    }

    /// Applies the report to a segment that is still outstanding.
    fn take_copy(&mut self, ack: &mut Ack, view: &View, report: OffsetRange) {
        let mut index = self.sent.index_beyond(report.start);
        while let Some(sent) = self.sent.get(index).filter(|s| s.range.end <= report.end) {
            let (marks, range) = (sent.marks, sent.range);
            index += 1;
            if range.start < report.start {
                continue;
            }
            if marks.contains(SegmentMarks::SENT_AGAIN) {
                self.undo.note_copy(range);
                if marks.contains(SegmentMarks::SACKED) {
                    ack.late = ack.late.min(range.start);
                }
            }
            if range.end > view.una && marks.contains(SegmentMarks::RETRANSMITTED) {
                self.sent
                    .at_mut(index - 1)
                    .marks
                    .clear(SegmentMarks::RETRANSMITTED);
                self.retrans_out -= 1;
            }
        }
    }

    /// Marks what of `block` was not SACKed before; only whole segments count.
    fn mark_block(&mut self, ack: &mut Ack, view: &View, block: OffsetRange) {
        let mut from = block.start;
        loop {
            from = self.sacked.end_of_range_at(from);
            let index = self.sent.index_beyond(from);
            let Some(range) = self.sent.get(index).map(|s| s.range) else {
                return;
            };
            if range.end > block.end {
                return;
            }
            if range.start >= from {
                self.mark_sacked(ack, view, index);
            }
            from = range.end;
        }
    }

    /// `tcp_sacktag_one`.
    fn mark_sacked(&mut self, ack: &mut Ack, view: &View, index: usize) {
        let highest = self.highest_sacked(view.una);
        let sent = *self.sent.at_mut(index);
        let (mut marks, range) = (sent.marks, sent.range);
        self.rack_advance(&sent, view);
        if marks.contains(SegmentMarks::RETRANSMITTED) {
            // A copy is believed in flight still, unless the segment was lost.
            if marks.contains(SegmentMarks::LOST) {
                marks.clear(SegmentMarks::LOST);
                marks.clear(SegmentMarks::RETRANSMITTED);
                self.lost_out -= 1;
                self.retrans_out -= 1;
            }
        } else {
            if !marks.contains(SegmentMarks::SENT_AGAIN) {
                if range.start < highest {
                    ack.late = ack.late.min(range.start);
                }
                ack.tells_of_original |= range.end <= self.high_seq;
                ack.sacked_first = ack.sacked_first.or(Some(sent.at));
                ack.sacked_last = Some(sent.at);
            }
            if marks.contains(SegmentMarks::LOST) {
                marks.clear(SegmentMarks::LOST);
                self.lost_out -= 1;
            }
        }
        self.note_delivered(ack, &sent);
        marks.set(SegmentMarks::SACKED);
        marks.clear(SegmentMarks::LISTED);
        self.sent.at_mut(index).marks = marks;
        self.sacked.insert(range);
        self.sacked_out += 1;
        self.delivered += 1;
        ack.sacks = true;
    }

    /// Notes that what begins at `offset` came later than what was sent after it
    /// (`tcp_check_sack_reordering`).
    pub(super) fn note_reordering(&mut self, offset: u64, view: &View) {
        let highest = self.highest_sacked(view.una);
        if offset >= highest {
            return;
        }
        let distance = (highest - offset).div_ceil(self.settings.mss);
        let distance = u32::try_from(distance).unwrap_or(u32::MAX);
        if distance > self.reordering {
            self.reordering = distance.min(self.settings.reordering_max);
        }
        self.reordering_seen += 1;
    }
}
