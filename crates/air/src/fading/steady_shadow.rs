//! Shadowing of places that stay: a number of decibels drawn once for each link (T. S. Rappaport,
//! "Wireless Communications", 2nd ed., 2002, §4.9.2).

use units::{Db, Time};

use super::shadowing::normal;
use crate::stations::ReceptionRandom;
use crate::varying::Process;

units::declare! {
    /// A level apart from the distance's, drawn normally and kept for the whole run.
    pub struct Config = "steady-shadow" {
        /// standard deviation
        sigma: Db = Field::of(Quantity::Ratio),
    }
}

/// A link in a shadow that stays.
#[derive(Clone, Debug)]
pub struct SteadyShadow(f64);

impl SteadyShadow {
    /// A link whose shadow is drawn once.
    pub fn new(config: &Config, mut random: impl ReceptionRandom) -> SteadyShadow {
        SteadyShadow(libm::pow(10.0, config.sigma.0 * normal(&mut random) / 10.0))
    }
}

impl Process for SteadyShadow {
    fn gain(&mut self, _at: Time) -> f64 {
        self.0
    }

    fn holds_until(&self) -> Time {
        Time::NEVER
    }

    fn deviates_until(&self, _by: Db) -> Option<Time> {
        Some(Time::NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fading::trial::{TrialRandom, decibels, near};

    #[test]
    fn links_scatter_normally_and_stay() {
        let config = Config { sigma: Db(6.0) };
        let mut links = (0..20_000).map(|seed| SteadyShadow::new(&config, TrialRandom(seed * 77)));
        let mut first = links.next().expect("there are many");
        assert_eq!(first.gain(Time::ZERO), first.gain(Time::NEVER));
        let levels: Vec<f64> = links
            .map(|mut link| decibels(link.gain(Time::ZERO)))
            .collect();
        let square = levels.iter().map(|level| level * level).sum::<f64>() / levels.len() as f64;
        near(square.sqrt(), 6.0, 0.02);
    }
}
