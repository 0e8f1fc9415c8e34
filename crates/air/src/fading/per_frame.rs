//! A level of its own for each frame: what ns-2's `Propagation/Shadowing` draws (The ns Manual,
//! §18.3), which says nothing of how long a shadow stays.

use std::f64::consts::TAU;

use units::{Db, Time};

use crate::stations::ReceptionRandom;
use crate::varying::Process;

units::declare! {
    /// Levels that scatter normally from frame to frame, as in ns-2's shadowing model.
    pub struct Config = "per-frame" {
        /// standard deviation
        sigma: Db = Field::of(Quantity::Ratio),
    }
}

/// A link that is another one to every frame.
#[derive(Clone, Debug)]
pub struct PerFrame {
    sigma: f64,
    key: u64,
}

impl PerFrame {
    /// A link whose levels depend on a draw and the time alone.
    pub fn new(config: &Config, mut random: impl ReceptionRandom) -> PerFrame {
        let halves = [random.unit(), random.unit()].map(|unit| (unit * 4_294_967_296.0) as u64);
        PerFrame {
            sigma: config.sigma.0,
            key: halves[0] << 32 | halves[1],
        }
    }
}

impl Process for PerFrame {
    fn gain(&mut self, at: Time) -> f64 {
        let of_time = mixed(self.key ^ mixed(at.as_nanos()));
        let [one, other] = [of_time, mixed(of_time ^ self.key)].map(unit);
        let normal = libm::sqrt(-2.0 * libm::log(1.0 - one)) * libm::cos(TAU * other);
        libm::pow(10.0, self.sigma * normal / 10.0)
    }
}

/// One step of SplitMix64 (Steele, Lea and Flood 2014): neighbouring times get unrelated levels.
fn mixed(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fading::trial::{TrialRandom, decibels, near, sampled};
    use units::Duration;

    fn levels(sigma: f64) -> Vec<f64> {
        let mut link = PerFrame::new(&Config { sigma: Db(sigma) }, TrialRandom(3));
        let gains = sampled(&mut link, Duration::from_micros(137), 200_000);
        gains.iter().map(|&gain| decibels(gain)).collect()
    }

    #[test]
    fn levels_have_a_normal_distribution_and_forget_at_once() {
        let levels = levels(4.0);
        let count = levels.len() as f64;
        let mean = levels.iter().sum::<f64>() / count;
        let variance = levels
            .iter()
            .map(|level| (level - mean).powi(2))
            .sum::<f64>()
            / count;
        assert!(mean.abs() < 3.0 * 4.0 / count.sqrt(), "{mean}");
        near(variance.sqrt(), 4.0, 0.01);
        for (deviations, expected) in [(-2.0, 0.02275), (-1.0, 0.15866), (1.0, 0.84134)] {
            let below = levels
                .iter()
                .filter(|&&level| level < 4.0 * deviations)
                .count();
            near(below as f64 / count, expected, 0.05);
        }
        let lagged = levels.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
        assert!((lagged / count / variance).abs() < 0.01);
    }

    #[test]
    fn a_frame_has_its_level_whoever_asks_besides() {
        let config = Config { sigma: Db(4.0) };
        let [mut one, mut other] =
            [TrialRandom(3), TrialRandom(3)].map(|random| PerFrame::new(&config, random));
        let at = |micros| Time::ZERO + Duration::from_micros(micros);
        other.gain(at(5));
        assert_eq!(one.gain(at(10)), other.gain(at(10)));
        assert!(one.gain(at(10)) != one.gain(at(11)));
    }
}
