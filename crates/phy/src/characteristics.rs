//! PHY characteristics: interframe spaces, slots and what else an amendment fixes.
//!
//! An amendment is a *table* here ([`Characteristics`]), never a type: everything above reads the
//! table.

use serde::{Deserialize, Serialize};
use units::Duration;

use crate::format::Format;
use crate::mode::Mode;
use crate::modulation::{Constellation, Modulation};
use crate::tx_vector::{Preamble, TxVector};

/// A whole ACK, FCS included (IEEE 802.11-2007 §7.2.1.3): EIFS leaves room for one.
pub const ACK_BYTES: u16 = 14;

/// The modes of 802.11b, from the slowest to the fastest.
pub const DSSS_MODES: &[Mode] = &[Mode::DSSS_1, Mode::DSSS_2, Mode::CCK_5_5, Mode::CCK_11];

/// The modes of 802.11g, from the slowest to the fastest.
pub const ERP_MODES: &[Mode] = &[
    Mode::DSSS_1,
    Mode::DSSS_2,
    Mode::CCK_5_5,
    Mode::ERP_6,
    Mode::ERP_9,
    Mode::CCK_11,
    Mode::ERP_12,
    Mode::ERP_18,
    Mode::ERP_24,
    Mode::ERP_36,
    Mode::ERP_48,
    Mode::ERP_54,
];

/// The modes of 802.11a, from the slowest to the fastest.
pub const OFDM_MODES: &[Mode] = &[
    Mode::OFDM_6,
    Mode::OFDM_9,
    Mode::OFDM_12,
    Mode::OFDM_18,
    Mode::OFDM_24,
    Mode::OFDM_36,
    Mode::OFDM_48,
    Mode::OFDM_54,
];

/// The PHY characteristics of one amendment.
#[derive(Debug, PartialEq, Eq)]
pub struct Characteristics {
    /// aSlotTime.
    pub slot: Duration,
    /// aSIFSTime: the gap inside a frame exchange.
    pub sifs: Duration,
    /// DIFS = SIFS + 2 slots (IEEE 802.11-2007 §9.2.10).
    pub difs: Duration,
    /// aCWmin.
    pub cw_min: u16,
    /// aCWmax.
    pub cw_max: u16,
    /// aCCATime: how long the medium must have been busy before carrier sense says so.
    pub cca_time: Duration,
    /// The width in hertz of the channel whose noise a receiver takes in, and over which signal
    /// to noise ratios are taken.
    pub bandwidth_hz: u32,
    /// The modes that a station has.
    pub modes: &'static [Mode],
    /// The format of OFDM before 802.11n in its band.
    pub ofdm: Format,
}

/// HR/DSSS, the PHY of IEEE 802.11b.
///
/// IEEE 802.11-2007 §18.3.3 (slot, SIFS, CW, CCA time, preamble and header lengths). The bandwidth
/// is that of the spectrum mask between its first steps, 11 MHz either side of the centre
/// (§18.4.7.3).
pub const DSSS_HR: Characteristics = Characteristics {
    slot: LONG_SLOT,
    sifs: SIFS_2_4_GHZ,
    difs: difs(SIFS_2_4_GHZ, LONG_SLOT),
    cw_min: 31,
    cw_max: 1023,
    cca_time: Duration::from_micros(15),
    bandwidth_hz: 22_000_000,
    modes: DSSS_MODES,
    ofdm: Format::ErpOfdm,
};

/// ERP, the PHY of IEEE 802.11g, in a BSS that all of its stations can have short slots in.
///
/// IEEE 802.11-2007 §19.8.4 (slots, SIFS, CW, CCA time). CWmin is aCWmin(1), that of a BSS with
/// OFDM among its rates (§9.2.4). OFDM channels are 20 MHz wide (§17.3.8.3).
pub const ERP: Characteristics = Characteristics {
    slot: SHORT_SLOT,
    sifs: SIFS_2_4_GHZ,
    difs: difs(SIFS_2_4_GHZ, SHORT_SLOT),
    cw_min: 15,
    cw_max: 1023,
    cca_time: Duration::from_micros(4),
    bandwidth_hz: 20_000_000,
    modes: ERP_MODES,
    ofdm: Format::ErpOfdm,
};

