//! The states of recovery and what leads from one to another (`tcp_fastretrans_alert`).

use super::{Ack, RexmitOrder, Sender, TimerPurpose, View};
use crate::congestion::{Controller, Loss};
use crate::tcp_info::CaState;

/// Consequences for the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Judgement {
    /// A recovery has begun.
    pub begins_recovery: bool,
    /// The window falls because data were marked.
    pub heeds_marks: bool,
    /// The timer is to watch for what may be reordered, so long from now.
    pub wait: Option<units::Duration>,
    /// The peer has gone back on a SACK: the timer is to expire soon.
    pub reneged: bool,
}

impl Sender {
    /// An acknowledgement that is more than ordinary.
    pub fn judge(&mut self, ack: &mut Ack, view: &View, congestion: &mut Controller) -> Judgement {
        let mut judgement = Judgement::default();
        if ack.echoes_congestion {
            // A reduction because of marks is never taken back.
            self.undo.prior_ssthresh = None;
        }
        if self.sent.is_empty() {
            self.sacked_out = 0;
        }
        if ack.reneged && ack.advances {
            judgement.reneged = true;
            return judgement;
        }
        if !self.leave_state(view, congestion) {
            return judgement;
        }
        match self.state {
            CaState::Recovery => self.go_on_in_recovery(ack, view, congestion, &mut judgement),
            CaState::Loss => self.go_on_after_timeout(ack, view, congestion, &mut judgement),
            _ => self.go_on_in_peace(ack, view, congestion, &mut judgement),
        }
        judgement
    }

    /// A state ends when what had been sent at its beginning is acknowledged. False if nothing
    /// more is to be done.
    fn leave_state(&mut self, view: &View, congestion: &mut Controller) -> bool {
        match self.state {
            CaState::Open => self.undo.stamp = None,
            _ if view.una < self.high_seq => {}
            CaState::Cwr if view.una > self.high_seq => {
                self.end_reduction(congestion);
                self.enter(CaState::Open);
            }
            CaState::Recovery => {
                if !self.is_sack() {
                    self.forget_duplicates();
                }
                if self.undo_recovery(view, congestion) {
                    return false;
                }
                self.end_reduction(congestion);
            }
            _ => {}
        }
        true
    }

    fn go_on_in_recovery(
        &mut self,
        ack: &mut Ack,
        view: &View,
        congestion: &mut Controller,
        judgement: &mut Judgement,
    ) {
        if !ack.advances {
            if !self.is_sack() {
                self.count_duplicate(self.is_duplicate(ack));
            }
        } else if self.undo_partial(view, ack.prior_una, congestion) {
            return;
        }
        if self.undo_if_all_reported(congestion) {
            self.keep_open_unless_reducing(view);
        }
        self.identify_losses(ack, view, judgement);
        if self.state != CaState::Recovery {
            if self.lost_out == 0 {
                return;
            }
            self.enter_recovery(ack, view, congestion, judgement);
        }
        self.order = RexmitOrder::Lost;
    }

    fn go_on_after_timeout(
        &mut self,
        ack: &mut Ack,
        view: &View,
        congestion: &mut Controller,
        judgement: &mut Judgement,
    ) {
        self.process_timeout(ack, view, congestion);
        self.identify_losses(ack, view, judgement);
        if self.state == CaState::Open || ack.lost_retransmission {
            self.go_on_in_peace(ack, view, congestion, judgement);
        }
    }

    fn go_on_in_peace(
        &mut self,
        ack: &mut Ack,
        view: &View,
        congestion: &mut Controller,
        judgement: &mut Judgement,
    ) {
        if !self.is_sack() {
            if ack.advances {
                self.forget_duplicates();
            }
            self.count_duplicate(self.is_duplicate(ack));
        }
        if self.state <= CaState::Disorder {
            self.undo_if_all_reported(congestion);
        }
        self.identify_losses(ack, view, judgement);
        if self.lost_out == 0 {
            if !self.has_retransmitted() {
                self.undo.stamp = None;
            }
            if ack.echoes_congestion {
                judgement.heeds_marks = self.enter_reduction(view, congestion);
            }
            self.keep_open_unless_reducing(view);
            return;
        }
        if self.state < CaState::Cwr && self.has_lost_mtu_probe(view) {
            self.give_up_mtu_probe(view, congestion);
            return;
        }
        self.enter_recovery(ack, view, congestion, judgement);
        self.order = RexmitOrder::Lost;
    }

