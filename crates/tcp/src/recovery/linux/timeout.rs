//! The retransmission timer expires, and what comes of it (`tcp_enter_loss`,
//! `tcp_process_loss`; F-RTO of RFC 5682 §3.1).

use units::{Duration, Time};

use super::sent::SegmentMarks;
use super::{Ack, RexmitOrder, Sender, View};
use crate::congestion::{Controller, Loss};
use crate::ranges::OffsetRange;
use crate::send::Boundary;
use crate::tcp_info::CaState;

impl Sender {
    /// The first segment has been outstanding for a whole timeout.
    pub fn on_timeout(&mut self, view: &View, congestion: &mut Controller) {
        let is_new = self.state < CaState::Recovery;
        self.mark_all_lost(view);
        let is_first = self.state <= CaState::Disorder
            || self.high_seq <= view.una
            || (self.state == CaState::Loss && view.retries == 0);
        let in_flight = u64::from(self.packets_out()) * self.settings.mss;
        if is_first {
            self.undo.prior_ssthresh = Some(self.current_ssthresh(congestion));
            self.undo.prior_window = self.window(congestion);
        }
        congestion.on_timeout(&Loss { in_flight }, !is_first);
        self.tell_losses(view.now, congestion);
        if is_first {
            self.begin_undo(view.una);
        }
        self.set_window(self.in_flight() + 1, congestion);
        if self.state <= CaState::Disorder && self.sacked_out >= self.settings.reordering {
            self.reordering = self.reordering.min(self.settings.reordering);
        }
        self.enter(CaState::Loss);
        self.high_seq = view.nxt;
        self.probe.end = None;
        self.settled = true;
        self.is_reduced = true;
        self.frto = self.settings.frto && (is_new || view.retries > 0);
        self.order = RexmitOrder::Head;
        self.wait();
    }

    /// The SYN-ACK has not acknowledged the data that left with the SYN
    /// (`tcp_non_congestion_loss_retransmit`): they are lost, but not for congestion.
    pub fn lose_data_of_syn(&mut self, data: OffsetRange, sent_at: Time) {
        self.piece.end = data.end;
        self.on_sent(sent_at, data);
        self.note_end(Boundary::Push);
        self.mark_lost(0);
        self.enter(CaState::Loss);
        self.high_seq = data.end;
        self.order = RexmitOrder::Lost;
    }

    /// `tcp_timeout_mark_lost`: all but what was sent within the last round trip.
    fn mark_all_lost(&mut self, view: &View) {
        if self
            .sent
            .front()
            .is_some_and(|s| s.marks.contains(SegmentMarks::SACKED))
        {
            self.forget_sacks();
        } else if !self.is_sack() {
            self.forget_duplicates();
        }
        for index in 0..self.sent.len() as usize {
            let sent = *self.sent.at_mut(index);
            if index == 0 || self.time_left(&sent, view, Duration::ZERO) == Duration::ZERO {
                self.mark_lost(index);
            }
        }
        self.hint = 0;
    }

    /// The peer has gone back on what it had SACKed.
    fn forget_sacks(&mut self) {
        self.sent
            .iter_mut()
            .for_each(|s| s.marks.clear(SegmentMarks::SACKED));
        self.sacked.clear();
        self.sacked_out = 0;
    }

    /// An acknowledgement after a timeout.
    pub(super) fn process_timeout(&mut self, ack: &Ack, view: &View, congestion: &mut Controller) {
        let is_over = view.una >= self.high_seq;
        if ack.advances && self.undo_timeout(view, false, congestion) {
            return;
        }
        let is_duplicate = self.is_duplicate(ack);
        if self.frto {
            // Step 3.b: what was never retransmitted has arrived.
            if ack.tells_of_original && self.undo_timeout(view, true, congestion) {
                return;
            }
            if view.nxt > self.high_seq {
                self.frto &= !(ack.sacks || is_duplicate); // step 3.a: a real loss
            } else if ack.advances && !is_over {
                self.high_seq = view.nxt;
                if view.may_send_new {
                    self.order = RexmitOrder::New; // step 2.b
                    return;
                }
                self.frto = false;
            }
        }
        if is_over {
            self.undo_recovery(view, congestion);
            return;
        }
        if !self.is_sack() {
            if view.nxt > self.high_seq && is_duplicate {
                self.count_duplicate(true);
            } else if ack.advances {
                self.forget_duplicates();
            }
        }
        self.order = RexmitOrder::Lost;
    }
}
