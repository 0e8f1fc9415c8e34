//! A programmable attenuator between two radios: software raises it step by step and lowers it
//! again, over and over, as an RF chamber's does (S. Goel, "Performance Evaluation of TCP over IEEE
//! 802.11 WLANs", University of New Hampshire, 2006, §4.3.8).

use std::fmt::Debug;

use units::{Db, Duration, Time};

use crate::stations::ReceptionRandom;
use crate::varying::Process;

units::declare! {
    /// An attenuator that is raised step by step, and lowered again, over and over.
    pub struct Config = "attenuator" {
        /// how far it is raised above the link's loss
        depth: Db = Field::of(Quantity::Ratio),
        /// how long it stays at each step
        dwell: Duration = Field::duration().positive(),
        /// from one step to the next; the last is as high as is left
        step: Db = Field::of(Quantity::Ratio)
            .positive()
            .or(Default::Text("1 dB"))
            .from("inferred: what laboratory attenuators resolve; goel2006 §4.3.8 prints no step"),
    }
}

/// A link with an attenuator.
#[derive(Clone, Debug)]
pub struct Attenuator {
    depth: Db,
    step: Db,
    dwell: Duration,
    /// Steps from the lowest loss to the highest.
    steps: u64,
    holds_until: Time,
}

impl Attenuator {
    /// A link whose attenuator begins to rise with the run; it draws nothing.
    pub fn new(config: &Config, _random: impl ReceptionRandom) -> Attenuator {
        Attenuator {
            depth: config.depth,
            step: config.step,
            dwell: config.dwell,
            steps: libm::ceil(config.depth.0 / config.step.0) as u64,
            holds_until: Time::ZERO,
        }
    }

    /// Returns how far it is raised after so many steps since the run began.
    fn raised(&self, steps: u64) -> f64 {
        let Some(place) = steps.checked_rem(2 * self.steps) else {
            return 0.0;
        };
        let up = place.min(2 * self.steps - place);
        (up as f64 * self.step.0).min(self.depth.0)
    }
}

impl Process for Attenuator {
    fn gain(&mut self, at: Time) -> f64 {
        let steps = at.as_nanos() / self.dwell.as_nanos();
        self.holds_until = Time::ZERO + self.dwell * (steps + 1);
        libm::pow(10.0, -self.raised(steps) / 10.0)
    }

    fn holds_until(&self) -> Time {
        self.holds_until
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fading::trial::{TrialRandom, decibels, sampled};

    fn attenuator(depth: f64, step: f64) -> Attenuator {
        let dwell = Duration::from_millis(500);
        Attenuator::new(
            &Config {
                depth: Db(depth),
                dwell,
                step: Db(step),
            },
            TrialRandom(1),
        )
    }

    fn levels(mut attenuator: Attenuator, count: u64) -> Vec<f64> {
        let gains = sampled(&mut attenuator, Duration::from_millis(500), count);
        gains
            .iter()
            .map(|&gain| (10.0 * decibels(gain)).round() / 10.0)
            .collect()
    }

    #[test]
    fn it_rises_by_steps_to_its_depth_and_comes_down_again() {
        let found = levels(attenuator(3.0, 1.0), 8);
        assert_eq!(found, [0.0, -1.0, -2.0, -3.0, -2.0, -1.0, 0.0, -1.0]);
    }

    #[test]
    fn its_last_step_is_what_is_left() {
        assert_eq!(
            levels(attenuator(2.5, 1.0), 5),
            [0.0, -1.0, -2.0, -2.5, -2.0]
        );
    }

    #[test]
    fn a_level_holds_until_the_next_step() {
        let mut attenuator = attenuator(3.0, 1.0);
        attenuator.gain(Time::ZERO + Duration::from_millis(700));
        assert_eq!(
            attenuator.holds_until(),
            Time::ZERO + Duration::from_millis(1000)
        );
    }

    #[test]
    fn without_depth_nothing_changes() {
        assert_eq!(levels(attenuator(0.0, 1.0), 3), [0.0; 3]);
    }
}
