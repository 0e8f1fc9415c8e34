//! Fallback inside one MSDU's retries: 11, 5.5, 2, 1 Mbit/s.
//!
//! The behaviour of the 802.11b access points in S. Goel, "Performance Evaluation of TCP over IEEE
//! 802.11 WLANs" (M.Sc. thesis, University of New Hampshire, 2006): retries of a frame go at lower
//! and lower rates, and the next frame starts high again. How many attempts each rate gets is a
//! parameter, since no vendor says. Nothing is remembered from one MSDU to the next.

use serde::{Deserialize, Serialize};
use units::Time;

use super::RateControl;
use crate::frame::Address;
use crate::mode::Mode;

/// Parameters of the fallback.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The mode of every MSDU's first attempt.
    pub highest: Mode,
    /// After how many failed attempts at a rate the next lower one is tried; at least 1.
    pub attempts_per_rate: u8,
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Fallback {
    highest: Mode,
    attempts_per_rate: u8,
}

impl Fallback {
    /// A fallback as configured.
    pub fn new(config: &Config) -> Fallback {
        Fallback { highest: config.highest, attempts_per_rate: config.attempts_per_rate.max(1) }
    }
}

impl RateControl for Fallback {
    #[inline]
    fn mode(&mut self, _now: Time, _to: Address, failures: u8) -> Mode {
        let mut mode = self.highest;
        if failures > 0 {
            for _ in 0..failures / self.attempts_per_rate {
                mode = mode.slower().unwrap_or(mode);
            }
        }
        mode
    }

    #[inline]
    fn on_attempt(&mut self, _now: Time, _to: Address, _mode: Mode, _acknowledged: bool) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_attempts_at_each_rate_and_the_slowest_for_the_rest() {
        let config = Config { highest: Mode::Cck11, attempts_per_rate: 2 };
        let mut fallback = Fallback::new(&config);
        let rates: Vec<f64> = (0..9)
            .map(|failures| fallback.mode(Time::ZERO, Address(1), failures).rate().as_mbps())
            .collect();
        assert_eq!(rates, [11.0, 11.0, 5.5, 5.5, 2.0, 2.0, 1.0, 1.0, 1.0]);
    }
}
