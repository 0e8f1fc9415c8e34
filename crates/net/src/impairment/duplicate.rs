//! Duplication: copies follow a packet at once.

use units::{Range, Time};

use super::{Facts, Impairment, StageVerdict};
use crate::chance::{Chance, number_at};

units::declare! {
    /// Packets are followed by copies of themselves, at once.
    pub struct Config = "duplicate" {
        /// chance of each packet to be copied
        probability: f64 = Field::probability(),
        /// the least and the most copies of one packet, all numbers of them equally likely
        copies: Range<u32> = Field::count("copies").within(1.0, 100.0).range()
            .or(Default::Range([1, 1]))
            .from("inferred: what a retransmission or a loop of a path adds"),
    }
}

/// A stage that copies packets.
#[derive(Clone, Debug)]
pub struct Duplicate {
    probability: f64,
    copies: Range<u32>,
}

impl Duplicate {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        Duplicate {
            probability: config.probability,
            copies: config.copies,
        }
    }
}

impl Impairment for Duplicate {
    /// Draws once per packet, copied or not, so that the same packets are copied, and others
    /// besides, when the probability grows. Of a number below the probability it is as random
    /// how far below.
    #[inline]
    fn on_packet(&mut self, _: Time, _: u64, _: &Facts, random: &mut impl Chance) -> StageVerdict {
        let drawn = random.unit();
        if drawn >= self.probability {
            return StageVerdict::Pass;
        }
        StageVerdict::Copy(number_at(self.copies, drawn / self.probability))
    }
}

#[cfg(test)]
mod tests {
    use units::Duration;

    use super::*;
    use crate::impairment::trial::{ChainTrial, every, numbers};

    fn duplicates(probability: f64, copies: [u32; 2]) -> Config {
        Config {
            probability,
            copies: copies.into(),
        }
    }

    #[test]
    fn copies_come_right_behind_the_packet() {
        let mut trial = ChainTrial::of(&[every("twins", duplicates(1.0, [2, 2]).into())]);
        trial.send_every(Duration::from_millis(1), 3);
        assert_eq!(numbers(&trial.end()), [0, 0, 0, 1, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn of_a_million_packets_one_in_ten_has_one_to_four_copies() {
        let mut trial = ChainTrial::of(&[every("twins", duplicates(0.1, [1, 4]).into())]);
        trial.send_every(Duration::from_millis(1), 1_000_000);
        let left = numbers(&trial.end());
        let counts = trial.counts("twins");
        assert_eq!(left.len() as u64, 1_000_000 + counts.copies);
        // 100,000 ± 3 sigma, and 2.5 copies each.
        assert!(counts.duplicated.abs_diff(100_000) < 900, "{counts:?}");
        let each = counts.copies as f64 / counts.duplicated as f64;
        assert!((each - 2.5).abs() < 3.0 * 1.118 / 316.0, "{each}");
        let mut of_each = [0u32; 6];
        for same in left.chunk_by(|one, next| one == next) {
            of_each[same.len()] += 1;
        }
        assert!(
            of_each[2..].iter().all(|n| n.abs_diff(25_000) < 3 * 156),
            "{of_each:?}"
        );
    }
}
