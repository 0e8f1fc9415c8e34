//! Choice of the next segment, and its construction.

use units::Time;

use super::{AckDue, AckState, Connection};
use crate::ranges::OffsetRange;
use crate::rtt::backed_off;
use crate::send::SendChoice;
use crate::timers::Timer;
use crate::{Ecn, Flags, Options, RecoveryPhase, SackBlock, SackBlocks, Segment, SendCause};
use crate::{Seq, State, Timestamps};

impl Connection {
    /// The next segment to put on the network.
    #[inline]
    pub fn poll_segment(&mut self, now: Time) -> Option<Segment> {
        let segment = self.next_segment(now);
        if let Some(segment) = &segment {
            self.counters.on_sent(segment);
        }
        segment
    }

    #[inline]
    fn next_segment(&mut self, now: Time) -> Option<Segment> {
        if self.config.pacing.is_below {
            self.look_when_it_leaves(now);
        }
        if self.urgent.is_due() {
            return Some(self.make_control(now));
        }
        if self.ack.due == AckDue::Duplicate {
            return Some(self.make_ack(now, SendCause::DuplicateAck));
        }
        if self.state.may_transmit() {
            let data = if self.linux.is_some() {
                self.next_data_as_linux(now)
            } else {
                self.next_data(now)
            };
            if let Some(segment) = data {
                return Some(segment);
            }
        } else if self.is_early()
            && let Some(segment) = self.next_early(now)
        {
            return Some(segment);
        }
        match self.ack.due {
            AckDue::No => None,
            AckDue::WindowUpdate => Some(self.make_ack(now, SendCause::WindowUpdate)),
            AckDue::Now | AckDue::Duplicate => Some(self.make_ack(now, SendCause::Ack)),
        }
    }

    /// The reset, probe or SYN that is due.
    #[cold]
    fn make_control(&mut self, now: Time) -> Segment {
        match self.urgent.take_segment() {
            Some((leaves_at, segment)) => {
                self.leaves_at = self.leaves_at.max(leaves_at);
                segment
            }
            None => self.make_syn(now),
        }
    }

    /// Retransmissions first, then new data, then what RFC 6675 sends for want of new data.
    #[inline]
    fn next_data(&mut self, now: Time) -> Option<Segment> {
        if self.send.is_drained() && self.recovery.phase() == RecoveryPhase::Open {
            return None;
        }
        if self.recovery.phase() != RecoveryPhase::Open && self.send.is_shut() {
            return self.await_window(now);
        }
        let outstanding = self.send.outstanding();
        if let Some(range) = self
            .recovery
            .take_retransmission(outstanding, &self.congestion)
        {
            return Some(self.retransmit(now, range));
        }
        if self.recovery.phase() == RecoveryPhase::Timeout {
            if !self.recovery.is_probing() && self.recovery.is_going_back(outstanding) {
                return None;
            }
            self.send.nxt = self.send.max;
        }
        if self.is_paced(now) {
            return None;
        }
        match self.choose(now) {
            SendChoice::Send { payload, fin } => Some(self.send_new(now, payload, fin)),
            SendChoice::Wait if self.recovery.phase() == RecoveryPhase::Open => None,
            choice => self.without_new_data(now, choice),
        }
    }

    #[inline(never)]
    fn without_new_data(&mut self, now: Time, choice: SendChoice) -> Option<Segment> {
        if self.recovery.is_probing() {
            return self.give_up_probing(now);
        }
        if choice == SendChoice::AwaitWindow {
            return self.await_window(now);
        }
        let outstanding = self.send.outstanding();
        let range = self
            .recovery
            .take_speculative_retransmission(outstanding, &self.congestion)?;
        Some(self.retransmit(now, range))
    }

    /// There is nothing new to send, or no window for it: F-RTO may not get its answer.
    #[cold]
    fn give_up_probing(&mut self, now: Time) -> Option<Segment> {
        if !self.recovery.give_up_probing() {
            return None;
        }
        self.send.nxt = self.send.una;
        let outstanding = self.send.outstanding();
        let range = self
            .recovery
            .take_retransmission(outstanding, &self.congestion)?;
        Some(self.retransmit(now, range))
    }

    #[inline]
    fn choose(&mut self, now: Time) -> SendChoice {
        let outstanding = self.send.outstanding();
        self.restart_if_idle(now);
        let budget = self.recovery.budget(outstanding, &self.congestion);
        self.send
            .choose(budget, u64::from(self.mss), self.config.nagle)
    }

