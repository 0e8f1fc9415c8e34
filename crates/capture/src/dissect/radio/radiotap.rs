//! The radiotap header: <https://www.radiotap.org>.

use super::{Phy, Radio, long, power, quad, word};
use crate::dissect::{Nothing, Part};

/// Size and alignment of the fields of the first namespace, by their bits.
const FIELDS: [(u8, u8); 28] = [
    (8, 8),  // TSFT
    (1, 1),  // flags
    (1, 1),  // rate
    (4, 2),  // channel
    (2, 2),  // FHSS
    (1, 1),  // antenna signal
    (1, 1),  // antenna noise
    (2, 2),  // lock quality
    (2, 2),  // transmit attenuation
    (2, 2),  // the same in dB
    (1, 1),  // transmit power
    (1, 1),  // antenna
    (1, 1),  // antenna signal over a reference
    (1, 1),  // antenna noise over a reference
    (2, 2),  // receive flags
    (2, 2),  // transmit flags
    (1, 1),  // RTS retries
    (1, 1),  // data retries
    (8, 4),  // channel of old BSDs
    (3, 1),  // MCS
    (8, 4),  // A-MPDU status
    (12, 2), // VHT
    (12, 8), // timestamp
    (12, 2), // HE
    (12, 2), // HE of several users
    (6, 2),  // HE of the other users
    (1, 1),  // a frame without contents
    (4, 2),  // L-SIG
];

const TSFT: usize = 0;
const FLAGS: usize = 1;
const RATE: usize = 2;
const CHANNEL: usize = 3;
const SIGNAL: usize = 5;
const NOISE: usize = 6;
const MCS: usize = 19;
const AMPDU: usize = 20;
const VHT: usize = 21;
const HE: usize = 23;
const EMPTY: usize = 26;

/// Another word of present bits follows.
const MORE: u32 = 1 << 31;

// The flags field.
const FLAG_SHORT_PREAMBLE: u8 = 0x02;
const FLAG_FCS: u8 = 0x10;
const FLAG_DATA_PAD: u8 = 0x20;
const FLAG_BAD_FCS: u8 = 0x40;

/// The frame behind a radiotap header, and what the header says.
pub(in crate::dissect) fn behind_radiotap(part: Part<'_>) -> Result<(Part<'_>, Radio), Nothing> {
    let header: &[u8; 8] = part.first()?;
    let length = usize::from(u16::from_le_bytes([header[2], header[3]]));
    if header[0] != 0 || length < header.len() {
        return Err(Nothing::Malformed);
    }
    let frame = part.behind(length)?;
    Ok((frame, parse(&part.bytes[..length])))
}

fn parse(header: &[u8]) -> Radio {
    let mut radio = Radio::default();
    let present = long(header, 4).unwrap_or(0);
    let Some(mut at) = fields_start(header) else {
        return radio;
    };
    // Behind the words of the other antennas only the first word's fields are of interest.
    let mut left = present & ((1 << FIELDS.len()) - 1);
    while left != 0 {
        let field = left.trailing_zeros() as usize;
        left &= left - 1;
        let (size, align) = FIELDS[field];
        at = at.next_multiple_of(align.into());
        let end = at + usize::from(size);
        let Some(bytes) = header.get(at..end) else {
            return radio;
        };
        take(&mut radio, field, bytes);
        at = end;
    }
    radio
}

/// Where the fields begin: behind all words of present bits.
fn fields_start(header: &[u8]) -> Option<usize> {
    let mut at = 4;
    loop {
        let word = long(header, at)?;
        at += 4;
        if word & MORE == 0 {
            return Some(at);
        }
    }
}

#[inline]
fn take(radio: &mut Radio, field: usize, bytes: &[u8]) {
    match field {
        TSFT => radio.tsft_us = quad(bytes, 0),
        FLAGS => {
            radio.short_preamble = bytes[0] & FLAG_SHORT_PREAMBLE != 0;
            radio.has_fcs = bytes[0] & FLAG_FCS != 0;
            radio.is_padded = bytes[0] & FLAG_DATA_PAD != 0;
            radio.bad_fcs = bytes[0] & FLAG_BAD_FCS != 0;
        }
        RATE if bytes[0] != 0 => {
            radio.phy = Phy::Legacy {
                half_mbps: bytes[0],
            }
        }
        CHANNEL => radio.frequency_mhz = word(bytes, 0).unwrap_or(0),
        SIGNAL => radio.signal_dbm = power(bytes[0]),
        NOISE => radio.noise_dbm = power(bytes[0]),
        MCS => radio.phy = mcs(bytes).unwrap_or(radio.phy),
        AMPDU => radio.ampdu = long(bytes, 0),
        VHT => radio.phy = vht(bytes).unwrap_or(radio.phy),
        HE => radio.phy = he(bytes).unwrap_or(radio.phy),
        EMPTY => radio.phy = Phy::Unknown,
        _ => {}
    }
}

/// Known, flags, index.
fn mcs(bytes: &[u8]) -> Option<Phy> {
    const KNOWN_MCS: u8 = 0x02;
    let [known, flags, mcs] = *bytes.first_chunk()?;
    if known & KNOWN_MCS == 0 || mcs > 31 {
        return None;
    }
    Some(Phy::Ht {
        mcs,
        width_mhz: if flags & 0x03 == 1 { 40 } else { 20 },
        short_gi: flags & 0x04 != 0,
        greenfield: flags & 0x08 != 0,
        stbc: flags >> 5 & 0x03,
    })
}

