//! Size of a direction's segments on the wire.
//!
//! A capture at a host has segments that its card is still to cut, or has put together already.
//! What is lost between two captures are the wire's.

use super::transmission::PathTransmission;
use dissect::{ETHERNET_MSS, JUMBO_MSS};

/// The timestamps option with its padding (RFC 7323 appendix A). An MSS counts a segment without
/// options, so they take from its payload (RFC 9293 §3.7.1).
const TIMESTAMPS_BYTES: u32 = 12;

/// The segment that every host takes (RFC 9293 §3.7.1).
const DEFAULT_MSS: u32 = 536;

/// Knowledge of the size of a direction's segments.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SegmentSize {
    /// Segment size that the receiver's SYN takes, by each capture: the path may lower it.
    announced: [Option<u16>; 2],
    /// Bytes that the options of a segment with payload take from it.
    options: u32,
    /// The smallest piece that the wire had of a large segment, but for the last, which may be
    /// shorter: less than announced where a link of the path takes less.
    cut: Option<u32>,
    /// The largest payload of either capture.
    largest: u32,
}

impl SegmentSize {
    /// The receiver's SYN, as capture `side` has it.
    pub fn announce(&mut self, side: usize, mss: Option<u16>) {
        self.announced[side] = mss;
    }

    /// A segment, as either capture has it.
    #[inline]
    pub fn note(&mut self, sent: &PathTransmission) {
        if sent.payload == 0 {
            return;
        }
        self.largest = self.largest.max(sent.payload);
        if sent.has_lost_timestamps {
            // The other capture may have it.
            return;
        }
        self.options = if sent.timestamps.is_some() {
            TIMESTAMPS_BYTES
        } else {
            0
        };
    }

    /// Of what passed the first point as `before`, the second has `after`.
    #[inline]
    pub fn compare(&mut self, before: &PathTransmission, after: &PathTransmission) {
        if after.payload > 0 && after.payload < before.payload && after.end < before.end {
            let cut = self.cut.unwrap_or(u32::MAX);
            self.cut = Some(cut.min(after.payload));
        }
    }

    /// Takes over what is known of capture `side`, which had the direction under another name.
    pub fn join(&mut self, side: usize, other: &SegmentSize) {
        self.announced[side] = other.announced[side];
        self.options = self.options.max(other.options);
        self.largest = self.largest.max(other.largest);
    }

    /// A new connection between the same ends has sizes of its own; its SYN was heard already.
    pub fn restart(&mut self) {
        (self.cut, self.largest) = (None, 0);
    }

    /// The payload of a full segment on the wire.
    pub fn on_wire(&self) -> u32 {
        let most = self.agreed().unwrap_or({
            if self.largest > JUMBO_MSS.into() {
                ETHERNET_MSS.into()
            } else {
                self.largest
            }
        });
        most.min(self.cut.unwrap_or(u32::MAX)).max(1)
    }

    /// The same if only what is certain counts: no full segment is smaller, as far as is known.
    pub fn least(&self) -> u32 {
        let least = self.agreed().unwrap_or(DEFAULT_MSS);
        least.min(self.cut.unwrap_or(u32::MAX)).max(1)
    }

    /// Returns how many segments on the wire a payload is.
    pub fn segments(&self, payload: u64) -> u32 {
        payload.div_ceil(self.on_wire().into()).max(1) as u32
    }

    fn agreed(&self) -> Option<u32> {
        let announced = self.announced.iter().flatten().min()?;
        Some(u32::from(*announced).saturating_sub(self.options))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dissect::{HeaderOptions, TcpSegment};

    fn data(seq: u32, payload: u32, has_timestamps: bool) -> PathTransmission {
        let mut options = HeaderOptions::default();
        options.timestamps = has_timestamps.then_some((1, 1));
        let segment = TcpSegment {
            seq,
            payload,
            options,
            ..TcpSegment::default()
        };
        PathTransmission::new(&segment, None, 0, seq.into())
    }

    #[test]
    fn a_full_segment_has_what_the_receiver_takes_less_the_timestamps() {
        let mut size = SegmentSize::default();
        size.announce(0, Some(1460));
        size.note(&data(0, 28_960, false));
        assert_eq!((size.on_wire(), size.least()), (1460, 1460));
        size.note(&data(28_960, 28_960, true));
        assert_eq!((size.on_wire(), size.least()), (1448, 1448));
        assert_eq!(
            [1, 1448, 1449, 28_960].map(|n| size.segments(n)),
            [1, 1, 2, 20]
        );
    }

    #[test]
    fn a_path_that_takes_less_shows_it_in_the_pieces() {
        let mut size = SegmentSize::default();
        size.announce(0, Some(1460));
        // Announced less on the way.
        size.announce(1, Some(1400));
        assert_eq!(size.on_wire(), 1400);
        let whole = data(0, 3100, false);
        size.note(&whole);
        // The last piece may be short.
        size.compare(&whole, &data(3000, 100, false));
        assert_eq!(size.on_wire(), 1400);
        size.compare(&whole, &data(0, 1000, false));
        assert_eq!(size.on_wire(), 1000);
        size.restart();
        assert_eq!(size.on_wire(), 1400);
    }

    #[test]
    fn without_the_handshake_what_is_larger_than_a_jumbo_frame_will_be_cut() {
        let mut size = SegmentSize::default();
        size.note(&data(0, 8948, true));
        assert_eq!((size.on_wire(), size.least()), (8948, 536));
        size.note(&data(8948, 14_480, true));
        assert_eq!((size.on_wire(), size.least()), (1460, 536));
    }
}
