//! Pauses of a sender, and what it was waiting for.

use serde::Serialize;

use super::cause::Cause;
use super::limit::Limit;

/// Reason for which a sender paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stall {
    /// The retransmission timer, or that of a tail loss probe.
    Timeout,
    /// The repair of a loss: the pause ended with another kind of retransmission, or while a loss
    /// was still to be repaired.
    Recovery,
    /// Room in the receiver's window.
    Window,
    /// An acknowledgment that was long under way.
    Path,
    /// Nothing in the network, but it had more to send: the time to do so by its own pace.
    Pace,
    /// Nothing in the network: the application had nothing to send.
    Application,
    /// An acknowledgment that the receiver held back.
    Delay,
    /// Leave to send a small segment, by the Nagle algorithm.
    Nagle,
}

impl Stall {
    /// All of them, in the order of their counters.
    pub const ALL: [Stall; 8] = [
        Stall::Timeout,
        Stall::Recovery,
        Stall::Window,
        Stall::Path,
        Stall::Pace,
        Stall::Application,
        Stall::Delay,
        Stall::Nagle,
    ];

    /// Returns what a long gap is that no timer ended.
    pub(super) const fn of(limit: Limit) -> Stall {
        match limit {
            Limit::Loss => Stall::Recovery,
            Limit::Window => Stall::Window,
            Limit::Network => Stall::Path,
            Limit::Pace => Stall::Pace,
            Limit::Delay => Stall::Delay,
            Limit::Nagle => Stall::Nagle,
            Limit::Application | Limit::Silence => Stall::Application,
        }
    }
}

/// Number and total time of a sender's pauses for one reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pauses {
    /// Number of pauses.
    pub count: u64,
    /// Their total time.
    pub total_ns: u64,
}

impl Pauses {
    /// Another.
    pub(super) fn add(&mut self, pause_ns: u64) {
        self.take(Pauses {
            count: 1,
            total_ns: pause_ns,
        });
    }

    /// Takes others with them.
    pub(super) fn take(&mut self, others: Pauses) {
        self.count += others.count;
        self.total_ns = self.total_ns.saturating_add(others.total_ns);
    }

    /// Some of them were none.
    pub(super) fn give(&mut self, others: Pauses) {
        self.count -= others.count;
        self.total_ns = self.total_ns.saturating_sub(others.total_ns);
    }
}

/// The sender's situation when it goes on with a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    /// Why the segment was retransmitted, if it was.
    pub cause: Option<Cause>,
    /// The window had no room for a full segment at some time in the gap.
    pub window_was_closed: bool,
    /// Data were on their way.
    pub was_waiting: bool,
    /// An acknowledgment came in the gap.
    pub was_released: bool,
    /// That is what the gap was spent waiting for: the segment followed at once.
    pub was_set_off: bool,
    /// More was on its way than one full segment: a receiver acknowledges every second at once
    /// (RFC 5681 §4.2).
    pub was_answer_due: bool,
    /// A loss was being repaired, if anything was on its way, or the acknowledgment that set the
    /// segment off was that of the repair.
    pub was_repairing: bool,
    /// The receiver asked for what was never seen. It may be lost, or late.
    pub has_hole: bool,
    /// The segment was retransmitted while the window had no room for it, or the one before was:
    /// the timer that sends that once more was backed off by the window, which may have opened
    /// meanwhile.
    pub was_refused: bool,
    /// The segment before was the last that the sender had.
    pub had_sent_all: bool,
    /// The segment before was none that ends what an application wrote, and the gap is one that a
    /// sender makes that paces itself.
    pub may_keep_pace: bool,
    /// The other end sent data in the gap, which may have asked for these.
    pub was_asked: bool,
    /// The acknowledgment that was waited for was held back by the receiver.
    pub was_delayed: bool,
    /// The segment is less than a full one.
    pub is_partial: bool,
}

impl Situation {
    pub fn limit(&self) -> Limit {
        match self.cause {
            _ if self.was_refused => Limit::Window,
            Some(_) => Limit::Loss,
            None if self.is_of_a_loss() => Limit::Loss,
            None if self.window_was_closed => Limit::Window,
            None if self.had_sent_all && !self.was_held_back() => Limit::Application,
            None if self.was_set_off && self.was_delayed => Limit::Delay,
            None if self.had_sent_all && self.is_partial => Limit::Nagle,
            None if self.was_set_off => Limit::Network,
            None if self.was_waiting && self.was_released => Limit::Network,
            // What is sent then is a probe with new data (RFC 8985 §7.3), or came too late to be
            // what the sender had waited for.
            None if self.was_waiting && self.was_answer_due => Limit::Network,
            None if self.may_keep_pace && !self.was_asked => Limit::Pace,
            None => Limit::Silence,
        }
    }

