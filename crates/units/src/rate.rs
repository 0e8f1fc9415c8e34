//! Bit rates.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::Duration;

/// A bit rate in bit/s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rate(u64);

impl Rate {
    /// A rate of `bps` bit/s.
    pub const fn from_bps(bps: u64) -> Self {
        Rate(bps)
    }

    /// A rate of `mbps` Mbit/s (10⁶ bit/s), to the nearest bit/s.
    pub const fn from_mbps(mbps: f64) -> Self {
        Rate((mbps * 1e6 + 0.5) as u64)
    }

    /// Bit/s.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Mbit/s.
    pub fn as_mbps(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns how long `bytes` bytes take, rounded up to the nanosecond.
    pub const fn duration_of(self, bytes: u64) -> Duration {
        Duration::from_nanos((bytes * 8 * 1_000_000_000).div_ceil(self.0))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Mbit/s", self.as_mbps())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_ethernet_frame_takes_123_04_us_at_100_mbps() {
        let frame = 1538; // 1500 + header 14 + FCS 4 + preamble 8 + gap 12
        assert_eq!(
            Rate::from_mbps(100.0).duration_of(frame).as_nanos(),
            123_040
        );
    }
}
