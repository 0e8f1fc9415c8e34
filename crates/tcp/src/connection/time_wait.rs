//! The remains of a connection: TIME-WAIT, and with Linux FIN-WAIT-2 once the application has gone,
//! which it keeps in the same small form (`tcp_timewait_state_process`).

use units::Time;

use super::{AckDue, Connection};
use crate::timers::Timer;
use crate::{Event, Flags, Segment};

impl Connection {
    pub(super) fn enter_time_wait(&mut self, now: Time) {
        self.tell_finished();
        self.start_time_wait(now);
    }

    pub(super) fn start_time_wait(&mut self, now: Time) {
        self.timers.cancel_all();
        self.timers
            .arm(Timer::TimeWait, now + self.config.time_wait);
    }

    /// Linux answers all but an empty segment with the number that is awaited, which a reset must
    /// have, too. What acknowledges begins the wait anew.
    pub(super) fn arrive_in_time_wait(&mut self, now: Time, segment: &Segment) {
        let is_reset = segment.flags.contains(Flags::RST);
        let is_old = self.is_timestamp_old(segment);
        let is_next = segment.seq == self.peer_isn.at(self.receive.nxt);
        let is_empty = segment.sequence_length() == 0;
        if !is_old && is_next && (is_empty || is_reset) {
            if is_reset {
                self.end(Event::Closed);
            } else {
                self.note_timestamp(segment, self.receive.nxt);
                self.start_time_wait(now);
            }
        } else if !is_reset {
            if is_old || segment.flags.contains(Flags::ACK) {
                self.start_time_wait(now);
            }
            self.answer_left_alone(now, segment);
        }
    }

    /// Returns whether Linux has kept only what it must of a connection in FIN-WAIT-2.
    pub(super) fn is_left_alone(&self) -> bool {
        self.config.is_linux() && self.released && self.timers.is_armed(Timer::TimeWait)
    }

    /// Linux: only a FIN is still awaited.
    pub(super) fn arrive_left_alone(&mut self, now: Time, segment: &Segment) {
        let length = u64::from(segment.sequence_length());
        let nxt = self.receive.nxt;
        let start = segment.seq.unwrap(self.peer_isn, nxt);
        let in_window = start.filter(|&start| self.receive.is_acceptable(start, length));
        let flags = segment.flags;
        let Some(start) = in_window.filter(|_| !self.is_timestamp_old(segment)) else {
            self.answer_left_alone(now, segment);
            return;
        };
        if flags.contains(Flags::RST) {
            self.end(Event::Closed);
        } else if flags.contains(Flags::SYN) && start >= nxt {
            self.leave_by_reset(segment);
        } else if !flags.contains(Flags::ACK) || length == 0 || start + length <= nxt {
            // Nothing new.
        } else if !flags.contains(Flags::FIN) || start + length != nxt + 1 {
            self.leave_by_reset(segment);
        } else {
            self.note_timestamp(segment, start);
            self.take_text(now, segment, start); // whatever it acknowledges
        }
    }

    fn leave_by_reset(&mut self, segment: &Segment) {
        self.refuse(segment);
        self.end(Event::Closed);
    }

    /// Answers what takes sequence space always, and the rest now and then
    /// (`tcp_timewait_check_oow_rate_limit`).
    fn answer_left_alone(&mut self, now: Time, segment: &Segment) {
        let takes_space = segment.payload > 0 && !segment.flags.contains(Flags::SYN);
        if takes_space || self.may_answer_invalid(now) {
            self.ack.due = AckDue::Now;
        }
    }
}