    const fn is_of_a_loss(&self) -> bool {
        (self.was_repairing || self.has_hole) && (self.was_waiting || self.was_set_off)
    }

    /// Returns what explains the gap if nothing was lost.
    pub fn limit_without_hole(self) -> Limit {
        let without = Situation {
            has_hole: false,
            ..self
        };
        without.limit()
    }

    /// Returns whether a sender that had sent all may have had more meanwhile, and held it back
    /// until all was acknowledged (the Nagle algorithm, RFC 9293 §3.7.4).
    const fn was_held_back(&self) -> bool {
        self.was_set_off && !self.was_waiting && !self.was_asked
    }

    pub fn stall(&self) -> Stall {
        match (self.limit(), self.cause) {
            (Limit::Loss, Some(cause)) if cause.is_of_a_timer() => Stall::Timeout,
            (limit, _) => Stall::of(limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Situation = Situation {
        cause: None,
        window_was_closed: false,
        was_waiting: false,
        was_released: false,
        was_set_off: false,
        was_answer_due: false,
        was_repairing: false,
        has_hole: false,
        was_refused: false,
        had_sent_all: false,
        may_keep_pace: false,
        was_asked: false,
        was_delayed: false,
        is_partial: false,
    };

    #[test]
    fn a_pause_is_the_applications_unless_something_else_explains_it() {
        assert_eq!(PAUSE.stall(), Stall::Application);
        let slow = Situation {
            was_waiting: true,
            was_released: true,
            ..PAUSE
        };
        assert_eq!(slow.stall(), Stall::Path);
        let unanswered = Situation {
            was_waiting: true,
            was_answer_due: true,
            ..PAUSE
        };
        assert_eq!(unanswered.stall(), Stall::Path);
        assert_eq!(
            Situation {
                window_was_closed: true,
                ..slow
            }
            .stall(),
            Stall::Window
        );
        let behind_a_hole = Situation {
            has_hole: true,
            ..slow
        };
        assert_eq!(behind_a_hole.stall(), Stall::Recovery);
        let lost = Situation {
            cause: Some(Cause::Timeout),
            ..slow
        };
        assert_eq!(lost.stall(), Stall::Timeout);
    }

    #[test]
    fn who_had_more_keeps_its_own_pace_unless_it_was_asked_or_said_that_it_had_sent_all() {
        let had_more = Situation {
            may_keep_pace: true,
            ..PAUSE
        };
        assert_eq!(had_more.stall(), Stall::Pace);
        let asked = Situation {
            was_asked: true,
            ..had_more
        };
        assert_eq!(asked.limit(), Limit::Silence);
        let sent_all = Situation {
            had_sent_all: true,
            ..had_more
        };
        assert_eq!(sent_all.limit(), Limit::Application);
        let waiting = Situation {
            was_waiting: true,
            was_released: true,
            ..had_more
        };
        assert_eq!(waiting.limit(), Limit::Network);
    }

    #[test]
    fn a_timer_ends_a_pause_whether_for_the_timeout_or_for_a_probe() {
        let ended_by = |cause| {
            Situation {
                cause: Some(cause),
                ..PAUSE
            }
            .stall()
        };
        let timers = [
            Cause::Timeout,
            Cause::NeedlessTimeout,
            Cause::TailProbe,
            Cause::NeedlessProbe,
        ];
        assert_eq!(timers.map(ended_by), [Stall::Timeout; 4]);
        assert_eq!(ended_by(Cause::Fast), Stall::Recovery);
    }

    #[test]
    fn who_had_sent_all_waits_for_its_application_or_until_it_may_send_a_small_segment() {
        let sent_all = Situation {
            was_released: true,
            was_set_off: true,
            had_sent_all: true,
            ..PAUSE
        };
        assert_eq!(sent_all.limit(), Limit::Network);
        let answer = Situation {
            was_asked: true,
            ..sent_all
        };
        assert_eq!(answer.limit(), Limit::Application);
        let at_its_own_pace = Situation {
            was_waiting: true,
            ..sent_all
        };
        assert_eq!(at_its_own_pace.limit(), Limit::Application);
        let had_more = Situation {
            had_sent_all: false,
            ..at_its_own_pace
        };
        assert_eq!(had_more.limit(), Limit::Network);
    }
}
