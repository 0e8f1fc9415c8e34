//! Segments of another size, and those that the path did not take (`tcp_simple_retransmit`).

use super::sent::SegmentMarks;
use super::{RexmitOrder, Sender, View};
use crate::congestion::Controller;
use crate::tcp_info::CaState;

impl Sender {
    /// Segments carry `mss` bytes from now on. What counts segments holds as many as before.
    pub fn resize(&mut self, mss: u64) {
        let before = self.settings.mss;
        if let Some(ssthresh) = self.undo.prior_ssthresh.as_mut().filter(|s| **s < u64::MAX) {
            *ssthresh = *ssthresh / before * mss;
        }
        self.settings.mss = mss;
    }

    /// An occasion to send is over.
    #[inline]
    pub fn end_occasion(&mut self) {
        if let Some(search) = &mut self.mtu_search {
            search.is_considered = false;
        }
    }

    /// The segment that is about to leave counts as two (`tcp_mtu_probe`).
    pub fn count_twice(&mut self, congestion: &mut Controller) {
        self.set_window(self.window(congestion) - 1, congestion);
    }

    /// The window holds as many bytes in packets of `new` bytes as it did in such of `old`
    /// (`tcp_mtup_probe_success`).
    pub fn scale_window(&mut self, old: u64, new: u64, congestion: &mut Controller) {
        self.undo.prior_ssthresh = Some(self.current_ssthresh(congestion));
        let scaled = u64::from(self.window(congestion)) * old / new;
        self.set_window(u32::try_from(scaled).unwrap_or(u32::MAX), congestion);
        self.settled = true;
        let ssthresh = self.current_ssthresh(congestion);
        congestion.set(congestion.window(), ssthresh);
    }

    /// Returns whether what is lost is a segment longer than any that has arrived.
    pub(super) fn has_lost_mtu_probe(&mut self, view: &View) -> bool {
        let search = self.mtu_search.as_mut();
        search.is_some_and(|search| search.take_lost(view.una))
    }

    /// The window is what it was before the probe, which is retransmitted as ordinary segments.
    pub(super) fn give_up_mtu_probe(&mut self, view: &View, congestion: &mut Controller) {
        self.set_window(self.window(congestion) + 1, congestion);
        self.on_long_lost(view, congestion);
    }

    /// Takes it that what is longer than a segment is now did not arrive, which tells nothing of
    /// congestion: the window stays as it is.
    pub fn on_long_lost(&mut self, view: &View, congestion: &mut Controller) {
        let mss = self.settings.mss;
        let mut is_long = false;
        for index in 0..self.sent.len() as usize {
            let sent = *self.sent.at_mut(index);
            if index == 0 || sent.marks.contains(SegmentMarks::BEGINS_PIECE) {
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
            self.drop_impossible_duplicates();
        }
        if self.state != CaState::Loss {
            self.high_seq = view.nxt;
            let ssthresh = self.current_ssthresh(congestion);
            congestion.set(congestion.window(), ssthresh);
            self.undo.marker = None;
            self.undo.prior_ssthresh = None;
            self.enter(CaState::Loss);
            congestion.on_long_lost();
        }
        self.order = RexmitOrder::Lost;
    }

    /// Cuts together into segments what left together.
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

    /// Cuts what is lost of a piece by the size that segments have now, from `start` on
    /// (`tcp_set_skb_tso_segs`).
    pub(super) fn cut_piece_anew(&mut self, index: usize, start: u64, mss: u64, data_end: u64) {
        if !self.is_to_be_cut(index) {
            return;
        }
        while self.continues(index + 1) {
            self.sent.join_next(index);
            self.lost_out -= 1;
        }
        let (mut index, mut start) = (index, start);
        loop {
            let range = self.sent.at_mut(index).range;
            if range.end.min(data_end) - start <= mss {
                return;
            }
            self.split(index, start + mss - range.start);
            (index, start) = (index + 1, start + mss);
        }
    }

    fn is_to_be_cut(&self, index: usize) -> bool {
        let is_waiting = |marks: SegmentMarks| {
            marks.contains(SegmentMarks::LOST)
                && !marks.contains(SegmentMarks::SACKED)
                && !marks.contains(SegmentMarks::RETRANSMITTED)
        };
        self.sent.get(index).is_some_and(|s| is_waiting(s.marks))
    }

    fn continues(&self, index: usize) -> bool {
        let begins = |marks: SegmentMarks| marks.contains(SegmentMarks::BEGINS_PIECE);
        self.is_to_be_cut(index) && self.sent.get(index).is_some_and(|s| !begins(s.marks))
    }
}
