//! A path that takes smaller segments only (`tcp_simple_retransmit`).

use super::sent::Marks;
use super::{Order, Sender, View};
use crate::congestion::Controller;
use crate::tcp_info::CaState;

impl Sender {
    /// What is longer than `mss` did not arrive, which tells nothing of congestion: the window
    /// stays as it is.
    pub fn on_smaller_path(&mut self, mss: u64, view: &View, congestion: &mut Controller) {
        self.settings.mss = mss;
        let mut is_long = false;
        for index in 0..self.sent.len() as usize {
            let sent = *self.sent.at_mut(index);
            if index == 0 || sent.marks.contains(Marks::BEGINS_PIECE) {
                is_long = sent.range.end.min(view.data_end) - sent.range.start > mss;
            }
            if is_long {
                self.mark_lost(index);
            }
        }
        self.cut_anew(mss, view.data_end);
        if self.lost_out == 0 {
            return;
        }
        if !self.is_sack() {
            self.forget_duplicates();
        }
        if self.state != CaState::Loss {
            self.high_seq = view.nxt;
            let ssthresh = self.current_ssthresh(congestion);
            congestion.set(congestion.window(), ssthresh);
            self.undo.marker = None;
            self.undo.prior_ssthresh = None;
            self.enter(CaState::Loss);
        }
        self.order = Order::Lost;
    }

    /// What left together is cut into segments together.
    fn cut_anew(&mut self, mss: u64, data_end: u64) {
        let mut index = 0;
        while index < self.sent.len() as usize {
            if self.is_to_be_cut(index) {
                while self.continues(index + 1) {
                    self.sent.join_next(index);
                    self.lost_out -= 1;
                }
                let range = self.sent.at_mut(index).range;
                if range.end.min(data_end) - range.start > mss {
                    self.split(index, mss);
                }
            }
            index += 1;
        }
    }

    fn is_to_be_cut(&self, index: usize) -> bool {
        let is_waiting = |marks: Marks| {
            marks.contains(Marks::LOST)
                && !marks.contains(Marks::SACKED)
                && !marks.contains(Marks::RETRANSMITTED)
        };
        self.sent.get(index).is_some_and(|s| is_waiting(s.marks))
    }

    fn continues(&self, index: usize) -> bool {
        let begins = |marks: Marks| marks.contains(Marks::BEGINS_PIECE);
        self.is_to_be_cut(index) && self.sent.get(index).is_some_and(|s| !begins(s.marks))
    }
}
