//! Transmission modes: what the air carries at which rate.

use core::fmt;

use serde::{Deserialize, Serialize};
use units::Rate;

/// A transmission mode: modulation, coding and rate in one.
///
/// Ordered by class, and in each from the slowest to the fastest. ERP-OFDM and OFDM are one
/// modulation in two bands; at 2.4 GHz a signal extension ends the frame.
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
    /// 6 Mbit/s, BPSK on 48 carriers, code rate 1/2, at 2.4 GHz (IEEE 802.11-2007 §19.3.2).
    #[serde(rename = "erp-ofdm-6")]
    Erp6,
    /// 9 Mbit/s, BPSK on 48 carriers, code rate 3/4, at 2.4 GHz (IEEE 802.11-2007 §19.3.2).
    #[serde(rename = "erp-ofdm-9")]
    Erp9,
    /// 12 Mbit/s, QPSK on 48 carriers, code rate 1/2, at 2.4 GHz (IEEE 802.11-2007 §19.3.2).
    #[serde(rename = "erp-ofdm-12")]
    Erp12,
    /// 18 Mbit/s, QPSK on 48 carriers, code rate 3/4, at 2.4 GHz (IEEE 802.11-2007 §19.3.2).
    #[serde(rename = "erp-ofdm-18")]
    Erp18,
    /// 24 Mbit/s, 16-QAM on 48 carriers, code rate 1/2, at 2.4 GHz (IEEE 802.11-2007 §19.3.2).
    #[serde(rename = "erp-ofdm-24")]
    Erp24,
    /// 36 Mbit/s, 16-QAM on 48 carriers, code rate 3/4, at 2.4 GHz (IEEE 802.11-2007 §19.3.2).
    #[serde(rename = "erp-ofdm-36")]
    Erp36,
    /// 48 Mbit/s, 64-QAM on 48 carriers, code rate 2/3, at 2.4 GHz (IEEE 802.11-2007 §19.3.2).
    #[serde(rename = "erp-ofdm-48")]
    Erp48,
    /// 54 Mbit/s, 64-QAM on 48 carriers, code rate 3/4, at 2.4 GHz (IEEE 802.11-2007 §19.3.2).
    #[serde(rename = "erp-ofdm-54")]
    Erp54,
    /// 6 Mbit/s, BPSK on 48 carriers, code rate 1/2, at 5 GHz (IEEE 802.11-2007 Table 17-3).
    #[serde(rename = "ofdm-6")]
    Ofdm6,
    /// 9 Mbit/s, BPSK on 48 carriers, code rate 3/4, at 5 GHz (IEEE 802.11-2007 Table 17-3).
    #[serde(rename = "ofdm-9")]
    Ofdm9,
    /// 12 Mbit/s, QPSK on 48 carriers, code rate 1/2, at 5 GHz (IEEE 802.11-2007 Table 17-3).
    #[serde(rename = "ofdm-12")]
    Ofdm12,
    /// 18 Mbit/s, QPSK on 48 carriers, code rate 3/4, at 5 GHz (IEEE 802.11-2007 Table 17-3).
    #[serde(rename = "ofdm-18")]
    Ofdm18,
    /// 24 Mbit/s, 16-QAM on 48 carriers, code rate 1/2, at 5 GHz (IEEE 802.11-2007 Table 17-3).
    #[serde(rename = "ofdm-24")]
    Ofdm24,
    /// 36 Mbit/s, 16-QAM on 48 carriers, code rate 3/4, at 5 GHz (IEEE 802.11-2007 Table 17-3).
    #[serde(rename = "ofdm-36")]
    Ofdm36,
    /// 48 Mbit/s, 64-QAM on 48 carriers, code rate 2/3, at 5 GHz (IEEE 802.11-2007 Table 17-3).
    #[serde(rename = "ofdm-48")]
    Ofdm48,
    /// 54 Mbit/s, 64-QAM on 48 carriers, code rate 3/4, at 5 GHz (IEEE 802.11-2007 Table 17-3).
    #[serde(rename = "ofdm-54")]
    Ofdm54,
}

