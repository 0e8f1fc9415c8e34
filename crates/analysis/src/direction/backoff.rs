//! A timer that backs off, seen from one side: where nobody acknowledges, only the times between
//! the copies of a segment tell why it was retransmitted.

use super::out_of_sequence::DoubtfulRetransmission;
use super::{DirectionState, DirectionTrouble};
use crate::cause::Cause;
use crate::step::{Fact, Note};

/// The copies of one segment that nobody was heard to acknowledge.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Backoff {
    start: u64,
    /// From the copy before the last to the last.
    interval_ns: u64,
    /// The interval was twice the one before.
    is_known: bool,
}

impl Backoff {
    /// A copy follows so long behind the one before: whether that is twice the time between those
    /// before, which only a timer that backs off takes (RFC 6298 §5.5). It may be an eighth off, as a
    /// host may be late (inferred).
    const fn doubles(self, start: u64, interval_ns: u64) -> bool {
        let twice_ns = self.interval_ns.saturating_mul(2);
        let is_same = start == self.start && twice_ns > 0;
        is_same && interval_ns.abs_diff(twice_ns) <= twice_ns / 8
    }

    /// A copy follows so long behind the one before: whether a timer that doubled before has come to
    /// its limit meanwhile (RFC 6298 (2.5)).
    const fn is_at_limit(self, start: u64, interval_ns: u64) -> bool {
        let least_ns = self.interval_ns - self.interval_ns / 8;
        let is_between =
            least_ns <= interval_ns && interval_ns < self.interval_ns.saturating_mul(2);
        start == self.start && self.is_known && is_between
    }
}

impl DirectionState {
    /// Returns whether the copies of what begins at `start` come as those of a timer that backs
    /// off. Then so did those before, of which nothing was known.
    pub(super) fn backs_off(&mut self, start: u64, interval_ns: u64, note: &mut impl Note) -> bool {
        let trouble = self.trouble();
        let before = trouble.backoff;
        let doubles = before.doubles(start, interval_ns);
        let is_known = doubles || before.is_at_limit(start, interval_ns);
        trouble.backoff = Backoff {
            start,
            interval_ns,
            is_known,
        };
        if doubles {
            trouble.explain_by_timer(start, note);
        }
        is_known
    }
}

impl DirectionTrouble {
    /// Puts retransmissions from `start` on whose cause was unknown down to a timer.
    fn explain_by_timer(&mut self, start: u64, note: &mut impl Note) {
        let DirectionTrouble {
            recent, counters, ..
        } = self;
        let is_meant = |again: &&mut DoubtfulRetransmission| {
            (again.start, again.cause) == (start, Cause::Unknown)
        };
        for again in recent.iter_mut().filter(is_meant) {
            again.cause = Cause::Timeout;
            counters.reclassify(Cause::Unknown, Cause::Timeout);
            counters.timeouts += 1;
            note.note(Fact::Revises(again.revision(true)));
        }
    }
}
