//! The radiotap header: what a radio knows of a frame beside its bytes.
//!
//! Layout and field numbers are those of <https://www.radiotap.org>: a version,
//! a length and a word of present bits, then the fields in the order of their
//! bits, each aligned to its own size, everything little-endian.

use phy::TxVector;
use units::Dbm;

// Bits of the present word, one per field.
const TSFT: u32 = 1 << 0;
const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const ANTENNA_SIGNAL: u32 = 1 << 5;
const ANTENNA_NOISE: u32 = 1 << 6;

// Values of the flags field.
const SHORT_PREAMBLE: u8 = 0x02;
const FCS_AT_END: u8 = 0x10;
const BAD_FCS: u8 = 0x40;

// Values of the channel's flags.
const CCK: u16 = 0x0020;
const OFDM: u16 = 0x0040;
const BAND_2_4_GHZ: u16 = 0x0080;
const BAND_5_GHZ: u16 = 0x0100;

/// Reception or transmission of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// The receiver's timer when the first bit of the MPDU arrived, in
    /// microseconds: the unit of the standard's timing synchronization function.
    pub tsft_us: u64,
    /// Its TXVECTOR. Rates of formats from 802.11n on are left out of the header.
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

        let length = (out.len() - start) as u16;
        out[start + 2..start + 4].copy_from_slice(&length.to_le_bytes());
        out[start + 4..start + 8].copy_from_slice(&present.to_le_bytes());
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

/// The nearest whole dBm that a signed byte holds; the cast saturates.
fn whole_dbm(power: Dbm) -> u8 {
    (power.0.round() as i8) as u8
}

#[cfg(test)]
mod tests {
    use phy::{Format, GuardInterval, Mode, Preamble, Width};

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
        assert_eq!(bytes[4], 0x2B);
        assert_eq!(bytes[16..20], [0x10, 0, 0x85, 0x09]);
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
