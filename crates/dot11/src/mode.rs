//! Transmission modes: what the air carries at which rate.

use core::fmt;

use serde::{Deserialize, Serialize};
use units::Rate;

/// A transmission mode: modulation, coding and rate in one.
///
/// Ordered from the slowest to the fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Mode {
    /// 1 Mbit/s, DBPSK spread by the Barker code (IEEE 802.11-2007 §15.4.6.4).
    #[serde(rename = "dsss-1")]
    Dsss1,
    /// 2 Mbit/s, DQPSK spread by the Barker code (IEEE 802.11-2007 §15.4.6.4).
    #[serde(rename = "dsss-2")]
    Dsss2,
    /// 5.5 Mbit/s, CCK with four bits a symbol (IEEE 802.11-2007 §18.4.6.5).
    #[serde(rename = "cck-5.5")]
    Cck5_5,
    /// 11 Mbit/s, CCK with eight bits a symbol (IEEE 802.11-2007 §18.4.6.5).
    #[serde(rename = "cck-11")]
    Cck11,
}

/// How a mode puts bits on the carrier: what an error model needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// Differential binary phase-shift keying, one bit a symbol.
    Dbpsk,
    /// Differential quaternary phase-shift keying, two bits a symbol.
    Dqpsk,
    /// Complementary code keying, four bits a symbol.
    Cck4,
    /// Complementary code keying, eight bits a symbol.
    Cck8,
}

/// Chips of the Barker code in a symbol: its processing gain (IEEE 802.11-2007 §15.4.6.3).
const BARKER_CHIPS: f64 = 11.0;

impl Modulation {
    /// How much heavier than noise of the same power a frame weighs that interferes with one of
    /// this modulation.
    ///
    /// A Barker-spread signal of the same code is despread like the signal itself, so that the
    /// receiver's processing gain, which it has against noise, does not help against it. CCK
    /// codewords of two frames are unrelated and weigh as noise. [inferred from the despreader's
    /// definition; no measurement is cited by the papers]
    pub const fn interference_weight(self) -> f64 {
        match self {
            Modulation::Dbpsk | Modulation::Dqpsk => BARKER_CHIPS,
            Modulation::Cck4 | Modulation::Cck8 => 1.0,
        }
    }
}

/// The PLCP preamble in front of a DSSS or CCK frame (IEEE 802.11-2007 §18.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Preamble {
    /// 144 µs of preamble and a header at 1 Mbit/s.
    Long,
    /// 72 µs of preamble and a header at 2 Mbit/s; 1 Mbit/s frames never have it.
    Short,
}

impl Mode {
    /// How many modes there are: the length of a table with a row for each.
    pub const COUNT: usize = 4;

    /// Every mode, from the slowest to the fastest.
    pub const ALL: [Mode; Mode::COUNT] = [Mode::Dsss1, Mode::Dsss2, Mode::Cck5_5, Mode::Cck11];

    /// The rate of the payload.
    pub const fn rate(self) -> Rate {
        Rate::from_bps(self.half_mbps() * 500_000)
    }

    /// The rate in units of 500 kbit/s, as frames and radiotap headers give it.
    pub const fn half_mbps(self) -> u64 {
        match self {
            Mode::Dsss1 => 2,
            Mode::Dsss2 => 4,
            Mode::Cck5_5 => 11,
            Mode::Cck11 => 22,
        }
    }

    /// The mode whose rate is `half_mbps` times 500 kbit/s, if there is one.
    pub fn from_half_mbps(half_mbps: u64) -> Option<Mode> {
        Mode::ALL
            .into_iter()
            .find(|mode| mode.half_mbps() == half_mbps)
    }

    /// How the mode modulates.
    pub const fn modulation(self) -> Modulation {
        match self {
            Mode::Dsss1 => Modulation::Dbpsk,
            Mode::Dsss2 => Modulation::Dqpsk,
            Mode::Cck5_5 => Modulation::Cck4,
            Mode::Cck11 => Modulation::Cck8,
        }
    }

    /// The next slower mode; `None` below the slowest.
    pub const fn slower(self) -> Option<Mode> {
        match self {
            Mode::Dsss1 => None,
            Mode::Dsss2 => Some(Mode::Dsss1),
            Mode::Cck5_5 => Some(Mode::Dsss2),
            Mode::Cck11 => Some(Mode::Cck5_5),
        }
    }

    /// The preamble a frame of this mode really has where `configured` is asked for:
    /// the short one exists from 2 Mbit/s upwards (IEEE 802.11-2007 §18.2.2.2).
    #[inline]
    pub const fn preamble(self, configured: Preamble) -> Preamble {
        match self {
            Mode::Dsss1 => Preamble::Long,
            _ => configured,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rate().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falling_back_visits_every_rate_of_802_11b() {
        let steps: Vec<f64> = core::iter::successors(Some(Mode::Cck11), |mode| mode.slower())
            .map(|mode| mode.rate().as_mbps())
            .collect();
        assert_eq!(steps, [11.0, 5.5, 2.0, 1.0]);
    }

    #[test]
    fn a_rate_that_802_11b_lacks_has_no_mode() {
        assert_eq!(Mode::from_half_mbps(11), Some(Mode::Cck5_5));
        assert_eq!(Mode::from_half_mbps(12), None);
    }
}
