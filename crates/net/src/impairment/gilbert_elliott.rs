//! Loss in bursts: a channel that is good or bad, and loses packets more often when it is bad
//! (E. N. Gilbert, "Capacity of a burst-noise channel", Bell System Technical Journal 39, 1960;
//! E. O. Elliott, "Estimates of error rates for codes on burst-noise channels", same journal 42,
//! 1963).
//!
//! With the probabilities p to turn bad and r to turn good again, the channel is bad for p / (p +
//! r) of the packets, and for 1 / r of them in a row on average.

use units::Time;

use super::{Facts, Impairment, StageVerdict};
use crate::Chance;

units::declare! {
    /// Packets get lost in bursts, by a channel that is good or bad: Gilbert and Elliott's.
    pub struct Config = "gilbert-elliott" {
        /// chance of a good channel to be bad for the next packet; it is good for the first
        to_bad: f64 = Field::probability(),
        /// chance of a bad channel to be good for the next packet
        to_good: f64 = Field::probability(),
        /// chance of a packet to be lost in a good channel
        loss_in_good: f64 = Field::probability()
            .or(Default::Number(0.0))
            .from("Gilbert 1960: the good state has no errors"),
        /// chance of a packet to be lost in a bad channel
        loss_in_bad: f64 = Field::probability()
            .or(Default::Number(1.0))
            .from("inferred: what is lost in a burst is lost as a whole"),
    }
}

/// A stage that loses packets in bursts.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    config: Config,
    is_bad: bool,
}

impl GilbertElliott {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        GilbertElliott {
            config: config.clone(),
            is_bad: false,
        }
    }
}

impl Impairment for GilbertElliott {
    /// Draws twice per packet, whatever the probabilities, so that they share their random numbers.
    #[inline]
    fn on_packet(
        &mut self,
        _now: Time,
        number: u64,
        _facts: &Facts,
        random: &mut impl Chance,
    ) -> StageVerdict {
        let Config {
            to_bad,
            to_good,
            loss_in_good,
            loss_in_bad,
        } = self.config;
        let turns = random.unit() < if self.is_bad { to_good } else { to_bad };
        self.is_bad ^= turns && number > 1;
        if random.unit()
            < if self.is_bad {
                loss_in_bad
            } else {
                loss_in_good
            }
        {
            StageVerdict::Drop
        } else {
            StageVerdict::Pass
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::tests::MmixRandom;
    use crate::impairment::CarriedProtocol;

    const PACKETS: u64 = 1_000_000;

    const DATAGRAM: Facts = Facts {
        flow: 0,
        traffic: None,
        ip_bytes: 100,
        protocol: CarriedProtocol::Udp,
    };

    /// The share of packets lost, and how many are lost in a row, on average.
    fn losses(config: &Config) -> (f64, f64) {
        let mut stage = GilbertElliott::new(config);
        let random = &mut MmixRandom(11);
        let (mut lost, mut bursts, mut was_lost) = (0, 0, false);
        for number in 1..=PACKETS {
            let is_lost =
                stage.on_packet(Time::ZERO, number, &DATAGRAM, random) == StageVerdict::Drop;
            lost += u32::from(is_lost);
            bursts += u32::from(is_lost && !was_lost);
            was_lost = is_lost;
        }
        (
            f64::from(lost) / PACKETS as f64,
            f64::from(lost) / f64::from(bursts),
        )
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        let off = (found / expected - 1.0).abs();
        assert!(off < 0.02, "found {found}, expected {expected}");
    }

    #[test]
    fn what_a_bad_channel_loses_as_a_whole_comes_in_bursts_as_long_as_it_is_bad() {
        let (share, burst) = losses(&Config {
            to_bad: 0.01,
            to_good: 0.25,
            loss_in_good: 0.0,
            loss_in_bad: 1.0,
        });
        assert_near(share, 0.01 / (0.01 + 0.25));
        assert_near(burst, 1.0 / 0.25);
    }

    #[test]
    fn the_share_lost_is_that_of_both_states_by_how_often_the_channel_is_in_them() {
        let (share, burst) = losses(&Config {
            to_bad: 0.02,
            to_good: 0.18,
            loss_in_good: 0.01,
            loss_in_bad: 0.5,
        });
        let [good, bad] = [0.9, 0.1];
        let lost = good * 0.01 + bad * 0.5;
        assert_near(share, lost);
        // A burst goes on if a packet after a lost one is lost, too.
        let from_good = 0.98 * 0.01 + 0.02 * 0.5;
        let from_bad = 0.18 * 0.01 + 0.82 * 0.5;
        let again = (good * 0.01 * from_good + bad * 0.5 * from_bad) / lost;
        assert_near(burst, 1.0 / (1.0 - again));
    }

    #[test]
    fn a_channel_that_never_turns_bad_loses_nothing() {
        let (share, _) = losses(&Config {
            to_bad: 0.0,
            to_good: 0.5,
            loss_in_good: 0.0,
            loss_in_bad: 1.0,
        });
        assert_eq!(share, 0.0);
    }
}
