//! The one timer of outstanding data, which waits for a timeout, a probe or reordering
//! (`icsk_retransmit_timer`).

use units::{Duration, Time};

use super::super::Connection;
use crate::Failure;
use crate::recovery::linux::{RexmitOrder, Sender, TimerPurpose};
use crate::timers::Timer;

impl Connection {
    pub(super) fn arm(&mut self, sender: &mut Sender, pending: TimerPurpose, deadline: Time) {
        sender.set_pending(pending);
        self.timers.arm(Timer::Retransmission, deadline);
    }

    /// `tcp_set_xmit_timer`.
    pub(super) fn set_transmission_timer(&mut self, sender: &mut Sender, now: Time) {
        if !self.schedule_probe(sender, now, true) {
            self.rearm_timeout(sender, now);
        }
    }

    pub(super) fn schedule_probe(
        &mut self,
        sender: &mut Sender,
        now: Time,
        advancing: bool,
    ) -> bool {
        let view = self.view(now, None);
        let Some(timeout) = sender.probe_timeout(&view, advancing) else {
            return false;
        };
        let timeout = timeout + sender.pacing_delay(now);
        let deadline = self.rtt.tick_after(now, timeout);
        self.arm(sender, TimerPurpose::Probe, deadline);
        true
    }

    /// `tcp_rearm_rto`: what has passed since the first segment left counts where another timer
    /// was running.
    pub(in crate::connection) fn rearm_timeout(&mut self, sender: &mut Sender, now: Time) {
        if sender.packets_out() == 0 {
            sender.set_pending(TimerPurpose::Nothing);
            self.timers.cancel(Timer::Retransmission);
            return;
        }
        let begins = now + sender.pacing_delay(now);
        let deadline = match sender.pending() {
            TimerPurpose::Probe | TimerPurpose::Reordering => {
                let left = sender.time_to_timeout(&self.view(now, None));
                let left = sender.in_jiffies(left.max(Duration::from_micros(1)));
                self.rtt.tick_after(begins, left)
            }
            TimerPurpose::Nothing | TimerPurpose::Timeout => self.rtt.deadline(begins),
        };
        self.arm(sender, TimerPurpose::Timeout, deadline);
    }

    /// The one timer of what is outstanding has expired (`tcp_write_timer_handler`).
    pub(in crate::connection) fn on_transmission_timer(&mut self, now: Time) {
        let Some(mut sender) = self.linux.take() else {
            return;
        };
        match sender.pending() {
            TimerPurpose::Nothing => {}
            TimerPurpose::Timeout => self.on_timeout_as_linux(&mut sender, now),
            TimerPurpose::Probe => {
                sender.on_probe_timer();
                if sender.order() != RexmitOrder::Probe {
                    self.rearm_timeout(&mut sender, now);
                }
            }
            TimerPurpose::Reordering => {
                let view = self.view(now, None);
                let begins = sender.on_reordering_timer(&view, &mut self.congestion);
                self.counters.fast_recoveries += u64::from(begins);
                self.rearm_timeout(&mut sender, now);
            }
        }
        self.linux = Some(sender);
    }

    /// Releases what was held back to be paced (`tcp_pace_kick`).
    pub(in crate::connection) fn on_departure(&mut self) {
        if let Some(sender) = &mut self.linux {
            sender.on_occasion();
        }
    }

    /// `tcp_retransmit_timer`. A peer that has closed its window but answers is not given up.
    fn on_timeout_as_linux(&mut self, sender: &mut Sender, now: Time) {
        sender.set_pending(TimerPurpose::Nothing);
        if sender.packets_out() == 0 {
            return;
        }
        self.counters.timeouts += 1;
        if self.is_user_timeout_over(now, self.retries == 0)
            || self.has_retried_enough(now, sender.first_copy_sent_at())
        {
            self.fail(Failure::TimedOut);
            return;
        }
        self.suspect_path(sender, now);
        let view = self.view(now, None);
        sender.on_timeout(&view, &mut self.congestion);
        let is_closed = self.send.edge <= self.send.una;
        let is_alive = now - self.last_heard < self.config.persist_max * 2;
        if !(is_closed && is_alive) {
            self.retries += 1;
        }
        self.rtt.back_off();
        let deadline = self.rtt.deadline(now).min(self.user_deadline());
        self.arm(sender, TimerPurpose::Timeout, deadline);
    }
}
