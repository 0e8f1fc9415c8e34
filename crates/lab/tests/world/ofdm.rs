//! MACs of OFDM for tests.

use crate::common::mac;
use dot11::{MacConfig, Mode, Standard};

/// A MAC of 802.11g without stations of 802.11b, or of 802.11a, at a fixed rate.
pub fn ofdm_mac(standard: Standard, mode: Mode, basic: Mode) -> MacConfig {
    MacConfig {
        standard,
        short_slot: standard == Standard::Dot11g,
        cw_min: 15,
        ..mac(mode, basic)
    }
}
