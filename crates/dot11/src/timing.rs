//! Interframe spaces, slots and what else a PHY fixes.
//!
//! An amendment is a *table* here ([`Phy`]), never a type: everything above reads the table.

use serde::{Deserialize, Serialize};
use units::Duration;

use crate::frame::ACK_BYTES;
use crate::mode::{Mode, Preamble};
use crate::ppdu::{plcp_length, ppdu_duration};

/// The PHY characteristics of one amendment.
#[derive(Debug, PartialEq, Eq)]
pub struct Phy {
    /// aSlotTime.
    pub slot: Duration,
    /// aSIFSTime: the gap inside a frame exchange.
    pub sifs: Duration,
    /// DIFS = SIFS + 2 slots (IEEE 802.11-2007 §9.2.10).
    pub difs: Duration,
    /// EIFS = SIFS + an ACK at the lowest rate + DIFS (IEEE 802.11-2007 §9.2.10).
    pub eifs: Duration,
    /// aCWmin.
    pub cw_min: u16,
    /// aCWmax.
    pub cw_max: u16,
    /// aCCATime: how long the medium must have been busy before carrier sense says so.
    pub cca_time: Duration,
    /// aPHY-RX-START-Delay with the long preamble.
    pub rx_start_delay_long: Duration,
    /// aPHY-RX-START-Delay with the short preamble.
    pub rx_start_delay_short: Duration,
    /// The width in hertz of the channel whose noise a receiver takes in, and over which signal
    /// to noise ratios are taken.
    pub bandwidth_hz: u32,
}

/// HR/DSSS, the PHY of IEEE 802.11b.
///
/// IEEE 802.11-2007 §18.3.3 (slot, SIFS, CW, CCA time, preamble and header lengths); the
/// PHY-RX-START delays are those of the later revisions (IEEE 802.11-2012 §17.3.3): the delay lasts
/// until the PLCP header has been received, so 192 and 96 µs. The bandwidth is that of the
/// spectrum mask between its first steps, 11 MHz either side of the centre (§18.4.7.3).
pub const DSSS_HR: Phy = Phy {
    slot: Duration::from_micros(SLOT_MICROS),
    sifs: Duration::from_micros(SIFS_MICROS),
    difs: Duration::from_micros(DIFS_MICROS),
    eifs: Duration::from_micros(
        SIFS_MICROS
            + ppdu_duration(Mode::Dsss1, Preamble::Long, ACK_BYTES).as_micros()
            + DIFS_MICROS,
    ),
    cw_min: 31,
    cw_max: 1023,
    cca_time: Duration::from_micros(15),
    rx_start_delay_long: plcp_length(Preamble::Long),
    rx_start_delay_short: plcp_length(Preamble::Short),
    bandwidth_hz: 22_000_000,
};

const SLOT_MICROS: u64 = 20;
const SIFS_MICROS: u64 = 10;
const DIFS_MICROS: u64 = SIFS_MICROS + 2 * SLOT_MICROS;

/// An amendment of the standard, as a scenario names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standard {
    /// IEEE 802.11b: [`DSSS_HR`].
    #[serde(rename = "802.11b")]
    Dot11b,
}

impl Standard {
    /// The amendment's table.
    pub const fn phy(self) -> &'static Phy {
        match self {
            Standard::Dot11b => &DSSS_HR,
        }
    }
}

impl Phy {
    /// How long after the end of its RTS or MPDU a station gives up unless a reception has begun:
    /// the ACKTimeout and CTSTimeout of IEEE 802.11-2007 §9.2.8 and §9.2.5.7,
    /// SIFS + slot + PHY-RX-START-Delay.
    #[inline]
    pub fn response_timeout(&self, response: Preamble) -> Duration {
        let delay = match response {
            Preamble::Long => self.rx_start_delay_long,
            Preamble::Short => self.rx_start_delay_short,
        };
        self.sifs + self.slot + delay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interframe_spaces_follow_from_slot_and_sifs() {
        assert_eq!(DSSS_HR.difs, DSSS_HR.sifs + DSSS_HR.slot * 2);
        assert_eq!(DSSS_HR.eifs, Duration::from_micros(10 + 304 + 50));
        assert_eq!(
            DSSS_HR.response_timeout(Preamble::Long),
            Duration::from_micros(222)
        );
        assert_eq!(
            DSSS_HR.response_timeout(Preamble::Short),
            Duration::from_micros(126)
        );
    }
}
