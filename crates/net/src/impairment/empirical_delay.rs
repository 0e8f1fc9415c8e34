//! Delay of the distribution that a file of measured delays tells.

use units::{Duration, Time};

use super::order::HoldingOrder;
use super::{Facts, Impairment, StageVerdict};
use crate::Chance;

units::declare! {
    /// Packets are held, each for one of the times in a file, all equally likely.
    pub struct Config = "empirical-delay" {
        /// file of times: their unit, and below it a number in each line
        delays: Vec<Duration> = Field::duration().of_file(),
        /// whether none leaves before the one that came before it
        keep_order: bool = Field::of(Quantity::Flag)
            .or(Default::Flag(true))
            .from("inferred: delays vary in queues, which keep the order"),
    }
}

/// A stage that holds packets.
#[derive(Clone, Debug)]
pub struct EmpiricalDelay {
    delays: Vec<Duration>,
    order: HoldingOrder,
}

impl EmpiricalDelay {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        EmpiricalDelay {
            delays: config.delays.clone(),
            order: HoldingOrder::new(config.keep_order),
        }
    }
}

impl Impairment for EmpiricalDelay {
    fn on_packet(
        &mut self,
        now: Time,
        _: u64,
        _: &Facts,
        random: &mut impl Chance,
    ) -> StageVerdict {
        let drawn = (random.unit() * self.delays.len() as f64) as usize;
        self.order.hold(now, self.delays[drawn].as_nanos() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impairment::trial::delays;

    #[test]
    fn each_line_of_the_file_is_drawn_as_often_as_any_other() {
        let config = Config {
            delays: [10, 20, 20, 40].map(Duration::from_millis).to_vec(),
            keep_order: false,
        };
        let delays = delays(config.into(), 1_000_000);
        let share = |millis: f64| {
            let equal = delays.iter().filter(|&&delay| delay == millis).count();
            equal as f64 / 1_000_000.0
        };
        // Three deviations of a share of a half are 0.0015.
        for (millis, expected) in [(10.0, 0.25), (20.0, 0.5), (40.0, 0.25)] {
            assert!(
                (share(millis) - expected).abs() < 0.0015,
                "{}",
                share(millis)
            );
        }
    }
}
