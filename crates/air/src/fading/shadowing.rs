//! Shadowing: what stands around costs a number of decibels of normal distribution, which changes
//! as slowly as the surroundings do (M. Gudmundson, "Correlation model for shadow fading in mobile
//! radio systems", Electronics Letters 27(23), 1991: exponential in the distance, and so, at a
//! speed, in time).

use std::f64::consts::TAU;

use units::{Db, Duration, Time};

use crate::stations::ReceptionRandom;
use crate::varying::Process;

units::declare! {
    /// What stands around costs decibels of normal distribution, mean 0, for some time.
    pub struct Config = "shadowing" {
        /// standard deviation
        sigma: Db = Field::of(Quantity::Ratio),
        /// time after which the correlation has fallen to 1/e
        correlation_time: Duration = Field::duration().positive(),
    }
}

/// Epochs of a correlation time, in each of which the loss stays as it is: the next differs from
/// it by 0.31 standard deviations. [inferred: below what is seen of a level reported in whole
/// decibels at the usual 4 to 8 dB]
const EPOCHS: u64 = 20;

/// A link that is shadowed.
#[derive(Clone, Debug)]
pub struct Shadowing<L> {
    random: L,
    sigma: f64,
    /// What an epoch keeps of the one before, and adds to it.
    keeps: f64,
    adds: f64,
    epoch: Duration,
    until: Time,
    /// In standard deviations.
    level: f64,
    gain: f64,
}

impl<L: ReceptionRandom> Shadowing<L> {
    /// A link that has been shadowed for ever.
    pub fn new(config: &Config, mut random: L) -> Shadowing<L> {
        let epoch = Duration::from_nanos(config.correlation_time.as_nanos().div_ceil(EPOCHS));
        let keeps = libm::exp(-epoch.as_secs_f64() / config.correlation_time.as_secs_f64());
        let level = normal(&mut random);
        Shadowing {
            random,
            sigma: config.sigma.0,
            keeps,
            adds: libm::sqrt(1.0 - keeps * keeps),
            epoch,
            until: Time::ZERO + epoch,
            level,
            gain: gain(config.sigma.0 * level),
        }
    }
}

impl<L: ReceptionRandom + std::fmt::Debug + Send> Process for Shadowing<L> {
    fn gain(&mut self, at: Time) -> f64 {
        if at < self.until {
            return self.gain;
        }
        while at >= self.until {
            self.level = self.keeps * self.level + self.adds * normal(&mut self.random);
            self.until += self.epoch;
        }
        self.gain = gain(self.sigma * self.level);
        self.gain
    }

    fn holds_until(&self) -> Time {
        self.until
    }
}

/// A number of standard normal distribution (Box and Muller 1958), one of the two that a pair of
/// draws gives.
pub(super) fn normal(random: &mut impl ReceptionRandom) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - random.unit()));
    radius * libm::cos(TAU * random.unit())
}

fn gain(decibels: f64) -> f64 {
    libm::pow(10.0, decibels / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fading::trial::{TrialRandom, decibels, near, sampled};

    fn levels() -> Vec<f64> {
        let config = Config {
            sigma: Db(4.0),
            correlation_time: Duration::from_secs(2),
        };
        let mut link = Shadowing::new(&config, TrialRandom(9));
        let gains = sampled(&mut link, Duration::from_millis(100), 1_000_000);
        gains.iter().map(|&gain| decibels(gain)).collect()
    }

    /// 100,000 s of a correlation time of 2 s are as good as 50,000 draws of their own.
    #[test]
    fn the_loss_has_a_normal_distribution() {
        let levels = levels();
        let share = |below: f64| {
            levels.iter().filter(|&&level| level < below).count() as f64 / levels.len() as f64
        };
        let mean = levels.iter().sum::<f64>() / levels.len() as f64;
        assert!(mean.abs() < 3.0 * 4.0 / 50_000.0_f64.sqrt(), "{mean}");
        for (deviations, expected) in [(-2.0, 0.02275), (-1.0, 0.15866), (1.0, 0.84134)] {
            near(share(4.0 * deviations), expected, 0.05);
        }
    }

    #[test]
    fn what_it_was_is_forgotten_exponentially() {
        let levels = levels();
        let product = |lag: usize| {
            let pairs = levels.iter().zip(&levels[lag..]);
            pairs.map(|(a, b)| a * b).sum::<f64>() / (levels.len() - lag) as f64
        };
        for lag in [5, 10, 20, 40] {
            near(
                product(lag) / product(0),
                (-(lag as f64) * 0.1 / 2.0).exp(),
                0.05,
            );
        }
    }
}
