//! The acknowledgement field of a segment: RFC 9293 §3.10.7.4 fifth, RFC 5681, RFC 6298.

use units::{Duration, Time};

use super::arrival::ArrivalStep;
use super::{AckDue, Connection};
use crate::congestion::{Acked, Loss};
use crate::ranges::OffsetRange;
use crate::recovery::{AckProgress, Reaction};
use crate::rtt::RttSample;
use crate::send::FIRST_BYTE;
use crate::state::Transition;
use crate::timers::Timer;
use crate::{Event, Flags, RecoveryPhase, SackBlock, Segment, State};

impl Connection {
    #[inline]
    pub(super) fn take_acknowledgment(
        &mut self,
        now: Time,
        segment: &Segment,
        start: u64,
    ) -> ArrivalStep {
        let ack = segment.ack.unwrap(self.isn, self.send.una);
        if self.state == State::SynReceived
            && self.finish_handshake(now, segment, ack) == ArrivalStep::Drop
        {
            return ArrivalStep::Drop;
        }
        // What lies before the initial number is as old as anything.
        let Some(ack) = ack else {
            return self.challenge(now);
        };
        if ack > self.send.max {
            return self.challenge(now);
        }
        self.probes = 0;
        self.accept_reduced(segment);
        if self.linux.is_some() && !self.send.is_ancient(ack) {
            self.take_ack_as_linux(now, segment, start, ack);
        } else if ack >= self.send.una {
            self.take_current_ack(now, segment, start, ack);
        } else if self.send.is_ancient(ack) {
            return self.challenge(now);
        }
        ArrivalStep::Continue
    }

    /// RFC 9293 §3.10.7.4, fifth, SYN-RECEIVED.
    #[cold]
    fn finish_handshake(&mut self, now: Time, segment: &Segment, ack: Option<u64>) -> ArrivalStep {
        let Some(ack) = ack.filter(|ack| (1..=self.send.max).contains(ack)) else {
            self.refuse(segment);
            return ArrivalStep::Drop;
        };
        if self.is_early() {
            self.confirm_early(now, segment);
        } else {
            self.establish(now, segment, ack);
        }
        if segment.flags.contains(Flags::SYN) && self.config.is_linux() {
            // After SYNs that crossed, tcp_data_queue takes this one for a copy.
            self.receive.note_duplicate(0, FIRST_BYTE);
            self.delayed_ack.hurry(self.receive.announced());
            self.ack.due = AckDue::Now;
        }
        ArrivalStep::Continue
    }

    /// RFC 5961 §5.2: a segment whose acknowledgement is too old, or of what was never sent, is
    /// dropped.
    #[cold]
    fn challenge(&mut self, now: Time) -> ArrivalStep {
        if self.may_answer_invalid(now) {
            self.ack.due = AckDue::Now;
        }
        ArrivalStep::Drop
    }

    /// An acknowledgement that is not older than the last.
    #[inline]
    fn take_current_ack(&mut self, now: Time, segment: &Segment, start: u64, ack: u64) {
        let window = u64::from(segment.window) << self.peer_shift;
        let edge_stays = self.send.edge == ack + window;
        self.send.update_window(start, ack, window);
        self.send.stop_expecting();
        if self.timers.is_armed(Timer::Persist) && self.send.edge > self.send.nxt {
            self.timers.cancel(Timer::Persist);
        }
        let is_new = ack > self.send.una;
        if is_new {
            self.advance(now, segment, ack);
        }
        let is_news = self.recovery.is_sack()
            && !segment.options.sack.is_empty()
            && self.take_sack_blocks(segment);
        let is_repetition =
            !is_new && edge_stays && is_pure_ack(segment) && self.send.nxt > self.send.una;
        if is_news || is_repetition && self.recovery.counts_repetitions() {
            self.take_duplicate_ack(now);
        }
        if self.is_congestion_echo(segment) {
            self.heed_echo();
        }
        if window == 0 {
            self.heed_shut_window();
        }
    }

