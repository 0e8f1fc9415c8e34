//! Proportional rate reduction: while the window falls, what is sent is in proportion to what is
//! delivered, and below ssthresh it is what is delivered, one more where nothing else was lost
//! (RFC 6937, whose bound is chosen as RFC 9937 does; `tcp_cwnd_reduction`).

use super::{Ack, Sender, View};
use crate::congestion::{Controller, Loss};
use crate::tcp_info::CaState;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reduction {
    /// RecoverFS: the window before, in segments.
    pub prior_window: u32,
    /// prr_delivered and prr_out.
    delivered: u32,
    pub sent: u32,
}

impl Sender {
    /// Returns whether recovery has set the window since this was asked.
    #[inline]
    pub fn take_settled(&mut self) -> bool {
        std::mem::take(&mut self.settled)
    }

    /// Returns whether the window is falling (`tcp_in_cwnd_reduction`).
    #[inline]
    pub fn is_reducing(&self) -> bool {
        matches!(self.state, CaState::Cwr | CaState::Recovery)
    }

    /// `tcp_init_cwnd_reduction`: ssthresh falls at once, the window by and by.
    pub(super) fn begin_reduction(
        &mut self,
        view: &View,
        loss: &Loss,
        congestion: &mut Controller,
    ) {
        self.high_seq = view.nxt;
        self.probe.end = None;
        let window = congestion.window();
        self.reduction = Reduction {
            prior_window: self.window(congestion),
            ..Reduction::default()
        };
        congestion.on_loss(loss);
        congestion.set(window, congestion.ssthresh());
        self.tell_losses(view.now, congestion);
        self.is_reduced = true;
    }

    /// Returns whether the window has been reduced since this was asked (TCP_ECN_QUEUE_CWR).
    #[inline]
    pub fn take_reduced(&mut self) -> bool {
        std::mem::take(&mut self.is_reduced)
    }

    /// `tcp_end_cwnd_reduction`: the window is ssthresh, unless all was undone.
    pub(super) fn end_reduction(&mut self, congestion: &mut Controller) {
        if congestion.models_path() {
            return;
        }
        let ssthresh = congestion.ssthresh();
        let is_ours = self.state == CaState::Cwr || self.undo.marker.is_some();
        if ssthresh < u64::MAX && is_ours {
            congestion.set(ssthresh, ssthresh);
            self.settled = true;
        }
    }

    /// After an acknowledgement that delivered something.
    pub fn reduce(&mut self, ack: &Ack, congestion: &mut Controller) {
        let (delivered, lost) = (self.newly_delivered(ack), self.newly_lost(ack));
        self.reduce_by(delivered, lost, ack.advances, congestion);
    }

    pub(super) fn reduce_by(
        &mut self,
        delivered: u32,
        lost: u32,
        advances: bool,
        congestion: &mut Controller,
    ) {
        if delivered == 0 || self.reduction.prior_window == 0 || congestion.models_path() {
            return;
        }
        let in_flight = i64::from(self.in_flight());
        let ssthresh = congestion.ssthresh() / self.settings.mss;
        let r = &mut self.reduction;
        r.delivered += delivered;
        let (r_delivered, sent) = (i64::from(r.delivered), i64::from(r.sent));
        let room = ssthresh as i64 - in_flight;
        let allowed = if room < 0 {
            let prior = u64::from(r.prior_window);
            let share = (ssthresh * u64::from(r.delivered)).div_ceil(prior);
            share as i64 - sent
        } else {
            let conservative = (r_delivered - sent).max(i64::from(delivered));
            let is_safe = advances && lost == 0;
            (conservative + i64::from(is_safe)).min(room)
        };
        // The first retransmission leaves in any case.
        let allowed = allowed.max(i64::from(sent == 0));
        let window = (in_flight + allowed).max(1);
        self.set_window(window as u32, congestion);
    }
}