/// Known (2), flags, bandwidth, MCS and streams of four users, coding, group, partial AID (2).
fn vht(bytes: &[u8]) -> Option<Phy> {
    let bytes: &[u8; 12] = bytes.first_chunk()?;
    let (mcs, streams) = (bytes[4] >> 4, bytes[4] & 0x0F);
    if mcs > 9 || !(1..=8).contains(&streams) {
        return None;
    }
    let width_mhz = match bytes[3] {
        0 => 20,
        1..=3 => 40,
        4..=10 => 80,
        _ => 160,
    };
    Some(Phy::Vht {
        mcs,
        streams,
        width_mhz,
        short_gi: bytes[2] & 0x04 != 0,
        stbc: bytes[2] & 0x01 != 0,
    })
}

/// Six words of bits; the third has the MCS, the fifth width and guard interval, the last the
/// streams. Of what goes to several stations at once the rate of each is told elsewhere.
fn he(bytes: &[u8]) -> Option<Phy> {
    const SINGLE_USER: u16 = 0;
    const EXTENDED_RANGE: u16 = 1;
    let [first, third, fifth, sixth] = [0, 2, 4, 5].map(|index| word(bytes, 2 * index));
    let (third, fifth, sixth) = (third?, fifth?, sixth?);
    let mcs = (third >> 8 & 0x0F) as u8;
    let streams = ((sixth & 0x0F) as u8).max(1);
    let is_single = matches!(first? & 0x03, SINGLE_USER | EXTENDED_RANGE);
    if mcs > 11 || streams > 8 || !is_single {
        return None;
    }
    let width_mhz = *[20, 40, 80, 160].get(usize::from(fifth & 0x0F))?;
    let gi_100ns = *[8, 16, 32].get(usize::from(fifth >> 4 & 0x03))?;
    Some(Phy::He {
        mcs,
        streams,
        width_mhz,
        gi_100ns,
    })
}

#[cfg(test)]
mod tests {
    use units::{Dbm, Rate};

    use super::*;
    use crate::radiotap::{Channel, Header, Modulation};

    #[test]
    fn what_a_tap_writes_is_read_back() {
        let written = Header {
            tsft_us: 0x0102_0304,
            short_preamble: true,
            fcs_at_end: true,
            bad_fcs: false,
            rate: Rate::from_mbps(5.5),
            channel: Channel::in_2_4_ghz(6, Modulation::Cck).unwrap(),
            signal: Some(Dbm(-33.4)),
            noise: Some(Dbm(-95.0)),
        };
        let mut bytes = Vec::new();
        written.write(&mut bytes);
        let expected = Radio {
            tsft_us: Some(0x0102_0304),
            phy: Phy::Legacy { half_mbps: 11 },
            frequency_mhz: 2437,
            signal_dbm: Some(-33),
            noise_dbm: Some(-95),
            short_preamble: true,
            has_fcs: true,
            ..Radio::default()
        };
        assert_eq!(parse(&bytes), expected);
    }

    #[test]
    fn fields_stand_behind_all_present_words() {
        let words = [0_u8, 0, 25, 0, 3, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0];
        let header = [&words[..], &[9; 8], &[FLAG_BAD_FCS]].concat();
        assert!(parse(&header).bad_fcs);
        assert!(parse(&[0, 0, 9, 0, 2, 0, 0, 0, 0x10]).has_fcs);
        assert_eq!(
            parse(&[0, 0, 8, 0, 2, 0, 0, 0]),
            Radio::default(),
            "cut off"
        );
        assert_eq!(
            parse(&[0, 0, 8, 0, 0, 0, 0, 0x80]),
            Radio::default(),
            "no end"
        );
    }

    #[test]
    fn mcs_vht_and_he_fields_tell_the_modulation() {
        let ht = [0, 0, 11, 0, 0, 0, 8, 0, 0x3F, 0x05, 15];
        let expected = Phy::Ht {
            mcs: 15,
            width_mhz: 40,
            short_gi: true,
            greenfield: false,
            stbc: 0,
        };
        assert_eq!(parse(&ht).phy, expected);
        let vht = [
            0, 0, 20, 0, 0, 0, 0x20, 0, 0xFF, 1, 4, 4, 0x92, 0, 0, 0, 0, 0, 0, 0,
        ];
        let expected = Phy::Vht {
            mcs: 9,
            streams: 2,
            width_mhz: 80,
            short_gi: true,
            stbc: false,
        };
        assert_eq!(parse(&vht).phy, expected);
        let he = [
            0, 0, 20, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x0B, 0, 0, 0x12, 0, 2, 0,
        ];
        let he = [&he[..8], &[0, 0, 0, 0, 0, 0x0B, 0, 0, 0x12, 0, 2, 0]].concat();
        let expected = Phy::He {
            mcs: 11,
            streams: 2,
            width_mhz: 80,
            gi_100ns: 16,
        };
        assert_eq!(parse(&he).phy, expected);
    }
}
