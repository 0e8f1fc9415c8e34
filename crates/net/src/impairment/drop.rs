//! Loss: packets vanish by chance, or every nth of them, or those of certain numbers.

use std::collections::VecDeque;
use std::num::NonZeroU64;

use units::Time;

use super::{Facts, Impairment, StageVerdict};
use crate::Chance;

units::declare! {
    /// Packets get lost.
    pub struct Config = "drop" {
        /// chance of each packet to be lost, whatever happened to others; absent: none
        probability: Option<f64> = Field::probability().optional(),
        /// of so many packets that match, the last one is lost, always anew; absent: none
        every: Option<NonZeroU64> = Field::count("packets").positive().optional(),
        /// packets that are lost, by number: 1 is the first that matches; absent: none
        packets: Option<Vec<NonZeroU64>> = Field::of(Quantity::Counts).positive().optional(),
    }
}

/// A stage that loses packets.
#[derive(Clone, Debug)]
pub struct Drop {
    probability: Option<f64>,
    /// The next packet to be lost by its number; none has number zero.
    next: u64,
    every: Option<NonZeroU64>,
    /// Numbers of the listed packets that have not come, ascending.
    listed: Option<VecDeque<NonZeroU64>>,
}

impl Drop {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        let mut listed = config.packets.clone();
        if let Some(numbers) = &mut listed {
            numbers.sort_unstable();
            numbers.dedup();
        }
        let mut stage = Drop {
            probability: config.probability,
            next: 0,
            every: config.every,
            listed: listed.map(VecDeque::from),
        };
        stage.find_next(0);
        stage
    }

    /// Finds the next packet to be lost by its number after the one that came last.
    #[cold]
    fn find_next(&mut self, last: u64) {
        let listed = self.listed.as_mut().and_then(|numbers| {
            if numbers.front().is_some_and(|number| number.get() == last) {
                numbers.pop_front();
            }
            numbers.front().map(|number| number.get())
        });
        let nth = self.every.map(|every| (last / every + 1) * every.get());
        self.next = listed.into_iter().chain(nth).min().unwrap_or(0);
    }
}

impl Impairment for Drop {
    /// Draws once per packet wherever there is a probability, zero included, so that the same
    /// packets get lost, and others besides, when it grows.
    #[inline]
    fn on_packet(
        &mut self,
        _now: Time,
        number: u64,
        _facts: &Facts,
        random: &mut impl Chance,
    ) -> StageVerdict {
        let is_unlucky = self.probability.is_some_and(|p| random.unit() < p);
        let is_meant = number == self.next;
        if is_meant {
            self.find_next(number);
        }
        if is_unlucky || is_meant {
            StageVerdict::Drop
        } else {
            StageVerdict::Pass
        }
    }

    fn awaited(&self) -> Option<u64> {
        self.listed.as_ref().map(|numbers| numbers.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::tests::{Loaded, MmixRandom};
    use crate::impairment::CarriedProtocol;

    const DATAGRAM: Facts = Facts {
        flow: 0,
        traffic: None,
        ip_bytes: 100,
        protocol: CarriedProtocol::Udp,
    };

    const NOTHING: Config = Config {
        probability: None,
        every: None,
        packets: None,
    };

    /// The numbers of those of `packets` packets that get lost.
    fn lost(config: &Config, packets: u64, random: &mut impl Chance) -> Vec<u64> {
        let mut stage = Drop::new(config);
        let mut fate = |number| stage.on_packet(Time::ZERO, number, &DATAGRAM, random);
        let is_lost = |number: &u64| fate(*number) == StageVerdict::Drop;
        (1..=packets).filter(is_lost).collect()
    }

    fn numbers(numbers: &[u64]) -> Option<Vec<NonZeroU64>> {
        numbers
            .iter()
            .map(|&number| NonZeroU64::new(number))
            .collect()
    }

    fn with_probability(p: f64) -> Config {
        Config {
            probability: Some(p),
            ..NOTHING
        }
    }

    #[test]
    fn packets_are_lost_by_number() {
        let config = Config {
            packets: numbers(&[4, 1, 4]),
            ..NOTHING
        };
        let no_draws = &mut Loaded::with(&[]);
        assert_eq!(lost(&config, 6, no_draws), [1, 4]);
    }

    #[test]
    fn every_nth_packet_is_lost() {
        let config = Config {
            every: NonZeroU64::new(3),
            ..NOTHING
        };
        let no_draws = &mut Loaded::with(&[]);
        assert_eq!(lost(&config, 10, no_draws), [3, 6, 9]);
    }

    #[test]
    fn packets_that_have_not_come_are_awaited() {
        let mut stage = Drop::new(&Config {
            packets: numbers(&[2, 7, 9]),
            ..NOTHING
        });
        let no_draws = &mut Loaded::with(&[]);
        for number in 1..=2 {
            stage.on_packet(Time::ZERO, number, &DATAGRAM, no_draws);
        }
        assert_eq!(stage.awaited(), Some(2));
        assert_eq!(Drop::new(&with_probability(0.5)).awaited(), None);
    }

    #[test]
    fn packets_are_lost_by_chance_or_by_number() {
        let config = Config {
            probability: Some(0.5),
            packets: numbers(&[2]),
            ..NOTHING
        };
        let draws = &mut Loaded::with(&[0.4, 0.9, 0.5, 0.1]);
        assert_eq!(lost(&config, 4, draws), [1, 2, 4]);
    }

    #[test]
    fn of_a_million_packets_one_in_a_hundred_is_lost() {
        let lost = lost(&with_probability(0.01), 1_000_000, &mut MmixRandom(3)).len();
        assert!(
            (9_700..=10_300).contains(&lost),
            "10,000 ± 3 sigma, got {lost}"
        );
    }

    #[test]
    fn whoever_is_lost_at_one_probability_is_lost_at_a_greater_one() {
        let few = lost(&with_probability(0.01), 1_000, &mut MmixRandom(3));
        let many = lost(&with_probability(0.04), 1_000, &mut MmixRandom(3));
        assert!(few.len() < many.len());
        assert!(few.iter().all(|number| many.contains(number)));
        let none = lost(&with_probability(0.0), 1_000, &mut MmixRandom(3));
        assert!(none.is_empty());
    }
}
