//! The radiotap header: what a radio knows of a frame beside its bytes.
//!
//! Layout and field numbers are those of <https://www.radiotap.org>: a version,
//! a length and a word of present bits, then the fields in the order of their
//! bits, each aligned to its own size, everything little-endian.

use phy::{Coding, Format, GuardInterval, TxVector, Width};
use units::Dbm;

// Bits of the present word, one per field.
const TSFT: u32 = 1 << 0;
const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const ANTENNA_SIGNAL: u32 = 1 << 5;
const ANTENNA_NOISE: u32 = 1 << 6;
const MCS: u32 = 1 << 19;
const AMPDU_STATUS: u32 = 1 << 20;
const VHT: u32 = 1 << 21;
const HE: u32 = 1 << 23;

// Values of the flags field.
const SHORT_PREAMBLE: u8 = 0x02;
const FCS_AT_END: u8 = 0x10;
const BAD_FCS: u8 = 0x40;

// Values of the channel's flags.
const CCK: u16 = 0x0020;
const OFDM: u16 = 0x0040;
const BAND_2_4_GHZ: u16 = 0x0080;
const BAND_5_GHZ: u16 = 0x0100;

// Values of the A-MPDU status flags.
const LAST_KNOWN: u16 = 0x0004;
const IS_LAST: u16 = 0x0008;

/// The A-MPDU that an MPDU was in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ampdu {
    /// The same for all MPDUs of an A-MPDU.
    pub reference: u32,
    /// Whether it was the last one.
    pub is_last: bool,
}

/// How a frame was received, or sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// The receiver's timer when the first bit of the MPDU arrived, in
    /// microseconds: the unit of the standard's timing synchronization function.
    pub tsft_us: u64,
    /// How it was put on the air.
    pub vector: TxVector,
    /// The centre of the channel in MHz.
    pub frequency_mhz: u16,
    /// The frame's bytes end with its frame check sequence.
    pub fcs_at_end: bool,
    /// The frame check sequence did not match.
    pub bad_fcs: bool,
    /// The signal's power at the antenna; absent at the sender itself.
    pub signal: Option<Dbm>,
    /// The noise power at the antenna.
    pub noise: Option<Dbm>,
    /// The A-MPDU that it was in, if it was in one with others.
    pub ampdu: Option<Ampdu>,
}

impl Header {
    /// Appends the header's bytes; the 802.11 header follows them.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0; 8]);
        let mut present = TSFT | FLAGS | CHANNEL;

        out.extend(self.tsft_us.to_le_bytes());
        out.push(self.flags());
        if self.vector.mode.format().is_legacy() {
            present |= RATE;
            out.push(self.vector.mode.half_mbps() as u8);
        }
        if (out.len() - start) % 2 == 1 {
            out.push(0);
        }
        out.extend(self.frequency_mhz.to_le_bytes());
        out.extend(self.channel_flags().to_le_bytes());
        for (bit, power) in [(ANTENNA_SIGNAL, self.signal), (ANTENNA_NOISE, self.noise)] {
            if let Some(power) = power {
                present |= bit;
                out.push(whole_dbm(power));
            }
        }

        present |= self.write_later(start, out);
        let length = (out.len() - start) as u16;
        out[start + 2..start + 4].copy_from_slice(&length.to_le_bytes());
        out[start + 4..start + 8].copy_from_slice(&present.to_le_bytes());
    }

    /// Appends what formats from 802.11n on have, and answers which fields those are.
    fn write_later(&self, start: usize, out: &mut Vec<u8>) -> u32 {
        let mode = self.vector.mode;
        let mut present = 0;
        if matches!(mode.format(), Format::HtMixed | Format::HtGreenfield) {
            present |= MCS;
            out.extend(ht_fields(self.vector));
        }
        if let Some(ampdu) = self.ampdu {
            present |= AMPDU_STATUS;
            align(start, 4, out);
            let flags = LAST_KNOWN | if ampdu.is_last { IS_LAST } else { 0 };
            out.extend(ampdu.reference.to_le_bytes());
            out.extend(flags.to_le_bytes());
            out.extend([0; 2]);
        }
        match mode.format() {
            Format::Vht => {
                present |= VHT;
                align(start, 2, out);
                out.extend(vht_fields(self.vector));
            }
            Format::He => {
                present |= HE;
                align(start, 2, out);
                out.extend(
                    he_fields(self.vector)
                        .into_iter()
                        .flat_map(u16::to_le_bytes),
                );
            }
            _ => {}
        }
        present
    }

    fn flags(&self) -> u8 {
        let set = |flag, value| if flag { value } else { 0 };
        set(self.vector.has_short_preamble(), SHORT_PREAMBLE)
            | set(self.fcs_at_end, FCS_AT_END)
            | set(self.bad_fcs, BAD_FCS)
    }

    fn channel_flags(&self) -> u16 {
        let modulation = match self.vector.mode.is_ofdm() {
            true => OFDM,
            false => CCK,
        };
        // The 2.4 GHz band ends at 2500 MHz (IEEE 802.11-2007 Annex J).
        let band = match self.frequency_mhz {
            ..2500 => BAND_2_4_GHZ,
            _ => BAND_5_GHZ,
        };
        modulation | band
    }
}