/// ERP in a BSS with a station that has the long slots of 802.11b only
/// (IEEE 802.11-2007 §7.3.1.4, §19.4.4).
pub const ERP_LONG_SLOT: Characteristics = Characteristics {
    slot: LONG_SLOT,
    difs: difs(SIFS_2_4_GHZ, LONG_SLOT),
    cca_time: Duration::from_micros(15),
    ..ERP
};

/// OFDM, the PHY of IEEE 802.11a (IEEE 802.11-2007 §17.5, Table 17-15).
pub const OFDM: Characteristics = Characteristics {
    slot: SHORT_SLOT,
    sifs: SIFS_5_GHZ,
    difs: difs(SIFS_5_GHZ, SHORT_SLOT),
    modes: OFDM_MODES,
    ofdm: Format::Ofdm,
    ..ERP
};

const LONG_SLOT: Duration = Duration::from_micros(20);
const SHORT_SLOT: Duration = Duration::from_micros(9);
const SIFS_2_4_GHZ: Duration = Duration::from_micros(10);
const SIFS_5_GHZ: Duration = Duration::from_micros(16);

const fn difs(sifs: Duration, slot: Duration) -> Duration {
    Duration::from_micros(sifs.as_micros() + 2 * slot.as_micros())
}

/// An amendment of the standard, as a scenario names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standard {
    /// IEEE 802.11b: [`DSSS_HR`].
    #[serde(rename = "802.11b")]
    Dot11b,
    /// IEEE 802.11g: [`ERP`], or [`ERP_LONG_SLOT`].
    #[serde(rename = "802.11g")]
    Dot11g,
    /// IEEE 802.11a: [`OFDM`].
    #[serde(rename = "802.11a")]
    Dot11a,
    /// IEEE 802.11n at 2.4 or 5 GHz.
    #[serde(rename = "802.11n")]
    Dot11n,
    /// IEEE 802.11ac, at 5 GHz.
    #[serde(rename = "802.11ac")]
    Dot11ac,
    /// IEEE 802.11ax at 2.4 or 5 GHz.
    #[serde(rename = "802.11ax")]
    Dot11ax,
}

/// The bands that a standard may have a choice of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Band {
    /// From 2.4 to 2.5 GHz.
    #[serde(rename = "2.4 GHz")]
    Ghz2_4,
    /// From 5.15 to 5.85 GHz.
    #[serde(rename = "5 GHz")]
    Ghz5,
}

impl Standard {
    /// The amendment's table. Those from 802.11n on keep slots, spaces and control frames of what was
    /// in their band before (IEEE 802.11-2020, 19.4.4, 21.4.4; IEEE 802.11ax-2021, 27.4.4).
    pub const fn characteristics(self, band: Band, short_slot: bool) -> &'static Characteristics {
        match (self, band) {
            (Standard::Dot11b, _) => &DSSS_HR,
            (Standard::Dot11a | Standard::Dot11ac, _) | (_, Band::Ghz5) => &OFDM,
            (_, Band::Ghz2_4) if short_slot => &ERP,
            (_, Band::Ghz2_4) => &ERP_LONG_SLOT,
        }
    }

    /// The format of data frames, of amendments that have one beyond the rates of their table.
    pub const fn format(self) -> Option<Format> {
        match self {
            Standard::Dot11b | Standard::Dot11g | Standard::Dot11a => None,
            Standard::Dot11n => Some(Format::HtMixed),
            Standard::Dot11ac => Some(Format::Vht),
            Standard::Dot11ax => Some(Format::He),
        }
    }
}

impl Characteristics {
    /// How long after the end of its RTS or MPDU a station gives up unless a reception has begun:
    /// the ACKTimeout and CTSTimeout of IEEE 802.11-2007 §9.2.8 and §9.2.5.7,
    /// SIFS + slot + PHY-RX-START-Delay.
    pub fn response_timeout(&self, response: TxVector) -> Duration {
        self.sifs + self.slot + rx_start_delay(response)
    }

    /// Whether a station reads frames of OFDM, which to others are mere energy.
    pub fn has_ofdm(&self) -> bool {
        self.modes.iter().any(|mode| mode.is_ofdm())
    }

    /// AIFS of an access category with this AIFSN (IEEE 802.11-2007 §9.2.3.5).
    pub fn aifs(&self, aifsn: u8) -> Duration {
        self.sifs + self.slot * u64::from(aifsn)
    }

