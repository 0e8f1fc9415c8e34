//! F-RTO: was the timeout spurious? (RFC 5682 §2.1, the basic algorithm.)
//!
//! After a timeout only the first segment is retransmitted. If the next acknowledgement moves on,
//! two new segments follow; if the one after that moves on too, it can only be for segments of
//! before the timeout, which therefore were not lost but late.

use super::{AckProgress, Reaction, Recovery, RecoveryPhase, SendPointers};
use crate::congestion::Controller;

/// The new data step 2b may send, in segments.
const PROBE_SEGMENTS: u64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frto {
    /// No timeout is in question.
    Off,
    /// The first segment has been retransmitted; its acknowledgement is awaited (step 2).
    AwaitFirst,
    /// New data follow; the next acknowledgement decides (step 3).
    AwaitSecond { budget: u64, sent: bool },
}

impl Recovery {
    pub(super) fn frto_new_ack(
        &mut self,
        o: SendPointers,
        acked: u64,
        congestion: &mut Controller,
    ) -> AckProgress {
        let all_is_acked = o.una >= self.point;
        match self.frto {
            Frto::AwaitFirst if !all_is_acked && acked >= self.settings.mss => {
                let budget = PROBE_SEGMENTS * self.settings.mss;
                self.frto = Frto::AwaitSecond {
                    budget,
                    sent: false,
                };
                AckProgress::Probing
            }
            Frto::AwaitSecond { .. } => {
                self.undo(congestion);
                AckProgress::Spurious
            }
            _ => {
                self.frto = Frto::Off;
                if all_is_acked {
                    self.phase = RecoveryPhase::Open;
                }
                AckProgress::Ordinary
            }
        }
    }

    /// Steps 2a and 3a: the timeout was genuine, and what follows it is ordinary. New data may
    /// have been sent since step 2b; before it, the first segment has just been retransmitted.
    pub(super) fn frto_duplicate_ack(&mut self) -> Reaction {
        match std::mem::replace(&mut self.frto, Frto::Off) {
            Frto::AwaitSecond { .. } => Reaction::GoBack,
            Frto::AwaitFirst | Frto::Off => Reaction::None,
        }
    }

    #[inline]
    pub(super) fn frto_sent(&mut self, bytes: u64) {
        if let Frto::AwaitSecond { budget, sent } = &mut self.frto {
            *budget = budget.saturating_sub(bytes);
            *sent = true;
        }
    }

    /// Returns whether new data, not old, are to be sent after the timeout.
    #[inline]
    pub fn is_probing(&self) -> bool {
        matches!(self.frto, Frto::AwaitSecond { .. })
    }

    /// There are no new data to send, or no window: nothing will tell (step 2b). True if the
    /// ordinary way must be gone instead.
    pub fn give_up_probing(&mut self) -> bool {
        let has_no_probe = matches!(self.frto, Frto::AwaitSecond { sent: false, .. });
        if has_no_probe {
            self.frto = Frto::Off;
        }
        has_no_probe
    }
}
