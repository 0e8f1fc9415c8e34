//! Sets of sequence numbers, as disjoint ranges in order.

/// The most ranges of a set; beyond it the gap between the two oldest counts as filled. Only a
/// capture that misses packets for good leaves gaps behind.
const MOST: usize = 1024;

/// A set of unwrapped sequence numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    ranges: Vec<(u64, u64)>,
}

impl Ranges {
    /// Behind the highest number of the set; 0 if it is empty.
    #[inline]
    pub fn end(&self) -> u64 {
        self.ranges.last().map_or(0, |range| range.1)
    }

    /// Adds `start` to before `end`.
    #[inline]
    pub fn add(&mut self, start: u64, end: u64) {
        match self.ranges.last_mut() {
            Some(last) if start >= last.0 && start <= last.1 => last.1 = last.1.max(end),
            _ => self.add_anywhere(start, end),
        }
    }

    fn add_anywhere(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        let from = self.ranges.partition_point(|range| range.1 < start);
        let to = self.ranges.partition_point(|range| range.0 <= end);
        let joined = self.ranges[from..to].iter();
        let joined = joined.fold((start, end), |all, range| {
            (all.0.min(range.0), all.1.max(range.1))
        });
        self.ranges.splice(from..to, [joined]);
        if self.ranges.len() > MOST {
            self.ranges[1].0 = self.ranges[0].0;
            self.ranges.remove(0);
        }
    }

    /// Adds everything below `end`.
    pub fn add_below(&mut self, end: u64) {
        match self.ranges.first_mut() {
            Some(first) if first.0 == 0 && first.1 >= end => {}
            _ => self.add(0, end),
        }
    }

    /// Returns whether all of `start` to before `end` is in the set.
    #[inline]
    pub fn covers(&self, start: u64, end: u64) -> bool {
        let at = self.ranges.partition_point(|range| range.1 < end);
        self.ranges.get(at).is_some_and(|range| range.0 <= start)
    }

    /// Returns whether any of `start` to before `end` is in the set.
    #[inline]
    pub fn touches(&self, start: u64, end: u64) -> bool {
        let at = self.ranges.partition_point(|range| range.1 <= start);
        self.ranges.get(at).is_some_and(|range| range.0 < end)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_knows_what_a_set_knows(
            added in proptest::collection::vec((0_u64..200, 1_u64..30), 0..40),
            asked in proptest::collection::vec((0_u64..200, 1_u64..30), 1..20),
            floor in 0_u64..50,
        ) {
            let (mut ranges, mut set) = (Ranges::default(), BTreeSet::new());
            for (start, length) in added {
                ranges.add(start, start + length);
                set.extend(start..start + length);
            }
            ranges.add_below(floor);
            set.extend(0..floor);
            for (start, length) in asked {
                let wanted = start..start + length;
                prop_assert_eq!(ranges.covers(start, start + length), wanted.clone().all(|n| set.contains(&n)));
                prop_assert_eq!(ranges.touches(start, start + length), wanted.clone().any(|n| set.contains(&n)));
            }
            prop_assert_eq!(ranges.end(), set.last().map_or(0, |last| last + 1));
        }
    }
}
