//! The radiotap header: <https://www.radiotap.org>.

use phy::{Coding, Format, GuardInterval, Mode, Preamble, TxVector, Width};

use super::{Phy, RadioReception, guard_interval, ht, long, power, quad, word};
use crate::{Nothing, PacketPart};

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

/// The layouts of the headers seen last. A sniffer has few: one for frames it received, another
/// for those it sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layouts([RadiotapLayout; 2]);

/// Where the fields of a header are.
#[derive(Clone, Copy, Debug)]
struct RadiotapLayout {
    /// The first word of present bits, and where the fields begin behind all of them.
    present: u32,
    start: usize,
    /// Where each field is in the header.
    places: [u16; FIELDS.len()],
}

/// The place of a field that is absent: behind the longest header.
const ABSENT: u16 = u16::MAX;

impl Default for RadiotapLayout {
    fn default() -> Self {
        RadiotapLayout::of(0, 0)
    }
}

/// The frame behind a radiotap header, and the header.
#[inline]
pub(crate) fn behind_radiotap(part: PacketPart<'_>) -> Result<(PacketPart<'_>, &[u8]), Nothing> {
    let header: &[u8; 8] = part.first()?;
    let length = usize::from(u16::from_le_bytes([header[2], header[3]]));
    if header[0] != 0 || length < header.len() {
        return Err(Nothing::Malformed);
    }
    let frame = part.behind(length)?;
    Ok((frame, &part.bytes[..length]))
}

/// Writes what a header says into `radio`, of which nothing is known so far. Field by field where
/// it stays, since a processor waits for what is written in parts and copied as a whole.
#[inline]
pub(crate) fn read_radiotap(header: &[u8], layouts: &mut Layouts, radio: &mut RadioReception) {
    let present = long(header, 4).unwrap_or(0);
    let Some(start) = fields_start(header) else {
        return;
    };
    let layout = layouts.get(present, start);
    let place = |field: usize| usize::from(layout.places[field]);
    let byte = |field: usize| header.get(place(field)).copied();
    let flags = byte(FLAGS).unwrap_or(0);
    radio.tsft_us = quad(header, place(TSFT));
    if let Some(half_mbps) = byte(RATE) {
        let preamble = match flags & FLAG_SHORT_PREAMBLE != 0 {
            true => Preamble::Short,
            false => Preamble::Long,
        };
        radio.phy = Phy::of_rate(half_mbps.into(), preamble);
    }
    radio.frequency_mhz = word(header, place(CHANNEL)).unwrap_or(0);
    radio.signal_dbm = byte(SIGNAL).and_then(power);
    radio.noise_dbm = byte(NOISE).and_then(power);
    radio.bad_fcs = flags & FLAG_BAD_FCS != 0;
    radio.has_fcs = flags & FLAG_FCS != 0;
    radio.is_padded = flags & FLAG_DATA_PAD != 0;
    if present & LATER != 0 {
        radio.ampdu = long(header, place(AMPDU));
        let modulated = [
            (MCS, mcs as fn(&[u8]) -> Option<TxVector>),
            (VHT, vht),
            (HE, he),
        ];
        for (field, read) in modulated {
            let vector = header.get(place(field)..).and_then(read);
            radio.phy = vector.map_or(radio.phy, Phy::Known);
        }
        if byte(EMPTY).is_some() {
            radio.phy = Phy::Unknown;
        }
    }
}

/// The fields that only 802.11n and later have.
const LATER: u32 = 1 << MCS | 1 << AMPDU | 1 << VHT | 1 << HE | 1 << EMPTY;

impl Layouts {
    #[inline]
    fn get(&mut self, present: u32, start: usize) -> &RadiotapLayout {
        let is_it = |layout: &RadiotapLayout| (layout.present, layout.start) == (present, start);
        let place = match &self.0 {
            [one, _] if is_it(one) => 0,
            [_, other] if is_it(other) => 1,
            _ => {
                self.0 = [RadiotapLayout::of(present, start), self.0[0]];
                0
            }
        };
        &self.0[place]
    }
}

