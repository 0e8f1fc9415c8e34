//! The body of a beacon (IEEE 802.11-2007 §7.2.3.1, §7.3.2).

use phy::Mode;
use units::Duration;

use super::{DecodeError, take};

/// Capability: an infrastructure BSS (IEEE 802.11-2007 §7.3.1.4).
pub const CAPABILITY_ESS: u16 = 1;
/// Capability: short preambles are allowed.
pub const CAPABILITY_SHORT_PREAMBLE: u16 = 1 << 5;
/// Capability: the BSS has short slots.
pub const CAPABILITY_SHORT_SLOT: u16 = 1 << 10;

/// ERP information: a station of the BSS is of 802.11b (IEEE 802.11-2007 §7.3.2.13).
pub const ERP_NON_ERP_PRESENT: u8 = 1;
/// ERP information: OFDM frames have to be protected.
pub const ERP_USE_PROTECTION: u8 = 1 << 1;

/// Element identifiers (IEEE 802.11-2007 Table 7-26).
const SSID: u8 = 0;
const SUPPORTED_RATES: u8 = 1;
const DS_PARAMETER_SET: u8 = 3;
const TIM: u8 = 5;
const ERP_INFORMATION: u8 = 42;
const EXTENDED_SUPPORTED_RATES: u8 = 50;

/// Most rates in the supported rates element; the rest goes into the extended one.
const MOST_SUPPORTED_RATES: usize = 8;

/// Timestamp, interval and capability, in front of the elements.
const FIXED_BYTES: usize = 12;
/// Identifier and length, in front of each element.
const ELEMENT_HEADER_BYTES: usize = 2;
/// Count, period and bitmap control, in front of the bitmap.
const TIM_FIXED_BYTES: usize = 3;

/// What a beacon announces. Elements that 802.11b and 802.11g do not define are skipped when read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beacon<'a> {
    /// The transmitter's timer in microseconds.
    pub timestamp: u64,
    /// The beacon interval in units of [`TIME_UNIT`].
    pub interval_tu: u16,
    /// Capability bits.
    pub capability: u16,
    /// The network's name, at most 32 bytes.
    pub ssid: &'a [u8],
    /// Supported rates as octets, see [`supported_rate`]. Of those read, the first eight.
    pub rates: &'a [u8],
    /// Further supported rates, of those read. Those written are the rest of `rates`.
    pub extended_rates: &'a [u8],
    /// ERP information, where the transmitter is of 802.11g.
    pub erp: Option<u8>,
    /// The channel number.
    pub channel: Option<u8>,
    /// For whom the access point holds frames.
    pub tim: Option<Tim<'a>>,
}

/// The traffic indication map (IEEE 802.11-2007 §7.3.2.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tim<'a> {
    /// Beacons until the next that announces broadcasts.
    pub dtim_count: u8,
    /// Every how many beacons that is.
    pub dtim_period: u8,
    /// Broadcasts are held, and where the bitmap begins.
    pub bitmap_control: u8,
    /// A bit per association; 1 to 251 bytes.
    pub bitmap: &'a [u8],
}

/// A time unit, in which beacon intervals are told (IEEE 802.11-2007 §3.159).
pub const TIME_UNIT: Duration = Duration::from_micros(1024);

/// The number of a 2.4 GHz channel by its centre frequency (IEEE 802.11-2007 §18.4.6.2).
pub const fn channel_number(frequency_mhz: u16) -> u8 {
    match frequency_mhz {
        2484 => 14,
        _ => (frequency_mhz.saturating_sub(2407) / 5) as u8,
    }
}

/// A rate as the supported rates element gives it: in 500 kbit/s, the highest bit set for a basic
/// rate (IEEE 802.11-2007 §7.3.2.2).
pub const fn supported_rate(mode: Mode, basic: bool) -> u8 {
    mode.half_mbps() as u8 | if basic { 0x80 } else { 0 }
}

impl<'a> Beacon<'a> {
    /// The length of the body.
    pub fn bytes(&self) -> u16 {
        let element = |content: usize| ELEMENT_HEADER_BYTES + content;
        let channel = self.channel.map_or(0, |_| element(1));
        let tim = self
            .tim
            .map_or(0, |tim| element(TIM_FIXED_BYTES + tim.bitmap.len()));
        let (first, rest) = self.split_rates();
        let named = element(self.ssid.len()) + element(first.len());
        let extended = if rest.is_empty() {
            0
        } else {
            element(rest.len())
        };
        let erp = self.erp.map_or(0, |_| element(1));
        (FIXED_BYTES + named + channel + tim + erp + extended) as u16
    }