/// Modes whose frames answer each other (IEEE 802.11-2012 Table 9-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// DSSS and HR/DSSS.
    Dsss,
    /// OFDM at 2.4 GHz.
    ErpOfdm,
    /// OFDM at 5 GHz.
    Ofdm,
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
    /// Orthogonal frequency division multiplex of 48 carriers.
    Ofdm(Constellation, CodeRate),
}

/// What each carrier of an OFDM symbol is modulated with (IEEE 802.11-2007 §17.3.5.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constellation {
    /// One bit a carrier.
    Bpsk,
    /// Two bits a carrier.
    Qpsk,
    /// Four bits a carrier.
    Qam16,
    /// Six bits a carrier.
    Qam64,
}

/// Rate of the convolutional code, punctured above a half (IEEE 802.11-2007 §17.3.5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeRate {
    /// 1/2.
    Half,
    /// 2/3.
    TwoThirds,
    /// 3/4.
    ThreeQuarters,
}

impl Constellation {
    /// Bits on a carrier.
    pub const fn bits(self) -> u32 {
        match self {
            Constellation::Bpsk => 1,
            Constellation::Qpsk => 2,
            Constellation::Qam16 => 4,
            Constellation::Qam64 => 6,
        }
    }
}

impl CodeRate {
    /// Data bits per coded bit.
    pub const fn ratio(self) -> f64 {
        match self {
            CodeRate::Half => 1.0 / 2.0,
            CodeRate::TwoThirds => 2.0 / 3.0,
            CodeRate::ThreeQuarters => 3.0 / 4.0,
        }
    }
}

/// Chips of the Barker code in a symbol: its processing gain (IEEE 802.11-2007 §15.4.6.3).
const BARKER_CHIPS: f64 = 11.0;