impl RadiotapLayout {
    #[cold]
    fn of(present: u32, start: usize) -> RadiotapLayout {
        let mut at = start;
        let mut places = [ABSENT; FIELDS.len()];
        // Behind the words of other antennas only the first word's fields are of interest.
        for (field, (size, align)) in FIELDS.into_iter().enumerate() {
            if present & 1 << field != 0 {
                at = at.next_multiple_of(align.into());
                // What does not fit into the longest header is as good as absent.
                places[field] = u16::try_from(at).unwrap_or(ABSENT);
                at += usize::from(size);
            }
        }
        RadiotapLayout {
            present,
            start,
            places,
        }
    }
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

/// Known, flags, index.
fn mcs(bytes: &[u8]) -> Option<TxVector> {
    const KNOWN_MCS: u8 = 0x02;
    const KNOWN_CODING: u8 = 0x10;
    let [known, flags, mcs] = *bytes.first_chunk()?;
    if known & KNOWN_MCS == 0 || mcs > 31 {
        return None;
    }
    let of_11n = ht(mcs, flags & 0x03 == 1, flags & 0x04 != 0, flags & 0x08 != 0);
    Some(TxVector {
        stbc: flags >> 5 & 0x03,
        coding: coding(known & KNOWN_CODING != 0 && flags & 0x10 != 0),
        ..of_11n
    })
}

/// Known (2), flags, bandwidth, MCS and streams of four users, coding, group, partial AID (2).
fn vht(bytes: &[u8]) -> Option<TxVector> {
    let bytes: &[u8; 12] = bytes.first_chunk()?;
    let (mcs, streams) = (bytes[4] >> 4, bytes[4] & 0x0F);
    // Twice as many space-time streams as spatial ones, or as many; more than eight there are not.
    let stbc = if bytes[2] & 0x01 != 0 { streams } else { 0 };
    if mcs > 9 || streams == 0 || streams + stbc > 8 {
        return None;
    }
    let width = match bytes[3] {
        0 => Width::Mhz20,
        1..=3 => Width::Mhz40,
        4..=10 => Width::Mhz80,
        _ => Width::Mhz160,
    };
    let guard = guard_interval(bytes[2] & 0x04 != 0);
    let mode = Mode::new(Format::Vht, mcs, streams, width, guard);
    Some(TxVector {
        stbc,
        coding: coding(bytes[8] & 0x01 != 0),
        ..TxVector::of(mode, Preamble::Long)
    })
}

/// Six words of bits; the third has MCS and coding, the fifth width and guard interval, the last the
/// streams. Of what goes to several stations at once the rate of each is told elsewhere.
fn he(bytes: &[u8]) -> Option<TxVector> {
    const SINGLE_USER: u16 = 0;
    const EXTENDED_RANGE: u16 = 1;
    const CODING_KNOWN: u16 = 0x0080;
    let [first, third, fifth, sixth] = [0, 2, 4, 5].map(|index| word(bytes, 2 * index));
    let (third, fifth, sixth) = (third?, fifth?, sixth?);
    let mcs = (third >> 8 & 0x0F) as u8;
    let streams = ((sixth & 0x0F) as u8).max(1);
    let is_single = matches!(first? & 0x03, SINGLE_USER | EXTENDED_RANGE);
    if mcs > 11 || streams > 8 || !is_single {
        return None;
    }
    const INTERVALS: [GuardInterval; 3] = [
        GuardInterval::Ns800,
        GuardInterval::Ns1600,
        GuardInterval::Ns3200,
    ];
    let width = *Width::ALL.get(usize::from(fifth & 0x0F))?;
    let guard = *INTERVALS.get(usize::from(fifth >> 4 & 0x03))?;
    let usual = TxVector::of(
        Mode::new(Format::He, mcs, streams, width, guard),
        Preamble::Long,
    );
    Some(match first? & CODING_KNOWN {
        0 => usual,
        _ => usual.coded(coding(third & 0x2000 != 0)),
    })
}

fn coding(is_ldpc: bool) -> Coding {
    match is_ldpc {
        true => Coding::Ldpc,
        false => Coding::Bcc,
    }
}

#[cfg(test)]
mod tests {
    use units::Dbm;

    use super::*;
    use capture::radiotap::{Ampdu, Header};

    fn parse(header: &[u8]) -> RadioReception {
        parse_with(header, &mut Layouts::default())
    }

    fn parse_with(header: &[u8], layouts: &mut Layouts) -> RadioReception {
        let mut radio = RadioReception::default();
        read_radiotap(header, layouts, &mut radio);
        radio
    }

