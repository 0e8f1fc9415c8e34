//! How fast a frame is and how long it lasts, by its modulation.
//!
//! Clauses are those of IEEE 802.11-2020, but for 802.11ax, which is an amendment of 2021.

use crate::{Frame, Phy, Radio};

/// Data bits in each symbol of a stream and a subcarrier, as coded bits times a fraction, by
/// MCS 0 to 11 (Tables 19-27, 21-29; IEEE 802.11ax-2021, Table 27-55).
const CODED: [(u32, u32, u32); 12] = [
    (1, 1, 2),
    (2, 1, 2),
    (2, 3, 4),
    (4, 1, 2),
    (4, 3, 4),
    (6, 2, 3),
    (6, 3, 4),
    (6, 5, 6),
    (8, 3, 4),
    (8, 5, 6),
    (10, 3, 4),
    (10, 5, 6),
];

/// Long training fields by space-time streams, from 1 (Table 19-13, Table 21-13).
const TRAINING: [u64; 8] = [1, 2, 4, 4, 6, 6, 8, 8];

/// DSSS preamble and header, long and short (16.2.2).
const DSSS_LONG_NS: u64 = 192_000;
const DSSS_SHORT_NS: u64 = 96_000;

/// OFDM preamble and SIGNAL field (17.3.2.1).
const OFDM_PREAMBLE_NS: u64 = 20_000;

/// The longest that any PHY carries (aPSDUMaxLength of IEEE 802.11ax-2021, Table 27-54).
const LONGEST_PSDU: u32 = 6_500_631;

/// Service and tail bits of OFDM (17.3.5.3, 17.3.5.4), the latter for each encoder.
const SERVICE_BITS: u64 = 16;
const TAIL_BITS: u64 = 6;

/// An OFDM symbol with the long guard interval.
const SYMBOL_NS: u64 = 4_000;

/// Above this rate of 802.11n two encoders share the bits (Table 19-30 and on).
const TWO_ENCODERS_KBPS: u32 = 300_000;

/// What a legacy rate is one of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// DSSS and CCK (16.2.3.4).
    Dsss,
    /// OFDM (17.3.2.2).
    Ofdm,
    /// No rate of either.
    Other,
}

/// The families of all rates, in units of 500 kbit/s: they are asked for with each frame.
static FAMILIES: [Family; 256] = {
    let mut families = [Family::Other; 256];
    let mut half_mbps = 0;
    while half_mbps < families.len() {
        families[half_mbps] = match half_mbps {
            2 | 4 | 11 | 22 => Family::Dsss,
            12 | 18 | 24 | 36 | 48 | 72 | 96 | 108 => Family::Ofdm,
            _ => Family::Other,
        };
        half_mbps += 1;
    }
    families
};

#[inline]
fn family(half_mbps: u8) -> Family {
    FAMILIES[usize::from(half_mbps)]
}

impl Phy {
    /// The data rate in kbit/s, to the nearest.
    #[inline]
    pub fn rate_kbps(self) -> Option<u32> {
        match self {
            Phy::Unknown => None,
            Phy::Legacy { half_mbps } => Some(u32::from(half_mbps) * 500),
            _ => self.streams_kbps(),
        }
    }

    /// That of all spatial streams together.
    #[inline(never)]
    fn streams_kbps(self) -> Option<u32> {
        let bits = self.symbol_bits()?;
        match self {
            Phy::Unknown | Phy::Legacy { .. } => None,
            Phy::Ht { short_gi, .. } | Phy::Vht { short_gi, .. } => Some(if short_gi {
                (bits * 2500 + 4) / 9
            } else {
                bits * 250
            }),
            // A symbol lasts 12.8 µs and the guard interval.
            Phy::He { gi_100ns, .. } => {
                let symbol = 128 + u32::from(gi_100ns);
                Some((bits * 10_000 + symbol / 2) / symbol)
            }
        }
    }

    /// Whether it is DSSS or CCK.
    #[inline]
    pub fn is_dsss(self) -> bool {
        matches!(self, Phy::Legacy { half_mbps } if family(half_mbps) == Family::Dsss)
    }

