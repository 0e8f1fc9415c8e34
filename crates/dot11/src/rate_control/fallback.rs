//! Fallback inside one MSDU's retries, as 11, 5.5, 2, 1 Mbit/s.
//!
//! The behaviour of the 802.11b access points in S. Goel, "Performance Evaluation of TCP over IEEE
//! 802.11 WLANs" (M.Sc. thesis, University of New Hampshire, 2006): retries of a frame go at lower
//! and lower rates, and the next frame starts high again. How many attempts each rate gets is a
//! parameter, since no vendor says. Nothing is remembered from one MSDU to the next.

use phy::Mode;
use units::Time;

use super::{Ladder, RateControl};
use crate::frame::Address;

units::declare! {
    /// Retries of one MSDU go at lower and lower rates; the next MSDU starts at the highest.
    pub struct Config = "fallback" {
        /// attempts at each rate before the next lower one is tried
        attempts_per_rate: u8 = Field::count("attempts")
            .within(1.0, 255.0)
            .or(Default::Count(1))
            .from("goel2006 §2.2.1, §3.3: every retry steps down"),
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Fallback {
    ladder: Ladder,
    attempts_per_rate: u8,
}

impl Fallback {
    /// A fallback from the radio's rate.
    pub fn new(config: &Config, ladder: Ladder) -> Fallback {
        Fallback {
            ladder,
            attempts_per_rate: config.attempts_per_rate,
        }
    }
}

impl RateControl for Fallback {
    #[inline]
    fn mode(&mut self, _now: Time, _to: Address, failures: u8) -> Mode {
        let highest = self.ladder.top();
        let steps = usize::from(failures / self.attempts_per_rate);
        self.ladder.modes[highest.saturating_sub(steps)]
    }

    #[inline]
    fn on_attempt(&mut self, _now: Time, _to: Address, _mode: Mode, _acknowledged: bool) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_control::tests::ladder;

    #[test]
    fn two_attempts_at_each_rate_and_the_slowest_for_the_rest() {
        let mut fallback = Fallback::new(
            &Config {
                attempts_per_rate: 2,
            },
            ladder(),
        );
        let rates: Vec<f64> = (0..9)
            .map(|failures| {
                fallback
                    .mode(Time::ZERO, Address(1), failures)
                    .rate()
                    .as_mbps()
            })
            .collect();
        assert_eq!(rates, [11.0, 11.0, 5.5, 5.5, 2.0, 2.0, 1.0, 1.0, 1.0]);
    }
}