    /// A window that was not used for a timeout does not tell of the path any more (RFC 5681
    /// §4.1).
    #[inline]
    pub(super) fn restart_if_idle(&mut self, now: Time) {
        let is_idle = self.send.una == self.send.nxt;
        if is_idle && self.config.restart_after_idle && now - self.last_sent > self.rtt.rto() {
            self.restart(now);
        }
    }

    #[cold]
    fn restart(&mut self, now: Time) {
        if self.congestion.models_path() {
            return; // it knows what the path carries (`tcp_slow_start_after_idle_check`)
        }
        if self.config.decays_when_idle {
            let idle = now - self.last_sent;
            let initial = self.config.initial_window(self.mss);
            let mss = u64::from(self.mss);
            self.congestion.decay(idle, self.rtt.rto(), initial, mss);
            self.usage.note_limited(now);
        } else {
            self.congestion.on_idle();
        }
    }

    #[inline]
    fn send_new(&mut self, now: Time, payload: u64, fin: bool) -> Segment {
        let start = self.send.nxt;
        self.send.advance(payload, fin, u64::from(self.mss));
        let sent = self.send.nxt - start;
        self.space(now, sent);
        self.recovery
            .on_sent(sent, self.send.outstanding(), &self.congestion);
        if self.config.rtt_of_every_segment {
            let sent = OffsetRange::new(start, self.send.nxt);
            self.send_times.on_sent(sent, now);
        } else if self.timed.is_none() {
            self.timed = Some((self.send.nxt, now));
        }
        if self.persist_backoff > 0 {
            self.stop_probing();
        }
        self.arm_retransmission(now);
        let kind = if payload > 0 {
            SendCause::Data
        } else {
            SendCause::Control
        };
        let flags = self.flags_of(start, payload, fin);
        let mut segment = self.make_data(now, start, payload, flags, kind);
        self.mark_capable(&mut segment, None);
        segment
    }

    /// Returns what a segment from `start` on says beside its data.
    #[inline]
    fn flags_of(&self, start: u64, payload: u64, fin: bool) -> Flags {
        let mut flags = Flags::default();
        if payload > 0 && self.send.ends_at(start + payload) {
            flags |= Flags::PSH;
        }
        if fin {
            flags |= Flags::FIN;
        }
        flags
    }

    #[inline(never)]
    fn retransmit(&mut self, now: Time, range: OffsetRange) -> Segment {
        let payload = range.end.min(self.send.end) - range.start;
        let fin = range.end > self.send.end;
        if self.recovery.phase() == RecoveryPhase::Timeout {
            self.send.nxt = self.send.nxt.max(range.end);
        }
        let kind = if self.recovery.is_by_timer() {
            SendCause::TimeoutRetransmission
        } else {
            SendCause::FastRetransmission
        };
        self.timed = None; // Karn's algorithm
        if self.persist_backoff > 0 {
            self.stop_probing();
        }
        self.send_times.on_retransmitted(range, now);
        let stamp = self.timestamps.map(|_| self.clock(now));
        self.recovery.note_retransmission(range, stamp);
        self.arm_retransmission(now);
        let flags = self.flags_of(range.start, payload, fin);
        self.make_data(now, range.start, payload, flags, kind)
    }

    /// RFC 6298 (5.1).
    #[inline]
    fn arm_retransmission(&mut self, now: Time) {
        self.last_sent = now;
        if !self.timers.is_armed(Timer::Retransmission) {
            self.timers
                .arm(Timer::Retransmission, self.rtt.deadline(now));
        }
    }

    /// Nothing is outstanding and the peer's window is closed or silly: run the persist
    /// timer, and when it has expired force out what the window takes, at least one byte.
    /// The byte of a probe is not taken as sent: the next segment begins with it again.
    #[inline(never)]
    pub(super) fn await_window(&mut self, now: Time) -> Option<Segment> {
        if !self.probe_due {
            if !self.timers.is_armed(Timer::Persist) {
                self.arm_persist(now);
            }
            return None;
        }
        self.probe_due = false;
        let payload = self.send.forced(u64::from(self.mss));
        if self.send.edge > self.send.nxt {
            return Some(self.send_new(now, payload, false));
        }
        self.arm_persist(now);
        if !self.config.probes_with_data {
            return Some(self.make_probe(now));
        }
        let start = self.send.nxt;
        self.send.max = self.send.max.max(start + payload);
        self.last_sent = now;
        let flags = self.flags_of(start, payload, false);
        Some(self.make_data(now, start, payload, flags, SendCause::Probe))
    }

