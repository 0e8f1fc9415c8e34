//! Laws: how times and sizes vary.

use units::declaration::Measure;
use units::serde::{Deserialize, Serialize};

/// The law that a time or a size follows around its mean, as a scenario names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", crate = "units::serde")]
pub enum RandomLaw {
    /// Always the mean.
    Constant,
    /// Without memory.
    Exponential,
    /// Heavy-tailed: few are large, but very large.
    Pareto,
}

impl RandomLaw {
    /// The word for each, in plans and in scenarios.
    pub const WORDS: &[&str] = &["constant", "exponential", "pareto"];

    /// A value; `unit` gives random numbers from 0 to below 1, all equally likely.
    ///
    /// A Pareto variable of shape `shape` above 1 has the scale mean (shape - 1) / shape.
    pub fn draw(self, mean: f64, shape: f64, unit: f64) -> f64 {
        match self {
            RandomLaw::Constant => mean,
            RandomLaw::Exponential => -mean * libm::log(1.0 - unit),
            RandomLaw::Pareto => mean * (shape - 1.0) / shape * libm::pow(1.0 - unit, -1.0 / shape),
        }
    }
}

/// A normal variable of mean 0 and variance 1 (Box and Muller 1958).
pub fn normal(mut unit: impl FnMut() -> f64) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit()));
    radius * libm::cos(2.0 * std::f64::consts::PI * unit())
}

impl Measure for RandomLaw {
    fn measure(&self) -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of a law, by the midpoints of a hundred thousand equally likely parts.
    fn mean(law: RandomLaw, shape: f64) -> f64 {
        const PARTS: u32 = 100_000;
        let middle = |part: u32| (f64::from(part) + 0.5) / f64::from(PARTS);
        let sum: f64 = (0..PARTS)
            .map(|part| law.draw(10.0, shape, middle(part)))
            .sum();
        sum / f64::from(PARTS)
    }

    #[test]
    fn every_law_keeps_the_mean() {
        assert_eq!(mean(RandomLaw::Constant, 1.5), 10.0);
        assert!((mean(RandomLaw::Exponential, 1.5) - 10.0).abs() < 0.01);
        assert!((mean(RandomLaw::Pareto, 3.0) - 10.0).abs() < 0.01);
    }

    #[test]
    fn half_of_the_pareto_values_are_below_their_median() {
        // Scale 10 / 3 at shape 1.5; the median is the scale times 2^(1 / shape).
        let median = RandomLaw::Pareto.draw(10.0, 1.5, 0.5);
        assert!((median - 10.0 / 3.0 * libm::pow(2.0, 1.0 / 1.5)).abs() < 1e-9);
    }
}
