//! Recovery's beliefs about the bytes outstanding, for those who ask.

use super::{Recovery, RecoveryPhase, SendPointers};

/// Beliefs about the bytes outstanding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Census {
    pub sacked: u64,
    pub lost: u64,
    pub retransmitted: u64,
}

impl Recovery {
    /// Returns whether something arrived out of order, too little to speak for a loss.
    pub fn is_disordered(&self) -> bool {
        self.duplicate_acks > 0 || self.scoreboard.bytes() > 0
    }

    /// Returns whether segments were seen to be reordered beyond the profile's threshold.
    pub fn has_seen_reordering(&self) -> bool {
        self.threshold > self.settings.threshold
    }

    /// Returns what is believed of the bytes outstanding.
    pub fn census(&self, o: SendPointers) -> Census {
        let mss = self.settings.mss;
        match self.phase {
            RecoveryPhase::Timeout => Census {
                sacked: self.scoreboard.bytes(),
                lost: self.scoreboard.unsacked(o.nxt, self.point),
                retransmitted: self.scoreboard.unsacked(o.una, o.nxt.min(self.point)),
            },
            phase if self.is_sack() => {
                let high_rxt = match phase {
                    RecoveryPhase::Fast => self.sack.high_rxt,
                    _ => o.una,
                };
                Census {
                    sacked: self.scoreboard.bytes(),
                    lost: self.scoreboard.lost(o.una, o.max, o.una),
                    retransmitted: self.scoreboard.unsacked(o.una, high_rxt.min(o.max)),
                }
            }
            phase => {
                let segment = mss.min(o.max - o.una);
                let is_lost = phase == RecoveryPhase::Fast;
                let lost = if is_lost { segment } else { 0 };
                Census {
                    sacked: (u64::from(self.duplicate_acks) * mss).min(o.max - o.una - lost),
                    lost,
                    retransmitted: if self.resend_first { 0 } else { lost },
                }
            }
        }
    }
}
