//! The window that a receiver tells of, and when it tells of it unasked.

use super::Receiver;

impl Receiver {
    /// Returns what the window would be if it were advertised now.
    #[inline]
    fn offer(&self) -> u64 {
        self.capacity.saturating_sub(self.readable())
    }

    /// The window to put into a segment, if the buffer does not count memory; the peer's full one
    /// is `segment`. The right edge stays until it can move by a full segment or half the buffer:
    /// the receiver's side of silly window avoidance (RFC 9293 §3.8.6.2.2).
    #[inline]
    pub fn advertise(&mut self, segment: u64) -> u64 {
        let edge = self.nxt + self.offer();
        if edge >= self.edge + segment.min(self.capacity / 2) {
            self.edge = edge;
        }
        self.told = self.nxt;
        self.window()
    }

    /// The window as it was told last.
    #[inline]
    pub fn announced(&self) -> u64 {
        self.edge.saturating_sub(self.told)
    }

    /// The window as last advertised, less what has arrived since.
    #[inline]
    pub fn window(&self) -> u64 {
        self.edge.saturating_sub(self.nxt)
    }

    /// Returns whether reading has opened the window enough to tell the peer of it unasked: it
    /// could be advertised larger, and the peer has at most half of that to go on with. (The second
    /// condition is ours, inferred from stacks in use: without it every read would cost an
    /// acknowledgement, and delaying them would be in vain.)
    #[inline]
    pub fn is_update_due(&mut self, segment: u64) -> bool {
        if self.linux.is_some() {
            return self.is_memory_update_due(segment);
        }
        let (offer, window) = (self.offer(), self.window());
        offer >= window + segment.min(self.capacity / 2) && offer >= 2 * window
    }

    /// Returns whether the window now is no smaller than when it was told.
    #[inline]
    pub fn is_opening(&mut self, segment: u64) -> bool {
        let announced = self.announced();
        match &mut self.linux {
            Some(linux) => linux.select_window(announced, segment) >= announced,
            None => self.offer() >= announced,
        }
    }
}
