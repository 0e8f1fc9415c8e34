//! A timer expires.

use units::{Duration, Time};

use super::{AckDue, Connection};
use crate::congestion::Loss;
use crate::timers::Timer;
use crate::{Event, Failure, State};

impl Connection {
    /// Lets every timer act that has expired by `now`. A call that comes early does nothing,
    /// so an owner may leave an outdated wake-up in its calendar when
    /// [`wake_at`](Self::wake_at) moves on, which it does with every acknowledgement.
    pub fn on_timer(&mut self, now: Time) {
        while let Some(timer) = self.timers.take_expired(now) {
            match timer {
                Timer::Retransmission if self.is_early() => self.on_early_timeout(now),
                Timer::Retransmission if self.linux.is_some() => self.on_transmission_timer(now),
                Timer::Retransmission if self.state.is_synchronized() => {
                    self.on_retransmission_timeout(now);
                }
                Timer::Retransmission => self.on_syn_timeout(now),
                Timer::Persist => self.on_persist_timeout(now),
                Timer::DelayedAck => self.on_delayed_ack_timeout(),
                Timer::TimeWait => self.end(Event::Closed),
                Timer::KeepAlive => self.on_keep_alive(now),
                Timer::Departure => self.on_departure(),
            }
        }
    }

    fn on_syn_timeout(&mut self, now: Time) {
        self.counters.timeouts += 1;
        self.retries += 1;
        let (most, linear) = match self.state {
            State::SynReceived => (self.config.syn_ack_retries, 0),
            _ => (self.config.syn_retries, self.config.syn_linear_timeouts),
        };
        let is_user_timeout_over = self.retries > 1 && now >= self.connect_deadline();
        if self.retries > most || is_user_timeout_over || self.has_opened_enough(now) {
            self.fail(Failure::TimedOut);
        } else {
            self.rtt.back_off_syn(self.retries, linear);
            self.urgent.owe_syn();
        }
    }

    /// Linux gives up, too, once SYNs have been sent for as long as those take whose distances double
    /// (retransmits_timed_out), though it sends the first few at a constant distance.
    fn has_opened_enough(&self, now: Time) -> bool {
        let may_count = self.config.is_linux()
            && self.state == State::SynSent
            && self.retries > 1
            && self.config.user_timeout.is_none();
        let linear = self.config.syn_linear_timeouts;
        let doubling = self.config.syn_retries.saturating_sub(linear);
        let ticks = self.clock(now).wrapping_sub(self.clock(self.trouble_since));
        let passed = self.config.timestamp_tick * u64::from(ticks);
        may_count && passed >= self.doubled(self.config.rto.initial, doubling)
    }

    /// RFC 6298 (5.4) to (5.6) and RFC 5681 §3.1: back off, fall to one segment and retransmit from
    /// the left.
    fn on_retransmission_timeout(&mut self, now: Time) {
        self.counters.timeouts += 1;
        if self.is_user_timeout_over(now, self.retries == 0) || self.has_retried_enough(now, None) {
            self.fail(Failure::TimedOut);
            return;
        }
        self.retries += 1;
        let loss = Loss {
            in_flight: self.send.flight(),
        };
        let (outstanding, again) = (self.send.outstanding(), self.retries > 1);
        self.recovery
            .on_timeout(outstanding, &loss, again, &mut self.congestion);
        self.note_reduced();
        self.send.nxt = self.send.una;
        self.rtt.back_off();
        let deadline = self.rtt.deadline(now).min(self.user_deadline());
        self.timers.arm(Timer::Retransmission, deadline);
    }

    /// Returns when the application's patience with a connect is over: it counts from the first
    /// SYN, and lasts for two at least (retransmits_timed_out).
    pub(super) fn connect_deadline(&self) -> Time {
        match self.state {
            State::SynSent => self.user_deadline(),
            _ => Time::NEVER,
        }
    }

    /// Returns when the application's patience is over, once the timer has expired.
    pub(super) fn user_deadline(&self) -> Time {
        match self.config.user_timeout {
            Some(limit) => self.trouble_since + limit,
            None => Time::NEVER,
        }
    }

    /// Linux counts TCP_USER_TIMEOUT from the first expiry (retransmits_timed_out,
    /// tcp_probe_timer), which `is_first` says this is.
    pub(super) fn is_user_timeout_over(&mut self, now: Time, is_first: bool) -> bool {
        if is_first {
            self.trouble_since = now;
        }
        let limit = self.config.user_timeout.unwrap_or(Duration::MAX);
        !is_first && now - self.trouble_since >= limit
    }

    /// By number; or, as Linux has it, by the time since the first copy left, which must be as long
    /// as so many retries take if nothing but the least timeout is doubled
    /// (`retransmits_timed_out`).
    pub(super) fn has_retried_enough(&self, now: Time, first_copy: Option<Time>) -> bool {
        self.has_retried_for(self.config.data_retries, now, first_copy)
    }

    /// The same of `most` retries.
    pub(super) fn has_retried_for(&self, most: u32, now: Time, first_copy: Option<Time>) -> bool {
        match first_copy {
            Some(sent) => self.retries > 0 && now - sent >= self.time_of_retries(most),
            None => self.retries >= most,
        }
    }

    fn time_of_retries(&self, retries: u32) -> Duration {
        self.doubled(self.config.rto.min, retries)
    }

    /// Returns how long so many retries take, the first after `first` (`tcp_model_timeout`).
    fn doubled(&self, first: Duration, retries: u32) -> Duration {
        let max = self.config.rto.max;
        let doublings = (max.as_nanos() / first.as_nanos().max(1)).max(1).ilog2();
        let doubled = first * ((2u64 << retries.min(doublings)) - 1);
        doubled + max * u64::from(retries.saturating_sub(doublings))
    }

    /// RFC 9293 §3.8.6.1: probe for as long as the peer answers.
    fn on_persist_timeout(&mut self, now: Time) {
        let is_over = self.is_user_timeout_over(now, self.probes == 0);
        self.probes += 1;
        if is_over || self.probes > self.config.data_retries {
            self.fail(Failure::TimedOut);
        } else {
            self.probe_due = true;
        }
    }

    fn on_delayed_ack_timeout(&mut self) {
        if self.state != State::Closed {
            if self.delayed_ack.is_gathering() {
                self.ack.due = AckDue::Duplicate;
                return;
            }
            self.counters.delayed_acks_expired += 1;
            self.delayed_ack.on_expiry(self.rtt.rto());
            self.ack.due = AckDue::Now;
        }
    }
}
