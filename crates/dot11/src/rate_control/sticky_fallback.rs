//! Fallback with a memory: the rate that a receiver was last reached at is where its next frame
//! begins.
//!
//! What vendors of 802.11b devices did beyond the retries of one MSDU is told by none of them. The
//! pulses of S. Goel's thesis (2006, §4.4) tell readings apart: with a memory, frames whose first
//! attempts fail pull down those behind them, and how fast depends on what counts as a failure,
//! which is a parameter here.

use phy::Mode;
use units::declaration::Measure;
use units::serde::{Deserialize, Serialize};
use units::{Duration, Time};

use super::{Ladder, RateControl, ReceiverTable};
use crate::frame::Address;

/// What fails or succeeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", crate = "units::serde")]
pub enum Unit {
    /// Each attempt.
    Attempt,
    /// A fragment, or an uncut MSDU: it fails once, however many attempts of it do.
    Fragment,
    /// An MSDU: it fails once, however many attempts of its fragments do.
    Msdu,
}

impl Unit {
    /// The word for each, in plans and in scenarios.
    pub const WORDS: &[&str] = &["attempt", "fragment", "msdu"];
}

impl Measure for Unit {
    fn measure(&self) -> Option<f64> {
        None
    }
}

units::declare! {
    /// The rate falls after failures in a row, is remembered, and rises after successes or time.
    pub struct Config = "sticky-fallback" {
        /// what fails or succeeds: each attempt; a fragment, which fails with any of its attempts; or an MSDU
        counts: Unit = Field::of(Quantity::Choice(Unit::WORDS))
            .or(Default::Text("attempt"))
            .from("inferred: no vendor says"),
        /// failures in a row before the next lower rate is taken
        failures: u16 = Field::count("")
            .within(1.0, 1000.0)
            .or(Default::Count(1))
            .from("goel2006 §2.2.1, §3.3: every retry steps down"),
        /// successes in a row before the next higher rate is taken
        successes: u16 = Field::count("")
            .within(1.0, 10_000.0)
            .or(Default::Count(10))
            .from("inferred: as of ARF, Kamerman and Monteban 1997"),
        /// time without a failure after which the next higher rate is taken all the same
        recovery: Option<Duration> = Field::duration().positive().optional(),
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct StickyFallback {
    config: Config,
    ladder: Ladder,
    receivers: ReceiverTable<StickyFallbackState>,
}

#[derive(Clone, Copy, Debug)]
struct StickyFallbackState {
    rung: usize,
    failures: u16,
    successes: u16,
    /// An attempt of the unit under way has failed.
    has_failed: bool,
    /// When the rate changed, or something failed, last.
    since: Time,
}

impl StickyFallbackState {
    fn at(rung: usize, since: Time) -> StickyFallbackState {
        StickyFallbackState {
            rung,
            failures: 0,
            successes: 0,
            has_failed: false,
            since,
        }
    }
}

impl StickyFallback {
    /// Everybody is sent to at the radio's rate first.
    pub fn new(config: &Config, ladder: Ladder) -> StickyFallback {
        let receivers = ReceiverTable::new(StickyFallbackState::at(ladder.top(), Time::ZERO));
        StickyFallback {
            config: config.clone(),
            ladder,
            receivers,
        }
    }

    fn count(&mut self, now: Time, to: Address, failed: bool) {
        let top = self.ladder.top();
        let state = self.receivers.of(to);
        state.has_failed = false;
        if failed {
            state.successes = 0;
            state.failures += 1;
            state.since = now;
            if state.failures >= self.config.failures {
                *state = StickyFallbackState::at(state.rung.saturating_sub(1), now);
            }
        } else {
            state.failures = 0;
            state.successes = state.successes.saturating_add(1);
            if state.successes >= self.config.successes && state.rung < top {
                *state = StickyFallbackState::at(state.rung + 1, now);
            }
        }
    }
}

impl RateControl for StickyFallback {
    fn mode(&mut self, now: Time, to: Address, _failures: u8) -> Mode {
        let top = self.ladder.top();
        let state = self.receivers.of(to);
        if let Some(recovery) = self.config.recovery {
            if state.rung < top && now.saturating_since(state.since) >= recovery {
                *state = StickyFallbackState::at(state.rung + 1, now);
            }
        }
        self.ladder.modes[state.rung]
    }

    fn on_attempt(&mut self, now: Time, to: Address, _mode: Mode, acknowledged: bool) {
        match self.config.counts {
            Unit::Attempt => self.count(now, to, !acknowledged),
            Unit::Fragment if acknowledged => {
                let failed = self.receivers.of(to).has_failed;
                self.count(now, to, failed);
            }
            Unit::Fragment | Unit::Msdu => self.receivers.of(to).has_failed |= !acknowledged,
        }
    }

    fn on_done(&mut self, now: Time, to: Address, delivered: bool) {
        let failed = self.receivers.of(to).has_failed;
        match self.config.counts {
            Unit::Msdu => self.count(now, to, failed || !delivered),
            // The last fragment of one given up.
            Unit::Fragment if failed => self.count(now, to, true),
            Unit::Attempt | Unit::Fragment => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_control::tests::{ladder, rates_after};

    fn control(counts: Unit) -> StickyFallback {
        let config = Config {
            counts,
            failures: 2,
            successes: 3,
            recovery: None,
        };
        StickyFallback::new(&config, ladder())
    }

    #[test]
    fn the_rate_is_remembered_and_rises_one_by_one() {
        let rates = rates_after(&mut control(Unit::Attempt), "xxxx......");
        assert_eq!(rates, "11 11 5.5 5.5 2 2 2 5.5 5.5 5.5 11");
    }

    #[test]
    fn what_counts_as_a_failure_decides() {
        // Two MSDUs of two fragments, each of which fails once: "|" ends an MSDU.
        let script = "x.x.|x.x.|";
        let rates = |counts| rates_after(&mut control(counts), script);
        assert!(rates(Unit::Attempt).ends_with(" 11"), "never two in a row");
        assert!(rates(Unit::Fragment).ends_with(" 2"), "four in a row");
        assert!(rates(Unit::Msdu).ends_with(" 5.5"), "two in a row");
    }

    #[test]
    fn an_msdu_that_was_given_up_is_a_failure() {
        let given_up = |counts| rates_after(&mut control(counts), "xxxx!xxxx!");
        assert!(given_up(Unit::Msdu).ends_with(" 5.5"));
        assert!(given_up(Unit::Fragment).ends_with(" 5.5"));
    }

    #[test]
    fn time_without_a_failure_heals() {
        let mut control = StickyFallback::new(
            &Config {
                counts: Unit::Attempt,
                failures: 1,
                successes: 1000,
                recovery: Some(Duration::from_secs(1)),
            },
            ladder(),
        );
        let failed = Time::ZERO + Duration::from_secs(5);
        control.on_attempt(failed, Address(1), Mode::CCK_11, false);
        let after = |control: &mut StickyFallback, millis| {
            control.mode(failed + Duration::from_millis(millis), Address(1), 0)
        };
        assert_eq!(after(&mut control, 999), Mode::CCK_5_5);
        assert_eq!(after(&mut control, 1000), Mode::CCK_11);
    }
}
