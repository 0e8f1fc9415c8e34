//! Sequence numbers that were passed over: lost before the point of capture, late, or missed
//! by the capture.

use std::collections::BTreeMap;

use dissect::TcpSegment;

/// Holes remembered of a direction; the first of them is taken for missed beyond that. Where every
/// second segment of a slow start is lost, these are of a window of 48 MB.
const MOST: usize = 16_384;

/// As many as that are remembered where the first are acknowledged. They are the capture's, which
/// missed what its receiver has, or has it in another order; a late one may be retransmitted.
const MOST_ACKNOWLEDGED: usize = 256;

/// The segment that went beyond a hole and left it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HoleLeaver {
    /// Time when that was captured.
    pub at_ns: u64,
    /// Its timestamp, if it was a segment of this direction that has one.
    clock: Option<u32>,
    /// It was an acknowledgment.
    pub is_by_ack: bool,
    /// Something of what it acknowledged has come since.
    has_come_in_part: bool,
}

impl HoleLeaver {
    /// By a segment of this direction.
    pub fn by(segment: &TcpSegment) -> HoleLeaver {
        let clock = segment.options.timestamps.map(|(clock, _)| clock);
        HoleLeaver {
            at_ns: segment.time_ns,
            clock,
            ..HoleLeaver::default()
        }
    }

    /// By something else at this time.
    pub const fn at(at_ns: u64) -> HoleLeaver {
        HoleLeaver {
            at_ns,
            clock: None,
            is_by_ack: false,
            has_come_in_part: false,
        }
    }

    /// By an acknowledgment of what the hole is of.
    pub const fn by_ack(at_ns: u64) -> HoleLeaver {
        HoleLeaver {
            at_ns,
            clock: None,
            is_by_ack: true,
            has_come_in_part: false,
        }
    }

    /// Returns whether it was an acknowledgment of which nothing had come since.
    pub const fn is_news(&self) -> bool {
        self.is_by_ack && !self.has_come_in_part
    }

    /// Returns whether a segment was sent later, as its timestamp proves.
    pub fn is_before(&self, segment: &TcpSegment) -> bool {
        let clocks = self.clock.zip(segment.options.timestamps);
        clocks.is_some_and(|(own, (clock, _))| clock.wrapping_sub(own) as i32 > 0)
    }
}

/// The holes of one direction.
#[derive(Debug, Default)]
pub(super) struct Holes {
    /// Ends and what left them, by the first numbers.
    holes: BTreeMap<u64, (u64, HoleLeaver)>,
    /// Bytes of forgotten holes.
    forgotten: u64,
    /// The first number that was captured in the middle of a direction: what lies before it was on
    /// its way when the capture began, and not missed by it.
    begin: u64,
}

/// The hole that a segment filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FilledHole {
    pub bytes: u64,
    /// By what the first hole that it filled was left.
    pub left: HoleLeaver,
}

impl Holes {
    /// Leaves a hole beyond all others, or before them; what lies before `acked` is acknowledged.
    pub fn leave(&mut self, start: u64, end: u64, left: HoleLeaver, acked: u64) {
        if self.holes.len() >= MOST_ACKNOWLEDGED && self.widens_last(start, end, left) {
            return;
        }
        self.holes.insert(start, (end, left));
        self.forget(acked);
    }

    /// Many acknowledgments in a row, each of the next that was not captured: where the clocks of
    /// two captures in one file disagree, what they acknowledge comes later.
    fn widens_last(&mut self, start: u64, end: u64, left: HoleLeaver) -> bool {
        let last = self.holes.last_entry();
        let last = last.filter(|last| last.get().0 == start);
        let last = last.filter(|last| left.is_by_ack && last.get().1.is_by_ack);
        last.map(|mut last| last.insert((end, left))).is_some()
    }

    /// The capture began in the middle, with this number.
    pub fn begin_at(&mut self, number: u64) {
        self.begin = self.begin.max(number);
    }

    /// Leaves a hole before all others, unless it is empty: the capture began behind it.
    pub fn leave_before(&mut self, start: u64, end: u64, left: HoleLeaver) {
        self.begin_at(end);
        if start < end {
            self.leave(start, end, left, 0);
        }
    }

    fn forget(&mut self, acked: u64) {
        while let Some(first) = self.holes.first_entry() {
            let (start, (end, _)) = (*first.key(), *first.get());
            let most = if end <= acked {
                MOST_ACKNOWLEDGED
            } else {
                MOST
            };
            if self.holes.len() <= most {
                return;
            }
            self.holes.pop_first();
            self.forgotten += self.missed_of(start, end);
        }
    }

    /// The first hole that `start..end` would fill.
    fn first_in(&self, start: u64, end: u64) -> Option<(u64, u64, HoleLeaver)> {
        if start >= end {
            return None;
        }
        let around = self.holes.range(..start).next_back();
        let around = around.filter(|(_, (its_end, _))| *its_end > start);
        let (&from, &(to, left)) = around.or_else(|| self.holes.range(start..end).next())?;
        Some((from, to, left))
    }

