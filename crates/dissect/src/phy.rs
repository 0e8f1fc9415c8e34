//! Rate and duration of a frame, by how it was put on the air.

use phy::{Format, LONGEST_PSDU, TxVector};

use crate::{Dot11Frame, Phy, RadioReception};

impl Phy {
    /// The data rate in kbit/s, to the nearest.
    #[inline]
    pub fn rate_kbps(self) -> Option<u32> {
        match self {
            Phy::Unknown => None,
            Phy::Other { half_mbps } => Some(u32::from(half_mbps) * 500),
            Phy::Known(vector) => Some(((vector.mode.rate().as_bps() + 500) / 1_000) as u32),
        }
    }

    /// Returns whether it is DSSS or CCK.
    #[inline]
    pub fn is_dsss(self) -> bool {
        matches!(self, Phy::Known(vector) if !vector.mode.is_ofdm())
    }

    /// Returns whether it is of 802.11ax.
    #[inline]
    pub fn is_he(self) -> bool {
        matches!(self, Phy::Known(vector) if vector.mode.format() == Format::He)
    }

    /// Returns how long `bytes` last behind preamble and PHY header; none where that is not known.
    #[inline]
    pub fn body_ns(self, bytes: u32) -> Option<u64> {
        let vector = self.timed().filter(|_| bytes <= LONGEST_PSDU)?;
        Some(vector.data_duration(bytes).as_nanos())
    }

    /// Preamble and PHY header; none where they are not known.
    #[inline]
    pub fn preamble_ns(self) -> Option<u64> {
        let vector = self.timed()?;
        Some(vector.plcp_duration().as_nanos())
    }

    /// Returns what is known of it if that says how long it lasts: of 802.11ax, headers leave out
    /// how long its training fields and the silence at its end are.
    #[inline]
    fn timed(self) -> Option<TxVector> {
        match self {
            Phy::Known(vector) if vector.mode.format() != Format::He => Some(vector),
            _ => None,
        }
    }
}

impl RadioReception {
    /// Preamble and PHY header; none where they are not known.
    #[inline]
    pub fn preamble_ns(&self) -> Option<u64> {
        self.phy.preamble_ns()
    }
}

/// In front of each frame of an A-MPDU (IEEE 802.11-2020, 9.7.1).
const DELIMITER: u32 = 4;

impl Dot11Frame {
    /// Bytes that the PHY carries for this frame: with 802.11ac and later even a single one is an
    /// A-MPDU (IEEE 802.11-2020, 10.12.7).
    #[inline]
    pub fn psdu(&self) -> u32 {
        let is_always = match self.radio.phy {
            Phy::Known(vector) => matches!(vector.mode.format(), Format::Vht | Format::He),
            Phy::Unknown | Phy::Other { .. } => false,
        };
        if is_always || self.radio.ampdu.is_some() {
            self.bytes.saturating_add(DELIMITER)
        } else {
            self.bytes
        }
    }

    /// Returns how long it lasts, if it is alone.
    pub fn airtime_ns(&self) -> Option<u64> {
        Some(self.radio.preamble_ns()? + self.radio.phy.body_ns(self.psdu())?)
    }
}

#[cfg(test)]
mod tests {
    use phy::{GuardInterval, Mode, Preamble, Width};

    use super::*;

    fn micros(phy: Phy, bytes: u32) -> Option<u64> {
        Some((phy.preamble_ns()? + phy.body_ns(bytes)?) / 1_000)
    }

    fn known(mode: Mode) -> Phy {
        Phy::Known(TxVector::of(mode, Preamble::Long))
    }

    #[test]
    fn frames_last_as_the_standards_sums_say() {
        // An ACK at 24 Mbit/s: 134 bits in two symbols of 96; 1536 octets at 54: 57 symbols.
        assert_eq!(micros(known(Mode::OFDM_24), 14), Some(28));
        assert_eq!(micros(known(Mode::OFDM_54), 1536), Some(248));
        assert_eq!(micros(known(Mode::CCK_11), 1024), Some(192 + 745));
        // 8·1500 + 22 bits of 260 a symbol: 47 symbols behind 36 µs.
        let ht = known(Mode::ht(7, Width::Mhz20, GuardInterval::Ns800));
        assert_eq!(micros(ht, 1500), Some(36 + 188));
        assert_eq!(ht.body_ns(LONGEST_PSDU + 1), None, "no PHY carries as much");
    }

    #[test]
    fn what_is_not_told_is_not_known() {
        let other = Phy::Other { half_mbps: 7 };
        assert_eq!((other.rate_kbps(), micros(other, 14)), (Some(3_500), None));
        let he = known(Mode::new(
            Format::He,
            11,
            2,
            Width::Mhz80,
            GuardInterval::Ns800,
        ));
        assert_eq!((he.rate_kbps(), micros(he, 1500)), (Some(1_200_956), None));
        assert_eq!(
            (Phy::Unknown.rate_kbps(), Phy::Unknown.is_dsss()),
            (None, false)
        );
    }

    #[test]
    fn rates_are_to_the_nearest_kilobit() {
        let ht =
            |mcs, width, guard_interval| known(Mode::ht(mcs, width, guard_interval)).rate_kbps();
        assert_eq!(ht(7, Width::Mhz20, GuardInterval::Ns800), Some(65_000));
        assert_eq!(ht(2, Width::Mhz20, GuardInterval::Ns400), Some(21_667));
        assert_eq!(ht(15, Width::Mhz40, GuardInterval::Ns400), Some(300_000));
        assert_eq!(known(Mode::CCK_5_5).rate_kbps(), Some(5_500));
    }
}
