//! Retransmissions of what the receiver had, as its answers show.

use std::cmp::Reverse;

use super::out_of_sequence::DoubtfulRetransmission;
use super::{DirectionState, DirectionTrouble};
use crate::cause::{Cause, InferredPhase};
use crate::counters::DirectionCounters;
use crate::step::{Fact, Note};
use dissect::{SackRange, TcpSegment};

impl DirectionState {
    /// The receiver has something twice: one segment, or several that its card put together.
    #[cold]
    pub(super) fn take_duplicate_report(
        &mut self,
        report: SackRange,
        now: u64,
        note: &mut impl Note,
    ) {
        let Some((mut start, end)) = self.unwrap(report.left).zip(self.unwrap(report.right)) else {
            return;
        };
        // Half of it, as the shortest so far may have been that of a queue. (Inferred.)
        let answered_ns = now.saturating_sub(self.least_answer_ns() / 2);
        let trouble = self.trouble();
        trouble.counters.duplicates_reported += 1;
        note.note(Fact::ReportsDuplicate);
        while let Some(mut again) = trouble.take_reported(start, end, answered_ns) {
            trouble.counters.find_needless(&mut again, note);
            start = again.end;
        }
    }

    /// Without SACK nothing reports what came twice. But an acknowledgment of more than `before`
    /// that echoes an older timestamp than the repair's is of the original, and undoes a recovery
    /// that began with the repair (RFC 3522; tcp_packet_delayed of Linux). How soon it comes tells
    /// nothing: the shortest round trip so far may have been that of a queue.
    #[cold]
    pub(super) fn look_for_needless(
        &mut self,
        acknowledgment: &TcpSegment,
        before: u64,
        note: &mut impl Note,
    ) {
        if self.is_reported_on() {
            return;
        }
        let echo = acknowledgment.options.timestamps.map(|(_, echo)| echo);
        let ack = self.acked;
        let trouble = self.trouble();
        let is_undone = is_older(echo, trouble.recovery_clock);
        let DirectionTrouble {
            recent, counters, ..
        } = trouble;
        recent.retain_mut(|again| {
            // What is echoed is the timestamp of the segment that began with the number asked for
            // (RFC 7323 §4.3).
            let is_meant = again.start <= before && before < again.end && again.end <= ack;
            let is_needless =
                is_meant && again.cause.is_retransmission() && is_older(echo, again.clock);
            if is_needless {
                counters.find_needless(again, note);
            }
            !is_needless
        });
        if is_undone {
            self.phase = InferredPhase::Open;
        }
    }

    /// Returns whether the receiver reports what comes twice, as far as is known.
    pub(super) const fn is_reported_on(&self) -> bool {
        self.has_sack || self.hears_reports
    }

    /// The shortest time from the point of capture to the receiver and back so far; 0 if unknown.
    /// The handshake's is longer wherever the sender is away, and shorter where full segments take
    /// their time.
    fn least_answer_ns(&self) -> u64 {
        match self.handshake_ns {
            0 => self.rtt.min_ns,
            handshake_ns => self.rtt.min_ns.min(handshake_ns),
        }
    }
}

/// Returns whether what is echoed was sent before a timestamp.
fn is_older(echo: Option<u32>, clock: Option<u32>) -> bool {
    let clocks = echo.zip(clock);
    clocks.is_some_and(|(echo, clock)| (echo.wrapping_sub(clock) as i32) < 0)
}

impl DirectionCounters {
    /// A retransmission turns out to have been needless.
    fn find_needless(&mut self, again: &mut DoubtfulRetransmission, note: &mut impl Note) {
        let cause = again.cause.needless();
        self.reclassify(again.cause, cause);
        again.cause = cause;
        note.note(Fact::Revises(again.revision(false)));
    }
}

impl DirectionTrouble {
    /// Returns what the receiver means first that reports to have got `start..end` twice: what
    /// covers the lowest of these numbers. What the network doubled comes twice for certain; that a
    /// repair did is said of it only if nothing else explains the report. Of several copies the
    /// last came in vain, among those sent before `answered_ns`, which can have arrived.
    fn take_reported(
        &mut self,
        start: u64,
        end: u64,
        answered_ns: u64,
    ) -> Option<DoubtfulRetransmission> {
        let recent = self.recent.iter().enumerate();
        let meant = recent.filter(|(_, again)| again.start < end && start < again.end);
        let first = meant.min_by_key(|(_, again)| {
            let is_double = again.cause == Cause::NetworkDuplicate;
            let is_on_its_way = again.time_ns > answered_ns;
            let number = Reverse(again.number);
            (again.start.max(start), !is_double, is_on_its_way, number)
        });
        let (at, _) = first?;
        self.recent.remove(at)
    }
}
