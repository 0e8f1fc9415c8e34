//! Retransmissions of what the receiver had, as its answers show.

use super::again::Again;
use super::{Half, Trouble};
use crate::analysis::cause::{Cause, HOST_DELAY_NS, Phase};
use crate::dissect::{SackRange, Segment};

impl Half {
    /// The receiver has something twice: one segment, or several that its card put together.
    #[cold]
    pub(super) fn take_duplicate_report(&mut self, report: SackRange) {
        let Some((mut start, end)) = self.unwrap(report.left).zip(self.unwrap(report.right)) else {
            return;
        };
        let trouble = self.trouble();
        trouble.counters.duplicates_reported += 1;
        while let Some(again) = trouble.take_reported(start, end) {
            let was_needless = again.cause.needless();
            trouble.counters.reclassify(again.cause, was_needless);
            start = again.end;
        }
    }

    /// Without SACK nothing reports what came twice. But an acknowledgment of more than `before`
    /// that speaks of the original comes too early for that of the repair, and undoes a recovery
    /// that the repair began (RFC 3522; tcp_try_undo_partial of Linux).
    #[cold]
    pub(super) fn look_for_needless(&mut self, acknowledgment: &Segment, before: u64) {
        if self.is_reported_on() {
            return;
        }
        let answer = Answer {
            before,
            ack: self.acked,
            time_ns: acknowledgment.time_ns,
            echo: acknowledgment.options.timestamps.map(|(_, echo)| echo),
            min_rtt_ns: self.least_answer_ns(),
        };
        let trouble = self.trouble();
        let is_undone = answer.echoes_an_older(trouble.recovery_clock) == Some(true);
        let Trouble {
            recent, counters, ..
        } = trouble;
        recent.retain(|again| {
            let is_needless = answer.is_of_the_original(again);
            if is_needless {
                counters.reclassify(again.cause, again.cause.needless());
            }
            !is_needless
        });
        if is_undone {
            self.phase = Phase::Open;
        }
    }

    /// Whether the receiver reports what comes twice, as far as is known.
    pub(super) const fn is_reported_on(&self) -> bool {
        self.has_sack || self.hears_reports
    }

    /// The shortest time from the point of capture to the receiver and back; 0 if unknown. The
    /// handshake's is longer wherever the sender is away, and shorter where full segments take
    /// their time.
    fn least_answer_ns(&self) -> u64 {
        match self.handshake_ns {
            0 => self.rtt.min_ns,
            handshake_ns => self.rtt.min_ns.min(handshake_ns),
        }
    }
}

/// An acknowledgment of something new, to a sender that is told nothing else.
struct Answer {
    /// What was acknowledged before.
    before: u64,
    ack: u64,
    time_ns: u64,
    echo: Option<u32>,
    min_rtt_ns: u64,
}

impl Answer {
    fn is_of_the_original(&self, again: &Again) -> bool {
        let is_acknowledged = self.before < again.end && again.end <= self.ack;
        let is_sent_again = is_acknowledged && again.cause.is_retransmission();
        // The number asked for before says of which segment the timestamp is.
        let is_asked_for = again.start <= self.before;
        let is_older = self.echoes_an_older(again.clock.filter(|_| is_asked_for));
        is_sent_again && is_older.unwrap_or_else(|| self.is_too_early_for(again))
    }

    /// Whether what arrived was sent before `clock`: what is echoed is the timestamp of the segment
    /// that began with the number asked for (RFC 7323 §4.3).
    fn echoes_an_older(&self, clock: Option<u32>) -> Option<bool> {
        let (echo, clock) = self.echo.zip(clock)?;
        Some((echo.wrapping_sub(clock) as i32) < 0)
    }

    /// Whether it comes sooner than the receiver ever answered, by more than a host varies.
    const fn is_too_early_for(&self, again: &Again) -> bool {
        let took_ns = self.time_ns.saturating_sub(again.time_ns);
        took_ns < self.min_rtt_ns.saturating_sub(HOST_DELAY_NS)
    }
}

impl Trouble {
    /// What the receiver means first that reports to have got `start..end` twice: what covers the
    /// lowest of these numbers. What the network doubled comes twice for certain; that a repair did
    /// is said of it only if nothing else explains the report.
    pub(super) fn take_reported(&mut self, start: u64, end: u64) -> Option<Again> {
        let recent = self.recent.iter().enumerate();
        let meant = recent.filter(|(_, again)| again.start < end && start < again.end);
        let first = meant.min_by_key(|(_, again)| {
            let is_double = again.cause == Cause::NetworkDuplicate;
            (again.start.max(start), !is_double)
        });
        let (at, _) = first?;
        self.recent.remove(at)
    }
}