    #[test]
    fn what_a_tap_writes_of_802_11n_and_later_is_read_back() {
        use phy::GuardInterval::{Ns400, Ns1600};
        let modes = [
            Mode::ht(15, Width::Mhz40, Ns400),
            Mode::new(Format::Vht, 9, 2, Width::Mhz80, Ns400),
            Mode::new(Format::He, 11, 1, Width::Mhz160, Ns1600),
        ];
        let codings = [Coding::Bcc, Coding::Ldpc];
        let sent = modes.into_iter().flat_map(|mode| {
            codings.map(|coding| TxVector::of(mode, Preamble::Long).coded(coding))
        });
        for vector in sent {
            let written = Header {
                tsft_us: 1,
                vector,
                frequency_mhz: 5180,
                fcs_at_end: true,
                bad_fcs: false,
                signal: None,
                noise: None,
                ampdu: Some(Ampdu {
                    reference: 7,
                    is_last: true,
                }),
            };
            let mut bytes = Vec::new();
            written.write(&mut bytes);
            assert_eq!(parse(&bytes).phy, Phy::Known(vector), "{vector:?}");
        }
    }

    #[test]
    fn what_a_tap_writes_is_read_back() {
        let written = Header {
            tsft_us: 0x0102_0304,
            vector: TxVector::of(Mode::CCK_5_5, Preamble::Short),
            frequency_mhz: 2437,
            fcs_at_end: true,
            bad_fcs: false,
            signal: Some(Dbm(-33.4)),
            noise: Some(Dbm(-95.0)),
            ampdu: None,
        };
        let mut bytes = Vec::new();
        written.write(&mut bytes);
        let expected = RadioReception {
            tsft_us: Some(0x0102_0304),
            phy: Phy::Known(written.vector),
            frequency_mhz: 2437,
            signal_dbm: Some(-33),
            noise_dbm: Some(-95),
            has_fcs: true,
            ..RadioReception::default()
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
            RadioReception::default(),
            "cut off"
        );
        assert_eq!(
            parse(&[0, 0, 8, 0, 0, 0, 0, 0x80]),
            RadioReception::default(),
            "no end"
        );
    }

    /// One header after the other, of which the second has another antenna's word in front.
    #[test]
    fn a_layout_serves_only_headers_that_are_laid_out_alike() {
        let mut layouts = Layouts::default();
        let plain = [0, 0, 10, 0, 6, 0, 0, 0, 0x10, 22];
        let two = [0, 0, 14, 0, 6, 0, 0, 0x80, 0, 0, 0, 0, 0x40, 11];
        for _ in 0..2 {
            let rates = [&plain[..], &two].map(|header| parse_with(header, &mut layouts).phy);
            let expected = [22, 11].map(|half_mbps| Phy::of_rate(half_mbps, Preamble::Long));
            assert_eq!(rates, expected);
        }
    }

    #[test]
    fn mcs_vht_and_he_fields_tell_the_modulation() {
        let ht = [0, 0, 11, 0, 0, 0, 8, 0, 0x3F, 0x05, 15];
        let mode = Mode::ht(15, Width::Mhz40, GuardInterval::Ns400);
        let expected = TxVector::of(mode, Preamble::Long);
        assert_eq!(parse(&ht).phy, Phy::Known(expected));
        let vht = [
            0, 0, 20, 0, 0, 0, 0x20, 0, 0xFF, 1, 4, 4, 0x92, 0, 0, 0, 0, 0, 0, 0,
        ];
        let mode = Mode::new(Format::Vht, 9, 2, Width::Mhz80, GuardInterval::Ns400);
        let expected = TxVector::of(mode, Preamble::Long);
        assert_eq!(parse(&vht).phy, Phy::Known(expected));
        let he = [
            0, 0, 20, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x0B, 0, 0, 0x12, 0, 2, 0,
        ];
        let he = [&he[..8], &[0, 0, 0, 0, 0, 0x0B, 0, 0, 0x12, 0, 2, 0]].concat();
        let mode = Mode::new(Format::He, 11, 2, Width::Mhz80, GuardInterval::Ns1600);
        let expected = TxVector::of(mode, Preamble::Long);
        assert_eq!(parse(&he).phy, Phy::Known(expected));
    }
}
