//! Delay: every packet is held for the same time.

use units::{Duration, Time};

use super::{Facts, Fate, Impairment};
use crate::Chance;

units::declare! {
    /// Packets are held, each for the same time.
    pub struct Config = "delay" {
        /// how long
        delay: Duration = Field::duration(),
    }
}

/// A stage that holds packets.
#[derive(Clone, Debug)]
pub struct Delay(Duration);

impl Delay {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        Delay(config.delay)
    }
}

impl Impairment for Delay {
    #[inline]
    fn on_packet(&mut self, now: Time, _: u64, _: &Facts, _: &mut impl Chance) -> Fate {
        Fate::Hold(now + self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impairment::trial::{every, Trial};

    #[test]
    fn a_packet_leaves_when_its_time_is_over_and_not_before() {
        let config = Config {
            delay: Duration::from_millis(20),
        };
        let mut trial = Trial::of(&[every("delay", config.into())]);
        trial.send_every(Duration::from_millis(7), 10);
        let left = trial.end();
        let expected: Vec<(u32, u64)> = (0..10).map(|n| (n, 7 * u64::from(n) + 20)).collect();
        let millis = left.iter().map(|&(n, at)| (n, at.as_nanos() / 1_000_000));
        assert_eq!(millis.collect::<Vec<_>>(), expected);
        let counts = trial.counts("delay");
        assert_eq!((counts.matched, counts.delayed), (10, 10));
        assert_eq!(counts.delay, Duration::from_millis(200));
    }
}
