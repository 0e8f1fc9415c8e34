//! The window that a connection starts with.

use serde::{Deserialize, Serialize};

use crate::choices::Named;

/// The window a connection starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InitialWindow {
    /// RFC 5681 §3.1: four, three or two segments by their size.
    Rfc5681,
    /// RFC 6928 §2: ten segments, at most 14,600 bytes or two segments.
    Rfc6928,
    /// So many segments.
    Segments(u32),
}

impl Named for InitialWindow {
    const NAMES: &'static [&'static str] = &["rfc5681", "rfc6928"];
}

impl InitialWindow {
    /// The window in bytes for segments of `mss` bytes.
    pub fn bytes(self, mss: u32) -> u64 {
        let mss = u64::from(mss);
        match self {
            InitialWindow::Rfc5681 if mss > 2190 => 2 * mss,
            InitialWindow::Rfc5681 if mss > 1095 => 3 * mss,
            InitialWindow::Rfc5681 => 4 * mss,
            InitialWindow::Rfc6928 => (10 * mss).min((2 * mss).max(14_600)),
            InitialWindow::Segments(segments) => u64::from(segments.max(1)) * mss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_initial_window_of_rfc_5681_depends_on_the_segment_size() {
        let segments = |mss| InitialWindow::Rfc5681.bytes(mss) / u64::from(mss);
        assert_eq!(
            [536, 1095, 1096, 1460, 2190, 2191].map(segments),
            [4, 4, 3, 3, 3, 2]
        );
    }

    #[test]
    fn the_initial_window_of_rfc_6928_is_ten_segments_up_to_14600_bytes() {
        let bytes = |mss| InitialWindow::Rfc6928.bytes(mss);
        assert_eq!(
            [536, 1460, 4380, 9000].map(bytes),
            [5360, 14_600, 14_600, 18_000]
        );
    }
}
