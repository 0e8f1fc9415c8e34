//! Automatic rate fallback: up after successes in a row, down after failures in a row.
//!
//! A. Kamerman and L. Monteban, "WaveLAN-II: A High-Performance Wireless LAN for the Unlicensed
//! Band", Bell Labs Technical Journal 2(3), 1997. The first frame at a higher rate is a probe: if
//! it fails, the rate falls back at once. Counted are attempts, whatever MSDU they belong to.

use phy::Mode;
use units::Time;

use super::{Ladder, RateControl, ReceiverTable};
use crate::frame::Address;

units::declare! {
    /// The rate rises after successes in a row and falls after failures in a row.
    pub struct Config = "arf" {
        /// acknowledged attempts in a row before the next higher rate is tried
        successes: u16 = Field::count("attempts")
            .within(1.0, 1000.0)
            .or(Default::Count(10))
            .from("Kamerman and Monteban 1997"),
        /// failed attempts in a row before the next lower rate is taken
        failures: u16 = Field::count("attempts")
            .within(1.0, 255.0)
            .or(Default::Count(2))
            .from("Kamerman and Monteban 1997"),
        /// attempts at a rate after which the next higher one is tried with the next success
        timer_attempts: u16 = Field::count("attempts")
            .within(1.0, 60_000.0)
            .or(Default::Count(15))
            .from("inferred: the paper has a timer and gives no value; 15 as in ns-3"),
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Arf {
    config: Config,
    ladder: Ladder,
    receivers: ReceiverTable<ArfState>,
}

#[derive(Clone, Copy, Debug)]
struct ArfState {
    rung: usize,
    /// Since the rate changed.
    attempts: u16,
    successes: u16,
    failures: u16,
    is_probing: bool,
}

impl ArfState {
    fn at(rung: usize, is_probing: bool) -> ArfState {
        ArfState {
            rung,
            attempts: 0,
            successes: 0,
            failures: 0,
            is_probing,
        }
    }
}

impl Arf {
    /// Everybody is sent to at the radio's rate first.
    pub fn new(config: &Config, ladder: Ladder) -> Arf {
        let receivers = ReceiverTable::new(ArfState::at(ladder.top(), false));
        Arf {
            config: config.clone(),
            ladder,
            receivers,
        }
    }
}

impl RateControl for Arf {
    #[inline]
    fn mode(&mut self, _now: Time, to: Address, _failures: u8) -> Mode {
        self.ladder.modes[self.receivers.of(to).rung]
    }

    fn on_attempt(&mut self, _now: Time, to: Address, _mode: Mode, acknowledged: bool) {
        let top = self.ladder.top();
        let state = self.receivers.of(to);
        state.attempts = state.attempts.saturating_add(1);
        if acknowledged {
            state.failures = 0;
            state.is_probing = false;
            state.successes += 1;
            let is_due = state.successes >= self.config.successes
                || state.attempts >= self.config.timer_attempts;
            if is_due && state.rung < top {
                *state = ArfState::at(state.rung + 1, true);
            }
        } else {
            state.successes = 0;
            state.failures += 1;
            if state.is_probing || state.failures >= self.config.failures {
                *state = ArfState::at(state.rung.saturating_sub(1), false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_control::tests::{ladder, rates_after};

    fn arf() -> Arf {
        let config = Config {
            successes: 10,
            failures: 2,
            timer_attempts: 15,
        };
        Arf::new(&config, ladder())
    }

    #[test]
    fn two_failures_lower_the_rate_and_ten_successes_raise_it() {
        let script = "xx..........";
        let rates = rates_after(&mut arf(), script);
        assert_eq!(rates, "11 11 5.5 5.5 5.5 5.5 5.5 5.5 5.5 5.5 5.5 5.5 11");
    }

    #[test]
    fn a_probe_that_fails_is_taken_back_at_once() {
        let rates = rates_after(&mut arf(), "xx..........x");
        assert!(rates.ends_with(" 11 5.5"), "{rates}");
    }

    #[test]
    fn after_fifteen_attempts_a_success_is_enough() {
        let rates = rates_after(&mut arf(), "xx.x.x.x.x.x.x.x.");
        assert!(rates.ends_with(" 5.5 11"), "{rates}");
    }
}