    /// EIFS behind a frame that could not be read: SIFS + an ACK + DIFS (IEEE 802.11-2007 §9.2.10),
    /// the ACK at the PHY's lowest mandatory rate. Where a PHY has OFDM that would be ten of its
    /// usual ACKs, so it is one such as answers the frame (IEEE 802.11-2016 §10.3.2.3.7).
    pub fn eifs_behind(&self, frame: TxVector) -> Duration {
        let ack = match self.has_ofdm() {
            true => estimated_ack(frame),
            false => ack_in(Mode::DSSS_1, Preamble::Long),
        };
        self.sifs + ack + self.difs
    }
}

/// aPHY-RX-START-Delay, from the first bit until the PLCP header has been received: 192 and 96 µs
/// (IEEE 802.11-2012 §17.3.3), 24 µs of OFDM at 2.4 GHz (§19.8.4), 25 µs at 5 GHz (§18.4.4).
pub const fn rx_start_delay(frame: TxVector) -> Duration {
    match (frame.mode.format(), frame.signal_extension) {
        (Format::Dsss, _) => frame.plcp_duration(),
        (_, true) => Duration::from_micros(24),
        (_, false) => Duration::from_micros(25),
    }
}

/// EstimatedAckTxTime (IEEE 802.11-2016 Table 10-5): an ACK at 1 or 2 Mbit/s of DSSS, at the
/// lowest rate of each constellation of OFDM up to 16-QAM, without signal extension.
pub const fn estimated_ack(frame: TxVector) -> Duration {
    match frame.mode.modulation() {
        Modulation::Dbpsk => ack_in(Mode::DSSS_1, Preamble::Long),
        Modulation::Dqpsk | Modulation::Cck4 | Modulation::Cck8 => {
            ack_in(Mode::DSSS_2, frame.preamble)
        }
        Modulation::Ofdm(Constellation::Bpsk, _) => ack_in(Mode::OFDM_6, frame.preamble),
        Modulation::Ofdm(Constellation::Qpsk, _) => ack_in(Mode::OFDM_12, frame.preamble),
        Modulation::Ofdm(..) => ack_in(Mode::OFDM_24, frame.preamble),
    }
}

const fn ack_in(mode: Mode, preamble: Preamble) -> Duration {
    TxVector::of(mode, preamble).duration(ACK_BYTES as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interframe_spaces_follow_from_slot_and_sifs() {
        let difs = [DSSS_HR, ERP, ERP_LONG_SLOT, OFDM].map(|phy| phy.difs.as_micros());
        assert_eq!(difs, [50, 28, 50, 34]);
    }

    #[test]
    fn the_extended_interframe_space_lets_an_ack_pass() {
        let behind = |phy: &Characteristics, mode, preamble| {
            phy.eifs_behind(TxVector::of(mode, preamble)).as_micros()
        };
        assert_eq!(
            behind(&DSSS_HR, Mode::CCK_11, Preamble::Short),
            10 + 304 + 50
        );
        assert_eq!(behind(&ERP, Mode::DSSS_1, Preamble::Long), 10 + 304 + 28);
        assert_eq!(behind(&ERP, Mode::CCK_11, Preamble::Short), 10 + 152 + 28);
        assert_eq!(behind(&ERP, Mode::ERP_9, Preamble::Long), 10 + 44 + 28);
        assert_eq!(
            behind(&ERP_LONG_SLOT, Mode::ERP_18, Preamble::Long),
            10 + 32 + 50
        );
        assert_eq!(behind(&OFDM, Mode::OFDM_54, Preamble::Long), 16 + 28 + 34);
    }

    #[test]
    fn a_response_is_given_up_when_its_header_should_have_come() {
        let micros = |phy: &Characteristics, mode, preamble| {
            phy.response_timeout(TxVector::of(mode, preamble))
                .as_micros()
        };
        assert_eq!(micros(&DSSS_HR, Mode::DSSS_1, Preamble::Short), 222);
        assert_eq!(micros(&DSSS_HR, Mode::DSSS_2, Preamble::Long), 222);
        assert_eq!(micros(&DSSS_HR, Mode::DSSS_2, Preamble::Short), 126);
        assert_eq!(micros(&ERP, Mode::ERP_24, Preamble::Long), 10 + 9 + 24);
        assert_eq!(micros(&OFDM, Mode::OFDM_24, Preamble::Long), 16 + 9 + 25);
    }
}
