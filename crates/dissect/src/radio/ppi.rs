//! PPI, the per-packet information header of CACE Technologies ("PPI Packet Header", 1.0.10):
//! a list of fields, of which one tells what all radios know.

use phy::Preamble;

use super::{Phy, Radio, power, quad, word};
use crate::{Nothing, Part};

/// Version, flags, length (2), link type (4).
const HEADER: usize = 8;
/// The field "802.11-Common" and its length.
const COMMON: u16 = 2;
const COMMON_LEN: usize = 20;

// Flags of that field.
const FCS_PRESENT: u16 = 1 << 0;
const TIMER_IN_MS: u16 = 1 << 1;
const FCS_WRONG: u16 = 1 << 2;
const PHY_ERROR: u16 = 1 << 3;

/// What stands behind a PPI header: its link type, its bytes, and what the header says.
pub(crate) fn behind_ppi(part: Part<'_>) -> Result<(u32, Part<'_>, Radio), Nothing> {
    let header: &[u8; HEADER] = part.first()?;
    let length = usize::from(u16::from_le_bytes([header[2], header[3]]));
    let link_type = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
    if length < HEADER {
        return Err(Nothing::Malformed);
    }
    let inner = part.behind(length)?;
    let radio = common(&part.bytes[HEADER..length]).unwrap_or_default();
    Ok((link_type, inner, radio))
}

/// The field that all radios fill in, wherever it stands.
fn common(mut fields: &[u8]) -> Option<Radio> {
    loop {
        let (kind, length) = (word(fields, 0)?, usize::from(word(fields, 2)?));
        let value = fields.get(4..4 + length)?;
        if kind == COMMON && length >= COMMON_LEN {
            return read(value);
        }
        fields = &fields[4 + length..];
    }
}

/// Timer (8), flags (2), rate (2), frequency (2), its flags (2), hopping (2), signal, noise.
fn read(value: &[u8]) -> Option<Radio> {
    let (timer, flags, rate) = (quad(value, 0)?, word(value, 8)?, word(value, 10)?);
    let half_mbps = u8::try_from(rate).unwrap_or(0);
    Some(Radio {
        tsft_us: (timer != 0 && flags & TIMER_IN_MS == 0).then_some(timer),
        phy: Phy::of_rate(half_mbps, Preamble::Long),
        frequency_mhz: word(value, 12)?,
        signal_dbm: power(value[18]),
        noise_dbm: power(value[19]),
        has_fcs: flags & FCS_PRESENT != 0,
        bad_fcs: flags & (FCS_WRONG | PHY_ERROR) != 0,
        ..Radio::default()
    })
}

#[cfg(test)]
mod tests {
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
        let part = Part {
            bytes: &header,
            missing: 0,
        };
        let (link_type, frame, radio) = behind_ppi(part).unwrap();
        assert_eq!((link_type, frame.bytes), (105, &[1; 4][..]));
        let expected = Radio {
            tsft_us: Some(5_000),
            phy: Phy::of_rate(108, Preamble::Long),
            frequency_mhz: 5180,
            signal_dbm: Some(-60),
            noise_dbm: Some(-95),
            has_fcs: true,
            ..Radio::default()
        };
        assert_eq!(radio, expected);
    }
}