    /// New data are acknowledged.
    #[inline]
    fn advance(&mut self, now: Time, segment: &Segment, ack: u64) {
        let in_flight = self.send.flight();
        let acked = ack - self.send.una;
        let bytes = self.send.acknowledge(ack);
        self.counters.bytes_acknowledged += bytes;
        self.retries = 0;
        let rtt = self.measure(now, segment, ack);
        self.grow(now, bytes, in_flight, rtt);
        let progress = if self.is_ack_of_original(segment) {
            self.recovery.undo(&mut self.congestion);
            AckProgress::Spurious
        } else {
            let outstanding = self.send.outstanding();
            self.recovery
                .on_new_ack(outstanding, acked, &mut self.congestion)
        };
        self.follow(progress);
        self.restart_retransmission_timer(now, progress);
        if self.send.take_unblocked() {
            self.events.push(Event::Writable);
        }
        if self.send.is_fin_acknowledged() {
            self.take_fin_acknowledgment(now);
        }
    }

    #[inline]
    fn grow(&mut self, now: Time, bytes: u64, in_flight: u64, rtt: Option<Duration>) {
        let window = self.congestion.window();
        let mss = u64::from(self.mss);
        self.congestion.on_ack(&Acked {
            now,
            bytes,
            una: self.send.una,
            max: self.send.max,
            rtt,
            srtt: self.rtt.smoothed().unwrap_or(Duration::ZERO),
            limited: self.config.is_limited(in_flight, window, mss),
            phase: self.recovery.phase(),
        });
    }

    /// Eifel detection (RFC 3522 §3.2 step 4).
    #[inline]
    fn is_ack_of_original(&self, segment: &Segment) -> bool {
        if self.recovery.phase() == RecoveryPhase::Open {
            return false;
        }
        match segment.options.timestamps {
            Some(t) if self.timestamps.is_some() && t.echo != 0 => {
                self.recovery.is_spurious(t.echo)
            }
            _ => false,
        }
    }

    /// Moves to where the sender goes on after a new acknowledgement.
    #[inline]
    fn follow(&mut self, progress: AckProgress) {
        match progress {
            AckProgress::Ordinary | AckProgress::Partial { .. } | AckProgress::Recovered => {}
            AckProgress::Probing => self.send.nxt = self.send.max,
            AckProgress::Spurious => self.forgive(),
        }
    }

    /// The retransmission was spurious: nothing is lost, and the timer was wrong.
    #[cold]
    fn forgive(&mut self) {
        self.counters.spurious_recoveries += 1;
        // While the peer's window is probed, only the probe's byte lies beyond, which is not
        // taken as sent.
        if self.persist_backoff == 0 {
            self.send.nxt = self.send.max;
        }
        self.rtt.forgive();
    }

    /// RFC 6298 (5.2) and (5.3).
    #[inline]
    fn restart_retransmission_timer(&mut self, now: Time, progress: AckProgress) {
        if self.send.una == self.send.max {
            self.timers.cancel(Timer::Retransmission);
        } else if progress
            != (AckProgress::Partial {
                restart_timer: false,
            })
        {
            self.timers
                .arm(Timer::Retransmission, self.rtt.deadline(now));
        }
    }

    /// Takes a round-trip time if this acknowledgement gives one: of the one segment being
    /// timed, which was sent once only (Karn's algorithm, RFC 6298 §3), or in other ways.
    #[inline]
    pub(super) fn measure(&mut self, now: Time, segment: &Segment, ack: u64) -> Option<Duration> {
        if self.config.rtt_of_every_segment || self.timestamps.is_some() {
            return self.measure_each(now, segment, ack);
        }
        match self.timed {
            Some((end, sent)) if ack >= end => Some(self.take_timed(now, sent)),
            _ => None,
        }
    }

    /// Of every segment, by its own time or by its timestamp, which tells retransmissions
    /// apart (RFC 7323 §4).
    #[inline(never)]
    fn measure_each(&mut self, now: Time, segment: &Segment, ack: u64) -> Option<Duration> {
        if self.config.rtt_of_every_segment {
            let trips = self.send_times.on_acknowledged(now, ack);
            if self.recovery.is_vegas() {
                (self.recovery).note_fine_round_trip(trips.map(|trips| trips.last));
                self.recovery
                    .note_first_sent(now, self.send_times.first_sent());
            }
            if let Some(trips) = trips {
                self.take_round_trip(now, trips.first);
                return Some(trips.last);
            }
        }
        match segment.options.timestamps {
            Some(t) if self.timestamps.is_some() && t.echo != 0 => {
                let ticks = self.clock(now).wrapping_sub(t.echo);
                let rtt = self.config.timestamp_tick * u64::from(ticks);
                self.take_round_trip(now, rtt);
                Some(rtt)
            }
            _ => match self.timed {
                Some((end, sent)) if ack >= end => Some(self.take_timed(now, sent)),
                _ => None,
            },
        }
    }