    /// Returns when the first hole that `start..end` would fill was left.
    pub fn left_at(&self, start: u64, end: u64) -> Option<u64> {
        self.first_in(start, end).map(|(.., left)| left.at_ns)
    }

    /// Takes `start..end` out of the holes.
    #[inline]
    pub fn fill(&mut self, start: u64, end: u64) -> FilledHole {
        if self.holes.is_empty() {
            return FilledHole::default();
        }
        self.fill_some(start, end)
    }

    fn fill_some(&mut self, start: u64, end: u64) -> FilledHole {
        let mut filled = FilledHole::default();
        while let Some((from, to, left)) = self.first_in(start, end) {
            if filled.bytes == 0 {
                filled.left = left;
            }
            filled.bytes += to.min(end) - from.max(start);
            self.holes.remove(&from);
            let left = HoleLeaver {
                has_come_in_part: left.is_by_ack,
                ..left
            };
            for (rest, rest_end) in [(from, to.min(start)), (from.max(end), to)] {
                if rest < rest_end {
                    self.holes.insert(rest, (rest_end, left));
                }
            }
        }
        filled
    }

    /// Returns whether nothing from `start` to `end` was captured.
    pub fn are_all_of(&self, start: u64, end: u64) -> bool {
        let within = self.holes.range(start..end.max(start));
        let bytes: u64 = within.map(|(&from, &(to, _))| to.min(end) - from).sum();
        bytes == end.saturating_sub(start)
    }

    /// Bytes that were acknowledged although they were never seen: those before `acked`.
    pub fn missed(&self, acked: u64) -> u64 {
        let each = self.holes.iter();
        let missed = each.map(|(&start, &(end, _))| self.missed_of(start, end.min(acked)));
        self.forgotten + missed.sum::<u64>()
    }

    /// Returns whether the last number before `acked` was never seen, and acknowledged without
    /// another.
    pub fn has_missed_alone(&self, acked: u64) -> bool {
        let last = self.holes.last_key_value();
        last.is_some_and(|(&start, &(end, _))| {
            end == acked && end - start == 1 && self.missed_of(start, end) == 1
        })
    }

    fn missed_of(&self, start: u64, end: u64) -> u64 {
        end.saturating_sub(start.max(self.begin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_may_fill_one_hole_in_parts_and_several_at_once() {
        let mut holes = Holes::default();
        holes.leave(100, 200, HoleLeaver::at(1), 0);
        holes.leave(300, 400, HoleLeaver::at(2), 0);
        assert_eq!(
            holes.fill(140, 160),
            FilledHole {
                bytes: 20,
                left: HoleLeaver::at(1)
            }
        );
        assert_eq!(holes.fill(140, 160), FilledHole::default(), "filled before");
        assert_eq!(
            holes.fill(150, 350),
            FilledHole {
                bytes: 90,
                left: HoleLeaver::at(1)
            }
        );
        assert_eq!(holes.missed(1000), 40 + 50);
        assert_eq!(holes.missed(120), 20);
    }

    #[test]
    fn what_lies_before_the_first_captured_number_was_not_missed() {
        let mut holes = Holes::default();
        holes.leave(100, 200, HoleLeaver::at(1), 0);
        holes.leave(300, 400, HoleLeaver::at(2), 0);
        holes.begin_at(350);
        assert_eq!(holes.missed(1000), 50);
        assert_eq!(holes.fill(100, 200).bytes, 100, "it may still come");
    }

    #[test]
    fn the_number_of_holes_is_bounded_and_no_byte_is_lost_by_it() {
        let mut holes = Holes::default();
        for n in 0..20_000 {
            holes.leave(n * 10, n * 10 + 5, HoleLeaver::at(n), 0);
        }
        assert_eq!(holes.holes.len(), MOST);
        holes.leave(300_000, 300_005, HoleLeaver::at(20_000), 250_000);
        assert_eq!(holes.holes.len(), MOST_ACKNOWLEDGED);
        assert_eq!(holes.missed(u64::MAX), 100_005);
    }

    #[test]
    fn acknowledgments_in_a_row_far_ahead_of_the_data_forget_none_of_them() {
        let mut holes = Holes::default();
        for n in 0..1_000 {
            holes.leave(10 * n, 10 * n + 10, HoleLeaver::by_ack(n), 10 * n + 10);
        }
        assert_eq!(holes.holes.len(), MOST_ACKNOWLEDGED);
        assert_eq!(holes.missed(u64::MAX), 10_000);
        assert_eq!(holes.fill(0, 10).left, HoleLeaver::by_ack(0));
    }

    #[test]
    fn an_acknowledgment_came_early_once_however_many_segments_it_is_of() {
        let mut holes = Holes::default();
        holes.leave(0, 30, HoleLeaver::by_ack(1), 30);
        let is_early = [0, 10, 20].map(|start| holes.fill(start, start + 10).left.is_news());
        assert_eq!(is_early, [true, false, false]);
    }
}
