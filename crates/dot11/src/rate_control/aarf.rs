//! Adaptive automatic rate fallback: ARF that asks for more successes each time a probe failed.
//!
//! M. Lacage, M. Manshaei and T. Turletti, "IEEE 802.11 Rate Adaptation: A Practical Approach",
//! MSWiM 2004. Where the channel is steady, probes of a rate that does not work become rare.

use phy::Mode;
use units::Time;

use super::{Ladder, RateControl, ReceiverTable};
use crate::frame::Address;

units::declare! {
    /// ARF whose number of successes doubles with each probe that fails.
    pub struct Config = "aarf" {
        /// acknowledged attempts in a row before the next higher rate is tried, at first
        successes_min: u16 = Field::count("attempts")
            .within(1.0, 1000.0)
            .or(Default::Count(10))
            .from("Lacage, Manshaei and Turletti 2004"),
        /// the same, at most
        successes_max: u16 = Field::count("attempts")
            .within(1.0, 10_000.0)
            .or(Default::Count(50))
            .from("Lacage, Manshaei and Turletti 2004"),
        /// failed attempts in a row before the next lower rate is taken
        failures: u16 = Field::count("attempts")
            .within(1.0, 255.0)
            .or(Default::Count(2))
            .from("Lacage, Manshaei and Turletti 2004"),
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Aarf {
    config: Config,
    ladder: Ladder,
    receivers: ReceiverTable<AarfState>,
}

#[derive(Clone, Copy, Debug)]
struct AarfState {
    rung: usize,
    successes: u16,
    failures: u16,
    /// Successes in a row before a probe.
    needed: u16,
    is_probing: bool,
}

impl AarfState {
    fn at(rung: usize, needed: u16, is_probing: bool) -> AarfState {
        AarfState {
            rung,
            successes: 0,
            failures: 0,
            needed,
            is_probing,
        }
    }
}

impl Aarf {
    /// Everybody is sent to at the radio's rate first.
    pub fn new(config: &Config, ladder: Ladder) -> Aarf {
        let receivers =
            ReceiverTable::new(AarfState::at(ladder.top(), config.successes_min, false));
        Aarf {
            config: config.clone(),
            ladder,
            receivers,
        }
    }
}

impl RateControl for Aarf {
    #[inline]
    fn mode(&mut self, _now: Time, to: Address, _failures: u8) -> Mode {
        self.ladder.modes[self.receivers.of(to).rung]
    }

    fn on_attempt(&mut self, _now: Time, to: Address, _mode: Mode, acknowledged: bool) {
        let top = self.ladder.top();
        let state = self.receivers.of(to);
        let lower = state.rung.saturating_sub(1);
        if acknowledged {
            state.failures = 0;
            state.is_probing = false;
            state.successes = state.successes.saturating_add(1);
            if state.successes >= state.needed && state.rung < top {
                *state = AarfState::at(state.rung + 1, state.needed, true);
            }
            return;
        }
        state.successes = 0;
        state.failures += 1;
        if state.is_probing {
            let needed = state
                .needed
                .saturating_mul(2)
                .min(self.config.successes_max);
            *state = AarfState::at(lower, needed, false);
        } else if state.failures >= self.config.failures {
            *state = AarfState::at(lower, self.config.successes_min, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_control::tests::{ladder, rates_after};

    fn aarf() -> Aarf {
        let config = Config {
            successes_min: 10,
            successes_max: 50,
            failures: 2,
        };
        Aarf::new(&config, ladder())
    }

    /// After how many successes each of so many probes comes, if all fail.
    fn successes_before_probes(control: &mut Aarf, probes: usize) -> Vec<usize> {
        let count = |control: &mut Aarf| {
            let mut successes = 0;
            while control.mode(Time::ZERO, Address(1), 0) == Mode::CCK_5_5 {
                control.on_attempt(Time::ZERO, Address(1), Mode::CCK_5_5, true);
                successes += 1;
            }
            control.on_attempt(Time::ZERO, Address(1), Mode::CCK_11, false);
            successes
        };
        (0..probes).map(|_| count(control)).collect()
    }

    #[test]
    fn failed_probes_become_rarer_up_to_one_in_fifty() {
        let mut control = aarf();
        assert_eq!(rates_after(&mut control, "xx"), "11 11 5.5");
        let before = successes_before_probes(&mut control, 5);
        assert_eq!(before, [10, 20, 40, 50, 50]);
    }

    #[test]
    fn two_failures_make_probes_as_frequent_as_at_first() {
        let mut control = aarf();
        rates_after(&mut control, "xx");
        successes_before_probes(&mut control, 3);
        let rates = rates_after(&mut control, "xx..........");
        assert!(
            rates.starts_with("5.5 5.5 2 ") && rates.ends_with(" 2 5.5"),
            "{rates}"
        );
    }
}
