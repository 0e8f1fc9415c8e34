//! The radiotap header: what a radio knows of a frame beside its bytes.
//!
//! Layout and field numbers are those of <https://www.radiotap.org>: a version,
//! a length and a word of present bits, then the fields in the order of their
//! bits, each aligned to its own size, everything little-endian.

use units::{Dbm, Rate};

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

/// The rate field counts units of 500 kbit/s.
const RATE_UNIT_BPS: u64 = 500_000;

/// How a frame was received, or sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// The receiver's timer when the first bit of the MPDU arrived, in
    /// microseconds: the unit of the standard's timing synchronization function.
    pub tsft_us: u64,
    /// The frame had the short PLCP preamble.
    pub short_preamble: bool,
    /// The frame's bytes end with its frame check sequence.
    pub fcs_at_end: bool,
    /// The frame check sequence did not match.
    pub bad_fcs: bool,
    /// The data rate. A rate that the one-byte field cannot hold (not a
    /// multiple of 500 kbit/s, or above 127.5 Mbit/s) is left out of the header.
    pub rate: Rate,
    /// Where in the spectrum.
    pub channel: Channel,
    /// The signal's power at the antenna; absent at the sender itself.
    pub signal: Option<Dbm>,
    /// The noise power at the antenna.
    pub noise: Option<Dbm>,
}

/// A channel and how its frames are modulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Centre frequency in MHz.
    pub frequency_mhz: u16,
    /// The modulation.
    pub modulation: Modulation,
}

/// The families of modulation that radiotap tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// DSSS and CCK: 802.11b.
    Cck,
    /// OFDM: 802.11g and 802.11a.
    Ofdm,
}

impl Channel {
    /// The 2.4 GHz channel `number`: 5 MHz apart from 2412 MHz, and channel 14
    /// by itself at 2484 MHz (IEEE 802.11-2020, 15.4.4.3). None outside 1 to 14.
    pub const fn in_2_4_ghz(number: u8, modulation: Modulation) -> Option<Self> {
        let frequency_mhz = match number {
            1..=13 => 2407 + 5 * number as u16,
            14 => 2484,
            _ => return None,
        };
        Some(Channel {
            frequency_mhz,
            modulation,
        })
    }

    const fn flags(self) -> u16 {
        let modulation = match self.modulation {
            Modulation::Cck => CCK,
            Modulation::Ofdm => OFDM,
        };
        // The 2.4 GHz band ends at 2500 MHz (IEEE 802.11-2007 Annex J).
        let band = match self.frequency_mhz {
            ..2500 => BAND_2_4_GHZ,
            _ => BAND_5_GHZ,
        };
        modulation | band
    }
}

impl Header {
    /// Appends the header's bytes; the 802.11 header follows them.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0; 8]);
        let mut present = TSFT | FLAGS | CHANNEL;

        out.extend(self.tsft_us.to_le_bytes());
        out.push(self.flags());
        if let Some(units) = rate_units(self.rate) {
            present |= RATE;
            out.push(units);
        }
        if (out.len() - start) % 2 == 1 {
            out.push(0);
        }
        out.extend(self.channel.frequency_mhz.to_le_bytes());
        out.extend(self.channel.flags().to_le_bytes());
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
        set(self.short_preamble, SHORT_PREAMBLE)
            | set(self.fcs_at_end, FCS_AT_END)
            | set(self.bad_fcs, BAD_FCS)
    }
}

fn rate_units(rate: Rate) -> Option<u8> {
    let bps = rate.as_bps();
    if bps % RATE_UNIT_BPS != 0 {
        return None;
    }
    u8::try_from(bps / RATE_UNIT_BPS).ok()
}

/// The nearest whole dBm that a signed byte holds; the cast saturates.
fn whole_dbm(power: Dbm) -> u8 {
    (power.0.round() as i8) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_channel_6() -> Header {
        Header {
            tsft_us: 0x0102_0304,
            short_preamble: false,
            fcs_at_end: true,
            bad_fcs: false,
            rate: Rate::from_mbps(5.5),
            channel: Channel::in_2_4_ghz(6, Modulation::Cck).unwrap(),
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
            short_preamble: true,
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
            let modulation = Modulation::Ofdm;
            Channel {
                frequency_mhz,
                modulation,
            }
            .flags()
        };
        assert_eq!([2437, 5180].map(flags), [0x00C0, 0x0140]);
    }

    #[test]
    fn the_channel_stays_aligned_when_the_rate_does_not_fit() {
        let bytes = bytes_of(&Header {
            rate: Rate::from_mbps(433.3),
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

    #[test]
    fn channel_14_stands_apart_and_15_does_not_exist() {
        let frequency = |n| Channel::in_2_4_ghz(n, Modulation::Cck).map(|c| c.frequency_mhz);
        assert_eq!(frequency(1), Some(2412));
        assert_eq!(frequency(13), Some(2472));
        assert_eq!(frequency(14), Some(2484));
        assert_eq!((frequency(0), frequency(15)), (None, None));
    }
}
