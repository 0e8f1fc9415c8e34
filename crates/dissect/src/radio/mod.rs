//! Headers of sniffers in front of an IEEE 802.11 frame, which tell what the radio knew of it.
//!
//! Five kinds are in use: radiotap, PPI, Prism, AVS and the tags of TZSP. All of them are untrusted; a field
//! that is cut off or contradicts itself is as good as none.

mod ppi;
mod prism;
mod radiotap;
mod tzsp;

use phy::{DSSS_MODES, Format, GuardInterval, Mode, OFDM_MODES, Preamble, TxVector, Width};

pub(super) use ppi::behind_ppi;
pub(super) use prism::behind_prism;
pub(super) use radiotap::{Layouts, behind_radiotap, read_radiotap};
pub(super) use tzsp::behind_tags;

/// Reception of a frame, as far as the capture says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RadioReception {
    /// The receiver's timer at this frame, in microseconds.
    pub tsft_us: Option<u64>,
    /// Its modulation.
    pub phy: Phy,
    /// Centre of the channel, or of its primary 20 MHz; 0 if unknown.
    pub frequency_mhz: u16,
    /// The signal's power at the antenna.
    pub signal_dbm: Option<i8>,
    /// The noise power at the antenna.
    pub noise_dbm: Option<i8>,
    /// The frame check sequence did not match.
    pub bad_fcs: bool,
    /// The frame's bytes end with its frame check sequence.
    pub has_fcs: bool,
    /// The frame's body begins at a multiple of four bytes in the file, not on the air.
    pub is_padded: bool,
    /// Frames with the same number in a row were aggregated in one transmission (A-MPDU).
    pub ampdu: Option<u32>,
}

impl RadioReception {
    /// The capture says nothing of it.
    pub(crate) const UNKNOWN: RadioReception = RadioReception {
        tsft_us: None,
        phy: Phy::Unknown,
        frequency_mhz: 0,
        signal_dbm: None,
        noise_dbm: None,
        bad_fcs: false,
        has_fcs: false,
        is_padded: false,
        ampdu: None,
    };
}

impl Default for RadioReception {
    fn default() -> Self {
        RadioReception::UNKNOWN
    }
}

/// Format and rate of a frame on the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phy {
    /// The capture does not say.
    #[default]
    Unknown,
    /// In a rate that no format has, in units of 500 kbit/s.
    Other {
        /// Number of them.
        half_mbps: u16,
    },
    /// So. Of OFDM before 802.11n headers do not say the band: it is taken for that at 5 GHz, and
    /// what is silent behind a frame for no part of it.
    Known(TxVector),
}

impl Phy {
    /// A rate in units of 500 kbit/s, as headers of all kinds give it; zero says nothing.
    #[inline]
    fn of_rate(half_mbps: u16, preamble: Preamble) -> Phy {
        let mode = MODES.get(usize::from(half_mbps)).copied().flatten();
        match (mode, half_mbps) {
            (Some(mode), _) => Phy::Known(TxVector::of(mode, preamble)),
            (None, 0) => Phy::Unknown,
            (None, half_mbps) => Phy::Other { half_mbps },
        }
    }
}

/// The modes of formats before 802.11n by their rate, which is asked for with each frame.
static MODES: [Option<Mode>; 256] = {
    let mut modes = [None; 256];
    let mut at = 0;
    while at < DSSS_MODES.len() + OFDM_MODES.len() {
        let mode = match at < DSSS_MODES.len() {
            true => DSSS_MODES[at],
            false => OFDM_MODES[at - DSSS_MODES.len()],
        };
        modes[mode.half_mbps() as usize] = Some(mode);
        at += 1;
    }
    modes
};

/// Returns what headers of 802.11n say, whose MCS counts the streams.
fn ht(mcs: u8, is_wide: bool, has_short_guard: bool, is_greenfield: bool) -> TxVector {
    let width = match is_wide {
        true => Width::Mhz40,
        false => Width::Mhz20,
    };
    let mixed = Mode::ht(mcs, width, guard_interval(has_short_guard));
    let mode = match is_greenfield {
        true => mixed.in_format(Format::HtGreenfield),
        false => mixed,
    };
    TxVector::of(mode, Preamble::Long)
}

/// Returns whether it is the short one, as headers of 802.11n and 802.11ac say.
fn guard_interval(is_short: bool) -> GuardInterval {
    match is_short {
        true => GuardInterval::Ns400,
        false => GuardInterval::Ns800,
    }
}

/// The two bytes at `at`, little-endian.
fn word(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?))
}

/// The four bytes at `at`, little-endian.
fn long(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// The eight bytes at `at`, little-endian.
fn quad(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// A power as one byte; zero and the extremes are what drivers write who do not know it.
fn power(byte: u8) -> Option<i8> {
    let dbm = byte as i8;
    (dbm != 0 && dbm != i8::MIN).then_some(dbm)
}

/// The centre frequency of a channel by its number: 2.4 GHz below 15 (IEEE 802.11-2020,
/// 15.4.4.3), 5 GHz above (17.3.8.4.2); 0 for what is no channel.
pub const fn frequency_of(channel: u32) -> u16 {
    match channel {
        1..=13 => 2407 + 5 * channel as u16,
        14 => 2484,
        32..=196 => 5000 + 5 * channel as u16,
        _ => 0,
    }
}
