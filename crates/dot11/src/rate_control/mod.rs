//! Rate control: in which mode the next attempt goes.
//!
//! A new algorithm is a file with a declared `Config` and a type that implements [`RateControl`],
//! made by `new(&Config, Ladder)` from its parameters and the modes that it may choose, its
//! `mod` line, and a line in the list below.

pub mod aarf;
pub mod arf;
pub mod fallback;
pub mod fixed;
mod known_rate;
pub mod minstrel;
pub mod minstrel_ht;
mod receivers;
pub mod sample_rate;
pub mod sticky_fallback;

use phy::{Characteristics, Mode, Preamble, TxVector, response};
use units::{Duration, Time};

use crate::frame::{ACK_BYTES, Address};

pub use known_rate::{KnownRate, KnownRates};
use receivers::ReceiverTable;

/// What a rate control may choose from.
#[derive(Clone, Copy, Debug)]
pub struct Ladder {
    /// The modes from the slowest to the radio's rate; never empty.
    pub modes: &'static [Mode],
    /// What times their frames.
    pub phy: &'static Characteristics,
}

impl Ladder {
    /// The radio's rate, as an index into the modes.
    pub fn top(&self) -> usize {
        self.modes.len() - 1
    }

    /// Returns how long an MPDU and its ACK take on average after so many failures, from the
    /// interframe space before them on, if nobody else sends (IEEE 802.11-2007 §9.2.4).
    pub fn attempt_time(&self, mode: Mode, mpdu_bytes: u16, failures: u8) -> Duration {
        let doubled = (u64::from(self.phy.cw_min) + 1) << failures.min(10);
        let window = (doubled - 1).min(u64::from(self.phy.cw_max));
        let lasts = |mode, bytes| TxVector::of(mode, Preamble::Long).duration(u32::from(bytes));
        let answer = response(mode.reference(self.phy.ofdm), &[]);
        let answer = self.phy.sifs + lasts(answer, ACK_BYTES);
        self.phy.difs + self.phy.slot * window / 2 + lasts(mode, mpdu_bytes) + answer
    }
}

/// Terms on which data go, beside their mode.
#[derive(Clone, Copy, Debug)]
pub struct TransmitTerms {
    /// As one MPDU, because it tries a mode or did so in vain.
    pub is_alone: bool,
    /// Behind an RTS, whatever its length.
    pub is_announced: bool,
    /// With no longer A-MSDUs.
    pub amsdu_bytes: u16,
}

impl TransmitTerms {
    /// As the station is configured.
    pub const USUAL: TransmitTerms = TransmitTerms {
        is_alone: false,
        is_announced: false,
        amsdu_bytes: u16::MAX,
    };
}

/// Chooses the mode of data frames to each receiver.
pub trait RateControl {
    /// The mode of the next attempt, after `failures` failed ones inside the same MSDU.
    fn mode(&mut self, now: Time, to: Address, failures: u8) -> Mode;

    /// A data frame has been acknowledged or not. A failed RTS says nothing about the rate of the
    /// data and is not reported.
    fn on_attempt(&mut self, now: Time, to: Address, mode: Mode, acknowledged: bool);

    /// Returns what goes with the mode that was asked for last.
    fn terms(&mut self, _to: Address) -> TransmitTerms {
        TransmitTerms::USUAL
    }

    /// So many MPDUs of a PPDU under block acknowledgment have been acknowledged, and so many not.
    fn on_aggregate(&mut self, now: Time, to: Address, mode: Mode, acknowledged: u32, lost: u32) {
        for _ in 0..acknowledged {
            self.on_attempt(now, to, mode, true);
            self.on_done(now, to, true);
        }
        for _ in 0..lost {
            self.on_attempt(now, to, mode, false);
        }
    }

    /// The mode of everything, if that never changes; then nothing else is asked or reported.
    fn steady(&self) -> Option<Mode> {
        None
    }

    /// An MSDU has been delivered, or given up.
    #[inline]
    fn on_done(&mut self, _now: Time, _to: Address, _delivered: bool) {}

    /// Returns what it knows of the rates to a receiver, if it keeps account of each.
    fn known_rates(&self, _to: Address) -> Option<KnownRates> {
        None
    }
}

