//! A segment arrives: the steps of RFC 9293 §3.10.7.

use units::Time;

use super::{AckDue, Connection};
use crate::receive::{PayloadArrival, Text};
use crate::state::Transition;
use crate::timers::Timer;
use crate::{Event, Failure, Flags, Segment, SendCause, State};

/// Result of the sequence number check (RFC 9293 §3.10.7.4, first).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SequenceCheck {
    /// Take all of it. The offset is that of the first byte.
    Acceptable { start: u64 },
    /// Its payload is old or finds no room, but its acknowledgement may be news.
    AckOnly { start: u64 },
    /// Not of this window, or too old by its timestamp.
    Unacceptable,
}

/// Continuation: a later step gets the segment, or none does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrivalStep {
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
            State::TimeWait if self.config.is_linux() => self.arrive_in_time_wait(now, segment),
            State::FinWait2 if self.is_left_alone() => self.arrive_left_alone(now, segment),
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
            && self.check_control(now, segment, check) == ArrivalStep::Drop
        {
            return;
        }
        if !segment.flags.contains(Flags::ACK) {
            return;
        }
        match check {
            SequenceCheck::Acceptable { start } => {
                let is_linux = self.config.is_linux();
                if !is_linux {
                    self.note_timestamp(segment, start);
                }
                let echoes = is_linux && self.state == State::Established;
                if self.take_acknowledgment(now, segment, start) == ArrivalStep::Continue {
                    if is_linux {
                        self.note_timestamp(segment, start);
                    }
                    if echoes {
                        self.follow_echo(now, segment);
                    }
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
        if self.is_timestamp_old(segment)
            || self.state == State::SynReceived && self.is_beyond_first_window(start)
        {
            SequenceCheck::Unacceptable
        } else if self.config.is_linux() {
            let fin = segment.flags.contains(Flags::FIN);
            if self
                .receive
                .is_acceptable_to_linux(start, start + length, fin)
            {
                SequenceCheck::Acceptable { start }
            } else {
                SequenceCheck::Unacceptable
            }
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

    /// PAWS (RFC 7323 §5.3 R1). A reset is exempt; Linux lets pass what is one tick too old
    /// (TCP_PAWS_WINDOW).
    #[inline]
    pub(super) fn is_timestamp_old(&self, segment: &Segment) -> bool {
        match (&self.timestamps, segment.options.timestamps) {
            (Some(state), Some(t)) if !segment.flags.contains(Flags::RST) => {
                let age = t.value.wrapping_sub(state.recent) as i32;
                age < 0 && (age < -1 || !self.config.is_linux())
            }
            _ => false,
        }
    }

    /// RFC 7323 §4.3 (2), which goes by the sequence number alone; Linux first wants to believe the
    /// acknowledgement beside it (tcp_ack).
    #[inline]
    pub(super) fn note_timestamp(&mut self, segment: &Segment, start: u64) {
        if let (Some(state), Some(t)) = (&mut self.timestamps, segment.options.timestamps) {
            let is_newer = (t.value.wrapping_sub(state.recent) as i32) >= 0;
            if start <= state.last_ack_sent && is_newer {
                state.recent = t.value;
            }
        }
    }

    /// An unacceptable segment is answered by an acknowledgement unless it is a reset.
    pub(super) fn reject(&mut self, now: Time, segment: &Segment) {
        if segment.flags.contains(Flags::RST) {
            if self.is_reset_of_fin(segment) {
                self.take_reset();
            }
            return;
        }
        let is_answered_again = self.passive || !self.config.is_linux();
        if segment.flags.contains(Flags::SYN)
            && self.state == State::SynReceived
            && is_answered_again
        {
            self.urgent.owe_syn(); // the SYN again: our SYN-ACK was lost
            return;
        }
        if self.state == State::TimeWait && segment.flags.contains(Flags::FIN) {
            self.start_time_wait(now);
        }
        self.note_repetition(segment);
        if segment.payload > 0 {
            self.ack.due = AckDue::Duplicate;
        } else if segment.flags.contains(Flags::FIN) || self.may_answer_invalid(now) {
            self.ack.due = AckDue::Now;
        }
    }

    /// Notes the repetition of data below RCV.NXT (RFC 2883; tcp_send_dupack).
    fn note_repetition(&mut self, segment: &Segment) {
        self.counters.data_segments_received += u64::from(segment.payload > 0);
        self.counters.duplicate_segments_received += u64::from(segment.payload > 0);
        let nxt = self.receive.nxt;
        let start = segment.seq.unwrap(self.peer_isn, nxt);
        let length = u64::from(segment.sequence_length());
        let is_text = length > 0 && !segment.flags.contains(Flags::SYN);
        if let Some(start) = start.filter(|&start| start < nxt && is_text) {
            if self.delayed_ack.is_adaptive() {
                self.delayed_ack.hurry(self.receive.announced());
            }
            if segment.payload > 0 || self.config.is_linux() {
                self.receive
                    .note_duplicate(start, (start + length).min(nxt));
            }
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

    /// Seventh and eighth: the payload, which begins at `start`, and the FIN.
    #[inline]
    pub(super) fn take_text(&mut self, now: Time, segment: &Segment, start: u64) {
        let length = u64::from(segment.payload);
        if self.is_unwanted(segment, start) {
            // RFC 9293 §3.10.7.4, seventh: nobody reads it; §3.5.2: as if there were no connection.
            self.refuse(segment);
            self.fail(Failure::Reset);
            return;
        }
        if self.delayed_ack.is_adaptive() {
            self.take_text_as_linux(now, segment, start);
            return;
        }
        let fin = segment.flags.contains(Flags::FIN);
        if (length > 0 || fin) && self.state_takes_text() {
            self.counters.data_segments_received += u64::from(length > 0);
            self.receive_text(now, segment.payload, start, fin);
            self.look_at_mark(segment);
        }
        if self.receive.take_fin() {
            self.take_fin(now);
        }
    }

    /// Returns whether a segment brings what nobody will read. Linux counts a FIN beyond a gap,
    /// too, and what overlaps the end that the peer has told (tcp_rcv_state_process).
    #[inline]
    fn is_unwanted(&self, segment: &Segment, start: u64) -> bool {
        let has_closed = matches!(self.state, State::FinWait1 | State::FinWait2);
        let is_linux = self.config.is_linux();
        let has_no_reader =
            self.released || self.reads_no_more && has_closed || self.is_repeated_after_end(start);
        let is_text = segment.payload > 0 || is_linux && segment.flags.contains(Flags::FIN);
        has_no_reader && is_text && start + u64::from(segment.payload) > self.receive.nxt
    }

    #[inline]
    fn receive_text(&mut self, now: Time, payload: u32, start: u64, fin: bool) {
        let before = self.receive.nxt;
        let arrival = self.receive.accept(&Text {
            start,
            payload,
            fin,
            options: 0, // which only a buffer that counts memory asks for
        });
        self.counters.bytes_received += self.receive.nxt - before;
        if payload > 0 {
            self.counters.out_of_order_received += u64::from(start > before);
            self.owe_acknowledgment(now, arrival);
        } else if arrival == PayloadArrival::OutOfOrder {
            self.ack.due = AckDue::Duplicate; // RFC 5681 §4.2: it came out of order
        }
    }

    /// Text before the handshake is over is queued (RFC 9293 §3.10.7.2).
    #[inline]
    pub(super) fn state_takes_text(&self) -> bool {
        self.state.may_receive() || self.state == State::SynReceived
    }

    /// RFC 5681 §4.2: at once for what is out of order, old, or fills a gap; otherwise for
    /// every second segment or when the timer says so.
    #[inline]
    fn owe_acknowledgment(&mut self, now: Time, arrival: PayloadArrival) {
        match arrival {
            PayloadArrival::Empty | PayloadArrival::NoMemory => {}
            PayloadArrival::InOrder { filled_gap } => {
                self.events.push(Event::Readable);
                self.ack.segments += 1;
                let is_counted = self.config.counts_arrivals
                    && self.ack.segments >= self.config.delayed_ack_segments;
                if filled_gap || is_counted {
                    self.ack.due = AckDue::Now;
                } else {
                    self.delay_acknowledgment(now);
                }
            }
            PayloadArrival::OutOfOrder => self.ack.due = AckDue::Duplicate,
            PayloadArrival::Duplicate { .. } => {
                self.counters.duplicate_segments_received += 1;
                self.ack.due = AckDue::Duplicate;
            }
            PayloadArrival::OutsideWindow => self.ack.due = AckDue::Now,
        }
    }

    fn delay_acknowledgment(&mut self, now: Time) {
        if !self.timers.is_armed(Timer::DelayedAck) {
            let deadline = now + self.delayed_ack.timeout();
            self.timers.arm(Timer::DelayedAck, deadline);
        }
    }

    pub(super) fn take_fin(&mut self, now: Time) {
        self.counters.bytes_received -= 1; // it took a sequence number
        if self.delayed_ack.is_adaptive() {
            self.answer_fin_as_linux(now);
        } else {
            self.ack.due = AckDue::Now;
        }
        self.state = self.state.after(Transition::Fin);
        self.events.push(Event::PeerClosed);
        if self.state == State::TimeWait {
            self.enter_time_wait(now);
        }
    }

    /// Answers a segment that acknowledges what was never sent.
    pub(super) fn refuse(&mut self, segment: &Segment) {
        if let Some(reset) = refusal(segment) {
            self.urgent.owe(reset);
        }
    }
}

/// RFC 9293 §3.5.2 groups 1 and 2: a segment that belongs to no connection, or acknowledges
/// what was never sent, is answered by a reset; a reset never is.
pub fn refusal(segment: &Segment) -> Option<Segment> {
    if segment.flags.contains(Flags::RST) {
        return None;
    }
    let mut reset = Segment {
        flags: Flags::RST,
        kind: SendCause::Control,
        ..Segment::default()
    };
    if segment.flags.contains(Flags::ACK) {
        reset.seq = segment.ack;
    } else {
        reset.flags |= Flags::ACK;
        reset.ack = segment.seq + segment.sequence_length();
    }
    Some(reset)
}
