//! Pauses of a sender, and what it was waiting for.

use serde::Serialize;

use super::cause::Cause;

/// What a sender was waiting for when it paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stall {
    /// The retransmission timer.
    Timeout,
    /// The repair of a loss, or an answer to a probe: the pause ended with another kind of
    /// retransmission, or while a loss was still to be repaired.
    Recovery,
    /// Room in the receiver's window.
    Window,
    /// An acknowledgment that was long under way.
    Path,
    /// Nothing in the network: the application had nothing to send.
    Application,
}

impl Stall {
    /// All of them, in the order of their counters.
    pub const ALL: [Stall; 5] = [
        Stall::Timeout,
        Stall::Recovery,
        Stall::Window,
        Stall::Path,
        Stall::Application,
    ];
}

/// How often and how long a sender paused for one reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pauses {
    /// How often.
    pub count: u64,
    /// How long in all.
    pub total_ns: u64,
}

/// The sender's situation when a pause ends with a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    /// Why the segment was sent again, if it was.
    pub cause: Option<Cause>,
    /// The window had no room for a full segment at some time in the pause.
    pub window_was_closed: bool,
    /// Data were on their way.
    pub was_waiting: bool,
    /// An acknowledgment came in the pause.
    pub was_released: bool,
    /// More was on its way than one full segment: a receiver acknowledges every second at once
    /// (RFC 5681 §4.2).
    pub was_answer_due: bool,
    /// A loss was still to be repaired, if anything was on its way.
    pub has_loss: bool,
}

impl Situation {
    pub fn stall(&self) -> Stall {
        match self.cause {
            Some(Cause::Timeout | Cause::NeedlessTimeout) => Stall::Timeout,
            Some(_) => Stall::Recovery,
            None if self.was_waiting && self.has_loss => Stall::Recovery,
            None if self.window_was_closed => Stall::Window,
            None if self.was_waiting && self.was_released => Stall::Path,
            // What is sent then is a probe with new data (RFC 8985 §7.3), or came too late to be
            // what the sender had waited for.
            None if self.was_waiting && self.was_answer_due => Stall::Path,
            None => Stall::Application,
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
        was_answer_due: false,
        has_loss: false,
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
            has_loss: true,
            ..slow
        };
        assert_eq!(behind_a_hole.stall(), Stall::Recovery);
        let lost = Situation {
            cause: Some(Cause::Timeout),
            ..slow
        };
        assert_eq!(lost.stall(), Stall::Timeout);
    }
}
