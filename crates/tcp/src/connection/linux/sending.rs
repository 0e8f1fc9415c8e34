//! What is sent when (`tcp_write_xmit`, `tcp_xmit_recovery`, `tcp_send_loss_probe`).

use units::Time;

use super::super::Connection;
use crate::ranges::Range;
use crate::recovery::linux::{Again, Order, Pending, Sender};
use crate::send::{Choice, Nagle};
use crate::tcp_info::CaState;
use crate::{Flags, Kind, Segment};

impl Connection {
    /// What is to be sent next: what is lost, then new data.
    pub(in crate::connection) fn next_data_as_linux(&mut self, now: Time) -> Option<Segment> {
        let mut sender = self.linux.take()?;
        let segment = self.next_of(&mut sender, now);
        self.linux = Some(sender);
        segment
    }

    fn next_of(&mut self, sender: &mut Sender, now: Time) -> Option<Segment> {
        let edge = self.send.edge;
        match sender.order() {
            Order::Nothing => {}
            Order::Head => {
                let view = self.view(now, None);
                sender.set_order(Order::Nothing);
                if let Some(again) = sender.head(&view, edge) {
                    return Some(self.send_again(sender, now, again, false));
                }
            }
            Order::Probe => {
                sender.set_order(Order::Nothing);
                return self.send_probe(sender, now);
            }
            Order::New => {
                if let Some(segment) = self.next_new(sender, now, Nagle::Off) {
                    return Some(segment);
                }
                sender.settle_new_first(&self.view(now, None));
                return self.next_of(sender, now);
            }
            Order::Lost => {
                let view = self.view(now, None);
                if let Some(again) = sender.next_lost(&view, edge, &self.congestion) {
                    return Some(self.send_again(sender, now, again, false));
                }
                sender.set_order(Order::Nothing);
            }
        }
        if sender.is_timer() {
            return None;
        }
        self.next_new(sender, now, self.config.nagle)
    }

    /// New data, as both windows allow.
    fn next_new(&mut self, sender: &mut Sender, now: Time, nagle: Nagle) -> Option<Segment> {
        if self.send.is_drained() {
            sender.piece.note_drained(self.send.nxt);
            self.validate_window(sender, now, false);
            return None;
        }
        if self.send.nxt < self.send.end {
            self.restart_if_idle(now);
        }
        let has_room = sender.has_room(&self.congestion);
        let budget = if has_room { u64::MAX } else { 0 };
        let mss = self.payload_beside_sack();
        match self.send.choose(budget, mss, nagle) {
            // A FIN alone obeys the congestion window too.
            Choice::Send { payload: 0, .. } if !has_room => None,
            Choice::Send { payload, fin } => {
                if payload > 0 {
                    if let Some(is_limited) = self.deferral(sender, now) {
                        self.validate_window(sender, now, is_limited);
                        return None;
                    }
                }
                Some(self.send_new_as_linux(sender, now, payload, fin))
            }
            Choice::AwaitWindow => self.await_window_as_linux(sender, now),
            Choice::Wait => {
                self.validate_window(sender, now, !has_room);
                None
            }
        }
    }

    /// What fits a segment beside the SACK blocks there are to report (`tcp_current_mss`).
    fn payload_beside_sack(&self) -> u64 {
        let mss = u64::from(self.mss);
        if !self.sack || !self.receive.has_blocks() {
            return mss;
        }
        let most = if self.timestamps.is_some() { 3 } else { 4 };
        mss.saturating_sub(4 + 8 * self.receive.block_count().min(most))
            .max(1)
    }

    fn await_window_as_linux(&mut self, sender: &mut Sender, now: Time) -> Option<Segment> {
        if self.probe_due && self.send.edge > self.send.nxt {
            self.probe_due = false;
            let payload = self.send.forced(u64::from(self.mss));
            let mut segment = self.send_new_as_linux(sender, now, payload, false);
            segment.flags |= Flags::PSH; // tcp_write_wakeup
            return Some(segment);
        }
        self.await_window(now)
    }