impl Modulation {
    /// How much heavier than noise of the same power a frame weighs that interferes with one of
    /// this modulation.
    ///
    /// A Barker-spread signal of the same code is despread like the signal itself, so that the
    /// receiver's processing gain, which it has against noise, does not help against it. CCK
    /// codewords of two frames are unrelated and weigh as noise, as do OFDM symbols. [inferred from
    /// the despreader's definition; no measurement is cited by the papers]
    pub const fn interference_weight(self) -> f64 {
        match self {
            Modulation::Dbpsk | Modulation::Dqpsk => BARKER_CHIPS,
            Modulation::Cck4 | Modulation::Cck8 | Modulation::Ofdm(..) => 1.0,
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

/// The modes of 802.11b, from the slowest to the fastest.
pub(crate) const DSSS_MODES: &[Mode] = &[Mode::Dsss1, Mode::Dsss2, Mode::Cck5_5, Mode::Cck11];

/// The modes of 802.11g, from the slowest to the fastest.
pub(crate) const ERP_MODES: &[Mode] = &[
    Mode::Dsss1,
    Mode::Dsss2,
    Mode::Cck5_5,
    Mode::Erp6,
    Mode::Erp9,
    Mode::Cck11,
    Mode::Erp12,
    Mode::Erp18,
    Mode::Erp24,
    Mode::Erp36,
    Mode::Erp48,
    Mode::Erp54,
];

/// The modes of 802.11a, from the slowest to the fastest.
pub(crate) const OFDM_MODES: &[Mode] = &[
    Mode::Ofdm6,
    Mode::Ofdm9,
    Mode::Ofdm12,
    Mode::Ofdm18,
    Mode::Ofdm24,
    Mode::Ofdm36,
    Mode::Ofdm48,
    Mode::Ofdm54,
];

impl Mode {
    /// How many modes there are: the length of a table with a row for each.
    pub const COUNT: usize = 20;

    /// Every mode, in order.
    pub const ALL: [Mode; Mode::COUNT] = [
        Mode::Dsss1,
        Mode::Dsss2,
        Mode::Cck5_5,
        Mode::Cck11,
        Mode::Erp6,
        Mode::Erp9,
        Mode::Erp12,
        Mode::Erp18,
        Mode::Erp24,
        Mode::Erp36,
        Mode::Erp48,
        Mode::Erp54,
        Mode::Ofdm6,
        Mode::Ofdm9,
        Mode::Ofdm12,
        Mode::Ofdm18,
        Mode::Ofdm24,
        Mode::Ofdm36,
        Mode::Ofdm48,
        Mode::Ofdm54,
    ];

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
            Mode::Erp6 | Mode::Ofdm6 => 12,
            Mode::Erp9 | Mode::Ofdm9 => 18,
            Mode::Erp12 | Mode::Ofdm12 => 24,
            Mode::Erp18 | Mode::Ofdm18 => 36,
            Mode::Erp24 | Mode::Ofdm24 => 48,
            Mode::Erp36 | Mode::Ofdm36 => 72,
            Mode::Erp48 | Mode::Ofdm48 => 96,
            Mode::Erp54 | Mode::Ofdm54 => 108,
        }
    }

    /// What frames of the mode may be answered in.
    pub const fn class(self) -> Class {
        match self {
            Mode::Dsss1 | Mode::Dsss2 | Mode::Cck5_5 | Mode::Cck11 => Class::Dsss,
            _ if (self as u8) < Mode::Ofdm6 as u8 => Class::ErpOfdm,
            _ => Class::Ofdm,
        }
    }

    /// Whether its frames are of OFDM, preamble included.
    #[inline]
    pub const fn is_ofdm(self) -> bool {
        self as u8 >= Mode::Erp6 as u8
    }

    /// Whether every device of the mode's standard has it (IEEE 802.11-2007 §17.3.8.1, §18.4.3,
    /// §19.1.1): all of DSSS and CCK; of OFDM 6, 12 and 24 Mbit/s.
    pub(crate) const fn is_mandatory(self) -> bool {
        matches!(self.class(), Class::Dsss) || matches!(self.half_mbps(), 12 | 24 | 48)
    }

    /// How the mode modulates.
    pub const fn modulation(self) -> Modulation {
        use CodeRate::{Half, ThreeQuarters, TwoThirds};
        use Constellation::{Bpsk, Qam16, Qam64, Qpsk};
        match self {
            Mode::Dsss1 => Modulation::Dbpsk,
            Mode::Dsss2 => Modulation::Dqpsk,
            Mode::Cck5_5 => Modulation::Cck4,
            Mode::Cck11 => Modulation::Cck8,
            Mode::Erp6 | Mode::Ofdm6 => Modulation::Ofdm(Bpsk, Half),
            Mode::Erp9 | Mode::Ofdm9 => Modulation::Ofdm(Bpsk, ThreeQuarters),
            Mode::Erp12 | Mode::Ofdm12 => Modulation::Ofdm(Qpsk, Half),
            Mode::Erp18 | Mode::Ofdm18 => Modulation::Ofdm(Qpsk, ThreeQuarters),
            Mode::Erp24 | Mode::Ofdm24 => Modulation::Ofdm(Qam16, Half),
            Mode::Erp36 | Mode::Ofdm36 => Modulation::Ofdm(Qam16, ThreeQuarters),
            Mode::Erp48 | Mode::Ofdm48 => Modulation::Ofdm(Qam64, TwoThirds),
            Mode::Erp54 | Mode::Ofdm54 => Modulation::Ofdm(Qam64, ThreeQuarters),
        }
    }

    /// The preamble a frame of this mode really has where `configured` is asked for: the short
    /// one exists from 2 Mbit/s upwards (IEEE 802.11-2007 §18.2.2.2). OFDM has none of both, and
    /// passes on what DSSS around it has.
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
    fn every_mode_is_where_its_number_says() {
        for (index, mode) in Mode::ALL.into_iter().enumerate() {
            assert_eq!(mode as usize, index);
        }
    }

    #[test]
    fn an_ofdm_symbol_of_4_us_carries_the_rate_that_its_carriers_and_code_give() {
        for mode in Mode::ALL {
            let Modulation::Ofdm(constellation, code) = mode.modulation() else {
                continue;
            };
            let bits = 48.0 * f64::from(constellation.bits()) * code.ratio();
            assert_eq!(bits / 4.0, mode.rate().as_mbps(), "{mode}");
        }
    }

    #[test]
    fn no_device_lacks_6_12_and_24_mbit_s_of_ofdm() {
        let mandatory: Vec<f64> = Mode::ALL
            .into_iter()
            .filter(|mode| mode.class() == Class::Ofdm && mode.is_mandatory())
            .map(|mode| mode.rate().as_mbps())
            .collect();
        assert_eq!(mandatory, [6.0, 12.0, 24.0]);
    }
}
