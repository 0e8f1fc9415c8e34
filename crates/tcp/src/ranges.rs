//! Sets of stream offsets, kept as sorted, disjoint, non-touching ranges.
//!
//! The receiver's out-of-order queue and the sender's SACK scoreboard are the same thing
//! seen from two ends. The vector keeps its capacity, so the steady state allocates nothing.

/// The offsets from `start` up to and not including `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OffsetRange {
    pub start: u64,
    pub end: u64,
}

impl OffsetRange {
    #[inline]
    pub fn new(start: u64, end: u64) -> OffsetRange {
        debug_assert!(start <= end);
        OffsetRange { start, end }
    }

    #[inline]
    pub fn len(self) -> u64 {
        self.end - self.start
    }

    #[inline]
    pub fn contains_range(self, other: OffsetRange) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// Effect of an insertion on the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RangeInsertion {
    /// The range of the set that now holds the inserted one.
    pub merged: OffsetRange,
    /// Offsets that were not in the set before.
    pub added: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RangeSet {
    ranges: Vec<OffsetRange>,
    bytes: u64,
}

impl RangeSet {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns how many offsets the set holds.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    pub fn as_slice(&self) -> &[OffsetRange] {
        &self.ranges
    }

    pub fn clear(&mut self) {
        self.ranges.clear();
        self.bytes = 0;
    }

    /// Adds `range`, which must not be empty, merging what it overlaps or touches.
    pub fn insert(&mut self, range: OffsetRange) -> RangeInsertion {
        let first = self.ranges.partition_point(|r| r.end < range.start);
        let mut merged = range;
        let mut absorbed = 0;
        let mut last = first;
        while let Some(r) = self.ranges.get(last).filter(|r| r.start <= merged.end) {
            merged = OffsetRange::new(merged.start.min(r.start), merged.end.max(r.end));
            absorbed += r.len();
            last += 1;
        }
        if first == last {
            self.ranges.insert(first, merged);
        } else {
            self.ranges[first] = merged;
            self.ranges.drain(first + 1..last);
        }
        let added = merged.len() - absorbed;
        self.bytes += added;
        RangeInsertion { merged, added }
    }

    /// Forgets every offset below `offset`.
    #[inline]
    pub fn discard_below(&mut self, offset: u64) {
        if self.ranges.first().is_some_and(|r| r.start < offset) {
            self.discard_below_cold(offset);
        }
    }

    fn discard_below_cold(&mut self, offset: u64) {
        let gone = self.ranges.partition_point(|r| r.end <= offset);
        self.bytes -= self.ranges.drain(..gone).map(OffsetRange::len).sum::<u64>();
        if let Some(r) = self.ranges.first_mut().filter(|r| r.start < offset) {
            self.bytes -= offset - r.start;
            r.start = offset;
        }
    }

    /// Forgets every offset from `offset` on.
    #[cold]
    pub fn discard_above(&mut self, offset: u64) {
        let kept = self.ranges.partition_point(|r| r.start < offset);
        self.bytes -= self.ranges.drain(kept..).map(OffsetRange::len).sum::<u64>();
        if let Some(r) = self.ranges.last_mut().filter(|r| r.end > offset) {
            self.bytes -= r.end - offset;
            r.end = offset;
        }
    }

    /// The end of the range that holds `offset`, or `offset` itself if none does.
    pub fn end_of_range_at(&self, offset: u64) -> u64 {
        let after = self.ranges.partition_point(|r| r.end <= offset);
        match self.ranges.get(after) {
            Some(r) if r.start <= offset => r.end,
            _ => offset,
        }
    }

    /// The first offset of `from..to` that the set holds, or `to`.
    pub fn first_within(&self, from: u64, to: u64) -> u64 {
        let after = self.ranges.partition_point(|r| r.end <= from);
        self.ranges
            .get(after)
            .map_or(to, |r| r.start.clamp(from, to))
    }

    /// The start of the first range beyond `offset`.
    pub fn next_start(&self, offset: u64) -> Option<u64> {
        let after = self.ranges.partition_point(|r| r.start <= offset);
        self.ranges.get(after).map(|r| r.start)
    }

    /// Returns how many offsets below `offset` the set holds.
    pub fn bytes_below(&self, offset: u64) -> u64 {
        self.ranges
            .iter()
            .take_while(|r| r.start < offset)
            .map(|r| r.end.min(offset) - r.start)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ranges: &[(u64, u64)]) -> RangeSet {
        let mut set = RangeSet::default();
        for &(start, end) in ranges {
            set.insert(OffsetRange::new(start, end));
        }
        set
    }

    #[test]
    fn touching_ranges_become_one() {
        let mut set = set(&[(10, 20), (30, 40)]);
        let inserted = set.insert(OffsetRange::new(20, 30));
        assert_eq!(
            inserted,
            RangeInsertion {
                merged: OffsetRange::new(10, 40),
                added: 10
            }
        );
        assert_eq!(set.as_slice(), [OffsetRange::new(10, 40)]);
    }

    #[test]
    fn an_overlap_adds_only_what_is_new() {
        let mut set = set(&[(10, 20), (30, 40), (60, 70)]);
        let inserted = set.insert(OffsetRange::new(15, 35));
        assert_eq!(
            inserted,
            RangeInsertion {
                merged: OffsetRange::new(10, 40),
                added: 10
            }
        );
        assert_eq!(set.bytes(), 40);
    }

    #[test]
    fn discarding_cuts_through_a_range() {
        let mut set = set(&[(10, 20), (30, 40)]);
        set.discard_below(33);
        assert_eq!(set.as_slice(), [OffsetRange::new(33, 40)]);
        assert_eq!(set.bytes(), 7);
    }

    #[test]
    fn holes_and_ranges_are_found() {
        let set = set(&[(10, 20), (30, 40)]);
        assert_eq!(set.end_of_range_at(10), 20);
        assert_eq!(set.end_of_range_at(20), 20);
        assert_eq!(set.next_start(10), Some(30));
        assert_eq!(set.next_start(30), None);
        assert_eq!(set.bytes_below(35), 15);
    }
}
