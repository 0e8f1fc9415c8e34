//! Recovery by the SACK scoreboard (RFC 6675 §4 and §5).

use super::{AckProgress, Recovery, SendPointers};
use crate::congestion::Controller;
use crate::ranges::OffsetRange;

/// The variables one recovery of RFC 6675 keeps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SackRecoveryState {
    /// Bytes believed in flight.
    pub pipe: u64,
    /// HighRxt: everything below that is not SACKed has been retransmitted.
    pub high_rxt: u64,
    /// RescueRxt.
    rescue: Option<u64>,
}

impl Recovery {
    /// Update() for the block `block`; whether it told anything new.
    pub fn on_sack_block(&mut self, o: SendPointers, block: OffsetRange) -> bool {
        let known = OffsetRange {
            start: block.start.max(o.una),
            end: block.end,
        };
        if known.start >= known.end || known.end > o.max {
            return false;
        }
        let highest = self.scoreboard.highest();
        let first_new = self.scoreboard.first_unsacked(known.start);
        let is_news = self.scoreboard.insert(known) > 0;
        if is_news {
            self.note_reordering(first_new, highest);
        }
        is_news
    }

    /// All blocks of an acknowledgement are in: find what is lost and what is in flight.
    pub fn on_sack_updated(&mut self, o: SendPointers) {
        self.scoreboard.mark_lost(self.threshold, self.settings.mss);
        self.set_pipe(o);
    }

    pub(super) fn set_pipe(&mut self, o: SendPointers) {
        self.sack.pipe = self.scoreboard.pipe(o.una, o.max, self.sack.high_rxt);
    }

    /// Steps 1 and 2 of §5; no new recovery until the last one's point is acknowledged. A stack that
    /// goes by the number of duplicates has no step 2.
    pub(super) fn sack_speaks_for_loss(&self, o: SendPointers) -> bool {
        let is_lost = || !self.settings.duplicates_by_number && self.scoreboard.is_lost(o.una);
        o.una >= self.point && (self.has_reached_threshold() || is_lost())
    }

    /// Steps A and B.
    pub(super) fn sack_new_ack(
        &mut self,
        o: SendPointers,
        congestion: &mut Controller,
    ) -> AckProgress {
        if o.una >= self.point {
            return self.leave_fast(u64::MAX, congestion);
        }
        self.set_pipe(o);
        AckProgress::Partial {
            restart_timer: true,
        }
    }

    fn has_room(&self, window: u64) -> bool {
        window >= self.sack.pipe + self.settings.mss
    }

    fn next_hole(&self, o: SendPointers) -> Option<OffsetRange> {
        self.scoreboard
            .hole(self.sack.high_rxt.max(o.una), o.max, self.settings.mss)
    }

    /// NextSeg() rule 1: the first hole that is lost and was not retransmitted.
    pub(super) fn sack_lost_hole(&self, o: SendPointers, window: u64) -> Option<OffsetRange> {
        if !self.has_room(window) {
            return None;
        }
        self.next_hole(o)
            .filter(|hole| self.scoreboard.is_lost(hole.start))
    }

    /// NextSeg() rules 3 and 4: a hole that is not lost yet, else once per recovery the end
    /// of what is outstanding, lest its loss cost a timeout.
    pub(super) fn sack_speculative(&mut self, o: SendPointers, window: u64) -> Option<OffsetRange> {
        if !self.has_room(window) {
            return None;
        }
        let highest = self.scoreboard.highest()?;
        if let Some(hole) = self.next_hole(o).filter(|hole| hole.start < highest) {
            self.sack_retransmitted(hole);
            return Some(hole);
        }
        // Data sent since recovery began bring the SACKs that a rescue is to provoke.
        let is_tail_silent = o.max == self.point;
        if !is_tail_silent || self.sack.rescue.is_some_and(|rescue| o.una <= rescue) {
            return None;
        }
        let last = self.scoreboard.last_hole(o.una, o.max, self.settings.mss)?;
        // Rule 4 as it stands would send what rule 1 or 3 has just sent, in the same instant.
        let start = last.start.max(self.sack.high_rxt);
        let last = (start < last.end).then(|| OffsetRange::new(start, last.end))?;
        self.sack.rescue = Some(self.point);
        self.sack.pipe += last.len(); // rule 4 leaves HighRxt where it is
        Some(last)
    }

    pub(super) fn sack_retransmitted(&mut self, range: OffsetRange) {
        self.sack.pipe += range.len();
        self.sack.high_rxt = self.sack.high_rxt.max(range.end);
    }
}
