//! Reordering, which looks like loss: the number of duplicates that speak for one grows with the
//! distance by which segments were seen to come late, as in Linux (`tcp_check_sack_reordering`;
//! Sarolahti and Kuznetsov 2002, §4.4).

use super::{Recovery, RecoveryPhase};

impl Recovery {
    fn adapts(&self) -> bool {
        self.threshold < self.settings.reordering_max
    }

    /// Returns whether what begins at `offset` was sent once only.
    fn was_sent_once(&self, offset: u64) -> bool {
        match self.phase {
            RecoveryPhase::Open => offset >= self.point,
            RecoveryPhase::Fast => self.is_sack() && offset >= self.sack.high_rxt,
            RecoveryPhase::Timeout => false,
        }
    }

    /// Notes that what begins at `offset` was SACKed, perhaps below `highest`, the highest SACKed
    /// before.
    pub(super) fn note_reordering(&mut self, offset: u64, highest: Option<u64>) {
        if let Some(highest) = highest.filter(|&h| self.adapts() && offset < h) {
            self.widen(offset, highest);
        }
    }

    /// `from..to` was acknowledged, some of it perhaps below what was SACKed.
    #[inline]
    pub(super) fn note_late_arrival(&mut self, from: u64, to: u64) {
        if !self.adapts() {
            return;
        }
        let Some(highest) = self.scoreboard.highest() else {
            return;
        };
        let late = self.scoreboard.hole(from, to, to - from);
        if let Some(late) = late.filter(|late| late.start < highest) {
            self.widen(late.start, highest);
        }
    }

    fn widen(&mut self, late: u64, highest: u64) {
        if self.was_sent_once(late) {
            let distance = (highest - late).div_ceil(self.settings.mss);
            let distance = u32::try_from(distance).unwrap_or(u32::MAX);
            self.threshold = self
                .threshold
                .max(distance)
                .min(self.settings.reordering_max);
        }
    }
}
