//! Choice of what to send (`tcp_write_xmit`, `tcp_xmit_recovery`, `tcp_send_loss_probe`).

use units::Time;

use super::super::Connection;
use super::departures::WaitingSegments;
use super::pieces::Push;
use crate::congestion::Restart;
use crate::ranges::OffsetRange;
use crate::recovery::linux::{
    Retransmission, RetransmissionLimits, RexmitOrder, Sender, SkBuff, TimerPurpose,
};
use crate::send::{Boundary, FIRST_BYTE};
use crate::tcp_info::CaState;
use crate::timers::Timer;
use crate::{Flags, Segment, SendCause};

/// Payload that a segment has at least beside all options (`__tcp_mtu_to_mss`: "room for full set of
/// TCP options and 8 bytes of data").
const LEAST_PAYLOAD: u64 = 8;

impl Connection {
    /// Returns what is to be sent next: what is lost, then new data.
    pub(in crate::connection) fn next_data_as_linux(&mut self, now: Time) -> Option<Segment> {
        let mut sender = self.linux.take()?;
        if sender.route.is_some() {
            self.follow_route(&mut sender);
        }
        let segment = self.next_of(&mut sender, now);
        if let Some(segment) = &segment {
            sender.learn_route();
            self.enter_below(segment);
        }
        self.linux = Some(sender);
        segment
    }

    fn next_of(&mut self, sender: &mut Sender, now: Time) -> Option<Segment> {
        if self.send.nxt < sender.piece.end {
            return Some(self.next_of_piece(sender, now));
        }
        match sender.order() {
            RexmitOrder::Nothing => {}
            RexmitOrder::Head => {
                let view = self.view(now, None);
                sender.set_order(RexmitOrder::Nothing);
                if let Some(again) = sender.head(&view, self.limits()) {
                    return Some(self.retransmit_piece(sender, now, again, false));
                }
            }
            RexmitOrder::Probe => {
                sender.set_order(RexmitOrder::Nothing);
                return self.send_probe(sender, now);
            }
            RexmitOrder::New => {
                if let Some(segment) = self.next_new(sender, now, Push::Forced) {
                    return Some(segment);
                }
                sender.settle_new_first(&self.view(now, None));
                return self.next_of(sender, now);
            }
            RexmitOrder::Lost => {
                if let Some(until) = sender.paced_until(now) {
                    self.timers.arm(Timer::Departure, until);
                    return None;
                }
                if self.waits_for_queue(sender, now, WaitingSegments::Lost) {
                    return None;
                }
                let view = self.view(now, None);
                if let Some(again) = sender.next_lost(&view, self.limits(), &self.congestion) {
                    return Some(self.retransmit_piece(sender, now, again, false));
                }
                sender.set_order(RexmitOrder::Nothing);
            }
        }
        if sender.waits() {
            return None;
        }
        self.next_new(sender, now, Push::Ordinary)
    }

    /// New data, as both windows allow.
    fn next_new(&mut self, sender: &mut Sender, now: Time, push: Push) -> Option<Segment> {
        if self.send.is_drained() {
            self.rest(sender, now, false);
            sender.wait();
            return None;
        }
        match self.begin_next_piece(sender, now, push) {
            Ok(()) => Some(self.next_of_piece(sender, now)),
            Err(held) => {
                self.rest(sender, now, held.by_congestion);
                if sender.packets_out() > 0 || sender.paced_until(now).is_some() {
                    sender.wait();
                    return None;
                }
                self.await_window_as_linux(sender, now)
            }
        }
    }

    /// Nothing more can be sent; `is_limited` tells whether the congestion window keeps it back.
    fn rest(&mut self, sender: &mut Sender, now: Time, is_limited: bool) {
        self.validate_window(sender, now, is_limited);
        if let Some(limits) = self.limits {
            self.check_space(sender, &limits);
        }
    }

    fn next_of_piece(&mut self, sender: &mut Sender, now: Time) -> Segment {
        let piece = sender.piece;
        let data = piece.end - u64::from(piece.fin) - self.send.nxt;
        let payload = data.min(piece.mss);
        let fin = piece.fin && payload == data;
        let mut segment = self.send_new_as_linux(sender, now, payload, fin);
        if self.send.nxt == piece.end {
            self.end_piece(sender, now, &mut segment);
        }
        segment
    }

    fn end_piece(&mut self, sender: &mut Sender, now: Time, segment: &mut Segment) {
        let piece = sender.piece;
        sender.end_departure(now);
        let is_pushed = piece.boundary != Boundary::Open;
        if is_pushed {
            sender.note_end(piece.boundary);
        }
        if is_pushed || piece.is_several {
            segment.flags |= Flags::PSH;
        }
        if piece.is_probe {
            self.validate_window(sender, now, false);
        } else if !self.schedule_probe(sender, now, false)
            && (piece.is_first || sender.pending() == TimerPurpose::Probe)
        {
            self.rearm_timeout(sender, now);
        }
    }

    fn limits(&self) -> RetransmissionLimits {
        RetransmissionLimits {
            edge: self.send.edge,
            mss: self.payload_beside_sack(),
        }
    }

