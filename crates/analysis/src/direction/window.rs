//! The window that a receiver tells, and what of it a sender has used.

use super::{DirectionState, LARGEST_WINDOW};
use dissect::{ControlBits, TcpSegment};

impl DirectionState {
    /// The sequence number up to which the receiver's window allows to send.
    #[inline]
    pub(super) const fn edge(&self) -> u64 {
        self.acked + self.room as u64
    }

    /// A byte for a window without room is a probe (RFC 9293 §3.8.6.1).
    #[inline]
    pub(super) const fn is_beyond_window(&self, start: u64, payload: u32) -> bool {
        payload == 1 && self.is_outside_window(start)
    }

    /// Returns whether the window that the receiver told last ends at a number, or before.
    #[inline]
    pub(super) const fn is_outside_window(&self, start: u64) -> bool {
        start >= self.edge() && self.was_closed
    }

    /// This end advertises a window; answers its bytes, and whether the field is as before.
    #[inline]
    pub fn advertise(&mut self, segment: &TcpSegment) -> (u64, bool) {
        let is_same = segment.window == self.window;
        self.window = segment.window;
        if segment.flags.has(ControlBits::SYN) {
            return (segment.window.into(), is_same);
        }
        self.on_window(segment.window);
        let bytes = self.scaled(segment.window).unwrap_or(LARGEST_WINDOW);
        (bytes, is_same)
    }

    /// The bytes of a window of this end; none if no SYN told its scale, which nothing need not
    /// have.
    #[inline]
    pub(super) const fn scaled(&self, window: u16) -> Option<u64> {
        if self.knows_scale || window == 0 {
            Some((window as u64) << self.shift)
        } else {
            None
        }
    }

    #[inline]
    pub(super) fn take_window(&mut self, ack: u64, window: u64) {
        if ack < self.acked {
            return;
        }
        self.room = window as u32;
        let room = self.edge().saturating_sub(self.next);
        if room < u64::from(self.segment_max) {
            self.was_closed = true;
            self.signs.on_closing();
        }
    }
}