    /// Data bits of a symbol, all spatial streams together.
    fn symbol_bits(self) -> Option<u32> {
        let (carriers, mcs, streams) = match self {
            Phy::Unknown | Phy::Legacy { .. } => return None,
            Phy::Ht { mcs, width_mhz, .. } => (carriers(width_mhz), mcs % 8, mcs / 8 + 1),
            Phy::Vht {
                mcs,
                streams,
                width_mhz,
                ..
            } => (carriers(width_mhz), mcs, streams),
            Phy::He {
                mcs,
                streams,
                width_mhz,
                ..
            } => (carriers_he(width_mhz), mcs, streams),
        };
        let &(bits, numerator, denominator) = CODED.get(usize::from(mcs))?;
        Some(carriers * bits * u32::from(streams) * numerator / denominator)
    }

    /// Preamble and PHY header; none where they are not known. Nearly every acknowledgment is of
    /// a legacy rate, which is told at once.
    #[inline]
    pub fn preamble_ns(self, short: bool) -> Option<u64> {
        let Phy::Legacy { half_mbps } = self else {
            return self.mixed_preamble_ns();
        };
        match family(half_mbps) {
            // 1 Mbit/s has the long one only.
            Family::Dsss if short && half_mbps > 2 => Some(DSSS_SHORT_NS),
            Family::Dsss => Some(DSSS_LONG_NS),
            Family::Ofdm => Some(OFDM_PREAMBLE_NS),
            Family::Other => None,
        }
    }

    /// Preambles that begin with a legacy one, or have a form of their own: 802.11n and later.
    #[inline(never)]
    fn mixed_preamble_ns(self) -> Option<u64> {
        match self {
            // 19.3.2: legacy preamble and signal 20 µs, HT-SIG 8, HT-STF 4, HT-LTF 4 each; in
            // greenfield 8, 8 with the first HT-LTF, and HT-SIG 8.
            Phy::Ht {
                mcs,
                greenfield,
                stbc,
                ..
            } => {
                let training = 4_000 * training(mcs / 8 + 1 + stbc)?;
                Some(if greenfield {
                    20_000 + training
                } else {
                    32_000 + training
                })
            }
            // 21.3.4: legacy preamble and signal 20 µs, VHT-SIG-A 8, VHT-STF 4, VHT-LTF 4 each,
            // VHT-SIG-B 4.
            Phy::Vht { streams, stbc, .. } => {
                Some(36_000 + 4_000 * training(streams << u8::from(stbc))?)
            }
            Phy::Unknown | Phy::Legacy { .. } | Phy::He { .. } => None,
        }
    }

    /// How long `bytes` last behind the preamble (16.2.3.5, 17.4.3).
    #[inline]
    pub fn body_ns(self, bytes: u32) -> Option<u64> {
        if bytes > LONGEST_PSDU {
            return None;
        }
        let bits = u64::from(bytes) * 8;
        let Phy::Legacy { half_mbps } = self else {
            return self.streams_ns(bits);
        };
        match family(half_mbps) {
            Family::Dsss => Some((2 * bits).div_ceil(half_mbps.into()) * 1_000),
            Family::Ofdm => {
                let coded = SERVICE_BITS + bits + TAIL_BITS;
                Some(coded.div_ceil(2 * u64::from(half_mbps)) * SYMBOL_NS)
            }
            Family::Other => None,
        }
    }

    /// How long bits last in spatial streams (19.4.3, 21.4.3); with LDPC a symbol more or less.
    #[inline(never)]
    fn streams_ns(self, bits: u64) -> Option<u64> {
        let (stbc, short_gi) = match self {
            Phy::Unknown | Phy::Legacy { .. } | Phy::He { .. } => return None,
            Phy::Ht { stbc, short_gi, .. } => (stbc > 0, short_gi),
            Phy::Vht { stbc, short_gi, .. } => (stbc, short_gi),
        };
        let encoders = 1 + u64::from(self.rate_kbps()? > TWO_ENCODERS_KBPS);
        let group = 1 + u64::from(stbc);
        let coded = SERVICE_BITS + bits + TAIL_BITS * encoders;
        let symbols = coded.div_ceil(group * u64::from(self.symbol_bits()?)) * group;
        Some(if short_gi {
            // Nine short symbols are as long as ten tenths less; the end is on a whole one.
            (symbols * 9).div_ceil(10) * SYMBOL_NS
        } else {
            symbols * SYMBOL_NS
        })
    }
}

impl Radio {
    /// Preamble and PHY header; none where they are not known.
    #[inline]
    pub fn preamble_ns(&self) -> Option<u64> {
        self.phy.preamble_ns(self.short_preamble)
    }
}

