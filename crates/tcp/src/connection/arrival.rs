//! A segment arrives: the steps of RFC 9293 §3.10.7.

use units::{Duration, Time};

use super::{AckDue, Connection};
use crate::receive::Arrival;
use crate::state::Transition;
use crate::timers::Timer;
use crate::{Event, Failure, Flags, Kind, Segment, State};

/// What the sequence number check found (RFC 9293 §3.10.7.4, first).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SequenceCheck {
    /// Take all of it. The offset is that of the first byte.
    Acceptable { start: u64 },
    /// Its payload is old or finds no room, but its acknowledgement may be news.
    AckOnly { start: u64 },
    /// Not of this window, or too old by its timestamp.
    Unacceptable,
}

/// Whether a later step still gets the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Continue,
    Drop,
}

impl Connection {
    /// Takes a segment from the network.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        self.counters.segments_received += 1;
        self.last_heard = now;
        match self.state {
            State::Closed => self.refuse(segment),
            State::Listen => self.arrive_in_listen(now, segment),
            State::SynSent => self.arrive_in_syn_sent(now, segment),
            _ => self.arrive(now, segment),
        }
    }

    /// RFC 9293 §3.10.7.4.
    fn arrive(&mut self, now: Time, segment: &Segment) {
        let check = self.check_sequence(segment);
        if check == SequenceCheck::Unacceptable {
            self.reject(now, segment);
            return;
        }
        if segment.flags.intersects(Flags::RST | Flags::SYN)
            && self.check_control(now, segment, check) == Step::Drop
        {
            return;
        }
        if !segment.flags.contains(Flags::ACK) {
            return;
        }
        match check {
            SequenceCheck::Acceptable { start } => {
                self.note_timestamp(segment, start);
                if self.take_acknowledgment(now, segment, start) == Step::Continue {
                    self.take_text(now, segment, start);
                }
            }
            SequenceCheck::AckOnly { start } => {
                self.reject(now, segment);
                self.take_acknowledgment(now, segment, start);
            }
            SequenceCheck::Unacceptable => {}
        }
    }

    #[inline]
    fn check_sequence(&self, segment: &Segment) -> SequenceCheck {
        let Some(start) = segment.seq.unwrap(self.peer_isn, self.receive.nxt) else {
            return SequenceCheck::Unacceptable;
        };
        let length = u64::from(segment.sequence_length());
        if self.is_timestamp_old(segment) {
            SequenceCheck::Unacceptable
        } else if self.receive.is_acceptable(start, length) {
            SequenceCheck::Acceptable { start }
        } else if start <= self.receive.nxt {
            // RFC 9293 §3.10.7.4 allows it for a closed window; an old segment is the same
            // case, as its sender may have been waiting for our acknowledgement.
            SequenceCheck::AckOnly { start }
        } else {
            SequenceCheck::Unacceptable
        }
    }

    /// PAWS (RFC 7323 §5.3 R1). A reset is exempt.
    #[inline]
    fn is_timestamp_old(&self, segment: &Segment) -> bool {
        match (&self.timestamps, segment.options.timestamps) {
            (Some(state), Some(t)) if !segment.flags.contains(Flags::RST) => {
                (t.value.wrapping_sub(state.recent) as i32) < 0
            }
            _ => false,
        }
    }

    /// RFC 7323 §4.3 (2).
    #[inline]
    fn note_timestamp(&mut self, segment: &Segment, start: u64) {
        if let (Some(state), Some(t)) = (&mut self.timestamps, segment.options.timestamps) {
            if start <= state.last_ack_sent {
                state.recent = t.value;
            }
        }
    }

    /// An unacceptable segment is answered by an acknowledgement unless it is a reset.
    fn reject(&mut self, now: Time, segment: &Segment) {
        if segment.flags.contains(Flags::RST) {
            return;
        }
        if segment.flags.contains(Flags::SYN) && self.state == State::SynReceived {
            self.urgent.owe_syn(); // the SYN again: our SYN-ACK was lost
            return;
        }
        if self.state == State::TimeWait && segment.flags.contains(Flags::FIN) {
            self.start_time_wait(now);
        }
        if segment.payload > 0 {
            if self.delayed_ack.is_adaptive() {
                self.delayed_ack.hurry(self.receive.window());
            }
            self.counters.data_segments_received += 1;
            self.counters.duplicate_segments_received += 1;
            if let Some(start) = segment.seq.unwrap(self.peer_isn, self.receive.nxt) {
                let end = start + u64::from(segment.payload);
                self.receive
                    .note_duplicate(start, end.min(self.receive.nxt));
            }
        }
        if segment.payload > 0 {
            self.ack.due = AckDue::Duplicate;
        } else if segment.flags.contains(Flags::FIN) || self.may_answer_invalid(now) {
            self.ack.due = AckDue::Now;
        }
    }

    /// RFC 5961 §7: answers to what is not valid may be limited, lest two ends answer each other
    /// for ever. What takes sequence space is answered all the same (tcp_oow_rate_limited).
    pub(super) fn may_answer_invalid(&mut self, now: Time) -> bool {
        let interval = self.config.invalid_answer_interval;
        let is_allowed = self
            .invalid_answered
            .is_none_or(|last| now - last >= interval);
        if is_allowed {
            self.invalid_answered = Some(now);
        }
        is_allowed
    }

    /// Second and fourth: RST and SYN.
    fn check_control(&mut self, now: Time, segment: &Segment, check: SequenceCheck) -> Step {
        if segment.flags.contains(Flags::RST) {
            if segment.seq == self.peer_isn.at(self.receive.nxt) {
                self.take_reset();
            } else if matches!(check, SequenceCheck::Acceptable { .. })
                && self.may_answer_invalid(now)
            {
                self.ack.due = AckDue::Now; // RFC 5961 §3.2: a challenge
            }
            return Step::Drop;
        }
        // In SYN-RECEIVED our SYN and the peer's SYN-ACK have crossed; its acknowledgement
        // counts. Elsewhere a SYN gets a challenge (RFC 5961 §4.2).
        if self.state == State::SynReceived && segment.flags.contains(Flags::ACK) {
            return Step::Continue;
        }
        self.reject(now, segment);
        Step::Drop
    }

    fn take_reset(&mut self) {
        match self.state {
            State::SynReceived if self.passive => {
                let counters = self.counters;
                *self = Connection::new(self.config, State::Listen, self.isn);
                self.passive = true;
                self.counters = counters;
            }
            State::SynReceived => self.fail(Failure::Refused),
            State::Closing | State::LastAck | State::TimeWait => self.end(Event::Closed),
            _ => self.fail(Failure::Reset),
        }
    }

    /// Seventh and eighth: the payload, which begins at `start`, and the FIN.
    #[inline]
    pub(super) fn take_text(&mut self, now: Time, segment: &Segment, start: u64) {
        let length = u64::from(segment.payload);
        if length > 0 && self.released {
            self.abort_with(Failure::Reset); // RFC 9293 §3.10.7.4, seventh: nobody reads it
            return;
        }
        let ends = segment.flags.contains(Flags::FIN) && start <= self.receive.nxt;
        if ends && self.delayed_ack.is_adaptive() && self.state == State::Established {
            // Linux's tcp_fin: whoever is left to close will soon say something.
            self.delayed_ack.set_conversation(true);
        }
        if length > 0 && self.state_takes_text() {
            self.counters.data_segments_received += 1;
            let before = self.receive.nxt;
            let arrival = self.receive.accept(start, length);
            self.counters.bytes_received += self.receive.nxt - before;
            if matches!(arrival, Arrival::InOrder { .. }) {
                self.follow_arrivals(now, segment);
            }
            self.owe_acknowledgment(now, arrival);
        }
        if segment.flags.contains(Flags::FIN) && self.state_takes_text() {
            self.receive.note_fin(start + length);
            if length == 0 && start > self.receive.nxt {
                self.ack.due = AckDue::Duplicate; // RFC 5681 §4.2: it came out of order
            }
        }
        if self.receive.take_fin() {
            self.take_fin(now);
        }
    }

    /// What arrives in order tells of the peer's segments and pace (`tcp_event_data_recv`).
    #[inline]
    fn follow_arrivals(&mut self, now: Time, segment: &Segment) {
        let is_pushed = segment.flags.contains(Flags::PSH);
        self.delayed_ack.note_payload(segment.payload, is_pushed);
        if self.delayed_ack.is_adaptive() {
            let window = self.receive.window();
            self.delayed_ack.follow_pace(now, self.rtt.rto(), window);
        }
    }

    /// Text before the handshake is over is queued (RFC 9293 §3.10.7.2).
    #[inline]
    fn state_takes_text(&self) -> bool {
        self.state.may_receive() || self.state == State::SynReceived
    }

    /// RFC 5681 §4.2: at once for what is out of order, old, or fills a gap; otherwise for
    /// every second segment or when the timer says so.
    #[inline]
    fn owe_acknowledgment(&mut self, now: Time, arrival: Arrival) {
        match arrival {
            Arrival::Empty => {}
            Arrival::InOrder { filled_gap } => {
                self.events.push(Event::Readable);
                self.ack.segments += 1;
                if self.gathers() && self.receive.has_gap() {
                    self.acknowledge_gap(now);
                } else if filled_gap || self.is_acknowledgment_ripe() {
                    self.ack.due = AckDue::Now;
                } else {
                    self.delay_acknowledgment(now);
                }
            }
            Arrival::OutOfOrder => {
                self.counters.out_of_order_received += 1;
                self.acknowledge_gap(now);
            }
            Arrival::Duplicate => {
                self.counters.duplicate_segments_received += 1;
                self.acknowledge_gap(now);
            }
            Arrival::OutsideWindow => self.ack.due = AckDue::Now,
        }
    }

    /// Whether the stack lets acknowledgements for a gap wait for each other.
    #[inline]
    fn gathers(&self) -> bool {
        self.config.compressed_ack > Duration::ZERO && self.sack
    }

    /// There are data beyond a gap: at once (RFC 5681 §4.2), but where the stack gathers such
    /// acknowledgements, those after the third wait a little for each other.
    fn acknowledge_gap(&mut self, now: Time) {
        let waits = self.gathers()
            && self.receive.has_gap()
            && !self.is_acknowledgment_ripe()
            && self.delayed_ack.may_gather(self.receive.nxt);
        if !waits {
            self.ack.due = AckDue::Duplicate;
            return;
        }
        let limit = self.config.compressed_ack;
        let share = self.rtt.smoothed().map_or(limit, |srtt| srtt / 20);
        let deadline = now + share.min(limit);
        if deadline < self.timers.deadline(Timer::DelayedAck) {
            self.timers.arm(Timer::DelayedAck, deadline);
        }
    }

    fn delay_acknowledgment(&mut self, now: Time) {
        if self.timers.is_armed(Timer::DelayedAck) {
            return;
        }
        let delay = if self.delayed_ack.is_adaptive() {
            self.delayed_ack.delay(self.rtt.smoothed())
        } else {
            self.config.delayed_ack
        };
        self.timers.arm(Timer::DelayedAck, now + delay);
    }

    /// The n-th segment by most stacks; by Linux more than one full segment, as long as the
    /// application keeps up with reading, or a quick one (__tcp_ack_snd_check).
    #[inline]
    fn is_acknowledgment_ripe(&self) -> bool {
        if !self.delayed_ack.is_adaptive() {
            return self.ack.segments >= self.config.delayed_ack_segments;
        }
        let unacknowledged = self.receive.nxt - self.acknowledged;
        let segments = u64::from(self.config.delayed_ack_segments - 1);
        let is_long = unacknowledged > segments * u64::from(self.delayed_ack.segment());
        is_long && self.receive.is_opening(self.acknowledged) || self.delayed_ack.is_quick()
    }

    fn take_fin(&mut self, now: Time) {
        let may_wait = self.delayed_ack.may_wait_for_close() && self.state == State::Established;
        self.state = self.state.after(Transition::Fin);
        if may_wait {
            self.delay_acknowledgment(now);
        } else {
            self.ack.due = AckDue::Now;
        }
        self.events.push(Event::PeerClosed);
        if self.state == State::TimeWait {
            self.start_time_wait(now);
        }
    }

    pub(super) fn start_time_wait(&mut self, now: Time) {
        self.timers.cancel_all();
        self.timers
            .arm(Timer::TimeWait, now + self.config.time_wait);
    }

    /// RFC 9293 §3.5.2 groups 1 and 2: a segment that belongs to no connection, or
    /// acknowledges what was never sent, is answered by a reset; a reset never is.
    pub(super) fn refuse(&mut self, segment: &Segment) {
        if segment.flags.contains(Flags::RST) {
            return;
        }
        let mut reset = Segment {
            flags: Flags::RST,
            kind: Kind::Control,
            ..Segment::default()
        };
        if segment.flags.contains(Flags::ACK) {
            reset.seq = segment.ack;
        } else {
            reset.flags |= Flags::ACK;
            reset.ack = segment.seq + segment.sequence_length();
        }
        self.urgent.owe(reset);
    }
}
