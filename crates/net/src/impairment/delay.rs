//! Delay: every packet is held for the same time, until that changes.

use std::collections::VecDeque;

use units::{Duration, Steps, Time};

use super::{Facts, Impairment, StageVerdict};
use crate::Chance;

units::declare! {
    /// Packets are held, each for the same time; where that changes none overtakes another.
    pub struct Config = "delay" {
        /// how long
        delay: Duration = Field::duration(),
        /// times of the run, each with how long from then on; absent: it never changes
        changes: Option<Steps<Duration>> = Field::duration().steps().optional(),
    }
}

/// A stage that holds packets.
#[derive(Clone, Debug)]
pub struct Delay {
    delay: Duration,
    /// The changes still to come.
    changes: VecDeque<(Time, Duration)>,
    /// Time when the last packet leaves.
    last: Time,
}

impl Delay {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        Delay {
            delay: config.delay,
            changes: config.changes.iter().flat_map(Steps::iter).collect(),
            last: Time::ZERO,
        }
    }
}

impl Impairment for Delay {
    #[inline]
    fn on_packet(&mut self, now: Time, _: u64, _: &Facts, _: &mut impl Chance) -> StageVerdict {
        while let Some(&(since, delay)) = self.changes.front()
            && since <= now
        {
            self.delay = delay;
            self.changes.pop_front();
        }
        self.last = self.last.max(now + self.delay);
        StageVerdict::Hold(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impairment::trial::{ChainTrial, every};

    #[test]
    fn a_packet_leaves_when_its_time_is_over_and_not_before() {
        let config = Config {
            delay: Duration::from_millis(20),
            changes: None,
        };
        let mut trial = ChainTrial::of(&[every("delay", config.into())]);
        trial.send_every(Duration::from_millis(7), 10);
        let left = trial.end();
        let expected: Vec<(u32, u64)> = (0..10).map(|n| (n, 7 * u64::from(n) + 20)).collect();
        let millis = left.iter().map(|&(n, at)| (n, at.as_nanos() / 1_000_000));
        assert_eq!(millis.collect::<Vec<_>>(), expected);
        let counts = trial.counts("delay");
        assert_eq!((counts.matched, counts.delayed), (10, 10));
        assert_eq!(counts.delay, Duration::from_millis(200));
    }

    #[test]
    fn a_delay_that_has_become_shorter_lets_none_overtake() {
        let millis = Duration::from_millis;
        let config = Config {
            delay: millis(20),
            changes: Some(Steps(vec![
                (millis(10), millis(50)),
                (millis(30), millis(5)),
            ])),
        };
        let mut trial = ChainTrial::of(&[every("delay", config.into())]);
        trial.send_every(millis(10), 7);
        let left = trial.end();
        let at: Vec<u64> = left
            .iter()
            .map(|(_, at)| at.as_nanos() / 1_000_000)
            .collect();
        assert_eq!(
            at,
            [20, 60, 70, 70, 70, 70, 70],
            "0 + 20, 10 + 50, 20 + 50, then behind them"
        );
    }
}
