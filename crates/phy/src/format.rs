//! Formats of PPDUs: what the modes of each have in common, and how each of them modulates.
//!
//! Clauses are those of IEEE 802.11-2020, but for 802.11ax, which is an amendment of 2021.

use crate::modulation::CodeRate::{FiveSixths, Half, ThreeQuarters, TwoThirds};
use crate::modulation::Constellation::{Bpsk, Qam16, Qam64, Qam256, Qam1024, Qpsk};
use crate::modulation::Modulation::{self, Cck4, Cck8, Dbpsk, Dqpsk, Ofdm};

/// A format of PPDUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Format {
    /// DSSS and HR/DSSS, which has CCK: 802.11b (clauses 15 and 16).
    Dsss,
    /// OFDM at 2.4 GHz: 802.11g (clause 18).
    ErpOfdm,
    /// OFDM at 5 GHz: 802.11a (clause 17).
    Ofdm,
    /// 802.11n behind a preamble that stations of 802.11a and g understand (19.3.2).
    HtMixed,
    /// 802.11n behind a preamble of its own (19.3.2).
    HtGreenfield,
    /// 802.11ac to one station (21.3.2).
    Vht,
    /// 802.11ax to one station, over the whole channel (27.3.4).
    He,
}

/// The width of the channel that a PPDU fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Width {
    /// 20 MHz; 22 of DSSS.
    Mhz20,
    /// 40 MHz.
    Mhz40,
    /// 80 MHz.
    Mhz80,
    /// 160 MHz.
    Mhz160,
}

/// The time in front of each OFDM symbol that repeats its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum GuardInterval {
    /// 0.4 µs, the short one of 802.11n and 802.11ac.
    Ns400,
    /// 0.8 µs.
    Ns800,
    /// 1.6 µs, of 802.11ax.
    Ns1600,
    /// 3.2 µs, of 802.11ax.
    Ns3200,
}

/// DSSS and CCK (16.2.3.4).
const DSSS: [Modulation; 4] = [Dbpsk, Dqpsk, Cck4, Cck8];

/// The rates of DSSS and CCK, in units of 500 kbit/s (16.2.3.4).
pub(crate) const DSSS_RATES: [u8; 4] = [2, 4, 11, 22];

/// Those of OFDM before 802.11n, which follow from carriers and symbols, to be had at once.
pub(crate) const OFDM_RATES: [u8; 8] = [12, 18, 24, 36, 48, 72, 96, 108];

/// OFDM before 802.11n (Table 17-4).
const OFDM: [Modulation; 8] = [
    Ofdm(Bpsk, Half),
    Ofdm(Bpsk, ThreeQuarters),
    Ofdm(Qpsk, Half),
    Ofdm(Qpsk, ThreeQuarters),
    Ofdm(Qam16, Half),
    Ofdm(Qam16, ThreeQuarters),
    Ofdm(Qam64, TwoThirds),
    Ofdm(Qam64, ThreeQuarters),
];

/// MCS 0 to 7 of 802.11n (Table 19-27), to 9 of 802.11ac (Table 21-29), to 11 of 802.11ax
/// (IEEE 802.11ax-2021, Table 27-55).
const MCS: &[Modulation] = &[
    Ofdm(Bpsk, Half),
    Ofdm(Qpsk, Half),
    Ofdm(Qpsk, ThreeQuarters),
    Ofdm(Qam16, Half),
    Ofdm(Qam16, ThreeQuarters),
    Ofdm(Qam64, TwoThirds),
    Ofdm(Qam64, ThreeQuarters),
    Ofdm(Qam64, FiveSixths),
    Ofdm(Qam256, ThreeQuarters),
    Ofdm(Qam256, FiveSixths),
    Ofdm(Qam1024, ThreeQuarters),
    Ofdm(Qam1024, FiveSixths),
];

/// Data carriers by width, of 802.11n and 802.11ac (Tables 19-6 and 21-5), and of 802.11ax
/// (IEEE 802.11ax-2021, Table 27-15).
const CARRIERS: [u64; 4] = [52, 108, 234, 468];
const CARRIERS_HE: [u64; 4] = [234, 468, 980, 1960];

/// Those of OFDM before (Table 17-5).
const CARRIERS_OFDM: u64 = 48;

impl Format {
    /// Every one, by its number.
    pub(crate) const ALL: [Format; 7] = [
        Format::Dsss,
        Format::ErpOfdm,
        Format::Ofdm,
        Format::HtMixed,
        Format::HtGreenfield,
        Format::Vht,
        Format::He,
    ];

    /// How each MCS modulates, from the slowest to the fastest: MCS 0 is the first row. Formats
    /// before 802.11n count their rates so.
    pub const fn modulations(self) -> &'static [Modulation] {
        match self {
            Format::Dsss => &DSSS,
            Format::ErpOfdm | Format::Ofdm => &OFDM,
            Format::HtMixed | Format::HtGreenfield => MCS.split_at(8).0,
            Format::Vht => MCS.split_at(10).0,
            Format::He => MCS,
        }
    }

    /// What its modes are called.
    pub(crate) const fn family(self) -> &'static str {
        match self {
            Format::Dsss => "dsss",
            Format::ErpOfdm => "erp-ofdm",
            Format::Ofdm => "ofdm",
            Format::HtMixed => "ht",
            Format::HtGreenfield => "ht-greenfield",
            Format::Vht => "vht",
            Format::He => "he",
        }
    }

    /// Whether it was there before 802.11n, so that a mode is a rate.
    #[inline]
    pub const fn is_legacy(self) -> bool {
        self as u8 <= Format::Ofdm as u8
    }

    /// Whether it is OFDM, preamble included.
    #[inline]
    pub const fn is_ofdm(self) -> bool {
        self as u8 != Format::Dsss as u8
    }

    /// Data carriers of OFDM.
    pub(crate) const fn carriers(self, width: Width) -> u64 {
        match self {
            Format::Dsss | Format::ErpOfdm | Format::Ofdm => CARRIERS_OFDM,
            Format::HtMixed | Format::HtGreenfield | Format::Vht => CARRIERS[width as usize],
            Format::He => CARRIERS_HE[width as usize],
        }
    }

    /// How long an OFDM symbol lasts without its guard interval.
    pub(crate) const fn symbol_nanos(self) -> u64 {
        match self {
            Format::He => 12_800,
            _ => 3_200,
        }
    }
}

impl Width {
    /// All of them, from the narrowest.
    pub const ALL: [Width; 4] = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160];

    /// In megahertz.
    pub const fn mhz(self) -> u16 {
        20 << self as u8
    }
}

impl GuardInterval {
    /// Every one, by its number.
    pub(crate) const ALL: [GuardInterval; 4] = [
        GuardInterval::Ns400,
        GuardInterval::Ns800,
        GuardInterval::Ns1600,
        GuardInterval::Ns3200,
    ];

    /// In nanoseconds.
    pub const fn nanos(self) -> u64 {
        400 << self as u8
    }
}
