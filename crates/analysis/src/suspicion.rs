//! Gaps that a hole seems to explain, until it is known whether what belongs there was lost or late.

use super::limit::Limit;
use super::stall::Pauses;

/// Gaps of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SequenceGaps {
    pub total_ns: u64,
    /// Those of them that are stalls.
    pub stalls: Pauses,
}

/// The gaps since the receiver began to ask for what was never seen, by what explains them if
/// nothing was lost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Suspicion {
    /// The number that it asks for.
    asked: u64,
    gaps: [SequenceGaps; Limit::ALL.len()],
}

impl Suspicion {
    /// A gap ends while the receiver asks for `asked`.
    pub fn add(&mut self, asked: u64, otherwise: Limit, gap_ns: u64, is_stall: bool) {
        if asked != self.asked {
            *self = Suspicion {
                asked,
                ..Suspicion::default()
            };
        }
        let gaps = &mut self.gaps[otherwise as usize];
        gaps.total_ns = gaps.total_ns.saturating_add(gap_ns);
        if is_stall {
            gaps.stalls.add(gap_ns);
        }
    }

    /// `start..end` was late: gives the gaps that no loss explains, and forgets them.
    pub fn lift(
        &mut self,
        start: u64,
        end: u64,
    ) -> impl Iterator<Item = (Limit, SequenceGaps)> + use<> {
        let is_lifted = (start..end).contains(&self.asked);
        let lifted = is_lifted.then(|| std::mem::take(self));
        let gaps = lifted.unwrap_or_default().gaps;
        Limit::ALL.into_iter().zip(gaps)
    }
}
