//! Interframe spaces, slots and frame durations.
//!
//! An amendment is a *table* here ([`Phy`]), never a type: everything above reads the table.

use serde::{Deserialize, Serialize};
use units::Duration;

use crate::frame::ACK_BYTES;
use crate::mode::{Mode, Preamble};

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
    /// PLCP preamble and header, long.
    pub plcp_long: Duration,
    /// PLCP preamble and header, short.
    pub plcp_short: Duration,
}

/// HR/DSSS, the PHY of IEEE 802.11b.
///
/// IEEE 802.11-2007 §18.3.3 (slot, SIFS, CW, CCA time, preamble and header lengths); the
/// PHY-RX-START delays are those of the later revisions (IEEE 802.11-2012 §17.3.3): the delay lasts
/// until the PLCP header has been received, so 192 and 96 µs.
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
    rx_start_delay_long: Duration::from_micros(PLCP_LONG_MICROS),
    rx_start_delay_short: Duration::from_micros(PLCP_SHORT_MICROS),
    plcp_long: Duration::from_micros(PLCP_LONG_MICROS),
    plcp_short: Duration::from_micros(PLCP_SHORT_MICROS),
};

const SLOT_MICROS: u64 = 20;
const SIFS_MICROS: u64 = 10;
const DIFS_MICROS: u64 = SIFS_MICROS + 2 * SLOT_MICROS;
/// 144 µs preamble + 48 header bits at 1 Mbit/s (IEEE 802.11-2007 §18.2.2.1).
const PLCP_LONG_MICROS: u64 = 192;
/// 72 µs preamble + 48 header bits at 2 Mbit/s (IEEE 802.11-2007 §18.2.2.2).
const PLCP_SHORT_MICROS: u64 = 96;

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

/// How long the preamble and PLCP header of a frame last.
#[inline]
pub const fn plcp_duration(mode: Mode, preamble: Preamble) -> Duration {
    match mode.preamble(preamble) {
        Preamble::Long => Duration::from_micros(PLCP_LONG_MICROS),
        Preamble::Short => Duration::from_micros(PLCP_SHORT_MICROS),
    }
}

/// How long a frame of `mpdu_bytes` (header and FCS included) occupies the air.
///
/// The PLCP LENGTH field counts the payload in whole microseconds, rounded up
/// (IEEE 802.11-2007 §18.2.3.5), and that is how long the PPDU lasts (§18.3.4).
#[inline]
pub const fn ppdu_duration(mode: Mode, preamble: Preamble, mpdu_bytes: u16) -> Duration {
    let half_bits = mpdu_bytes as u64 * 16;
    // Each arm divides by a constant, which the compiler turns into a multiplication.
    let payload = match mode {
        Mode::Dsss1 => half_bits / Mode::Dsss1.half_mbps(),
        Mode::Dsss2 => half_bits / Mode::Dsss2.half_mbps(),
        Mode::Cck5_5 => half_bits.div_ceil(Mode::Cck5_5.half_mbps()),
        Mode::Cck11 => half_bits.div_ceil(Mode::Cck11.half_mbps()),
    };
    Duration::from_micros(payload + plcp_duration(mode, preamble).as_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(mode: Mode, preamble: Preamble, bytes: u16) -> u64 {
        let duration = ppdu_duration(mode, preamble, bytes);
        assert_eq!(
            duration.as_nanos() % 1000,
            0,
            "PPDUs last whole microseconds"
        );
        duration.as_micros()
    }

    #[test]
    fn payloads_last_as_the_standards_table_says() {
        // IEEE 802.11-2007 Table 18-2, extended to the other rates.
        let table = [
            (1023, [8184, 4092, 1488, 744]),
            (1024, [8192, 4096, 1490, 745]),
            (1025, [8200, 4100, 1491, 746]),
            (1026, [8208, 4104, 1493, 747]),
        ];
        for (bytes, payloads) in table {
            for (mode, payload) in Mode::ALL.into_iter().zip(payloads) {
                assert_eq!(
                    micros(mode, Preamble::Long, bytes),
                    192 + payload,
                    "{mode} {bytes}"
                );
                let plcp = if mode == Mode::Dsss1 { 192 } else { 96 };
                assert_eq!(
                    micros(mode, Preamble::Short, bytes),
                    plcp + payload,
                    "{mode} {bytes}"
                );
            }
        }
    }

    #[test]
    fn the_frames_of_a_tcp_transfer_last_as_gast_computed() {
        // A full segment, a TCP ACK and a MAC ACK.
        let lasts = |mode| [1536, 76, 14].map(|bytes| micros(mode, Preamble::Long, bytes));
        assert_eq!(lasts(Mode::Dsss1), [12480, 800, 304]);
        assert_eq!(lasts(Mode::Cck11), [1310, 248, 203]);
    }

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
