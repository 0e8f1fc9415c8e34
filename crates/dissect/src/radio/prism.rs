//! The Prism header of linux-wlan-ng and the AVS header that followed it, which share a link
//! type.

use phy::Preamble;

use super::{Phy, RadioReception, frequency_of, power};
use crate::{Nothing, PacketPart};

/// AVS's magic number but for its version, big-endian as all of that header.
const AVS: [u8; 3] = [0x80, 0x21, 0x10];

/// The frame behind a Prism or an AVS header. AVS's numbers are big-endian; Prism's are in the
/// order of the machine that captured, told by the length, which is small.
pub(crate) fn behind_prism(
    part: PacketPart<'_>,
) -> Result<(PacketPart<'_>, RadioReception), Nothing> {
    let header: &[u8; 8] = part.first()?;
    let word = [header[4], header[5], header[6], header[7]];
    let (little, big) = (u32::from_le_bytes(word), u32::from_be_bytes(word));
    let is_avs = header.starts_with(&AVS);
    let length = if is_avs { big } else { big.min(little) };
    if length < 8 {
        return Err(Nothing::Malformed);
    }
    let frame = part.behind(length as usize)?;
    let bytes = &part.bytes[..length as usize];
    let radio = if is_avs {
        avs(bytes)
    } else {
        prism(bytes, length == little)
    };
    Ok((frame, radio.unwrap_or_default()))
}

/// Message code, length and device name (24 bytes), then items of twelve bytes: an identifier,
/// whether the item is missing (2), its length (2), its value. Drivers differ in the
/// identifiers, not in the order.
///
/// They also differ in which of RSSI and signal is a power in dBm and which a number of their own.
/// A received power is negative in dBm, those numbers are not.
fn prism(bytes: &[u8], is_little: bool) -> Option<RadioReception> {
    const ITEMS: usize = 24;
    const MAC_TIME: usize = 1;
    const CHANNEL: usize = 2;
    const RSSI: usize = 3;
    const SIGNAL: usize = 5;
    const NOISE: usize = 6;
    const RATE: usize = 7;
    let item = |index: usize| {
        let at = ITEMS + 12 * index;
        let item: &[u8; 12] = bytes.get(at..at + 12)?.try_into().ok()?;
        let value = [item[8], item[9], item[10], item[11]];
        let is_missing = item[4] | item[5] != 0;
        (!is_missing).then(|| {
            if is_little {
                u32::from_le_bytes(value)
            } else {
                u32::from_be_bytes(value)
            }
        })
    };
    let dbm = |index| {
        let value = item(index).filter(|&value| (value as i32) < 0)?;
        power(i8::try_from(value as i32).ok()? as u8)
    };
    Some(RadioReception {
        tsft_us: item(MAC_TIME).filter(|&time| time != 0).map(u64::from),
        phy: legacy(item(RATE).unwrap_or(0), Preamble::Long),
        frequency_mhz: frequency_of(item(CHANNEL).unwrap_or(0)),
        signal_dbm: dbm(SIGNAL).or_else(|| dbm(RSSI)),
        noise_dbm: dbm(NOISE),
        ..RadioReception::default()
    })
}

/// Magic and length (8), MAC time and host time (8 each), PHY type, channel, rate, antenna,
/// priority, kind of the powers, signal, noise, preamble, encoding (4 each).
fn avs(bytes: &[u8]) -> Option<RadioReception> {
    const IN_DBM: u32 = 2;
    const SHORT: u32 = 1;
    let long = |at: usize| -> Option<u32> {
        let bytes = bytes.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    let timer = u64::from(long(8)?) << 32 | u64::from(long(12)?);
    // In units of 100 kbit/s, or of 500 from drivers that follow an older text.
    let rate = long(32)?;
    let half_mbps = if rate % 5 == 0 { rate / 5 } else { rate };
    let preamble = match long(56)? {
        SHORT => Preamble::Short,
        _ => Preamble::Long,
    };
    let in_dbm = long(44)? == IN_DBM;
    let dbm = |at| {
        let value = long(at).filter(|_| in_dbm)?;
        power(i8::try_from(value as i32).ok()? as u8)
    };
    Some(RadioReception {
        tsft_us: (timer != 0).then_some(timer),
        phy: legacy(half_mbps, preamble),
        frequency_mhz: frequency_of(long(28)?),
        signal_dbm: dbm(48),
        noise_dbm: dbm(52),
        ..RadioReception::default()
    })
}

fn legacy(half_mbps: u32, preamble: Preamble) -> Phy {
    Phy::of_rate(u16::try_from(half_mbps).unwrap_or(0), preamble)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(order: fn(u32) -> [u8; 4]) -> Vec<u8> {
        let mut bytes = [order(0x44), order(144), [0; 4], [0; 4], [0; 4], [0; 4]].concat();
        let values = [0, 77, 11, 0, 0, -60_i32 as u32, -95_i32 as u32, 22, 0, 100];
        for (index, value) in values.into_iter().enumerate() {
            bytes.extend(order(index as u32));
            bytes.extend([0, 0, 4, 0]);
            bytes.extend(order(value));
        }
        bytes.extend([1, 2, 3]);
        bytes
    }

    #[test]
    fn prism_items_are_read_in_both_byte_orders() {
        let expected = RadioReception {
            tsft_us: Some(77),
            phy: Phy::of_rate(22, Preamble::Long),
            frequency_mhz: 2462,
            signal_dbm: Some(-60),
            noise_dbm: Some(-95),
            ..RadioReception::default()
        };
        for bytes in [items(u32::to_le_bytes), items(u32::to_be_bytes)] {
            let part = PacketPart {
                bytes: &bytes,
                missing: 0,
            };
            let (frame, radio) = behind_prism(part).unwrap();
            assert_eq!((frame.bytes, radio), (&[1, 2, 3][..], expected));
        }
    }

    #[test]
    fn a_prism_power_is_the_item_that_can_be_one() {
        let mut bytes = items(u32::to_le_bytes);
        bytes[24 + 12 * 5 + 8..][..4].copy_from_slice(&57_u32.to_le_bytes());
        let signal = |bytes: &[u8]| {
            let part = PacketPart { bytes, missing: 0 };
            behind_prism(part).unwrap().1.signal_dbm
        };
        assert_eq!(signal(&bytes), None);
        bytes[24 + 12 * 3 + 8..][..4].copy_from_slice(&(-89_i32 as u32).to_le_bytes());
        assert_eq!(signal(&bytes), Some(-89));
    }

    #[test]
    fn avs_fields_are_big_endian() {
        let values = [
            0x8021_1001,
            64,
            0,
            99,
            0,
            0,
            4,
            6,
            110,
            0,
            0,
            2,
            -50_i32 as u32,
            0,
            1,
            0,
        ];
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value: &u32| value.to_be_bytes())
            .collect();
        let part = PacketPart {
            bytes: &bytes,
            missing: 0,
        };
        let (_, radio) = behind_prism(part).unwrap();
        let expected = RadioReception {
            tsft_us: Some(99),
            phy: Phy::of_rate(22, Preamble::Short),
            frequency_mhz: 2437,
            signal_dbm: Some(-50),
            ..RadioReception::default()
        };
        assert_eq!(radio, expected);
    }
}
