//! Delay of normal distribution.

use std::f64::consts::TAU;

use units::{Duration, Time};

use super::order::HoldingOrder;
use super::{Facts, Impairment, StageVerdict};
use crate::Chance;

units::declare! {
    /// Packets are held, each for a time of normal distribution; one below zero is none.
    pub struct Config = "normal-delay" {
        /// mean of the times
        mean: Duration = Field::duration(),
        /// their standard deviation
        deviation: Duration = Field::duration(),
        /// whether none leaves before the one that came before it
        keep_order: bool = Field::of(Quantity::Flag)
            .or(Default::Flag(true))
            .from("inferred: delays vary in queues, which keep the order"),
    }
}

/// A stage that holds packets.
#[derive(Clone, Debug)]
pub struct NormalDelay {
    mean: f64,
    deviation: f64,
    /// The second of two numbers drawn together.
    spare: Option<f64>,
    order: HoldingOrder,
}

impl NormalDelay {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        NormalDelay {
            mean: config.mean.as_nanos() as f64,
            deviation: config.deviation.as_nanos() as f64,
            spare: None,
            order: HoldingOrder::new(config.keep_order),
        }
    }

    /// A number of standard normal distribution (Box and Muller 1958), which come in pairs.
    fn draw(&mut self, random: &mut impl Chance) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - random.unit()));
        let (sine, cosine) = libm::sincos(TAU * random.unit());
        self.spare = Some(radius * sine);
        radius * cosine
    }
}

impl Impairment for NormalDelay {
    fn on_packet(
        &mut self,
        now: Time,
        _: u64,
        _: &Facts,
        random: &mut impl Chance,
    ) -> StageVerdict {
        let nanos = self.mean + self.deviation * self.draw(random);
        self.order.hold(now, nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impairment::trial::{delays, mean, quantiles};

    fn normal(mean: u64, deviation: u64) -> Config {
        Config {
            mean: Duration::from_millis(mean),
            deviation: Duration::from_millis(deviation),
            keep_order: false,
        }
    }

    #[test]
    fn a_million_delays_have_mean_and_quantiles_of_the_bell() {
        let delays = delays(normal(100, 10).into(), 1_000_000);
        let found = mean(&delays);
        assert!((found - 100.0).abs() < 3.0 * 10.0 / 1000.0, "{found}");
        // One and two deviations below and above: 2.275 %, 15.866 %, ...
        let places = [0.02275, 0.15866, 0.84134, 0.97725];
        let found = quantiles(&delays, places);
        for (found, expected) in found.into_iter().zip([80.0, 90.0, 110.0, 120.0]) {
            assert!((found - expected).abs() < 0.1, "{found} for {expected}");
        }
    }

    #[test]
    fn what_would_be_below_zero_is_not_held() {
        let [below_half, above] = quantiles(&delays(normal(0, 10).into(), 10_000), [0.45, 0.55]);
        assert!(below_half == 0.0 && above > 0.0, "{below_half}, {above}");
    }
}
