//! Counts of a stage of a chain.

use units::Duration;
use units::declaration::{CountedMetric, Metric};

use super::Damage;

/// Counts of a stage, since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageCounts {
    /// Packets its filter matched.
    pub matched: u64,
    /// Of them, those it dropped.
    pub dropped: u64,
    /// Those it damaged.
    pub damaged: u64,
    /// Of these, those that nobody will notice.
    pub unnoticed: u64,
    /// Those it held until a time.
    pub delayed: u64,
    /// For how long, in sum.
    pub delay: Duration,
    /// Those that others have overtaken in it.
    pub reordered: u64,
    /// Total number of others.
    pub displacement: u64,
    /// Those that went on because too few others came to overtake them.
    pub waited_out: u64,
    /// Those it copied.
    pub duplicated: u64,
    /// The copies.
    pub copies: u64,
}

macro_rules! metrics {
    ($($name:ident in $unit:literal, $label:literal, $about:literal: $count:expr;)*) => {
        &[$(CountedMetric {
            metric: Metric {
                name: stringify!($name),
                label: $label,
                unit: $unit,
                about: $about,
            },
            count: $count,
        }),*]
    };
}

impl StageCounts {
    /// Counts a damaged frame.
    pub(super) fn count_damaged(&mut self, damage: Damage) {
        self.damaged += 1;
        self.unnoticed += u64::from(damage.is_none());
    }

    /// Counts a packet that is held for a time. One of those drawn may be without end.
    #[inline]
    pub(super) fn count_delayed(&mut self, delay: Duration) {
        self.delayed += 1;
        let nanos = self.delay.as_nanos().saturating_add(delay.as_nanos());
        self.delay = Duration::from_nanos(nanos);
    }

    /// Counts a packet that is copied so many times.
    pub(super) fn count_copied(&mut self, copies: u32) {
        self.duplicated += u64::from(copies > 0);
        self.copies += u64::from(copies);
    }

    /// Metrics reported of each stage.
    pub const METRICS: &[CountedMetric<StageCounts>] = metrics! {
        matched in "packets", "Packets met",
            "packets that the stage's filter matched": |of| of.matched;
        dropped in "packets", "Losses",
            "packets that the stage dropped": |of| of.dropped;
        damaged in "frames", "Damaged",
            "frames of which the stage flipped bits or garbled the check sequence": |of| of.damaged;
        unnoticed in "frames", "Damaged unnoticed",
            "of the damaged frames, those that no address, type, check sequence or checksum tells: \
             the errors cancel, or are in padding or in the sender's address; they are handed on \
             as they were": |of| of.unnoticed;
        delayed in "packets", "Delayed packets",
            "packets that the stage held until a time": |of| of.delayed;
        delay_us in "µs", "Delay in sum",
            "how long the stage held packets until a time, in sum": |of| of.delay.as_micros();
        reordered in "packets", "Reordered packets",
            "packets that later ones have overtaken in the stage": |of| of.reordered;
        displacement in "packets", "Displacement in sum",
            "how many have overtaken the reordered packets, in sum": |of| of.displacement;
        waited_out in "packets", "Reorderings given up",
            "packets that too few others came to overtake, before the longest wait was over":
            |of| of.waited_out;
        duplicated in "packets", "Duplicated packets",
            "packets that the stage made copies of": |of| of.duplicated;
        copies in "packets", "Copies",
            "copies that the stage made": |of| of.copies;
    };
}