    #[inline(never)]
    pub(super) fn take_timed(&mut self, now: Time, sent: Time) -> Duration {
        self.timed = None;
        self.take_round_trip(now, now - sent);
        now - sent
    }

    fn take_round_trip(&mut self, now: Time, rtt: Duration) {
        if let Some(pace) = &mut self.pace {
            pace.on_round_trip(rtt);
        }
        self.rtt.on_sample(&RttSample {
            now,
            rtt,
            una: self.send.una,
            max: self.send.max,
        });
        self.counters.rtt_samples += 1;
        self.sample = Some(rtt);
    }

    /// Puts the blocks on the scoreboard. True if one told something new, which is what
    /// RFC 6675 §2 calls a duplicate acknowledgement.
    #[inline(never)]
    fn take_sack_blocks(&mut self, segment: &Segment) -> bool {
        let outstanding = self.send.outstanding();
        let mut news = false;
        self.take_duplicate_report(segment);
        for block in segment.options.sack.as_slice() {
            if let Some(range) = self.offsets(block) {
                news |= self.recovery.on_sack_block(outstanding, range);
            }
        }
        self.recovery.on_sack_updated(outstanding);
        news
    }

    /// A first block below the acknowledgement, or within the second, tells of a segment that
    /// arrived twice (RFC 2883 §4).
    fn take_duplicate_report(&mut self, segment: &Segment) {
        let blocks = segment.options.sack.as_slice();
        let Some(report) = self.offsets(&blocks[0]) else {
            return;
        };
        let is_within = |block: &SackBlock| {
            self.offsets(block)
                .is_some_and(|block| block.contains_range(report))
        };
        if report.end > self.send.una && !blocks.get(1).is_some_and(is_within) {
            return;
        }
        self.counters.dsacks_received += 1;
        if self.recovery.on_duplicate_report(report) {
            self.recovery.undo(&mut self.congestion);
            self.forgive();
        }
    }

    /// The block's place in the stream.
    pub(super) fn offsets(&self, block: &SackBlock) -> Option<OffsetRange> {
        let start = block.start.unwrap(self.isn, self.send.una)?;
        let end = block.end.unwrap(self.isn, self.send.una)?;
        (start < end).then(|| OffsetRange::new(start, end))
    }

    #[inline(never)]
    fn take_duplicate_ack(&mut self, now: Time) {
        self.counters.duplicate_acks_received += 1;
        if self.recovery.is_vegas() {
            self.recovery
                .note_first_sent(now, self.send_times.first_sent());
        }
        let loss = Loss {
            in_flight: self.send.flight(),
        };
        let outstanding = self.send.outstanding();
        let reaction = self
            .recovery
            .on_duplicate_ack(outstanding, loss, &mut self.congestion);
        match reaction {
            Reaction::None => {}
            Reaction::Recover => {
                self.counters.fast_recoveries += 1;
                self.note_reduced();
            }
            Reaction::GoBack => {
                self.counters.fast_recoveries += u64::from(!self.recovery.is_by_timer());
                self.send.nxt = self.send.una;
                self.note_reduced();
            }
        }
    }

    #[cold]
    pub(super) fn take_fin_acknowledgment(&mut self, now: Time) {
        self.state = self.state.after(Transition::FinAcknowledged);
        match self.state {
            State::TimeWait => self.enter_time_wait(now),
            State::Closed => {
                self.tell_finished();
                self.end(Event::Closed);
            }
            State::FinWait2 => self.limit_fin_wait2(now),
            _ => {}
        }
    }
}

/// RFC 5681 §2 (b) and (c): an acknowledgement that carries nothing else.
#[inline]
fn is_pure_ack(segment: &Segment) -> bool {
    segment.payload == 0 && !segment.flags.intersects(Flags::SYN | Flags::FIN)
}