/// Pads a header that begins at `start` so that a field of this alignment follows.
fn align(start: usize, alignment: usize, out: &mut Vec<u8>) {
    let length = (out.len() - start).next_multiple_of(alignment);
    out.resize(start + length, 0);
}

/// Tells which fields are known (bandwidth, MCS, guard interval, format, coding), their flags, and
/// the MCS.
fn ht_fields(vector: TxVector) -> [u8; 3] {
    const KNOWN: u8 = 0x01 | 0x02 | 0x04 | 0x08 | 0x10;
    let mode = vector.mode;
    let short = mode.guard_interval() == GuardInterval::Ns400;
    let is_greenfield = mode.format() == Format::HtGreenfield;
    let flags = u8::from(mode.width() == Width::Mhz40)
        | u8::from(short) << 2
        | u8::from(is_greenfield) << 3
        | u8::from(vector.coding == Coding::Ldpc) << 4;
    [KNOWN, flags, mode.mcs() + 8 * (mode.streams() - 1)]
}

/// Guard interval and bandwidth are known; MCS, streams and coding of the first user; no group or
/// partial AID is told.
fn vht_fields(vector: TxVector) -> [u8; 12] {
    const KNOWN: [u8; 2] = [0x44, 0];
    let mode = vector.mode;
    let flags = u8::from(mode.guard_interval() == GuardInterval::Ns400) << 2;
    let bandwidth = match mode.width() {
        Width::Mhz20 => 0,
        Width::Mhz40 => 1,
        Width::Mhz80 => 4,
        Width::Mhz160 => 11,
    };
    let user = mode.mcs() << 4 | mode.streams();
    let coding = u8::from(vector.coding == Coding::Ldpc);
    [
        KNOWN[0], KNOWN[1], flags, bandwidth, user, 0, 0, 0, coding, 0, 0, 0,
    ]
}

/// A single user's PPDU whose MCS, coding, bandwidth, guard interval and streams are known.
fn he_fields(vector: TxVector) -> [u16; 6] {
    const MCS_CODING_AND_BANDWIDTH_KNOWN: u16 = 0x0020 | 0x0080 | 0x4000;
    let mode = vector.mode;
    const GUARD_INTERVAL_KNOWN: u16 = 0x0002;
    let guard_interval = match mode.guard_interval() {
        GuardInterval::Ns400 | GuardInterval::Ns800 => 0,
        GuardInterval::Ns1600 => 1,
        GuardInterval::Ns3200 => 2,
    };
    [
        MCS_CODING_AND_BANDWIDTH_KNOWN,
        GUARD_INTERVAL_KNOWN,
        u16::from(mode.mcs()) << 8 | u16::from(vector.coding == Coding::Ldpc) << 13,
        0,
        mode.width() as u16 | guard_interval << 4,
        u16::from(mode.streams()),
    ]
}

/// The nearest whole dBm that a signed byte holds; the cast saturates.
fn whole_dbm(power: Dbm) -> u8 {
    (power.0.round() as i8) as u8
}

#[cfg(test)]
mod tests {
    use phy::{Mode, Preamble};

    use super::*;

    fn on_channel_6() -> Header {
        Header {
            tsft_us: 0x0102_0304,
            vector: TxVector::of(Mode::CCK_5_5, Preamble::Long),
            frequency_mhz: 2437,
            fcs_at_end: true,
            bad_fcs: false,
            signal: Some(Dbm(-33.4)),
            noise: None,
            ampdu: None,
        }
    }

