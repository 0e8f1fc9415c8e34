//! Counts of a direction at one point.

use crate::ranges::Ranges;
use crate::transmission::PathTransmission;

/// The counters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LaneCounts {
    pub packets: u64,
    pub bytes: u64,
    /// Packets that came when what follows was there already: lost or overtaken before.
    pub fills: u64,
    /// Packets whose bytes had passed already, and had not, or had, been acknowledged.
    pub again: u64,
    pub again_needless: u64,
    /// Their payload.
    pub bytes_again: u64,
}

impl LaneCounts {
    /// Counts a packet, when these bytes were seen there before, and these acknowledged.
    pub fn add(&mut self, sent: &PathTransmission, seen: &Ranges, acknowledged: &Ranges) {
        self.packets += 1;
        self.bytes += u64::from(sent.payload);
        if sent.is_bare() || sent.is_copy {
            return;
        }
        if seen.touches(sent.start, sent.end) {
            self.bytes_again += u64::from(sent.payload);
            if acknowledged.covers(sent.start, sent.end) {
                self.again_needless += 1;
            } else {
                self.again += 1;
            }
        } else if sent.start < seen.end() {
            self.fills += 1;
        }
    }
}
