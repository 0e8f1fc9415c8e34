//! PPI, the per-packet information header of CACE Technologies ("PPI Packet Header", 1.0.10):
//! a list of fields, of which one tells what all radios know, and others what those of 802.11n do.

use phy::Preamble;

use super::{Phy, RadioReception, ht, long, power, quad, word};
use crate::{Nothing, PacketPart};

/// Version, flags, length (2), link type (4).
const HEADER: usize = 8;
/// Place of the rate in the common field, in units of 500 kbit/s.
const RATE: usize = 10;
/// The field "802.11-Common", and the extensions for 802.11n of the MAC alone and with the PHY.
const COMMON: u16 = 2;
const HT_MAC: u16 = 3;
const HT_MAC_AND_PHY: u16 = 4;

// Flags of the common field.
const FCS_PRESENT: u16 = 1 << 0;
const TIMER_IN_MS: u16 = 1 << 1;
const FCS_WRONG: u16 = 1 << 2;
const PHY_ERROR: u16 = 1 << 3;

// Flags of the extensions.
const GREENFIELD: u32 = 1 << 0;
const WIDE: u32 = 1 << 1;
const SHORT_GI: u32 = 1 << 2;
const AGGREGATED: u32 = 1 << 4;

/// The highest MCS of 802.11n (IEEE 802.11-2020, 19.5) whose streams are all modulated alike.
const HIGHEST_MCS: u8 = 31;

/// Returns what stands behind a PPI header: its link type, its bytes, and what the header says.
pub(crate) fn behind_ppi(
    part: PacketPart<'_>,
) -> Result<(u32, PacketPart<'_>, RadioReception), Nothing> {
    let header: &[u8; HEADER] = part.first()?;
    let length = usize::from(u16::from_le_bytes([header[2], header[3]]));
    let link_type = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
    if length < HEADER {
        return Err(Nothing::Malformed);
    }
    let inner = part.behind(length)?;
    let radio = fields(&part.bytes[HEADER..length]);
    Ok((link_type, inner, radio))
}

/// Returns what the fields say that are known here, wherever they stand.
fn fields(mut fields: &[u8]) -> RadioReception {
    let (mut radio, mut rate, mut ht) = (RadioReception::default(), 0, None);
    while let Some((kind, value, rest)) = field(fields) {
        match kind {
            COMMON => {
                radio = common(value).unwrap_or(radio);
                rate = word(value, RATE).unwrap_or(0);
            }
            HT_MAC | HT_MAC_AND_PHY => ht = Some((kind, value)),
            _ => {}
        }
        fields = rest;
    }
    if let Some((kind, value)) = ht {
        add_ht(&mut radio, kind, value, rate);
    }
    radio
}

/// The first field: what it is of, its value, and the fields behind it.
fn field(fields: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let (kind, length) = (word(fields, 0)?, usize::from(word(fields, 2)?));
    let (value, rest) = fields.get(4..)?.split_at_checked(length)?;
    Some((kind, value, rest))
}

/// Flags (4), number of the A-MPDU (4), delimiters (1); then where the field is of the radio, too,
/// MCS (1), streams (1), signals. Where it is of the MAC alone, the rate in the common field tells
/// the MCS: of several the one of fewest streams, which is as long but for a training field.
fn add_ht(radio: &mut RadioReception, kind: u16, value: &[u8], rate: u16) -> Option<()> {
    let flags = long(value, 0)?;
    if flags & AGGREGATED != 0 {
        radio.ampdu = long(value, 4);
    }
    let is = |flag: u32| flags & flag != 0;
    let of = |mcs| Phy::Known(ht(mcs, is(WIDE), is(SHORT_GI), is(GREENFIELD)));
    let has_rate = |phy: &Phy| phy.rate_kbps().map(|kbps| kbps / 500) == Some(rate.into());
    let told = match kind {
        HT_MAC_AND_PHY => Some(*value.get(9)?)
            .filter(|&mcs| mcs <= HIGHEST_MCS)
            .map(of),
        _ => (0..=HIGHEST_MCS).map(of).find(has_rate),
    };
    radio.phy = told.unwrap_or(radio.phy);
    Some(())
}

