//! Nakagami fading (M. Nakagami, "The m-distribution", in Statistical Methods in Radio Wave
//! Propagation, 1960) of whole m, whose power is the mean of m that fade as Rayleigh's do.

use units::Time;

use super::paths::{Cosines, Paths};
use crate::stations::ReceptionRandom;
use crate::varying::Process;

units::declare! {
    /// Less fading than Rayleigh's: Nakagami's distribution, as of the mean of m antennas.
    pub struct Config = "nakagami" {
        /// how even the power is; 1 is Rayleigh's fading
        m: u8 = Field::count("").within(1.0, 8.0),
        /// shift of a wave from straight ahead: the speed over the wavelength
        doppler: f64 = Field::of(Quantity::Number).in_unit("Hz").within(0.0, 1000.0),
    }
}

/// A link that fades.
#[derive(Clone, Debug)]
pub struct Nakagami {
    each: Vec<Paths>,
    cosines: &'static Cosines,
}

impl Nakagami {
    /// A link of which chance has chosen the paths.
    pub fn new(config: &Config, mut random: impl ReceptionRandom) -> Nakagami {
        Nakagami {
            each: (0..config.m)
                .map(|_| Paths::new(config.doppler, &mut random))
                .collect(),
            cosines: Cosines::table(),
        }
    }
}

impl Process for Nakagami {
    fn gain(&mut self, at: Time) -> f64 {
        let powers = self.each.iter().map(|paths| {
            let [re, im] = paths.at(at, self.cosines);
            re * re + im * im
        });
        powers.sum::<f64>() / self.each.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use units::Duration;

    use super::*;
    use crate::fading::trial::{TrialRandom, crossings, ensemble, near, runs_below, share_below};

    /// Erlang's distribution: the share 1 − e^(−m x) Σ (m x)^k / k!, k below m, lies below x.
    fn below(m: u8, power: f64) -> f64 {
        let scaled = f64::from(m) * power;
        let mut term = (-scaled).exp();
        let mut above = 0.0;
        for k in 1..=m {
            above += term;
            term *= scaled / f64::from(k);
        }
        1.0 - above
    }

    #[test]
    fn the_power_has_a_gamma_distribution() {
        for m in [1, 2, 4] {
            let config = Config { m, doppler: 10.0 };
            let make = |seed| Nakagami::new(&config, TrialRandom(seed));
            let links = ensemble(400, make, Duration::from_millis(20), 3000);
            for below_db in [-6.0, -3.0, 0.0, 3.0] {
                let power = 10.0_f64.powf(below_db / 10.0);
                near(share_below(&links, power), below(m, power), 0.05);
            }
        }
    }

    /// M. D. Yacoub, J. E. Vargas Bautista and L. Guerra de Rezende Guedes, "On higher order
    /// statistics of the Nakagami-m distribution", IEEE Transactions on Vehicular Technology
    /// 48(3), 1999: √(2π) f_d m^(m − ½) / Γ(m) ρ^(2m − 1) e^(−m ρ²) crossings a second; each time it
    /// stays below for the share of time below over that.
    #[test]
    fn a_level_is_crossed_as_often_and_fades_last_as_long_as_in_yacoub() {
        let (whole, doppler) = (3, 10.0);
        let config = Config { m: whole, doppler };
        let make = |seed| Nakagami::new(&config, TrialRandom(seed));
        let links = ensemble(100, make, Duration::from_millis(1), 60_000);
        for level in [0.5, 1.0] {
            let m = f64::from(whole);
            let rate = std::f64::consts::TAU.sqrt() * doppler * m.powf(m - 0.5) / libm::tgamma(m)
                * f64::powf(level, 2.0 * m - 1.0)
                * (-m * level * level).exp();
            let found = crossings(&links, level * level) / (60.0 * links.len() as f64);
            near(found, rate, 0.05);
            let lengths: Vec<_> = (links.iter())
                .flat_map(|gains| runs_below(gains, level * level))
                .collect();
            let found = 1e-3 * lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
            near(found, below(whole, level * level) / rate, 0.05);
        }
    }
}