    /// Appends the body to `out`.
    ///
    /// # Panics
    ///
    /// If SSID or bitmap are longer than their elements can be.
    pub fn write(&self, out: &mut Vec<u8>) {
        assert!(self.ssid.len() <= 32, "over-long SSID");
        let (first_rates, further_rates) = self.split_rates();
        out.extend_from_slice(&self.timestamp.to_le_bytes());
        out.extend_from_slice(&self.interval_tu.to_le_bytes());
        out.extend_from_slice(&self.capability.to_le_bytes());
        write_element(out, SSID, &[], self.ssid);
        write_element(out, SUPPORTED_RATES, &[], first_rates);
        if let Some(channel) = self.channel {
            write_element(out, DS_PARAMETER_SET, &[channel], &[]);
        }
        if let Some(tim) = self.tim {
            assert!((1..=251).contains(&tim.bitmap.len()), "no such TIM bitmap");
            let fixed = [tim.dtim_count, tim.dtim_period, tim.bitmap_control];
            write_element(out, TIM, &fixed, tim.bitmap);
        }
        if let Some(erp) = self.erp {
            write_element(out, ERP_INFORMATION, &[erp], &[]);
        }
        if !further_rates.is_empty() {
            write_element(out, EXTENDED_SUPPORTED_RATES, &[], further_rates);
        }
    }

    fn split_rates(&self) -> (&'a [u8], &'a [u8]) {
        self.rates
            .split_at(self.rates.len().min(MOST_SUPPORTED_RATES))
    }

    /// Reads a beacon's body.
    pub fn parse(body: &'a [u8]) -> Result<Beacon<'a>, DecodeError> {
        let (timestamp, rest) = take(body)?;
        let (interval, rest) = take(rest)?;
        let (capability, mut rest) = take(rest)?;
        let mut beacon = Beacon {
            timestamp: u64::from_le_bytes(timestamp),
            interval_tu: u16::from_le_bytes(interval),
            capability: u16::from_le_bytes(capability),
            ..Beacon::default()
        };
        while !rest.is_empty() {
            let ([id, length], after) = take(rest)?;
            let needed = usize::from(length);
            let Some((content, after)) = after.split_at_checked(needed) else {
                return Err(DecodeError::Truncated {
                    needed,
                    found: after.len(),
                });
            };
            beacon.read_element(id, content)?;
            rest = after;
        }
        Ok(beacon)
    }

    fn read_element(&mut self, id: u8, content: &'a [u8]) -> Result<(), DecodeError> {
        match id {
            SSID => self.ssid = content,
            SUPPORTED_RATES => self.rates = content,
            EXTENDED_SUPPORTED_RATES => self.extended_rates = content,
            ERP_INFORMATION => {
                let ([erp], _) = take(content)?;
                self.erp = Some(erp);
            }
            DS_PARAMETER_SET => {
                let ([channel], _) = take(content)?;
                self.channel = Some(channel);
            }
            TIM => {
                let ([dtim_count, dtim_period, bitmap_control], bitmap) = take(content)?;
                self.tim = Some(Tim {
                    dtim_count,
                    dtim_period,
                    bitmap_control,
                    bitmap,
                });
            }
            _ => {}
        }
        Ok(())
    }
}

/// Appends name and rates, as requests to an access point have them, of what a beacon says.
pub(super) fn write_names(out: &mut Vec<u8>, of: &Beacon<'_>) {
    write_element(out, SSID, &[], of.ssid);
    write_rates(out, of);
}

/// Appends the rates of what a beacon says.
pub(super) fn write_rates(out: &mut Vec<u8>, of: &Beacon<'_>) {
    let (first_rates, further_rates) = of.split_rates();
    write_element(out, SUPPORTED_RATES, &[], first_rates);
    if !further_rates.is_empty() {
        write_element(out, EXTENDED_SUPPORTED_RATES, &[], further_rates);
    }
}

fn write_element(out: &mut Vec<u8>, id: u8, fixed: &[u8], content: &[u8]) {
    out.extend_from_slice(&[id, (fixed.len() + content.len()) as u8]);
    out.extend_from_slice(fixed);
    out.extend_from_slice(content);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RATES: [u8; 4] = [
        supported_rate(Mode::DSSS_1, true),
        supported_rate(Mode::DSSS_2, true),
        supported_rate(Mode::CCK_5_5, false),
        supported_rate(Mode::CCK_11, false),
    ];

    fn beacon() -> Beacon<'static> {
        Beacon {
            timestamp: 102_400,
            interval_tu: 100,
            capability: CAPABILITY_ESS | CAPABILITY_SHORT_PREAMBLE,
            ssid: b"chamber",
            rates: &RATES,
            channel: Some(6),
            erp: None,
            extended_rates: &[],
            tim: Some(Tim {
                dtim_count: 0,
                dtim_period: 1,
                bitmap_control: 0,
                bitmap: &[0],
            }),
        }
    }