    /// `tcp_identify_packet_loss`.
    fn identify_losses(&mut self, ack: &mut Ack, view: &View, judgement: &mut Judgement) {
        if self.sent.is_empty() {
            return;
        }
        if !self.is_sack() {
            self.mark_first_lost(ack.advances);
            return;
        }
        let in_flight = self.retrans_out;
        if let Some(wait) = self.look_for_losses(view) {
            judgement.wait = Some(wait);
            ack.sets_timer = false;
        }
        ack.lost_retransmission |= self.retrans_out < in_flight;
    }

    fn keep_open_unless_reducing(&mut self, view: &View) {
        if self.state != CaState::Cwr {
            self.keep_open(view);
        }
    }

    /// `tcp_try_keep_open`.
    pub(super) fn keep_open(&mut self, view: &View) {
        let is_disordered = self.left_out() > 0 || self.has_retransmitted();
        let state = if is_disordered {
            CaState::Disorder
        } else {
            CaState::Open
        };
        if self.state != state {
            self.enter(state);
            self.high_seq = view.nxt;
        }
    }

    /// `tcp_enter_cwr`: true if the window was not falling yet.
    fn enter_reduction(&mut self, view: &View, congestion: &mut Controller) -> bool {
        self.undo.prior_ssthresh = None;
        let begins = self.state < CaState::Cwr;
        if begins {
            self.undo.marker = None;
            let in_flight = u64::from(self.packets_out()) * self.settings.mss;
            self.begin_reduction(view, &Loss { in_flight }, congestion);
            self.enter(CaState::Cwr);
        }
        begins
    }

    /// `tcp_enter_recovery`.
    pub(super) fn enter_recovery(
        &mut self,
        ack: &Ack,
        view: &View,
        congestion: &mut Controller,
        judgement: &mut Judgement,
    ) {
        if !self.has_retransmitted() {
            self.undo.stamp = None;
        }
        self.undo.prior_ssthresh = None;
        self.begin_undo(view.una);
        if !self.is_reducing() {
            if !ack.echoes_congestion {
                self.undo.prior_ssthresh = Some(self.current_ssthresh(congestion));
                self.undo.prior_window = self.window(congestion);
            }
            let in_flight = u64::from(self.packets_out()) * self.settings.mss;
            self.begin_reduction(view, &Loss { in_flight }, congestion);
        }
        self.enter(CaState::Recovery);
        judgement.begins_recovery = true;
    }

    /// `tcp_current_ssthresh`: outside of a reduction at least three quarters of the window.
    pub fn current_ssthresh(&self, congestion: &Controller) -> u64 {
        if self.is_reducing() {
            return congestion.ssthresh();
        }
        let window = u64::from(self.window(congestion));
        let share = ((window >> 1) + (window >> 2)) * self.settings.mss;
        congestion.ssthresh().max(share)
    }

    /// The timer for what may be reordered has expired (`tcp_rack_reo_timeout`). True if a
    /// recovery begins.
    pub fn on_reordering_timer(&mut self, view: &View, congestion: &mut Controller) -> bool {
        let (in_flight, lost) = (self.in_flight(), self.lost);
        self.wait();
        self.detect_losses(view);
        let mut judgement = Judgement::default();
        if in_flight != self.in_flight() {
            if self.state != CaState::Recovery {
                let no_ack = self.begin(view.una, view);
                self.enter_recovery(&no_ack, view, congestion, &mut judgement);
                let newly_lost = (self.lost - lost) as u32;
                self.reduce_by(1, newly_lost, false, congestion);
            }
            self.tell_losses(view.now, congestion);
            self.order = RexmitOrder::Lost;
        }
        judgement.begins_recovery
    }

    #[inline]
    pub fn pending(&self) -> TimerPurpose {
        self.pending
    }

    #[inline]
    pub fn set_pending(&mut self, pending: TimerPurpose) {
        self.pending = pending;
    }
}
