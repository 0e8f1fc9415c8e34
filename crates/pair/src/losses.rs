//! Repeated losses of the same bytes before they came through.

/// The most ranges of lost bytes that are remembered of a direction; the oldest is forgotten.
const MOST: usize = 4096;

/// Lost bytes that have not come through yet, in order and disjoint.
#[derive(Clone, Debug, Default)]
pub(super) struct LostBytes {
    ranges: Vec<LostRange>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LostRange {
    start: u64,
    end: u64,
    times: u32,
}

impl LostBytes {
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// `start` to before `end` was lost, for the first time or again.
    pub fn lose(&mut self, start: u64, end: u64) {
        let from = self.ranges.partition_point(|lost| lost.end <= start);
        let to = self.ranges.partition_point(|lost| lost.start < end);
        let mut fresh = Vec::with_capacity(2 * (to - from) + 3);
        let mut at = start;
        for &lost in &self.ranges[from..to] {
            push(
                &mut fresh,
                LostRange {
                    end: lost.start,
                    start: at,
                    times: 1,
                },
            );
            push(&mut fresh, LostRange { end: start, ..lost });
            let both = LostRange {
                start: lost.start.max(start),
                end: lost.end.min(end),
                times: lost.times + 1,
            };
            push(&mut fresh, both);
            push(&mut fresh, LostRange { start: end, ..lost });
            at = lost.end.max(at);
        }
        push(
            &mut fresh,
            LostRange {
                start: at,
                end,
                times: 1,
            },
        );
        self.ranges.splice(from..to, fresh);
        let surplus = self.ranges.len().saturating_sub(MOST);
        self.ranges.drain(..surplus);
    }

    /// `start` to before `end` came through: tells for each range how often it was lost.
    pub fn repair(&mut self, start: u64, end: u64, mut tell: impl FnMut(u32)) {
        let from = self.ranges.partition_point(|lost| lost.end <= start);
        let to = self.ranges.partition_point(|lost| lost.start < end);
        if from == to {
            return;
        }
        let mut left = Vec::new();
        for &lost in &self.ranges[from..to] {
            tell(lost.times);
            push(
                &mut left,
                LostRange {
                    end: start.min(lost.end),
                    ..lost
                },
            );
            push(
                &mut left,
                LostRange {
                    start: end.max(lost.start),
                    ..lost
                },
            );
        }
        self.ranges.splice(from..to, left);
    }

    /// Returns how often each range was lost that never came through.
    pub fn never_repaired(&self) -> impl Iterator<Item = u32> {
        self.ranges.iter().map(|lost| lost.times)
    }
}

fn push(ranges: &mut Vec<LostRange>, lost: LostRange) {
    if lost.start < lost.end {
        ranges.push(lost);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn repaired(losses: &mut LostBytes, start: u64, end: u64) -> Vec<u32> {
        let mut told = Vec::new();
        losses.repair(start, end, |times| told.push(times));
        told
    }

    #[test]
    fn a_segment_lost_three_times_is_told_so_when_it_comes_through() {
        let mut losses = LostBytes::default();
        for _ in 0..3 {
            losses.lose(100, 200);
        }
        assert_eq!(repaired(&mut losses, 100, 200), [3]);
        assert_eq!(repaired(&mut losses, 100, 200), []);
    }

    #[test]
    fn a_large_segment_that_was_lost_is_repaired_piece_by_piece() {
        let mut losses = LostBytes::default();
        losses.lose(0, 3000);
        losses.lose(1000, 2000);
        assert_eq!(repaired(&mut losses, 0, 1000), [1]);
        assert_eq!(repaired(&mut losses, 1000, 2000), [2]);
        assert_eq!(losses.never_repaired().collect::<Vec<_>>(), [1]);
    }

    proptest! {
        #[test]
        fn it_counts_as_a_map_of_bytes_does(
            steps in proptest::collection::vec((any::<bool>(), 0_u64..100, 1_u64..30), 0..40),
        ) {
            let (mut losses, mut bytes) = (LostBytes::default(), BTreeMap::<u64, u32>::new());
            for (is_lost, start, length) in steps {
                if is_lost {
                    losses.lose(start, start + length);
                    for byte in start..start + length {
                        *bytes.entry(byte).or_default() += 1;
                    }
                } else {
                    losses.repair(start, start + length, |_| ());
                    bytes.retain(|byte, _| !(start..start + length).contains(byte));
                }
                let held = losses.ranges.iter().flat_map(|lost| (lost.start..lost.end).map(|byte| (byte, lost.times)));
                prop_assert!(held.eq(bytes.iter().map(|(&byte, &times)| (byte, times))));
            }
        }
    }
}
