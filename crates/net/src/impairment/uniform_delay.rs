//! Delay of uniform distribution.

use units::{Duration, Range, Time};

use super::order::HoldingOrder;
use super::{Facts, Impairment, StageVerdict};
use crate::Chance;

units::declare! {
    /// Packets are held, each for a time of its own, all of a range equally likely.
    pub struct Config = "uniform-delay" {
        /// the shortest and the longest time
        delay: Range<Duration> = Field::duration().range(),
        /// whether none leaves before the one that came before it
        keep_order: bool = Field::of(Quantity::Flag)
            .or(Default::Flag(true))
            .from("inferred: delays vary in queues, which keep the order"),
    }
}

/// A stage that holds packets.
#[derive(Clone, Debug)]
pub struct UniformDelay {
    lowest: f64,
    span: f64,
    order: HoldingOrder,
}

impl UniformDelay {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        let Range { lowest, highest } = config.delay;
        UniformDelay {
            lowest: lowest.as_nanos() as f64,
            span: (highest - lowest).as_nanos() as f64,
            order: HoldingOrder::new(config.keep_order),
        }
    }
}

impl Impairment for UniformDelay {
    #[inline]
    fn on_packet(
        &mut self,
        now: Time,
        _: u64,
        _: &Facts,
        random: &mut impl Chance,
    ) -> StageVerdict {
        let nanos = self.lowest + self.span * random.unit();
        self.order.hold(now, nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impairment::trial::{ChainTrial, delays, every, quantiles};

    fn between_10_and_30_ms(keep_order: bool) -> Config {
        Config {
            delay: Range::from([10, 30].map(Duration::from_millis)),
            keep_order,
        }
    }

    #[test]
    fn a_million_delays_are_as_evenly_spread_as_they_should_be() {
        let config = between_10_and_30_ms(false);
        let [first, middle, last] = quantiles(&delays(config.into(), 1_000_000), [0.01, 0.5, 0.99]);
        // The error of a quantile is sqrt(p (1 - p) / n) over the density, 1/20 per ms.
        assert!((first - 10.2).abs() < 0.006, "{first}");
        assert!((middle - 20.0).abs() < 0.03, "{middle}");
        assert!((last - 29.8).abs() < 0.006, "{last}");
    }

    /// Returns whether all of a train, a millisecond apart, leave in the order they came.
    fn is_in_order(keep_order: bool) -> bool {
        let mut trial = ChainTrial::of(&[every("jitter", between_10_and_30_ms(keep_order).into())]);
        trial.send_every(Duration::from_millis(1), 1_000);
        let left = trial.end();
        assert_eq!(left.len(), 1_000, "none is lost");
        left.is_sorted_by_key(|&(number, _)| number)
    }

    #[test]
    fn packets_keep_their_order_unless_they_need_not() {
        assert!(is_in_order(true));
        assert!(!is_in_order(false));
    }
}
