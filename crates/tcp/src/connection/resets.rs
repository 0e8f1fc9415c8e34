//! Resets that arrive, and SYNs where none is due: RFC 9293 §3.10.7.4 second and fourth, RFC 5961.

use units::Time;

use super::arrival::{ArrivalStep, SequenceCheck};
use super::{AckDue, Connection};
use crate::{Event, Failure, Flags, Segment, State};

impl Connection {
    /// Second and fourth: RST and SYN.
    pub(super) fn check_control(
        &mut self,
        now: Time,
        segment: &Segment,
        check: SequenceCheck,
    ) -> ArrivalStep {
        if segment.flags.contains(Flags::RST) {
            if self.is_reset_exact(segment) {
                self.take_reset();
            } else if matches!(check, SequenceCheck::Acceptable { .. })
                && self.may_answer_invalid(now)
            {
                self.ack.due = AckDue::Now; // RFC 5961 §3.2: a challenge
            }
            return ArrivalStep::Drop;
        }
        if self.is_request() && self.config.is_linux() {
            return self.check_syn_of_request(now, segment);
        }
        // In SYN-RECEIVED our SYN and the peer's SYN-ACK have crossed; its acknowledgement
        // counts. Elsewhere a SYN gets a challenge (RFC 5961 §4.2).
        if self.state == State::SynReceived && self.is_crossing_answer(segment) {
            return ArrivalStep::Continue;
        }
        self.reject(now, segment);
        ArrivalStep::Drop
    }

    /// Returns whether the peer waits for the end of a handshake that it began.
    pub(super) fn is_request(&self) -> bool {
        self.state == State::SynReceived && self.passive
    }

    /// Returns whether a segment with a SYN answers ours, which crossed the peer's. Linux looks
    /// closely (`tcp_validate_incoming`).
    fn is_crossing_answer(&self, segment: &Segment) -> bool {
        let is_exact = segment.seq == self.peer_isn
            && segment.payload == 0
            && segment.ack == self.isn.at(self.send.nxt);
        segment.flags.contains(Flags::ACK) && (is_exact || !self.config.is_linux())
    }

    /// Linux: another SYN than the one that began the handshake is refused, and the handshake is
    /// over; one that data came with stays (`tcp_check_req`).
    fn check_syn_of_request(&mut self, now: Time, segment: &Segment) -> ArrivalStep {
        let is_repetition = segment.seq == self.peer_isn && !segment.flags.contains(Flags::ACK);
        if is_repetition {
            self.reject(now, segment);
            return ArrivalStep::Drop;
        }
        let is_early = self.is_early();
        if !is_early {
            self.listen_again();
        }
        self.refuse(segment);
        ArrivalStep::Drop
    }

    /// Returns whether a reset has the number that is awaited, or one that Linux takes for it.
    fn is_reset_exact(&self, segment: &Segment) -> bool {
        segment.seq == self.peer_isn.at(self.receive.nxt)
            || self.is_reset_of_fin(segment)
            || self.is_reset_beyond_gap(segment)
    }

    /// Linux: a reset with the number of the FIN before it, as macOS sends it
    /// (`tcp_reset_check`).
    pub(super) fn is_reset_of_fin(&self, segment: &Segment) -> bool {
        let has_ended = self.state.is_after_fin();
        let before = self.receive.nxt.saturating_sub(1);
        self.config.is_linux() && has_ended && segment.seq == self.peer_isn.at(before)
    }

    /// Linux: a reset right behind all that has arrived, of which the peer knows by SACK
    /// (`tcp_validate_incoming`).
    fn is_reset_beyond_gap(&self, segment: &Segment) -> bool {
        if !self.config.is_linux() || !self.sack {
            return false;
        }
        let ends = self.receive.sack_blocks().iter().map(|block| block.end);
        ends.max()
            .is_some_and(|end| segment.seq == self.peer_isn.at(end))
    }

    pub(super) fn take_reset(&mut self) {
        let is_linux = self.config.is_linux();
        match self.state {
            State::SynReceived if self.passive && !self.is_early() => self.listen_again(),
            State::SynReceived if !self.is_early() && !is_linux => self.fail(Failure::Refused),
            State::TimeWait => self.end(Event::Closed),
            State::Closing | State::LastAck if !is_linux => self.end(Event::Closed),
            _ => self.fail(Failure::Reset),
        }
    }

    /// Undoes what came of a SYN.
    fn listen_again(&mut self) {
        let counters = self.counters;
        *self = Connection::new(self.config, State::Listen, self.isn);
        self.passive = true;
        self.counters = counters;
    }
}
