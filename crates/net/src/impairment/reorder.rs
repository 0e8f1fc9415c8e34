//! Reordering: a packet waits until later ones have overtaken it.

use units::{Duration, Range, Time};

use super::{Facts, Impairment, Overtaking, StageVerdict, Within};
use crate::chance::{Chance, number_at};

units::declare! {
    /// Packets are held until later ones have overtaken them.
    pub struct Config = "reorder" {
        /// chance of each packet to be overtaken
        probability: f64 = Field::probability(),
        /// the fewest and the most that overtake it, all numbers of them equally likely
        displacement: Range<u32> = Field::count("packets").within(1.0, 7.0).range()
            .or(Default::Range([1, 7]))
            .from("goel2006 §4.3.7"),
        /// which later packets count: all on the link in its direction, or those of its own flow
        within: Within = Field::of(Quantity::Choice(Within::WORDS))
            .or(Default::Text("link"))
            .from("goel2006 §4.3.7: the emulator knew no connections"),
        /// time after which it goes on all the same, so that none is lost where traffic stops
        longest_wait: Duration = Field::duration().positive()
            .or(Default::Text("100 ms"))
            .from("inferred: half the shortest retransmission timeout of Linux, so that the wait brings none about"),
    }
}

/// A stage that puts packets back.
#[derive(Clone, Debug)]
pub struct Reorder {
    config: Config,
}

impl Reorder {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        Reorder {
            config: config.clone(),
        }
    }
}

impl Impairment for Reorder {
    /// Draws once per packet, put back or not, so that the same packets are put back, and others
    /// besides, when the probability grows. Of a number below the probability it is as random
    /// how far below.
    #[inline]
    fn on_packet(
        &mut self,
        now: Time,
        _: u64,
        _: &Facts,
        random: &mut impl Chance,
    ) -> StageVerdict {
        let drawn = random.unit();
        if drawn >= self.config.probability {
            return StageVerdict::Pass;
        }
        StageVerdict::HoldBack(Overtaking {
            by: number_at(self.config.displacement, drawn / self.config.probability),
            within: self.config.within,
            at_latest: now + self.config.longest_wait,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impairment::trial::{ChainTrial, every, numbers};

    fn reorders(probability: f64, displacement: [u32; 2], within: Within) -> Config {
        Config {
            probability,
            displacement: displacement.into(),
            within,
            longest_wait: Duration::from_millis(100),
        }
    }

    /// The numbers of a million packets as they leave, a millisecond apart, of three
    /// connections in turns.
    fn left(config: Config) -> Vec<u32> {
        let mut trial = ChainTrial::of(&[every("late", config.into())]);
        trial.send_in_turns(3, Duration::from_millis(1), 1_000_000);
        let left = numbers(&trial.end());
        let mut sorted = left.clone();
        sorted.sort_unstable();
        assert!(
            sorted.into_iter().eq(0..1_000_000),
            "none is lost or copied"
        );
        left
    }

    /// Returns how many later packets stand before each one that has any before it.
    fn displacements(left: &[u32]) -> Vec<usize> {
        let later = |place: usize| {
            let before = &left[place.saturating_sub(64)..place];
            before
                .iter()
                .filter(|&&number| number > left[place])
                .count()
        };
        (0..left.len())
            .map(later)
            .filter(|&later| later > 0)
            .collect()
    }

    #[test]
    fn of_a_million_packets_one_in_fifty_is_put_back_by_one_to_seven() {
        let displacements = displacements(&left(reorders(0.02, [1, 7], Within::Link)));
        let count = displacements.len();
        assert!(
            count.abs_diff(20_000) < 3 * 140,
            "20,000 ± 3 sigma: {count}"
        );
        let of_each = |by: usize| displacements.iter().filter(|&&each| each == by).count();
        for by in 1..=7 {
            assert!(
                of_each(by).abs_diff(2_857) < 3 * 53,
                "{} by {by}",
                of_each(by)
            );
        }
        assert_eq!((1..=7).map(of_each).sum::<usize>(), count, "and by no more");
    }

    #[test]
    fn within_a_connection_as_many_of_its_own_packets_overtake_one() {
        let left = left(reorders(0.02, [2, 2], Within::Connection));
        let own: Vec<u32> = left.into_iter().filter(|number| number % 3 == 0).collect();
        assert!(displacements(&own).iter().all(|&by| by == 2));
    }

    #[test]
    fn where_traffic_stops_a_packet_goes_on_after_the_longest_wait() {
        let config = reorders(1.0, [3, 3], Within::Link);
        let mut trial = ChainTrial::of(&[every("late", config.into())]);
        trial.send_every(Duration::from_millis(1), 1);
        let left = trial.end();
        assert_eq!(left, [(0, Time::ZERO + Duration::from_millis(100))]);
        let counts = trial.counts("late");
        assert_eq!((counts.reordered, counts.waited_out), (0, 1));
    }
}
