//! The acknowledgement field of a segment: RFC 9293 §3.10.7.4 fifth, RFC 5681, RFC 6298.

use units::{Duration, Time};

use super::arrival::Step;
use super::{AckDue, Connection};
use crate::congestion::{Acked, CongestionControl, Loss};
use crate::ranges::Range;
use crate::recovery::Progress;
use crate::state::Transition;
use crate::timers::Timer;
use crate::{Event, Flags, RecoveryPhase, Segment, State};

impl Connection {
    #[inline]
    pub(super) fn take_acknowledgment(&mut self, now: Time, segment: &Segment, start: u64) -> Step {
        let ack = segment.ack.unwrap(self.isn, self.send.una);
        if self.state == State::SynReceived {
            if ack != Some(1) {
                self.refuse(segment);
                return Step::Drop;
            }
            self.establish(now, segment);
        }
        let Some(ack) = ack else {
            return Step::Continue;
        };
        if ack > self.send.max {
            self.ack.due = AckDue::Now;
            return Step::Drop;
        }
        self.probes = 0;
        if ack >= self.send.una {
            self.take_current_ack(now, segment, start, ack);
        }
        Step::Continue
    }

    /// An acknowledgement that is not older than the last.
    #[inline]
    fn take_current_ack(&mut self, now: Time, segment: &Segment, start: u64, ack: u64) {
        let window = u64::from(segment.window) << self.peer_shift;
        let edge_stays = self.send.edge == ack + window;
        self.send.update_window(start, ack, window);
        if self.timers.is_armed(Timer::Persist) && self.send.edge > self.send.nxt {
            self.timers.cancel(Timer::Persist);
        }
        let is_new = ack > self.send.una;
        if is_new {
            self.advance(now, segment, ack);
        }
        if self.recovery.is_sack() {
            if !segment.options.sack.is_empty() && self.take_sack_blocks(segment) {
                self.take_duplicate_ack(now);
            }
        } else if !is_new && edge_stays && is_pure_ack(segment) && self.send.nxt > self.send.una {
            self.take_duplicate_ack(now);
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
        let recovering = self.recovery.phase() == RecoveryPhase::Fast;
        self.congestion.on_ack(&Acked {
            now,
            bytes,
            in_flight,
            rtt,
            recovering,
        });
        let outstanding = self.send.outstanding();
        let progress = self
            .recovery
            .on_new_ack(outstanding, acked, &mut self.congestion);
        self.restart_retransmission_timer(now, progress);
        if self.send.take_unblocked() {
            self.events.push(Event::Writable);
        }
        if self.send.is_fin_acknowledged() {
            self.take_fin_acknowledgment(now);
        }
    }

    /// RFC 6298 (5.2) and (5.3).
    #[inline]
    fn restart_retransmission_timer(&mut self, now: Time, progress: Progress) {
        if self.send.una == self.send.max {
            self.timers.cancel(Timer::Retransmission);
        } else if progress
            != (Progress::Partial {
                restart_timer: false,
            })
        {
            self.timers.arm(Timer::Retransmission, now + self.rtt.rto());
        }
    }

    /// Takes a round-trip time if this acknowledgement gives one: by its timestamp, which
    /// tells retransmissions apart (RFC 7323 §4), or of the one segment being timed, which
    /// was sent once only (Karn's algorithm, RFC 6298 §3).
    #[inline]
    pub(super) fn measure(&mut self, now: Time, segment: &Segment, ack: u64) -> Option<Duration> {
        let sample = match segment.options.timestamps {
            Some(t) if self.timestamps.is_some() && t.echo != 0 => {
                let ticks = self.clock(now).wrapping_sub(t.echo);
                self.config.timestamp_tick * u64::from(ticks)
            }
            _ => {
                let (end, sent) = self.timed?;
                if ack < end {
                    return None;
                }
                self.timed = None;
                now - sent
            }
        };
        self.rtt.on_sample(sample);
        self.counters.rtt_samples += 1;
        self.sample = Some(sample);
        Some(sample)
    }

    /// Puts the blocks on the scoreboard. True if one told something new, which is what
    /// RFC 6675 §2 calls a duplicate acknowledgement.
    fn take_sack_blocks(&mut self, segment: &Segment) -> bool {
        let outstanding = self.send.outstanding();
        let mut news = false;
        for block in segment.options.sack.as_slice() {
            let start = block.start.unwrap(self.isn, self.send.una);
            let end = block.end.unwrap(self.isn, self.send.una);
            if let (Some(start), Some(end)) = (start, end) {
                if start < end {
                    news |= self
                        .recovery
                        .on_sack_block(outstanding, Range::new(start, end));
                }
            }
        }
        self.recovery.on_sack_updated(outstanding);
        news
    }

    fn take_duplicate_ack(&mut self, now: Time) {
        self.counters.duplicate_acks_received += 1;
        let loss = Loss {
            now,
            in_flight: self.send.flight(),
        };
        let outstanding = self.send.outstanding();
        if self
            .recovery
            .on_duplicate_ack(outstanding, loss, &mut self.congestion)
        {
            self.counters.fast_recoveries += 1;
        }
    }

    fn take_fin_acknowledgment(&mut self, now: Time) {
        self.state = self.state.after(Transition::FinAcknowledged);
        match self.state {
            State::TimeWait => self.start_time_wait(now),
            State::Closed => self.end(Event::Closed),
            _ => {}
        }
    }
}

/// RFC 5681 §2 (b) and (c): an acknowledgement that carries nothing else.
#[inline]
fn is_pure_ack(segment: &Segment) -> bool {
    segment.payload == 0 && !segment.flags.intersects(Flags::SYN | Flags::FIN)
}
