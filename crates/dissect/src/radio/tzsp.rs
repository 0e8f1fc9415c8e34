//! The tags of TZSP, the TaZmen Sniffer Protocol: what the radio of a sniffer knew of a frame.

use phy::Preamble;

use super::{Phy, RadioReception, frequency_of, power};
use crate::{Nothing, PacketPart};

const PADDING: u8 = 0x00;
const END: u8 = 0x01;
const SIGNAL: u8 = 0x0A;
const RATE: u8 = 0x0C;
const WRONG_FCS: u8 = 0x11;
const CHANNEL: u8 = 0x12;

/// Returns what stands behind the tags, and what they say.
pub(crate) fn behind_tags(
    mut part: PacketPart<'_>,
) -> Result<(PacketPart<'_>, RadioReception), Nothing> {
    let mut radio = RadioReception::default();
    loop {
        let &[tag] = part.first()?;
        part = part.behind(1)?;
        match tag {
            PADDING => continue,
            END => return Ok((part, radio)),
            _ => {}
        }
        let &[length] = part.first()?;
        let value = part.behind(1)?.bytes;
        part = part.behind(1 + usize::from(length))?;
        if let Some(&value) = value.first().filter(|_| length > 0) {
            read(&mut radio, tag, value);
        }
    }
}

/// Takes the first byte of a tag's value, which is the only one of those that count here.
fn read(radio: &mut RadioReception, tag: u8, value: u8) {
    match tag {
        SIGNAL => radio.signal_dbm = power(value),
        RATE => radio.phy = Phy::of_rate(value.into(), Preamble::Long),
        WRONG_FCS => radio.bad_fcs = value != 0,
        CHANNEL => radio.frequency_mhz = frequency_of(value.into()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_tell_signal_rate_and_channel() {
        let bytes = [
            0x0A, 1, 0xC8, 0, 0x0C, 1, 22, 0x29, 2, 5, 5, 0x12, 1, 6, 1, 0x08, 1,
        ];
        let part = PacketPart {
            bytes: &bytes,
            missing: 0,
        };
        let (frame, radio) = behind_tags(part).unwrap();
        assert_eq!(frame.bytes, [0x08, 1]);
        assert_eq!(radio.signal_dbm, Some(-56));
        assert_eq!(radio.phy, Phy::of_rate(22, Preamble::Long));
        assert_eq!(radio.frequency_mhz, 2_437);
    }

    #[test]
    fn tags_without_end_are_cut() {
        let part = PacketPart {
            bytes: &[0x0A, 1, 0xC8, 0, 0],
            missing: 0,
        };
        assert_eq!(behind_tags(part).unwrap_err(), Nothing::Cut);
    }
}