    fn bytes_of(header: &Header) -> Vec<u8> {
        let mut out = Vec::new();
        header.write(&mut out);
        out
    }

    #[test]
    fn a_frame_at_5_5_mbps_on_channel_6() {
        let expected = [
            0, 0, 23, 0, // version, length
            0x2F, 0, 0, 0, // TSFT, flags, rate, channel, antenna signal
            4, 3, 2, 1, 0, 0, 0, 0,    // TSFT
            0x10, // frame check sequence at the end
            11,   // times 500 kbit/s
            0x85, 0x09, 0xA0, 0x00, // 2437 MHz, CCK in the 2.4 GHz band
            0xDF, // -33 dBm
        ];
        assert_eq!(bytes_of(&on_channel_6()), expected);
    }

    #[test]
    fn noise_follows_the_signal_and_flags_add_up() {
        let header = Header {
            vector: TxVector::of(Mode::CCK_5_5, Preamble::Short),
            bad_fcs: true,
            noise: Some(Dbm(-95.0)),
            ..on_channel_6()
        };
        let bytes = bytes_of(&header);
        assert_eq!(bytes[2], 24);
        assert_eq!(bytes[4], 0x6F);
        assert_eq!(bytes[16], 0x52);
        assert_eq!(bytes[22..], [0xDF, 0xA1]);
    }

    #[test]
    fn ofdm_is_told_in_either_band() {
        let flags = |frequency_mhz| {
            let header = Header {
                vector: TxVector::of(Mode::OFDM_54, Preamble::Long),
                frequency_mhz,
                ..on_channel_6()
            };
            header.channel_flags()
        };
        assert_eq!([2437, 5180].map(flags), [0x00C0, 0x0140]);
    }

    #[test]
    fn the_channel_stays_aligned_when_there_is_no_rate() {
        let mode = Mode::new(Format::Vht, 9, 1, Width::Mhz80, GuardInterval::Ns400);
        let bytes = bytes_of(&Header {
            vector: TxVector::of(mode, Preamble::Long),
            ..on_channel_6()
        });
        assert_eq!(bytes[4..8], [0x2B, 0, 0x20, 0]);
        assert_eq!(bytes[16..20], [0x10, 0, 0x85, 0x09]);
    }

    #[test]
    fn later_formats_have_fields_of_their_own_behind_the_noise() {
        use GuardInterval::{Ns400, Ns1600};
        let tail = |mode, ampdu: Option<Ampdu>| {
            let vector = TxVector::of(mode, Preamble::Long);
            let bytes = bytes_of(&Header {
                vector,
                ampdu,
                ..on_channel_6()
            });
            (bytes[4..8].to_vec(), bytes[23..].to_vec())
        };
        let ht = Mode::ht(15, Width::Mhz40, Ns400);
        assert_eq!(
            tail(ht, None),
            (vec![0x2B, 0, 0x08, 0], vec![0x1F, 0x05, 15])
        );
        let ampdu = Ampdu {
            reference: 7,
            is_last: true,
        };
        let (present, fields) = tail(ht, Some(ampdu));
        assert_eq!(present, [0x2B, 0, 0x18, 0]);
        assert_eq!(
            fields,
            [0x1F, 0x05, 15, 0, 0, 7, 0, 0, 0, 0x0C, 0, 0, 0][..fields.len()]
        );
        let vht = Mode::new(Format::Vht, 9, 2, Width::Mhz80, Ns400);
        let (_, fields) = tail(vht, None);
        assert_eq!(fields[1..6], [0x44, 0, 4, 4, 0x92]);
        let he = Mode::new(Format::He, 11, 2, Width::Mhz160, Ns1600);
        let (present, fields) = tail(he, None);
        assert_eq!(present[2], 0x80);
        assert_eq!(
            fields[1..],
            [0xA0, 0x40, 2, 0, 0, 0x2B, 0, 0, 0x13, 0, 2, 0]
        );
    }

    #[test]
    fn the_header_may_start_anywhere_in_the_buffer() {
        let mut out = vec![7];
        on_channel_6().write(&mut out);
        assert_eq!(out[1..], bytes_of(&on_channel_6()));
    }

    #[test]
    fn powers_beyond_a_signed_byte_saturate() {
        assert_eq!(whole_dbm(Dbm(f64::NEG_INFINITY)) as i8, -128);
        assert_eq!(whole_dbm(Dbm(200.0)) as i8, 127);
    }
}
