//! Modulations and codings.

use serde::{Deserialize, Serialize};

/// Modulation of bits onto the carrier: what an error model needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Modulation {
    /// Differential binary phase-shift keying, one bit a symbol.
    Dbpsk,
    /// Differential quaternary phase-shift keying, two bits a symbol.
    Dqpsk,
    /// Complementary code keying, four bits a symbol.
    Cck4,
    /// Complementary code keying, eight bits a symbol.
    Cck8,
    /// Orthogonal frequency division multiplex.
    Ofdm(Constellation, CodeRate),
}

/// Modulation of each carrier of an OFDM symbol (IEEE 802.11-2007 §17.3.5.7; Tables 19-27
/// and 21-29 of IEEE 802.11-2020, Table 27-55 of IEEE 802.11ax-2021).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Constellation {
    /// One bit a carrier.
    Bpsk,
    /// Two bits a carrier.
    Qpsk,
    /// Four bits a carrier.
    Qam16,
    /// Six bits a carrier.
    Qam64,
    /// Eight bits a carrier.
    Qam256,
    /// Ten bits a carrier.
    Qam1024,
}

/// Rate of the code; the convolutional one is punctured above a half (IEEE 802.11-2007 §17.3.5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum CodeRate {
    /// 1/2.
    Half,
    /// 2/3.
    TwoThirds,
    /// 3/4.
    ThreeQuarters,
    /// 5/6.
    FiveSixths,
}

/// The code that protects the bits of OFDM: FEC_CODING of the standard's TXVECTOR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Coding {
    /// Binary convolutional code (IEEE 802.11-2020, 17.3.5.6, 19.3.11.6).
    Bcc,
    /// Low-density parity-check code (19.3.11.7).
    Ldpc,
}

impl Constellation {
    /// Bits on a carrier.
    pub const fn bits(self) -> u32 {
        match self {
            Constellation::Bpsk => 1,
            Constellation::Qpsk => 2,
            Constellation::Qam16 => 4,
            Constellation::Qam64 => 6,
            Constellation::Qam256 => 8,
            Constellation::Qam1024 => 10,
        }
    }
}

impl CodeRate {
    /// Data bits, and the coded bits that carry them.
    pub const fn fraction(self) -> [u32; 2] {
        match self {
            CodeRate::Half => [1, 2],
            CodeRate::TwoThirds => [2, 3],
            CodeRate::ThreeQuarters => [3, 4],
            CodeRate::FiveSixths => [5, 6],
        }
    }
}

/// Chips of the Barker code in a symbol: its processing gain (IEEE 802.11-2007 §15.4.6.3).
const BARKER_CHIPS: f64 = 11.0;

impl Modulation {
    /// Returns how much heavier than noise of the same power a frame weighs that interferes with
    /// one of this modulation.
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
