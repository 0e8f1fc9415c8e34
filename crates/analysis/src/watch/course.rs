//! The course of a direction's round trips: what each of its segments met, as far as
//! acknowledgments that came at once tell.
//!
//! A segment meets the queue that the one just before it met. So what a lost segment met is told
//! by the last one before it whose round trip was measured, and how long that was among all
//! round trips by the share of the direction's segments that met a shorter one.

use std::collections::{BTreeMap, VecDeque};

use crate::rtt::HELD_BACK_NS;

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
pub(super) struct RoundTripSample {
    /// Time when the segment was sent.
    pub sent_ns: u64,
    /// Number of segments with payload that its sender had sent by then, it included.
    pub segments: u64,
    pub rtt_ns: u64,
    /// Its acknowledgment was one of more than a full segment.
    pub is_shared: bool,
    /// Time until another segment followed it that was not acknowledged with it.
    pub followed_ns: Option<u64>,
}

impl RoundTripSample {
    /// Returns whether its acknowledgment came at once, from a receiver that holds others back: the
    /// one that followed would have come before it was held back long enough, and been acknowledged
    /// with it.
    fn came_at_once(&self) -> bool {
        let is_followed = |after_ns| after_ns < *HELD_BACK_NS.start();
        self.is_shared || self.followed_ns.is_some_and(is_followed)
    }

    /// Returns whether what followed it was sent at that time and lost: then its acknowledgment was
    /// held back until something else came.
    fn waited_for_a_loss_at(&self, time_ns: u64) -> bool {
        let followed_at = |after_ns| self.sent_ns.saturating_add(after_ns);
        self.followed_ns.map(followed_at) == Some(time_ns)
    }

    /// Returns whether what is sent at that time still meets about the same: not later than a round
    /// trip, after which its sender knows more and sends otherwise. (Inferred.)
    const fn holds_at(&self, time_ns: u64) -> bool {
        time_ns.saturating_sub(self.sent_ns) <= self.rtt_ns
    }
}

/// Round trips by when they began.
#[derive(Clone, Debug, Default)]
pub(super) struct RttCourse {
    /// Those that may still be asked for.
    recent: VecDeque<RoundTripSample>,
    /// Number of samples, and of those with a shared acknowledgment.
    samples: u64,
    shared: u64,
    /// Segments by the round trip that they met, in steps.
    met: BTreeMap<u64, u64>,
}

impl RttCourse {
    /// A round trip ended.
    pub fn add(&mut self, sample: RoundTripSample) {
        self.samples += 1;
        self.shared += u64::from(sample.is_shared);
        let holds_back = self.shared * SHARED_ONE_IN >= self.samples;
        if holds_back && !sample.came_at_once() {
            return;
        }
        let is_by_follower = holds_back && !sample.is_shared;
        let sample = RoundTripSample {
            followed_ns: sample.followed_ns.filter(|_| is_by_follower),
            ..sample
        };
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

    /// Nothing will be asked of what was sent before `time_ns`. Two that began before are kept, as
    /// one may have waited for a loss.
    pub fn forget_before(&mut self, time_ns: u64) {
        while self.recent.len() > 2 && self.recent[2].sent_ns <= time_ns {
            self.recent.pop_front();
        }
    }

    /// The round trip that a lost segment met which was sent at `time_ns`; none if none was measured
    /// shortly before.
    pub fn met_at(&self, time_ns: u64) -> Option<u64> {
        let behind = (self.recent).partition_point(|sample| sample.sent_ns <= time_ns);
        let mut before = self.recent.range(..behind).rev();
        let last = before.find(|sample| !sample.waited_for_a_loss_at(time_ns))?;
        last.holds_at(time_ns).then_some(last.rtt_ns)
    }

    /// Returns which part of the segments, in millionths, met a shorter round trip; of those that
    /// met the same a half.
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
    fn course(rtts_ms: &[u64], is_shared: impl Fn(usize) -> bool) -> RttCourse {
        let mut course = RttCourse::default();
        for (at, rtt_ms) in rtts_ms.iter().enumerate() {
            course.add(RoundTripSample {
                sent_ns: at as u64 * MS,
                segments: at as u64 + 1,
                rtt_ns: rtt_ms * MS,
                is_shared: is_shared(at),
                followed_ns: None,
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
    fn an_acknowledgment_was_not_held_back_that_left_out_what_came_soon_behind() {
        let followed_after = |after_ms: u64| {
            let mut course = course(&[20, 21, 22, 23], |_| true);
            course.add(RoundTripSample {
                sent_ns: 4 * MS,
                segments: 5,
                rtt_ns: 40 * MS,
                is_shared: false,
                followed_ns: Some(after_ms * MS),
            });
            course.met_at(4 * MS)
        };
        assert_eq!(followed_after(1), Some(40 * MS));
        assert_eq!(followed_after(40), Some(23 * MS));
    }

    #[test]
    fn an_acknowledgment_waits_for_what_comes_behind_a_loss() {
        let mut course = course(&[20, 21], |_| true);
        course.add(RoundTripSample {
            sent_ns: 2 * MS,
            segments: 3,
            rtt_ns: 30 * MS,
            is_shared: false,
            followed_ns: Some(MS),
        });
        assert_eq!(course.met_at(3 * MS), Some(21 * MS), "of the one before");
        assert_eq!(course.met_at(4 * MS), Some(30 * MS));
    }

    #[test]
    fn the_rank_of_a_round_trip_is_the_share_of_segments_that_met_a_shorter_one() {
        let course = course(&[20, 30, 40, 50], |_| true);
        let ranks = [10, 20, 50, 60].map(|ms| course.rank_ppm(ms * MS));
        assert_eq!(ranks, [0, 125_000, 875_000, 1_000_000]);
    }

    #[test]
    fn of_what_nothing_was_measured_there_is_no_round_trip() {
        assert_eq!(RttCourse::default().met_at(MS), None);
        assert_eq!(RttCourse::default().rank_ppm(MS), 0);
    }
}
