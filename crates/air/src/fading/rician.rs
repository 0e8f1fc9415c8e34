//! Rician fading.

use std::f64::consts::TAU;

use units::{Db, Time};

use super::paths::{Cosines, Paths, Wave};
use crate::stations::ReceptionRandom;
use crate::varying::Process;

units::declare! {
    /// Many paths and one that stands out, the straight one: Rice's distribution.
    pub struct Config = "rician" {
        /// power of the path that stands out over that of all others
        k: Db = Field::of(Quantity::Ratio),
        /// shift of a wave from straight ahead: the speed over the wavelength
        doppler: f64 = Field::of(Quantity::Number).in_unit("Hz").within(0.0, 1000.0),
    }
}

/// A link that fades.
#[derive(Clone, Debug)]
pub struct Rician {
    paths: Paths,
    straight: Wave,
    /// The amplitudes of all others and of the one that stands out.
    scattered: f64,
    direct: f64,
    cosines: &'static Cosines,
}

impl Rician {
    /// A link of which chance has chosen the paths, the straight one's direction too.
    pub fn new(config: &Config, mut random: impl ReceptionRandom) -> Rician {
        let k = libm::pow(10.0, config.k.0 / 10.0);
        let angle = TAU * random.unit();
        Rician {
            straight: Wave::new(config.doppler, angle, &mut random),
            paths: Paths::new(config.doppler, &mut random),
            scattered: libm::sqrt(1.0 / (k + 1.0)),
            direct: libm::sqrt(k / (k + 1.0)),
            cosines: Cosines::table(),
        }
    }
}

impl Process for Rician {
    fn gain(&mut self, at: Time) -> f64 {
        let scattered = self.paths.at(at, self.cosines);
        let straight = self.straight.at(at, self.cosines);
        let both = scattered.iter().zip(straight);
        let parts = both.map(|(other, own)| self.scattered * other + self.direct * own);
        parts.map(|part| part * part).sum()
    }
}

#[cfg(test)]
mod tests {
    use units::Duration;

    use super::*;
    use crate::fading::trial::{TrialRandom, crossings, ensemble, near, runs_below, share_below};

    /// The first-order Marcum Q function by its integral (J. G. Proakis, Digital Communications,
    /// 4th edition); the envelope is below r with 1 − Q(√(2K), r √(2 (K + 1))).
    fn below(k: f64, power: f64) -> f64 {
        let [a, b] = [(2.0 * k).sqrt(), (2.0 * (k + 1.0) * power).sqrt()];
        let steps = 2000;
        let density = |x: f64| {
            let angles =
                (0..400).map(|step| std::f64::consts::PI * (f64::from(step) + 0.5) / 400.0);
            // I₀(a x) e^(−(x² + a²) / 2), its integral over angles taken with the exponent in it.
            let values = angles.map(|angle| (a * x * angle.cos() - 0.5 * (x * x + a * a)).exp());
            x * values.sum::<f64>() / 400.0
        };
        let width = b / f64::from(steps);
        (0..steps)
            .map(|step| density((f64::from(step) + 0.5) * width) * width)
            .sum()
    }

    #[test]
    fn the_envelope_has_rices_distribution() {
        for k_db in [0.0, 6.0] {
            let config = Config {
                k: Db(k_db),
                doppler: 10.0,
            };
            let make = |seed| Rician::new(&config, TrialRandom(seed));
            let links = ensemble(200, make, Duration::from_millis(5), 12_000);
            let k = 10.0_f64.powf(k_db / 10.0);
            for below_db in [-10.0, -5.0, 0.0, 2.0] {
                let power = 10.0_f64.powf(below_db / 10.0);
                near(share_below(&links, power), below(k, power), 0.05);
            }
        }
    }

    /// The modified Bessel function I₀, by its integral.
    fn bessel(x: f64) -> f64 {
        let angles = (0..400).map(|step| std::f64::consts::PI * (f64::from(step) + 0.5) / 400.0);
        angles.map(|angle| (x * angle.cos()).exp()).sum::<f64>() / 400.0
    }

    /// G. L. Stüber, Principles of Mobile Communication, 2nd edition, §2.1.6, after Rice, where the
    /// path that stands out comes from the side and has no Doppler shift: √(2π (K + 1)) f_d ρ
    /// e^(−K − (K + 1) ρ²) I₀(2 ρ √(K (K + 1))) upward crossings a second of the envelope ρ over
    /// its root mean square; each time it stays below for the share of time below over that.
    #[test]
    fn a_level_is_crossed_as_often_and_fades_last_as_long_as_rice_says() {
        let doppler = 10.0;
        for k_db in [0.0, 6.0] {
            let config = Config {
                k: Db(k_db),
                doppler,
            };
            let from_the_side = |seed| Rician {
                straight: Wave::new(doppler, TAU / 4.0, &mut TrialRandom(seed + 1)),
                ..Rician::new(&config, TrialRandom(seed))
            };
            let links = ensemble(100, from_the_side, Duration::from_millis(1), 60_000);
            let k = 10.0_f64.powf(k_db / 10.0);
            for level in [0.3, 0.5, 1.0_f64] {
                let squared = level * level;
                let rate = (TAU * (k + 1.0)).sqrt()
                    * doppler
                    * level
                    * (-k - (k + 1.0) * squared).exp()
                    * bessel(2.0 * level * (k * (k + 1.0)).sqrt());
                let found = crossings(&links, squared) / (60.0 * links.len() as f64);
                near(found, rate, 0.05);
                let lengths: Vec<_> = (links.iter())
                    .flat_map(|gains| runs_below(gains, squared))
                    .collect();
                let found = 1e-3 * lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
                near(found, below(k, squared) / rate, 0.05);
            }
        }
    }

    #[test]
    fn what_stands_out_far_hides_all_others() {
        let config = Config {
            k: Db(60.0),
            doppler: 10.0,
        };
        let mut link = Rician::new(&config, TrialRandom(1));
        let gains = crate::fading::trial::sampled(&mut link, Duration::from_millis(1), 1000);
        assert!(gains.iter().all(|gain| (gain - 1.0).abs() < 0.02));
    }
}
