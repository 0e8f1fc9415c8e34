//! Delay of Pareto distribution: few are long, but very long.

use units::{Duration, Time};

use super::order::HoldingOrder;
use super::{Facts, Impairment, StageVerdict};
use crate::Chance;

units::declare! {
    /// Packets are held, each for a time of Pareto distribution: few are long, but very long.
    pub struct Config = "pareto-delay" {
        /// mean of the times; with the shape, as in ns-2, it gives the shortest of them, the
        /// scale: mean (shape - 1) / shape
        mean: Duration = Field::duration(),
        /// how fast long ones become rare: a time is longer than x with probability
        /// (scale / x)^shape; up to 2 the variance is infinite
        shape: f64 = Field::of(Quantity::Number).within(1.0, 100.0).open(),
        /// whether none leaves before the one that came before it
        keep_order: bool = Field::of(Quantity::Flag)
            .or(Default::Flag(true))
            .from("inferred: delays vary in queues, which keep the order"),
    }
}

/// A stage that holds packets.
#[derive(Clone, Debug)]
pub struct ParetoDelay {
    scale: f64,
    exponent: f64,
    order: HoldingOrder,
}

impl ParetoDelay {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        let mean = config.mean.as_nanos() as f64;
        ParetoDelay {
            scale: mean * (config.shape - 1.0) / config.shape,
            exponent: -1.0 / config.shape,
            order: HoldingOrder::new(config.keep_order),
        }
    }
}

impl Impairment for ParetoDelay {
    fn on_packet(
        &mut self,
        now: Time,
        _: u64,
        _: &Facts,
        random: &mut impl Chance,
    ) -> StageVerdict {
        let nanos = self.scale * libm::pow(1.0 - random.unit(), self.exponent);
        self.order.hold(now, nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impairment::trial::{delays, mean, quantiles};

    fn pareto(shape: f64) -> Config {
        Config {
            mean: Duration::from_millis(60),
            shape,
            keep_order: false,
        }
    }

    #[test]
    fn a_million_delays_have_the_quantiles_of_a_heavy_tail() {
        let delays = delays(pareto(1.5).into(), 1_000_000);
        let [half, most, nearly_all] = quantiles(&delays, [0.5, 0.9, 0.999]);
        // 20 ms (1 - p)^(-1 / 1.5)
        assert!((half / 31.75 - 1.0).abs() < 0.003, "{half}");
        assert!((most / 92.83 - 1.0).abs() < 0.007, "{most}");
        assert!((nearly_all / 2000.0 - 1.0).abs() < 0.07, "{nearly_all}");
        assert!(delays.iter().all(|&delay| delay >= 20.0), "the scale");
    }

    #[test]
    fn where_the_variance_is_finite_the_mean_comes_out() {
        let found = mean(&delays(pareto(3.0).into(), 1_000_000));
        // The deviation is the mean over sqrt(shape (shape - 2)): 34.6 ms.
        assert!((found - 60.0).abs() < 3.0 * 34.6 / 1000.0, "{found}");
    }
}
