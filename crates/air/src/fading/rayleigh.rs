//! Rayleigh fading.

use units::Time;

use super::paths::{Cosines, Paths};
use crate::stations::ReceptionRandom;
use crate::varying::Process;

units::declare! {
    /// Many paths and none that stands out: Rayleigh's distribution with Jakes' spectrum.
    pub struct Config = "rayleigh" {
        /// shift of a wave from straight ahead: the speed over the wavelength, 8 Hz for 1 m/s at
        /// 2.4 GHz; at 0 the link keeps the power that it is dealt
        doppler: f64 = Field::of(Quantity::Number).in_unit("Hz").within(0.0, 1000.0),
    }
}

/// A link that fades.
#[derive(Clone, Debug)]
pub struct Rayleigh {
    paths: Paths,
    cosines: &'static Cosines,
}

impl Rayleigh {
    /// A link of which chance has chosen the paths.
    pub fn new(config: &Config, mut random: impl ReceptionRandom) -> Rayleigh {
        Rayleigh {
            paths: Paths::new(config.doppler, &mut random),
            cosines: Cosines::table(),
        }
    }
}

impl Process for Rayleigh {
    fn gain(&mut self, at: Time) -> f64 {
        let [re, im] = self.paths.at(at, self.cosines);
        re * re + im * im
    }
}

#[cfg(test)]
mod tests {
    use units::Duration;

    use super::*;
    use crate::fading::trial::{TrialRandom, crossings, ensemble, near, runs_below, share_below};

    const DOPPLER: f64 = 10.0;
    /// A hundredth of a turn of the fastest wave.
    const STEP: Duration = Duration::from_millis(1);
    const SECONDS: f64 = 60.0;

    /// Links, each with its own paths, of a minute each.
    fn links() -> Vec<Vec<f64>> {
        let config = Config { doppler: DOPPLER };
        ensemble(
            100,
            |seed| Rayleigh::new(&config, TrialRandom(seed)),
            STEP,
            60_000,
        )
    }

    /// Of the power over its mean, x, the share 1 − e^(−x) lies below.
    #[test]
    fn the_power_has_an_exponential_distribution() {
        let links = links();
        for below_db in [-20.0, -10.0, -5.0, 0.0, 3.0] {
            let power = 10.0_f64.powf(below_db / 10.0);
            near(share_below(&links, power), 1.0 - (-power).exp(), 0.05);
        }
    }

    /// S. O. Rice, "Mathematical Analysis of Random Noise", Bell System Technical Journal 24, 1945,
    /// on Jakes' spectrum, by which the derivative has a variance of (2π f_d)² / 2 of the power:
    /// √(2π) f_d ρ e^(−ρ²) upward crossings a second of the envelope ρ over its root mean square;
    /// (e^(ρ²) − 1) / (√(2π) f_d ρ) below it on average.
    #[test]
    fn a_level_is_crossed_as_often_and_fades_last_as_long_as_rice_says() {
        let links = links();
        for level in [0.2, 0.5, 1.0] {
            let squared: f64 = level * level;
            let rate = std::f64::consts::TAU.sqrt() * DOPPLER * level * (-squared).exp();
            let found = crossings(&links, squared) / (SECONDS * links.len() as f64);
            near(found, rate, 0.05);
            let lengths: Vec<_> = (links.iter())
                .flat_map(|gains| runs_below(gains, squared))
                .collect();
            let found = 1e-3 * lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
            near(found, (squared.exp() - 1.0) / rate * (-squared).exp(), 0.05);
        }
    }
}