/// Timer (8), flags (2), rate (2), frequency (2), its flags (2), hopping (2), signal, noise.
fn common(value: &[u8]) -> Option<RadioReception> {
    let (timer, flags, half_mbps) = (quad(value, 0)?, word(value, 8)?, word(value, RATE)?);
    Some(RadioReception {
        tsft_us: (timer != 0 && flags & TIMER_IN_MS == 0).then_some(timer),
        phy: Phy::of_rate(half_mbps, Preamble::Long),
        frequency_mhz: word(value, 12)?,
        signal_dbm: power(*value.get(18)?),
        noise_dbm: power(*value.get(19)?),
        has_fcs: flags & FCS_PRESENT != 0,
        bad_fcs: flags & (FCS_WRONG | PHY_ERROR) != 0,
        ..RadioReception::default()
    })
}

#[cfg(test)]
mod tests {
    use phy::{GuardInterval, Mode, TxVector, Width};

    use super::*;

    #[test]
    fn the_common_field_is_found_behind_others() {
        let other = [9, 0, 2, 0, 7, 7];
        let mut common = vec![2, 0, 20, 0];
        common.extend(5_000_u64.to_le_bytes());
        common.extend([1, 0, 108, 0, 0x3C, 0x14, 0, 0, 0, 0, 0xC4, 0xA1]);
        let length = (HEADER + other.len() + common.len()) as u8;
        let header = [
            &[0, 0, length, 0, 105, 0, 0, 0][..],
            &other,
            &common,
            &[1; 4],
        ]
        .concat();
        let part = PacketPart {
            bytes: &header,
            missing: 0,
        };
        let (link_type, frame, radio) = behind_ppi(part).unwrap();
        assert_eq!((link_type, frame.bytes), (105, &[1; 4][..]));
        let expected = RadioReception {
            tsft_us: Some(5_000),
            phy: Phy::of_rate(108, Preamble::Long),
            frequency_mhz: 5180,
            signal_dbm: Some(-60),
            noise_dbm: Some(-95),
            has_fcs: true,
            ..RadioReception::default()
        };
        assert_eq!(radio, expected);
    }

    #[test]
    fn the_extension_of_802_11n_tells_the_modulation_that_its_rate_is_of() {
        let common = [
            &[2, 0, 20, 0][..],
            &[0; 8],
            &[1, 0, 0x58, 2, 0x76, 9, 0xC0, 0, 0, 0, 0xC8, 0xA0],
        ]
        .concat();
        let mut ht = vec![4, 0, 48, 0];
        ht.extend([0x16, 0, 0, 0, 7, 0, 0, 0, 0, 15, 2, 40]);
        ht.extend([0; 36]);
        for parts in [[&common, &ht], [&ht, &common]] {
            let radio = fields(&parts.map(|part| &part[..]).concat());
            let mode = Mode::ht(15, Width::Mhz40, GuardInterval::Ns400);
            let expected = Phy::Known(TxVector::of(mode, Preamble::Long));
            assert_eq!((radio.phy, radio.ampdu), (expected, Some(7)));
            assert_eq!(radio.signal_dbm, Some(-56));
        }
    }

    /// 300 Mbit/s over 40 MHz with the short guard interval is MCS 15 of two streams.
    #[test]
    fn the_rate_tells_the_modulation_where_the_extension_is_of_the_mac_alone() {
        let common = [
            &[2, 0, 20, 0][..],
            &[0; 8],
            &[1, 0, 0x58, 2, 0x76, 9, 0xC0, 0, 0, 0, 0xC8, 0xA0],
        ]
        .concat();
        let ht = [3, 0, 12, 0, 0x16, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0];
        let radio = fields(&[&common, &ht[..]].concat());
        let mode = Mode::ht(15, Width::Mhz40, GuardInterval::Ns400);
        let expected = Phy::Known(TxVector::of(mode, Preamble::Long));
        assert_eq!((radio.phy, radio.ampdu), (expected, Some(7)));
    }
}
