//! Delays and losses over time, in bounded memory.

use serde::Serialize;

/// The most steps, so that a figure of them has more than a screen's columns cannot show.
const MOST_STEPS: i64 = 1000;

/// The shortest step.
const SHORTEST_NS: i64 = 1_000_000;

/// Delays over time: one row for each step.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct OverTime {
    /// Time when the first step begins, on the first capture's clock, in nanoseconds since 1970.
    pub start_ns: i64,
    /// Length of a step.
    pub step_ns: i64,
    /// For each way and step what is told of the packets that set off in it.
    pub ways: [Vec<StepCounts>; 2],
}

/// Counts of the packets of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StepCounts {
    /// Packets that passed both points, as the captures have them: those whose delays follow.
    pub passed: u64,
    /// The same in segments on the path.
    pub segments_passed: u64,
    /// Segments that were lost between them.
    pub lost: u64,
    /// The shortest delay, in nanoseconds; 0 if none passed.
    pub min_ns: i64,
    /// The longest.
    pub max_ns: i64,
    /// All of them together.
    pub total_ns: i64,
}

impl StepCounts {
    /// Takes in what is told of another step.
    fn merge(&mut self, other: &StepCounts) {
        self.lost += other.lost;
        if other.passed == 0 {
            return;
        }
        let is_first = self.passed == 0;
        self.passed += other.passed;
        self.segments_passed += other.segments_passed;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        if is_first {
            (self.min_ns, self.max_ns) = (other.min_ns, other.max_ns);
        } else {
            self.min_ns = self.min_ns.min(other.min_ns);
            self.max_ns = self.max_ns.max(other.max_ns);
        }
    }
}

/// Counts while it is not known yet how long the steps will be: in steps of a power of ten
/// nanoseconds, ten of which become one when there are too many.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    start_ns: i64,
    scale_ns: i64,
    ways: [Vec<StepCounts>; 2],
}

impl Timeline {
    /// The most: a told step is five of them, two or one.
    const MOST: i64 = 5 * MOST_STEPS;

    /// Before the first packet.
    pub fn new(start_ns: i64) -> Self {
        Timeline {
            start_ns,
            scale_ns: SHORTEST_NS,
            ways: Default::default(),
        }
    }

    /// A packet passed, as so many segments.
    pub fn pass(&mut self, way: usize, at_ns: i64, delay_ns: i64, segments: u32) {
        self.step(way, at_ns).merge(&StepCounts {
            passed: 1,
            segments_passed: segments.into(),
            lost: 0,
            min_ns: delay_ns,
            max_ns: delay_ns,
            total_ns: delay_ns,
        });
    }

    /// A segment was lost.
    pub fn lose(&mut self, way: usize, at_ns: i64) {
        self.step(way, at_ns).lost += 1;
    }

    fn step(&mut self, way: usize, at_ns: i64) -> &mut StepCounts {
        let since_ns = at_ns.saturating_sub(self.start_ns).max(0);
        while since_ns / self.scale_ns >= Self::MOST {
            self.scale_ns *= 10;
            for steps in &mut self.ways {
                *steps = merged(steps, 10);
            }
        }
        let at = (since_ns / self.scale_ns) as usize;
        let steps = &mut self.ways[way];
        if at >= steps.len() {
            steps.resize(at + 1, StepCounts::default());
        }
        &mut steps[at]
    }

    /// Returns what is told, now that the end is known: steps of 1, 2 or 5 times a power of ten
    /// nanoseconds.
    pub fn finish(self, end_ns: i64) -> OverTime {
        let span_ns = end_ns.saturating_sub(self.start_ns).max(0);
        let mut scale_ns = self.scale_ns;
        let step_ns = loop {
            let fits = [1, 2, 5].map(|times| times * scale_ns);
            match fits.iter().find(|&step| span_ns / step < MOST_STEPS) {
                Some(&step_ns) => break step_ns,
                None => scale_ns *= 10,
            }
        };
        let together = (step_ns / self.scale_ns) as usize;
        OverTime {
            start_ns: self.start_ns,
            step_ns,
            ways: self.ways.map(|steps| merged(&steps, together)),
        }
    }
}

/// Steps of which so many are one.
fn merged(steps: &[StepCounts], together: usize) -> Vec<StepCounts> {
    let chunks = steps.chunks(together).map(|chunk| {
        let mut whole = StepCounts::default();
        chunk.iter().for_each(|step| whole.merge(step));
        whole
    });
    chunks.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn a_minute_has_steps_of_a_tenth_of_a_second() {
        let mut series = Timeline::new(5 * SECOND);
        series.pass(1, 5_250_000_000, 7, 1);
        series.pass(1, 5_260_000_000, 9, 20);
        series.lose(1, 5_299_999_999);
        let told = series.finish(65 * SECOND);
        assert_eq!(told.step_ns, SECOND / 10);
        let expected = StepCounts {
            passed: 2,
            segments_passed: 21,
            lost: 1,
            min_ns: 7,
            max_ns: 9,
            total_ns: 16,
        };
        assert_eq!(told.ways[1][2], expected);
        assert!(told.ways[0].is_empty());
    }

    proptest! {
        /// However long it takes, each packet is counted in the step in which it set off.
        #[test]
        fn steps_are_what_they_would_be_had_their_length_been_known(
            times in proptest::collection::vec(0_i64..200_000 * SECOND, 1..50),
            span_bits in 0_u32..18,
        ) {
            let times: Vec<i64> = times.iter().map(|time| time >> span_bits).collect();
            let last = *times.iter().max().expect("at least one");
            let mut series = Timeline::new(0);
            times.iter().for_each(|&time| series.lose(0, time));
            let told = series.finish(last);
            prop_assert!(told.ways[0].len() <= MOST_STEPS as usize);
            for (at, step) in (0..).zip(&told.ways[0]) {
                let within = at * told.step_ns..(at + 1) * told.step_ns;
                let expected = times.iter().filter(|&time| within.contains(time)).count();
                prop_assert_eq!(step.lost, expected as u64);
            }
        }
    }
}
