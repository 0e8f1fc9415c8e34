//! The course of a direction's round trips: what each of its segments met, as far as
//! acknowledgments that came at once tell.
//!
//! A segment meets the queue that the one just before it met. So what a lost segment met is told
//! by the last one before it whose round trip was measured, and how long that was among all
//! round trips by the share of the direction's segments that met a shorter one.

use std::collections::{BTreeMap, VecDeque};

/// A receiver acknowledges at least every second full segment at once (RFC 5681 §4.2), so only
/// what acknowledges one alone may have been held back. One in so many acknowledgments of more
/// shows a receiver that does hold back: where it does not, only a lost acknowledgment or one
/// that the card joined leaves one of more. (Inferred.)
const SHARED_ONE_IN: u64 = 8;

/// Steps to a doubling of a round trip: those that differ by less count as the same.
const STEPS: u64 = 64;
const STEP_BITS: u32 = STEPS.trailing_zeros();

/// A measured round trip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// When the segment was sent.
    pub sent_ns: u64,
    /// How many segments with payload its sender had sent by then, it included.
    pub segments: u64,
    pub rtt_ns: u64,
    /// Its acknowledgment was one of more than a full segment.
    pub is_shared: bool,
}

impl Sample {
    /// Whether what is sent at that time still meets about the same: not later than a round trip,
    /// after which its sender knows more and sends otherwise. (Inferred.)
    const fn holds_at(&self, time_ns: u64) -> bool {
        time_ns.saturating_sub(self.sent_ns) <= self.rtt_ns
    }
}

/// Round trips by when they began.
#[derive(Clone, Debug, Default)]
pub(super) struct Course {
    /// Those that may still be asked for.
    recent: VecDeque<Sample>,
    /// How many there were, and how many of these had a shared acknowledgment.
    samples: u64,
    shared: u64,
    /// Segments by the round trip that they met, in steps.
    met: BTreeMap<u64, u64>,
}

impl Course {
    /// A round trip ended.
    pub fn add(&mut self, sample: Sample) {
        self.samples += 1;
        self.shared += u64::from(sample.is_shared);
        let holds_back = self.shared * SHARED_ONE_IN >= self.samples;
        if holds_back && !sample.is_shared {
            return;
        }
        if let Some(last) = self.recent.back().copied() {
            if sample.sent_ns < last.sent_ns {
                return;
            }
            let met_the_same = match last.holds_at(sample.sent_ns) {
                true => sample.segments.saturating_sub(last.segments),
                false => 1,
            };
            *self.met.entry(step(last.rtt_ns)).or_default() += met_the_same;
        }
        self.recent.push_back(sample);
    }

    /// Nothing will be asked of what was sent before `time_ns`.
    pub fn forget_before(&mut self, time_ns: u64) {
        while self.recent.len() > 1 && self.recent[1].sent_ns <= time_ns {
            self.recent.pop_front();
        }
    }

    /// The round trip that a segment met which was sent at `time_ns`; none if none was measured
    /// shortly before.
    pub fn met_at(&self, time_ns: u64) -> Option<u64> {
        let behind = (self.recent).partition_point(|sample| sample.sent_ns <= time_ns);
        let last = self.recent.get(behind.checked_sub(1)?)?;
        last.holds_at(time_ns).then_some(last.rtt_ns)
    }

    /// Which part of the segments, in millionths, met a shorter round trip; of those that met the
    /// same a half.
    pub fn rank_ppm(&self, rtt_ns: u64) -> u32 {
        let place = step(rtt_ns);
        let last = self.recent.back().map(|last| step(last.rtt_ns));
        let own = |count: &u64| u128::from(*count);
        let last_is = |is: bool| u128::from(is);
        let shorter: u128 = self.met.range(..place).map(|(_, count)| own(count)).sum();
        let shorter = shorter + last_is(last.is_some_and(|last| last < place));
        let same = self.met.get(&place).map_or(0, own) + last_is(last == Some(place));
        let all: u128 = self.met.values().map(own).sum();
        let all = all + last_is(last.is_some());
        let twice = 1_000_000 * (2 * shorter + same);
        (twice / (2 * all).max(1)) as u32
    }
}

/// The step of a round trip: by its leading bits.
fn step(ns: u64) -> u64 {
    let shift = (u64::BITS - ns.leading_zeros()).saturating_sub(STEP_BITS + 1);
    u64::from(shift) * STEPS + (ns >> shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Segments every millisecond, whose round trips take so many.
    fn course(rtts_ms: &[u64], is_shared: impl Fn(usize) -> bool) -> Course {
        let mut course = Course::default();
        for (at, rtt_ms) in rtts_ms.iter().enumerate() {
            course.add(Sample {
                sent_ns: at as u64 * MS,
                segments: at as u64 + 1,
                rtt_ns: rtt_ms * MS,
                is_shared: is_shared(at),
            });
        }
        course
    }

    #[test]
    fn a_segment_met_what_the_one_before_it_met() {
        let course = course(&[20, 21, 22], |_| true);
        assert_eq!(course.met_at(2 * MS - 1), Some(21 * MS));
        assert_eq!(course.met_at(2 * MS), Some(22 * MS));
        assert_eq!(course.met_at(24 * MS), Some(22 * MS));
        assert_eq!(course.met_at(24 * MS + 1), None, "a round trip later");
    }

    #[test]
    fn an_acknowledgment_that_was_held_back_tells_nothing_of_the_path() {
        let alternating = course(&[20, 60, 20, 60], |at| at % 2 == 0);
        assert_eq!(alternating.met_at(3 * MS), Some(20 * MS));
        let of_each = course(&[20, 60, 20, 60], |_| false);
        assert_eq!(of_each.met_at(3 * MS), Some(60 * MS));
    }

    #[test]
    fn the_rank_of_a_round_trip_is_the_share_of_segments_that_met_a_shorter_one() {
        let course = course(&[20, 30, 40, 50], |_| true);
        let ranks = [10, 20, 50, 60].map(|ms| course.rank_ppm(ms * MS));
        assert_eq!(ranks, [0, 125_000, 875_000, 1_000_000]);
    }

    #[test]
    fn of_what_nothing_was_measured_there_is_no_round_trip() {
        assert_eq!(Course::default().met_at(MS), None);
        assert_eq!(Course::default().rank_ppm(MS), 0);
    }
}
