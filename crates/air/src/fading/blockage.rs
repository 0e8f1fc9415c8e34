//! Blockage: something stands in the way for a while, and goes away again, as by a chain of Markov
//! with two states.

use units::{Db, Duration, Time};

use super::levels::{Levels, Sojourn, TwoLevels};
use crate::stations::ReceptionRandom;
use crate::varying::Process;

units::declare! {
    /// Something stands in the way at times that know nothing of those before.
    pub struct Config = "blockage" {
        /// what it costs while it is there
        depth: Db = Field::of(Quantity::Ratio),
        /// how long it stays on average
        blocked: Duration = Field::duration().positive(),
        /// how long it is away on average
        clear: Duration = Field::duration().positive(),
    }
}

/// A link that is blocked at times.
#[derive(Clone, Debug)]
pub struct Blockage<L>(TwoLevels<L>);

impl<L: ReceptionRandom> Blockage<L> {
    /// A link that has been blocked at times for ever.
    pub fn new(config: &Config, random: L) -> Blockage<L> {
        let levels = Levels {
            depth: config.depth,
            lower: Sojourn::Exponential(config.blocked),
            higher: Sojourn::Exponential(config.clear),
            transition: Duration::ZERO,
        };
        Blockage(TwoLevels::new(levels, random))
    }
}

impl<L: ReceptionRandom + std::fmt::Debug + Send> Process for Blockage<L> {
    fn gain(&mut self, at: Time) -> f64 {
        self.0.gain(at)
    }

    fn holds_until(&self) -> Time {
        self.0.holds_until()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fading::trial::{TrialRandom, decibels, runs_below, sampled};

    /// Blocked for an exponential time of mean b, of which the share e^(−t / b) lasts longer than t.
    #[test]
    fn blockages_last_for_exponential_times() {
        let config = Config {
            depth: Db(20.0),
            blocked: Duration::from_millis(500),
            clear: Duration::from_millis(1500),
        };
        let mut link = Blockage::new(&config, TrialRandom(5));
        let gains = sampled(&mut link, Duration::from_millis(1), 40_000_000);
        let levels: Vec<f64> = gains.iter().map(|&gain| decibels(gain)).collect();
        let lasted: Vec<usize> = runs_below(&levels, -10.0).collect();
        let count = lasted.len() as f64;
        let mean = lasted.iter().sum::<usize>() as f64 / count;
        assert!(
            (mean / 500.0 - 1.0).abs() < 3.0 / count.sqrt(),
            "{mean} of {count}"
        );
        let longer = lasted.iter().filter(|&&each| each > 1000).count() as f64 / count;
        assert!((longer / (-2.0_f64).exp() - 1.0).abs() < 0.05, "{longer}");
        let blocked = levels.iter().filter(|&&level| level < -19.0).count() as f64;
        assert!(
            (blocked / levels.len() as f64 / 0.25 - 1.0).abs() < 0.03,
            "{blocked}"
        );
    }
}
