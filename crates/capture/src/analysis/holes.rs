//! Sequence numbers that were passed over: lost before the point of capture, late, or missed
//! by the capture.

use crate::dissect::Segment;

/// Holes remembered of a direction; the oldest is taken for missed beyond that.
const MOST: usize = 64;

/// What went beyond a hole and left it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Left {
    /// When that was captured.
    pub at_ns: u64,
    /// Its timestamp, if it was a segment of this direction that has one.
    clock: Option<u32>,
}

impl Left {
    /// By a segment of this direction.
    pub fn by(segment: &Segment) -> Left {
        let clock = segment.options.timestamps.map(|(clock, _)| clock);
        Left {
            at_ns: segment.time_ns,
            clock,
        }
    }

    /// By something else at this time, an acknowledgment perhaps.
    pub const fn at(at_ns: u64) -> Left {
        Left { at_ns, clock: None }
    }

    /// Whether a segment was sent later, as its timestamp proves.
    pub fn is_before(&self, segment: &Segment) -> bool {
        let clocks = self.clock.zip(segment.options.timestamps);
        clocks.is_some_and(|(own, (clock, _))| clock.wrapping_sub(own) as i32 > 0)
    }
}

/// A range of sequence numbers that was never seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hole {
    start: u64,
    end: u64,
    left: Left,
}

/// The holes of one direction, in order.
#[derive(Debug, Default)]
pub(super) struct Holes {
    holes: Vec<Hole>,
    /// Bytes of forgotten holes.
    forgotten: u64,
    /// The first number that was captured in the middle of a direction: what lies before it was on
    /// its way when the capture began, and not missed by it.
    begin: u64,
}

/// What a segment filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Filled {
    pub bytes: u64,
    /// By what the first hole that it filled was left.
    pub left: Left,
}

impl Holes {
    /// Leaves a hole beyond all others.
    pub fn leave(&mut self, start: u64, end: u64, left: Left) {
        self.holes.push(Hole { start, end, left });
        self.forget_beyond_most();
    }

    /// The capture began in the middle, with this number.
    pub fn begin_at(&mut self, number: u64) {
        self.begin = self.begin.max(number);
    }

    /// Leaves a hole before all others, unless it is empty: the capture began behind it.
    pub fn leave_before(&mut self, start: u64, end: u64, left: Left) {
        self.begin_at(end);
        if start < end {
            self.holes.insert(0, Hole { start, end, left });
            self.forget_beyond_most();
        }
    }

    fn forget_beyond_most(&mut self) {
        while self.holes.len() > MOST {
            let oldest = self.holes.remove(0);
            self.forgotten += self.missed_of(&oldest, oldest.end);
        }
    }

    /// When the first hole that `start..end` would fill was left.
    pub fn left_at(&self, start: u64, end: u64) -> Option<u64> {
        let at = self.holes.partition_point(|hole| hole.end <= start);
        let hole = self.holes.get(at).filter(|hole| hole.start < end)?;
        Some(hole.left.at_ns)
    }

    /// Takes `start..end` out of the holes.
    #[inline]
    pub fn fill(&mut self, start: u64, end: u64) -> Filled {
        if self.holes.is_empty() {
            return Filled::default();
        }
        self.fill_some(start, end)
    }

    fn fill_some(&mut self, start: u64, end: u64) -> Filled {
        let mut filled = Filled::default();
        let mut at = self.holes.partition_point(|hole| hole.end <= start);
        while let Some(&hole) = self.holes.get(at) {
            let (from, to) = (hole.start.max(start), hole.end.min(end));
            if from >= to {
                break;
            }
            if filled.bytes == 0 {
                filled.left = hole.left;
            }
            filled.bytes += to - from;
            let rest = [Hole { end: from, ..hole }, Hole { start: to, ..hole }];
            let rest = rest.into_iter().filter(|hole| hole.start < hole.end);
            let before = self.holes.len();
            self.holes.splice(at..=at, rest);
            at += 1 + self.holes.len() - before;
        }
        self.forget_beyond_most();
        filled
    }

    /// Bytes that were acknowledged although they were never seen: those before `acked`.
    pub fn missed(&self, acked: u64) -> u64 {
        let missed = self.holes.iter().map(|hole| self.missed_of(hole, acked));
        self.forgotten + missed.sum::<u64>()
    }

    /// Whether the last number before `acked` was never seen, and acknowledged without another.
    pub fn has_missed_alone(&self, acked: u64) -> bool {
        let is_alone = |last: &Hole| last.end == acked && last.end - last.start == 1;
        self.holes
            .last()
            .is_some_and(|last| is_alone(last) && self.missed_of(last, acked) == 1)
    }

    fn missed_of(&self, hole: &Hole, acked: u64) -> u64 {
        let end = hole.end.min(acked);
        end.saturating_sub(hole.start.max(self.begin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_may_fill_one_hole_in_parts_and_several_at_once() {
        let mut holes = Holes::default();
        holes.leave(100, 200, Left::at(1));
        holes.leave(300, 400, Left::at(2));
        assert_eq!(
            holes.fill(140, 160),
            Filled {
                bytes: 20,
                left: Left::at(1)
            }
        );
        assert_eq!(holes.fill(140, 160), Filled::default(), "filled before");
        assert_eq!(
            holes.fill(150, 350),
            Filled {
                bytes: 90,
                left: Left::at(1)
            }
        );
        assert_eq!(holes.missed(1000), 40 + 50);
        assert_eq!(holes.missed(120), 20);
    }

    #[test]
    fn what_lies_before_the_first_captured_number_was_not_missed() {
        let mut holes = Holes::default();
        holes.leave(100, 200, Left::at(1));
        holes.leave(300, 400, Left::at(2));
        holes.begin_at(350);
        assert_eq!(holes.missed(1000), 50);
        assert_eq!(holes.fill(100, 200).bytes, 100, "it may still come");
    }

    #[test]
    fn the_number_of_holes_is_bounded_and_no_byte_is_lost_by_it() {
        let mut holes = Holes::default();
        for n in 0..1000 {
            holes.leave(n * 10, n * 10 + 5, Left::at(n));
        }
        assert_eq!(holes.holes.len(), MOST);
        assert_eq!(holes.missed(u64::MAX), 5000);
    }
}