units::kinds! {
    /// Which rate control a station runs, and its parameters, as a plan has them.
    pub enum RateControlConfig with each;

    /// One mode for everything.
    Fixed in fixed;
    /// Step down inside one MSDU's retries.
    Fallback in fallback;
    /// Step down with a memory of each receiver.
    StickyFallback in sticky_fallback;
    /// Up after successes, down after failures.
    Arf in arf;
    /// The same, with ever rarer probes.
    Aarf in aarf;
    /// The least time per delivered frame, others being sampled.
    SampleRate in sample_rate;
    /// That of Linux for 802.11b, g and a.
    Minstrel in minstrel;
    /// That of Linux for 802.11n and later.
    MinstrelHt in minstrel_ht;
}

each! {
    /// The rate control of one station, dispatched without indirection.
    #[derive(Clone, Debug)]
    pub(crate) enum RateController;
}

impl RateController {
    pub(crate) fn new(config: &RateControlConfig, ladder: Ladder) -> RateController {
        each!(Kind, match config {
            RateControlConfig(config) => enum RateController(Kind::new(config, ladder)),
        })
    }
}

impl RateControl for RateController {
    #[inline]
    fn mode(&mut self, now: Time, to: Address, failures: u8) -> Mode {
        each!(match self {
            RateController(control) => control.mode(now, to, failures),
        })
    }

    #[inline]
    fn on_attempt(&mut self, now: Time, to: Address, mode: Mode, acknowledged: bool) {
        each!(match self {
            RateController(control) => control.on_attempt(now, to, mode, acknowledged),
        });
    }

    fn terms(&mut self, to: Address) -> TransmitTerms {
        each!(match self {
            RateController(control) => control.terms(to),
        })
    }

    fn on_aggregate(&mut self, now: Time, to: Address, mode: Mode, acknowledged: u32, lost: u32) {
        each!(match self {
            RateController(control) => control.on_aggregate(now, to, mode, acknowledged, lost),
        });
    }

    fn steady(&self) -> Option<Mode> {
        each!(match self {
            RateController(control) => control.steady(),
        })
    }

    #[inline]
    fn on_done(&mut self, now: Time, to: Address, delivered: bool) {
        each!(match self {
            RateController(control) => control.on_done(now, to, delivered),
        });
    }

    fn known_rates(&self, to: Address) -> Option<KnownRates> {
        each!(match self {
            RateController(control) => control.known_rates(to),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use phy::{DSSS_HR, DSSS_MODES, ERP, ERP_MODES};

    use super::*;

    /// The rates of 802.11b.
    pub(crate) fn ladder() -> Ladder {
        Ladder {
            modes: DSSS_MODES,
            phy: &DSSS_HR,
        }
    }

    /// The rates of 802.11g.
    pub(crate) fn erp_ladder() -> Ladder {
        Ladder {
            modes: ERP_MODES,
            phy: &ERP,
        }
    }

    /// The rates, in Mbit/s, before and after each event of a script: an attempt that is
    /// acknowledged (.) or not (x), an MSDU that is delivered (|) or given up (!).
    pub(crate) fn rates_after(control: &mut impl RateControl, script: &str) -> String {
        let (now, to) = (Time::ZERO, Address(1));
        let mut rates = vec![control.mode(now, to, 0)];
        for event in script.chars() {
            match event {
                '.' | 'x' => control.on_attempt(now, to, rates[rates.len() - 1], event == '.'),
                _ => control.on_done(now, to, event == '|'),
            }
            rates.push(control.mode(now, to, 0));
        }
        let texts = rates.iter().map(|mode| mode.rate().as_mbps().to_string());
        texts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_attempt_takes_as_long_as_the_standards_sums_say() {
        // DIFS, 7.5 slots, a full frame, SIFS and an ACK at 24 Mbit/s; then 15.5 slots.
        let micros = |failures| {
            let time = erp_ladder().attempt_time(Mode::ERP_54, 1536, failures);
            time.as_nanos() as f64 / 1e3
        };
        assert_eq!(micros(0), 28.0 + 67.5 + 254.0 + 10.0 + 34.0);
        assert_eq!(micros(1) - micros(0), 72.0);
    }

    #[test]
    fn a_plan_names_the_algorithm_as_its_declaration_does() {
        let plan = r#"{"kind":"fallback","attempts_per_rate":2}"#;
        let config: RateControlConfig = serde_json::from_str(plan).unwrap();
        let expected = fallback::Config {
            attempts_per_rate: 2,
        };
        assert_eq!(config, RateControlConfig::Fallback(expected));
        assert!(KINDS.iter().any(|kind| kind.name == "fallback"));
    }

    #[test]
    fn a_parameter_of_another_algorithm_is_refused() {
        let plan = r#"{"kind":"fixed","attempts_per_rate":2}"#;
        assert!(serde_json::from_str::<RateControlConfig>(plan).is_err());
    }
}
