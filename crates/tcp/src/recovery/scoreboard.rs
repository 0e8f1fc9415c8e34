//! Reports of the peer by SACK, and what follows from it (RFC 6675 §4).

use crate::ranges::{OffsetRange, RangeSet};

/// The SACKed ranges above the cumulative acknowledgement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    sacked: RangeSet,
    /// IsLost() is true of every unSACKed offset below this one, and of none above.
    lost_below: u64,
}

impl Scoreboard {
    /// Update() for one block; the number of bytes it told that were not known.
    pub fn insert(&mut self, block: OffsetRange) -> u64 {
        self.sacked.insert(block).added
    }

    /// The cumulative acknowledgement moved to `una`.
    #[inline]
    pub fn advance(&mut self, una: u64) {
        self.sacked.discard_below(una);
    }

    /// Forgets everything, as RFC 2018 advises at a timeout: the peer may have reneged.
    pub fn clear(&mut self) {
        self.sacked.clear();
        self.lost_below = 0;
    }

    /// Finds anew where loss ends: offsets with `threshold` SACKed ranges, or with more than
    /// `threshold - 1` full segments of SACKed bytes, above them.
    pub fn mark_lost(&mut self, threshold: u32, mss: u64) {
        let enough = u64::from(threshold - 1) * mss;
        let (mut ranges, mut bytes) = (0, 0);
        self.lost_below = 0;
        for range in self.sacked.as_slice().iter().rev() {
            ranges += 1;
            bytes += range.len();
            if ranges >= threshold || bytes > enough {
                self.lost_below = range.start;
                return;
            }
        }
    }

    /// IsLost().
    #[inline]
    pub fn is_lost(&self, offset: u64) -> bool {
        offset < self.lost_below
    }

    /// The first offset at or after `from` that is not SACKed.
    pub fn first_unsacked(&self, from: u64) -> u64 {
        self.sacked.end_of_range_at(from)
    }

    /// Bytes lost and not retransmitted.
    pub fn lost(&self, una: u64, max: u64, retransmitted_to: u64) -> u64 {
        self.unsacked(una.max(retransmitted_to), self.lost_below.min(max))
    }

    /// Bytes of `from..to` that are not SACKed.
    pub fn unsacked(&self, from: u64, to: u64) -> u64 {
        to.saturating_sub(from)
            - (self.sacked.bytes_below(to) - self.sacked.bytes_below(from.min(to)))
    }

    /// SetPipe(): bytes believed in flight between `una` and `max`, where everything below
    /// `retransmitted_to` that is not SACKed has been sent a second time.
    pub fn pipe(&self, una: u64, max: u64, retransmitted_to: u64) -> u64 {
        let first_try = self.unsacked(self.lost_below.max(una), max);
        let second_try = self.unsacked(una, retransmitted_to.min(max));
        first_try + second_try
    }

    /// Bytes SACKed in all.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.sacked.bytes()
    }

    /// Bytes SACKed below `offset`.
    #[inline]
    pub fn bytes_below(&self, offset: u64) -> u64 {
        if self.sacked.is_empty() {
            0
        } else {
            self.sacked.bytes_below(offset)
        }
    }

    /// The end of the highest SACKed range.
    pub fn highest(&self) -> Option<u64> {
        self.sacked.as_slice().last().map(|r| r.end)
    }

    /// The hole at or after `from` and below `max`, at most `mss` long.
    #[inline]
    pub fn hole(&self, from: u64, max: u64, mss: u64) -> Option<OffsetRange> {
        if self.sacked.is_empty() {
            return (from < max).then(|| OffsetRange::new(from, max.min(from + mss)));
        }
        let start = self.sacked.end_of_range_at(from);
        let end = self
            .sacked
            .next_start(start)
            .unwrap_or(max)
            .min(max)
            .min(start + mss);
        (start < end).then(|| OffsetRange::new(start, end))
    }

    /// The last `mss` bytes or less of the highest hole below `max` and above `una`.
    pub fn last_hole(&self, una: u64, max: u64, mss: u64) -> Option<OffsetRange> {
        let ranges = self.sacked.as_slice();
        let (end, below) = match ranges {
            [below @ .., last] if last.end >= max => (last.start, below),
            all => (max, all),
        };
        let floor = below.last().map_or(una, |r| r.end);
        (floor < end).then(|| OffsetRange::new(floor.max(end.saturating_sub(mss)), end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 100;

    fn scoreboard(blocks: &[(u64, u64)]) -> Scoreboard {
        let mut board = Scoreboard::default();
        for &(start, end) in blocks {
            board.insert(OffsetRange::new(start, end));
        }
        board.mark_lost(3, MSS);
        board
    }

    #[test]
    fn three_ranges_above_or_more_than_two_segments_above_mean_loss() {
        let scattered = scoreboard(&[(200, 210), (300, 310), (400, 410)]);
        assert!(scattered.is_lost(199) && !scattered.is_lost(250));
        let two_segments = scoreboard(&[(200, 400)]);
        assert!(!two_segments.is_lost(199));
        let one_byte_more = scoreboard(&[(200, 401)]);
        assert!(one_byte_more.is_lost(199));
    }

    #[test]
    fn the_pipe_counts_what_is_neither_sacked_nor_lost_and_what_was_retransmitted() {
        // 0..100 and 200..300 are lost, 600..1000 still under way.
        let board = scoreboard(&[(100, 200), (300, 600)]);
        assert_eq!(board.pipe(0, 1000, 0), 400);
        assert_eq!(
            board.pipe(0, 1000, 100),
            500,
            "the first hole was filled again"
        );
        assert_eq!(board.pipe(0, 1000, 300), 600, "so was the second");
    }

    #[test]
    fn holes_are_cut_to_a_segment() {
        let board = scoreboard(&[(250, 300), (400, 500)]);
        assert_eq!(board.hole(0, 600, MSS), Some(OffsetRange::new(0, 100)));
        assert_eq!(board.hole(200, 600, MSS), Some(OffsetRange::new(200, 250)));
        assert_eq!(board.hole(250, 600, MSS), Some(OffsetRange::new(300, 400)));
        assert_eq!(board.hole(400, 500, MSS), None);
    }

    #[test]
    fn the_last_hole_includes_the_highest_byte_that_is_not_sacked() {
        assert_eq!(
            scoreboard(&[(100, 200)]).last_hole(0, 450, MSS),
            Some(OffsetRange::new(350, 450))
        );
        assert_eq!(
            scoreboard(&[(100, 200), (250, 450)]).last_hole(0, 450, MSS),
            Some(OffsetRange::new(200, 250))
        );
        assert_eq!(scoreboard(&[(0, 450)]).last_hole(0, 450, MSS), None);
    }
}