    fn written(beacon: &Beacon) -> Vec<u8> {
        let mut bytes = Vec::new();
        beacon.write(&mut bytes);
        bytes
    }

    #[test]
    fn a_beacon_octet_by_octet() {
        let expected = [
            &[0x00, 0x90, 0x01, 0, 0, 0, 0, 0][..], // 102,400 µs
            &[0x64, 0x00],                          // 100 time units
            &[0x21, 0x00],                          // ESS, short preamble
            b"\x00\x07chamber",
            &[1, 4, 0x82, 0x84, 0x0b, 0x16], // 1 and 2 basic, 5.5, 11
            &[3, 1, 6],                      // channel 6
            &[5, 4, 0, 1, 0, 0],             // nobody's frames are held
        ];
        assert_eq!(written(&beacon()), expected.concat());
    }

    #[test]
    fn an_access_point_of_802_11g_has_rates_for_two_elements() {
        let rates: Vec<u8> = phy::ERP
            .modes
            .iter()
            .map(|&mode| supported_rate(mode, false))
            .collect();
        let erp = Some(ERP_NON_ERP_PRESENT | ERP_USE_PROTECTION);
        let bytes = written(&Beacon {
            rates: &rates,
            erp,
            ..beacon()
        });
        let expected = [&[42, 1, 3, 50, 4][..], &[48, 72, 96, 108]].concat();
        assert_eq!(bytes[bytes.len() - expected.len()..], expected);
        let read = Beacon::parse(&bytes).unwrap();
        assert_eq!([read.rates, read.extended_rates].concat(), rates);
        assert_eq!(read.erp, erp);
    }

    #[test]
    fn an_element_that_ends_too_early_is_refused() {
        let bytes = written(&beacon());
        let cut = &bytes[..bytes.len() - 1];
        assert_eq!(
            Beacon::parse(cut),
            Err(DecodeError::Truncated {
                needed: 4,
                found: 3
            })
        );
    }

    #[test]
    fn unknown_elements_are_skipped() {
        let mut bytes = written(&Beacon {
            tim: None,
            ..beacon()
        });
        bytes.extend_from_slice(&[221, 3, 0x00, 0x50, 0xf2]);
        assert_eq!(
            Beacon::parse(&bytes),
            Ok(Beacon {
                tim: None,
                ..beacon()
            })
        );
    }

    proptest! {
        #[test]
        fn what_is_written_can_be_read(
            timestamp in any::<u64>(),
            interval_tu in any::<u16>(),
            ssid in prop::collection::vec(any::<u8>(), 0..=32),
            channel in any::<Option<u8>>(),
            bitmap in prop::collection::vec(any::<u8>(), 1..=251),
        ) {
            let tim = Tim { dtim_count: 2, dtim_period: 3, bitmap_control: 1, bitmap: &bitmap };
            let beacon =
                Beacon { timestamp, interval_tu, ssid: &ssid, channel, tim: Some(tim), ..beacon() };
            let bytes = written(&beacon);
            prop_assert_eq!(bytes.len(), usize::from(beacon.bytes()));
            prop_assert_eq!(Beacon::parse(&bytes), Ok(beacon));
        }

        #[test]
        fn no_bytes_make_the_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = Beacon::parse(&bytes);
        }
    }
}