/// In front of each frame of an A-MPDU (9.7.1).
const DELIMITER: u32 = 4;

impl Frame {
    /// Bytes that the PHY carries for this frame: with 802.11ac and later even a single one is an
    /// A-MPDU (10.12.7).
    #[inline]
    pub fn psdu(&self) -> u32 {
        let is_always = matches!(self.radio.phy, Phy::Vht { .. } | Phy::He { .. });
        if is_always || self.radio.ampdu.is_some() {
            self.bytes.saturating_add(DELIMITER)
        } else {
            self.bytes
        }
    }

    /// How long it lasts, if it is alone.
    pub fn airtime_ns(&self) -> Option<u64> {
        Some(self.radio.preamble_ns()? + self.radio.phy.body_ns(self.psdu())?)
    }
}

fn training(streams: u8) -> Option<u64> {
    TRAINING.get(usize::from(streams).checked_sub(1)?).copied()
}

/// Data subcarriers of 802.11n and 802.11ac (Tables 19-6 and 21-5).
const fn carriers(width_mhz: u8) -> u32 {
    match width_mhz {
        20 => 52,
        40 => 108,
        80 => 234,
        _ => 468,
    }
}

/// Data subcarriers of 802.11ax (IEEE 802.11ax-2021, Table 27-15).
const fn carriers_he(width_mhz: u8) -> u32 {
    match width_mhz {
        20 => 234,
        40 => 468,
        80 => 980,
        _ => 1960,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn legacy(half_mbps: u8) -> Phy {
        Phy::Legacy { half_mbps }
    }

    fn micros(phy: Phy, short: bool, bytes: u32) -> Option<u64> {
        Some((phy.preamble_ns(short)? + phy.body_ns(bytes)?) / 1_000)
    }

    #[test]
    fn dsss_and_cck_frames_last_as_the_standards_table_says() {
        // IEEE 802.11-2020, Table 16-3: 1023 to 1026 octets at 11 Mbit/s.
        let payloads = [1023, 1024, 1025, 1026].map(|bytes| micros(legacy(22), false, bytes));
        assert_eq!(
            payloads,
            [744, 745, 746, 747].map(|payload| Some(192 + payload))
        );
        assert_eq!(micros(legacy(2), true, 14), Some(304), "always long");
        assert_eq!(micros(legacy(4), true, 14), Some(152));
    }

    #[test]
    fn ofdm_frames_last_whole_symbols() {
        // An ACK at 24 Mbit/s: 134 bits in two symbols of 96; 1536 octets at 54: 57 symbols.
        assert_eq!(micros(legacy(48), false, 14), Some(28));
        assert_eq!(micros(legacy(108), false, 1536), Some(248));
        assert_eq!(micros(legacy(7), false, 14), None, "no such rate");
    }

    #[test]
    fn mcs_give_the_rates_that_vendors_print() {
        let ht = |mcs, width_mhz, short_gi| Phy::Ht {
            mcs,
            width_mhz,
            short_gi,
            greenfield: false,
            stbc: 0,
        };
        let vht = |mcs, streams, width_mhz, short_gi| Phy::Vht {
            mcs,
            streams,
            width_mhz,
            short_gi,
            stbc: false,
        };
        let he = |mcs, streams, width_mhz, gi_100ns| Phy::He {
            mcs,
            streams,
            width_mhz,
            gi_100ns,
        };
        assert_eq!(ht(7, 20, false).rate_kbps(), Some(65_000));
        assert_eq!(ht(2, 20, true).rate_kbps(), Some(21_667));
        assert_eq!(ht(15, 40, true).rate_kbps(), Some(300_000));
        assert_eq!(vht(9, 1, 80, true).rate_kbps(), Some(433_333));
        assert_eq!(vht(9, 2, 160, false).rate_kbps(), Some(1_560_000));
        assert_eq!(he(11, 1, 20, 8).rate_kbps(), Some(143_382));
        assert_eq!(he(11, 2, 80, 8).rate_kbps(), Some(1_200_956));
        // 8·1500 + 22 bits of 260 a symbol: 47 symbols behind 36 µs.
        assert_eq!(micros(ht(7, 20, false), false, 1500), Some(36 + 188));
        assert_eq!(micros(he(11, 1, 20, 8), false, 1500), None);
    }
}