    /// The window has opened.
    #[cold]
    pub(super) fn stop_probing(&mut self) {
        self.probe_due = false;
        self.persist_backoff = 0;
        self.timers.cancel(Timer::Persist);
    }

    pub(super) fn arm_persist(&mut self, now: Time) {
        let wait = backed_off(
            self.rtt.rto(),
            self.persist_backoff,
            self.config.persist_max,
        );
        self.persist_backoff += 1;
        self.timers.arm(Timer::Persist, now + wait);
    }

    pub(super) fn make_ack(&mut self, now: Time, kind: SendCause) -> Segment {
        // After a timeout SND.NXT stands left of what the peer may have seen already.
        let start = match self.recovery.phase() {
            RecoveryPhase::Timeout => self.send.max,
            _ => self.send.nxt,
        };
        let mut segment = self.make_header(now, start, kind);
        if self.state != State::TimeWait {
            // Where segments are short, so is what acknowledges them: it goes the same way.
            segment.options.sack = self.sack_blocks(self.mss);
        }
        if self.delayed_ack.is_adaptive() {
            self.delayed_ack.on_acknowledged(now, false);
        }
        segment
    }

    #[inline]
    pub(super) fn make_data(
        &mut self,
        now: Time,
        start: u64,
        payload: u64,
        flags: Flags,
        kind: SendCause,
    ) -> Segment {
        let acknowledges = payload > 0 && self.acknowledged != self.receive.nxt;
        self.counters.acks_piggybacked += u64::from(acknowledges);
        let mut segment = self.make_header(now, start, kind);
        segment.payload = payload as u32;
        segment.flags |= flags;
        segment.options.sack = self.sack_blocks(self.mss.saturating_sub(segment.payload));
        if self.delayed_ack.is_adaptive() {
            self.delayed_ack.on_acknowledged(now, payload > 0);
        }
        segment
    }

    /// Everything but payload and SACK blocks. Every segment acknowledges, so none is owed
    /// any more.
    #[inline]
    pub(super) fn make_header(&mut self, now: Time, start: u64, kind: SendCause) -> Segment {
        self.ack = AckState::default();
        self.timers.cancel(Timer::DelayedAck);
        let leaves_at = now.max(self.leaves_at);
        self.last_left = leaves_at;
        let nxt = self.receive.nxt;
        self.acknowledged = nxt;
        let window = if self.config.is_linux() {
            self.advertise_as_linux()
        } else {
            self.receive.advertise(u64::from(self.mss))
        };
        let timestamps = match &mut self.timestamps {
            Some(state) => {
                state.last_ack_sent = nxt;
                let echo = state.recent;
                Some(Timestamps {
                    value: self.clock(leaves_at),
                    echo,
                })
            }
            None => None,
        };
        Segment {
            seq: self.isn.at(start),
            ack: self.peer_isn.at(nxt),
            payload: 0,
            window: (window >> self.shift).min(self.most_told) as u16,
            flags: self.echo_flags(),
            kind,
            ecn: Ecn::NotCapable,
            options: Options {
                timestamps,
                ..Options::default()
            },
        }
    }

    /// As many blocks as fit `room` bytes. On data they ride only beside a short payload;
    /// each arrival out of order has had an acknowledgement of its own that carried them.
    #[inline]
    fn sack_blocks(&mut self, room: u32) -> SackBlocks {
        if self.sack && self.receive.has_blocks() {
            self.collect_sack_blocks(room)
        } else {
            SackBlocks::default()
        }
    }

    #[inline(never)]
    fn collect_sack_blocks(&mut self, room: u32) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        let most = if self.timestamps.is_some() {
            3
        } else {
            SackBlocks::MAX
        };
        let fitting = (room.saturating_sub(4) / 8) as usize;
        let most = most.min(fitting);
        if most == 0 {
            return blocks;
        }
        let duplicate = self.receive.take_duplicate();
        self.counters.dsacks_sent += u64::from(duplicate.is_some());
        let report = duplicate.iter().chain(self.receive.sack_blocks());
        for range in report.take(most) {
            let at = |offset| -> Seq { self.peer_isn.at(offset) };
            blocks.push(SackBlock {
                start: at(range.start),
                end: at(range.end),
            });
        }
        blocks
    }
}