    pub(super) fn send_new_as_linux(
        &mut self,
        sender: &mut Sender,
        now: Time,
        payload: u64,
        fin: bool,
    ) -> Segment {
        let start = self.send.nxt;
        let was_empty = sender.packets_out() == 0;
        if sender.in_flight() == 0 {
            self.congestion.on_restart(now, self.last_sent);
        }
        self.send.advance(payload, fin, u64::from(self.mss));
        sender.on_sent(now, Range::new(start, self.send.nxt));
        if self.persist_backoff > 0 {
            self.stop_probing();
        }
        if payload > 0 {
            self.last_sent = now;
        }
        if was_empty || sender.pending() == Pending::Probe {
            self.rearm_timeout(sender, now);
        }
        self.schedule_probe(sender, now, false);
        self.usage.note_burst();
        let kind = if payload > 0 {
            Kind::Data
        } else {
            Kind::Control
        };
        self.make_data(now, start, payload, fin, kind)
    }

    /// All that may be sent has been sent (the end of `tcp_write_xmit`); `is_limited` tells
    /// whether the congestion window keeps more back.
    fn validate_window(&mut self, sender: &mut Sender, now: Time, is_limited: bool) {
        if !self.usage.is_kept() {
            return;
        }
        if sender.take_settled() {
            self.usage.note_settled(now);
        }
        let is_full = is_limited || !sender.has_room(&self.congestion);
        let is_telling = self.usage.take_burst() || is_limited;
        if !is_telling {
            return;
        }
        let mss = u64::from(self.mss);
        let out = u64::from(sender.packets_out()) * mss;
        self.usage
            .on_sent(self.send.una, self.send.nxt, out, !is_full);
        let (window, ssthresh) = (self.congestion.window(), self.congestion.ssthresh());
        if self.usage.is_limited(out, window, ssthresh, mss) {
            self.usage.note_limited(now);
        } else if self.config.restart_after_idle {
            let is_open = sender.state() == CaState::Open;
            let initial = self.config.initial_window(self.mss);
            if let Some(used) = self.usage.starved(now, out, self.rtt.rto(), initial) {
                if is_open && used < window {
                    let ssthresh = sender.current_ssthresh(&self.congestion);
                    let segments = (window / mss + used / mss) / 2;
                    self.congestion.set(segments * mss, ssthresh);
                }
            }
        }
    }

    fn send_again(
        &mut self,
        sender: &mut Sender,
        now: Time,
        again: Again,
        is_probe: bool,
    ) -> Segment {
        let view = self.view(now, None);
        let restarts_timer = sender.on_sent_again(again, &view, is_probe);
        self.last_sent = now;
        if restarts_timer {
            let deadline = self.rtt.deadline(now);
            self.arm(sender, Pending::Timeout, deadline);
        }
        let range = again.range;
        let payload = range.end.min(self.send.end) - range.start;
        let fin = range.end > self.send.end;
        let kind = if sender.state() == CaState::Loss {
            Kind::TimeoutRetransmission
        } else {
            Kind::FastRetransmission
        };
        self.make_data(now, range.start, payload, fin, kind)
    }

    /// `tcp_send_loss_probe`: a new segment beyond the congestion window, or the last again.
    fn send_probe(&mut self, sender: &mut Sender, now: Time) -> Option<Segment> {
        let mss = u64::from(self.mss);
        let choice = self.send.choose(u64::MAX, mss, Nagle::Off);
        let segment = if let Choice::Send { payload, fin } = choice {
            let segment = self.send_new_as_linux(sender, now, payload, fin);
            sender.on_probe_sent(&self.view(now, None), false);
            Some(segment)
        } else {
            let view = self.view(now, None);
            let again = sender.tail(&view, self.send.edge)?;
            let segment = self.send_again(sender, now, again, true);
            sender.on_probe_sent(&view, true);
            Some(segment)
        };
        self.rearm_timeout(sender, now);
        segment
    }
}
