//! The tail loss probe: when the last of what was sent is not acknowledged in two round trips,
//! one segment is sent to provoke an acknowledgement, and a loss it has mended itself still
//! lowers the window (RFC 8985 §7; `tcp_schedule_loss_probe`, `tcp_send_loss_probe`,
//! `tcp_process_tlp_ack`).

use units::Duration;

use super::detection::TIMER_MARGIN;
use super::{Ack, RexmitOrder, Sender, TimerPurpose, View};
use crate::congestion::{Controller, Loss};
use crate::tcp_info::CaState;

/// The timeout before a round trip was measured (TCP_TIMEOUT_INIT).
const UNMEASURED: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TailProbe {
    /// TLP.end_seq: SND.NXT when the probe was sent, while it is unanswered.
    pub end: Option<u64>,
    /// True if it was the last segment again and not a new one.
    pub is_copy: bool,
}

impl Sender {
    /// Returns how long until a probe, if one is to be scheduled; `advancing` if the timeout starts
    /// anew with it. (RFC 8985 §7.2, with the least timeout for a lone segment, whose
    /// acknowledgement may be delayed.)
    pub fn probe_timeout(&self, view: &View, advancing: bool) -> Option<Duration> {
        let is_calm = matches!(self.state, CaState::Open | CaState::Cwr);
        if !self.settings.tail_probe || self.sent.is_empty() || !self.is_sack() || !is_calm {
            return None;
        }
        let timeout = match view.srtt {
            None => UNMEASURED,
            Some(srtt) if self.packets_out() == 1 => srtt * 2 + self.settings.rto_min,
            Some(srtt) => srtt * 2 + TIMER_MARGIN,
        };
        let left = if advancing {
            view.rto
        } else {
            self.time_to_timeout(view)
        };
        let timeout = self.in_jiffies(timeout);
        Some(match left {
            Duration::ZERO => timeout,
            left => timeout.min(self.in_jiffies(left)),
        })
    }

    /// Returns what is left of the timeout of the first segment (`tcp_rto_delta_us`); nought if it
    /// is over.
    pub fn time_to_timeout(&self, view: &View) -> Duration {
        match self.sent.front() {
            Some(head) => (head.at + view.rto).saturating_since(view.now),
            None => view.rto,
        }
    }

    /// Timers run in whole jiffies, rounded up.
    pub fn in_jiffies(&self, time: Duration) -> Duration {
        let jiffy = self.settings.jiffy.as_nanos().max(1);
        Duration::from_nanos(time.as_nanos().next_multiple_of(jiffy))
    }

    /// The probe timer has expired. At most one probe is unanswered at a time.
    pub fn on_probe_timer(&mut self) {
        if self.probe.end.is_none() {
            self.order = RexmitOrder::Probe;
        }
    }

    /// The probe has been sent, or there was nothing to send.
    pub fn on_probe_sent(&mut self, view: &View, is_copy: bool) {
        self.probe = TailProbe {
            end: Some(view.nxt),
            is_copy,
        };
        self.pending = TimerPurpose::Nothing;
    }

    /// Settles the probe by an acknowledgement (RFC 8985 §7.4.2).
    #[inline]
    pub fn settle_probe(&mut self, ack: &Ack, view: &View, congestion: &mut Controller) {
        if let Some(end) = self.probe.end.filter(|&end| view.una >= end) {
            self.settle_probe_at(end, ack, view, congestion);
        }
    }

    fn settle_probe_at(&mut self, end: u64, ack: &Ack, view: &View, congestion: &mut Controller) {
        let is_bare = !ack.advances && !ack.has_data && !ack.updates_window && !ack.sacks;
        if !self.probe.is_copy || ack.reports_probe {
            self.probe.end = None;
        } else if view.una > end {
            // The probe filled the gap: there was a loss.
            let in_flight = u64::from(self.in_flight()) * self.settings.mss;
            self.begin_reduction(view, &Loss { in_flight }, congestion);
            self.enter(CaState::Cwr);
            self.end_reduction(congestion);
            self.keep_open(view);
        } else if is_bare {
            self.probe.end = None; // both the original and the probe arrived
        }
    }
}
