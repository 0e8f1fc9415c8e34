//! The rules that name a cause, in the order in which they are asked: the first whose evidence
//! speaks decides.

use super::Cause;
use super::evidence::{Evidence, InferredPhase};

/// A rule.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Reason for its cause, in words.
    pub because: &'static str,
    speaks: fn(&Evidence) -> bool,
    cause: Cause,
}

/// The rules. Where a name stands in brackets it is a function of Linux.
pub(crate) const RULES: [Rule; 21] = [
    // What the sender sent once, or had to retransmit whatever the receiver has.
    Rule {
        because: "it was sent before what overtook it",
        speaks: Evidence::was_only_delayed,
        cause: Cause::Reordering,
    },
    // RFC 1191 §6.5, RFC 8201 §5.4 (tcp_simple_retransmit).
    Rule {
        because: "a router said that it was too large",
        speaks: |evidence| evidence.was_too_big,
        cause: Cause::PathMtu,
    },
    Rule {
        because: "it is a copy of a packet that was captured before",
        speaks: Evidence::was_doubled,
        cause: Cause::NetworkDuplicate,
    },
    // tcp_retransmit_timer: "our retransmits become zero probes".
    Rule {
        because: "the receiver took back the window that it had room in",
        speaks: Evidence::is_refused,
        cause: Cause::WindowProbe,
    },
    // Why the sender thought that it was lost.
    // RFC 6298 §5.
    Rule {
        because: "it opens the connection again",
        speaks: |evidence| evidence.is_in_syn,
        cause: Cause::Timeout,
    },
    // RFC 7413 §4.2.2.
    Rule {
        because: "the answer to the SYN did not take it",
        speaks: |evidence| evidence.was_declined,
        cause: Cause::Rack,
    },
    // RFC 6298 §5.5.
    Rule {
        because: "the times between its copies double, up to a limit",
        speaks: |evidence| evidence.backs_off,
        cause: Cause::Timeout,
    },
    Rule {
        because: "no acknowledgment was captured",
        speaks: |evidence| evidence.is_unheard,
        cause: Cause::Unknown,
    },
    // RFC 6298 §5.4 and what follows in that recovery (tcp_enter_loss).
    Rule {
        because: "the timer had expired, and that recovery goes on",
        speaks: |evidence| evidence.phase == InferredPhase::Timeout,
        cause: Cause::Timeout,
    },
    // RFC 8985 §6.2.
    Rule {
        because: "what was sent later is delivered, and nobody reports it missing",
        speaks: Evidence::was_missed_by_time,
        cause: Cause::Rack,
    },
    // RFC 5681 §3.2, RFC 7323 §4.3.
    Rule {
        because: "it echoes the third duplicate acknowledgment",
        speaks: Evidence::answers_duplicates,
        cause: Cause::Fast,
    },
    // RFC 8985 §7.
    Rule {
        because: "it is the last, two round trips later, or what was reported is cut off",
        speaks: |evidence| evidence.is_tail_probe() && evidence.reports_are_cut,
        cause: Cause::Unknown,
    },
    Rule {
        because: "it is the last, two round trips later",
        speaks: Evidence::is_tail_probe,
        cause: Cause::TailProbe,
    },
    // RFC 6298 §5: recovery is driven by acknowledgments.
    Rule {
        because: "neither end was heard for a timeout",
        speaks: Evidence::was_quiet,
        cause: Cause::Timeout,
    },
    // RFC 6675 §5.
    Rule {
        because: "the recovery that duplicates began goes on",
        speaks: |evidence| evidence.phase == InferredPhase::Fast && evidence.times <= 1,
        cause: Cause::Fast,
    },
    // RFC 6298 §5.3 and §5.4.
    Rule {
        because: "a timeout passed since its last copy, and no acknowledgment set it off",
        speaks: |evidence| !evidence.is_unasked() && evidence.was_timer_among_acks(),
        cause: Cause::Timeout,
    },
    // RFC 8985 §6.2.
    Rule {
        because: "what was sent later than its last copy is delivered",
        speaks: Evidence::was_lost_again,
        cause: Cause::Rack,
    },
    // RFC 5681 §3.2, RFC 6675 §4.
    Rule {
        because: "three duplicates, or two segments reported behind it",
        speaks: Evidence::is_lost_by_duplicates,
        cause: Cause::Fast,
    },
    // RFC 8985 §6.2, RFC 5827.
    Rule {
        because: "fewer than three duplicates, or little reported behind it",
        speaks: |evidence| evidence.phase == InferredPhase::Open && !evidence.nothing_is_missed(),
        cause: Cause::Rack,
    },
    // tcp_time_to_recover; RFC 6298 §5.3: the timer began anew just then.
    Rule {
        because: "an acknowledgment of something new set it off",
        speaks: Evidence::was_set_off_by_progress,
        cause: Cause::Rack,
    },
    // RFC 6298 §5.4.
    Rule {
        because: "nothing but a timer speaks, and its time has passed",
        speaks: Evidence::only_a_timer_speaks,
        cause: Cause::Timeout,
    },
];

/// The place behind the rules: no evidence speaks.
const NO_RULE: usize = RULES.len();

impl Evidence {
    /// Judges: gives the cause, and the place of the rule that named it.
    pub fn judge(&self) -> (Cause, usize) {
        let rule = RULES.iter().position(|rule| (rule.speaks)(self));
        let place = rule.unwrap_or(NO_RULE);
        let cause = RULES.get(place).map_or(Cause::Unknown, |rule| rule.cause);
        if self.is_acknowledged || self.is_sacked {
            return (cause.needless(), place);
        }
        (cause, place)
    }

    #[cfg(test)]
    pub fn cause(&self) -> Cause {
        self.judge().0
    }
}
