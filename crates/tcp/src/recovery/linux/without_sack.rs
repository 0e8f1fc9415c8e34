//! Without SACK a duplicate acknowledgement stands for some segment that has arrived, and one is
//! lost at a time, as in NewReno (RFC 6582; `tcp_add_reno_sack`, `tcp_remove_reno_sacks`,
//! `tcp_newreno_mark_lost`).

use super::Sender;
use super::sent::SegmentMarks;
use crate::tcp_info::CaState;

impl Sender {
    /// A duplicate arrived.
    pub(super) fn count_duplicate(&mut self, is_duplicate: bool) {
        if is_duplicate {
            let before = self.sacked_out;
            self.sacked_out += 1;
            self.limit_duplicates(0);
            self.delivered += u64::from(self.sacked_out.saturating_sub(before));
        }
    }

    /// More duplicates than there can be speak of reordering (`tcp_check_reno_reordering`).
    fn limit_duplicates(&mut self, released: u32) {
        if self.drop_impossible_duplicates() {
            let out = self.packets_out();
            self.reordering = (out + released).min(self.settings.reordering_max);
            self.reordering_seen += 1;
        }
    }

    /// Beside what is lost there are no more duplicates than are outstanding
    /// (`tcp_limit_reno_sacked`). True if there were.
    pub(super) fn drop_impossible_duplicates(&mut self) -> bool {
        let out = self.packets_out();
        let holes = self.lost_out.max(1).min(out);
        let is_too_many = self.sacked_out + holes > out;
        if is_too_many {
            self.sacked_out = out - holes;
        }
        is_too_many
    }

    /// `released` segments are acknowledged: one filled the hole, the others had been told of.
    pub(super) fn release_duplicates(&mut self, released: u32) {
        if released > 0 {
            let unheard = released.saturating_sub(self.sacked_out).max(1);
            self.delivered += u64::from(unheard);
            self.sacked_out = self.sacked_out.saturating_sub(released - 1);
        }
        self.limit_duplicates(released);
    }

    pub(super) fn forget_duplicates(&mut self) {
        self.sacked_out = 0;
    }

    /// The first segment is lost by the threshold, or by a partial acknowledgement.
    pub(super) fn mark_first_lost(&mut self, advances: bool) {
        let has_enough = self.state < CaState::Recovery && self.sacked_out >= self.reordering;
        let is_partial = self.state == CaState::Recovery && advances;
        let is_known = self
            .sent
            .front()
            .is_none_or(|s| s.marks.contains(SegmentMarks::LOST));
        if (has_enough || is_partial) && !is_known {
            self.mark_lost(0);
        }
    }
}