    /// Returns what fits a segment beside the SACK blocks there are to report (`tcp_current_mss`),
    /// which give way to data where segments are short.
    pub(super) fn payload_beside_sack(&self) -> u64 {
        let mss = self.segment_max();
        if !self.sack || !self.receive.has_blocks() {
            return mss;
        }
        let most = if self.timestamps.is_some() { 3 } else { 4 };
        let blocks = 4 + 8 * self.receive.block_count().min(most);
        match mss.saturating_sub(blocks) {
            rest if rest < LEAST_PAYLOAD => mss,
            rest => rest,
        }
    }

    /// A probe of the peer's window sends what fits a window that is open, if only a little
    /// (`tcp_write_wakeup`).
    fn await_window_as_linux(&mut self, sender: &mut Sender, now: Time) -> Option<Segment> {
        let room = self.send.edge.saturating_sub(self.send.nxt);
        let first = sender.buffers.first().map_or(0, SkBuff::len);
        if !self.probe_due || room == 0 || first == 0 {
            return self.await_window(now);
        }
        self.probe_due = false;
        sender.piece.mss = self.segment_max();
        let payload = first.min(room).min(sender.piece.mss);
        sender.buffers.send_to(self.send.nxt + payload);
        let mut segment = self.send_new_as_linux(sender, now, payload, false);
        self.rearm_timeout(sender, now);
        sender.note_end(Boundary::Push);
        segment.flags |= Flags::PSH;
        Some(segment)
    }

    fn send_new_as_linux(
        &mut self,
        sender: &mut Sender,
        now: Time,
        payload: u64,
        fin: bool,
    ) -> Segment {
        let start = self.send.nxt;
        if sender.in_flight() == 0 {
            self.congestion.on_restart(&Restart {
                now,
                last_sent: self.last_sent,
                app_limited: sender
                    .rates
                    .as_ref()
                    .is_some_and(|rates| rates.is_app_limited()),
            });
            if let Some(rate) = self.congestion.pacing_rate() {
                sender.pace = rate.min(self.config.pacing.most);
            }
        }
        self.send.advance(payload, fin, sender.piece.mss);
        let left = sender.leaves_at(now);
        sender.on_sent(left, OffsetRange::new(start, self.send.nxt));
        if self.persist_backoff > 0 {
            self.stop_probing();
        }
        if payload > 0 {
            self.last_sent = now;
        }
        self.usage.note_burst();
        let kind = if payload > 0 {
            SendCause::Data
        } else {
            SendCause::Control
        };
        let flags = if fin { Flags::FIN } else { Flags::default() };
        let mut segment = self.make_data(now, start, payload, flags, kind);
        self.mark_capable(&mut segment, Some(sender));
        segment
    }

    /// All that may be sent has been sent (the end of `tcp_write_xmit`); `is_limited` tells
    /// whether the congestion window keeps more back.
    fn validate_window(&mut self, sender: &mut Sender, now: Time, is_limited: bool) {
        if sender.take_settled() {
            self.usage.note_settled(now);
        }
        let is_telling = self.usage.take_burst() || is_limited;
        if !is_telling {
            return;
        }
        let is_full = is_limited || !sender.has_room(&self.congestion);
        let mss = u64::from(self.mss);
        let out = u64::from(sender.packets_out()) * mss;
        self.usage
            .on_sent(self.send.una, self.send.nxt, out, !is_full);
        let (window, ssthresh) = (self.congestion.window(), self.congestion.ssthresh());
        if self.usage.was_limited(window, ssthresh) {
            self.usage.note_limited(now);
        } else if self.config.restart_after_idle && !self.congestion.models_path() {
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

    fn retransmit_piece(
        &mut self,
        sender: &mut Sender,
        now: Time,
        again: Retransmission,
        is_probe: bool,
    ) -> Segment {
        let view = self.view(now, None);
        let restarts_timer = sender.on_retransmitted(again, &view, is_probe);
        self.last_sent = now;
        if restarts_timer {
            let begins = now + sender.pacing_delay(now);
            let deadline = self.rtt.deadline(begins);
            self.arm(sender, TimerPurpose::Timeout, deadline);
        }
        let range = again.range;
        if range.start < FIRST_BYTE {
            return self.make_crossed_syn(now);
        }
        let payload = range.end.min(self.send.end) - range.start;
        let kind = if sender.state() == CaState::Loss {
            SendCause::TimeoutRetransmission
        } else {
            SendCause::FastRetransmission
        };
        let mut flags = Flags::default();
        if again.is_pushed {
            flags |= Flags::PSH;
        }
        if range.end > self.send.end {
            flags |= Flags::FIN;
        }
        self.make_data(now, range.start, payload, flags, kind)
    }

    /// `tcp_send_loss_probe`: a new segment beyond the congestion window, or the last again.
    fn send_probe(&mut self, sender: &mut Sender, now: Time) -> Option<Segment> {
        let is_new =
            !self.send.is_drained() && self.begin_next_piece(sender, now, Push::Probe).is_ok();
        let segment = if is_new {
            let segment = self.next_of_piece(sender, now);
            let mut view = self.view(now, None);
            view.nxt = sender.piece.end;
            sender.on_probe_sent(&view, false);
            Some(segment)
        } else {
            let view = self.view(now, None);
            // A window that was taken back may leave no room for the last segment.
            sender.tail(&view, self.limits()).map(|again| {
                let segment = self.retransmit_piece(sender, now, again, true);
                sender.on_probe_sent(&view, true);
                segment
            })
        };
        self.rearm_timeout(sender, now);
        segment
    }
}
