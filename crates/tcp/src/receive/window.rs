//! The window that a receiver tells of, and when it tells of it unasked.

use super::Receiver;

/// When the right edge of the window moves, where the buffer does not count memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowRule {
    /// By a full segment or half the buffer at least, and unasked once the window can double.
    Doubling,
    /// With every segment that leaves, unless there is less room than a segment and a quarter of
    /// the buffer, and unasked for so many segments or half of the buffer (BSD's tcp_output.c).
    Bsd { segments: u32 },
}

impl Receiver {
    /// What the window would be if it were advertised now.
    #[inline]
    fn offer(&self) -> u64 {
        self.capacity.saturating_sub(self.readable())
    }

    /// The window to put into a segment, if the buffer does not count memory; the peer's full one
    /// is `segment`. The right edge stays until it is worth moving: the receiver's side of silly
    /// window avoidance (RFC 9293 §3.8.6.2.2).
    #[inline]
    pub fn advertise(&mut self, segment: u64) -> u64 {
        let room = self.offer();
        let edge = self.nxt + room;
        let moves = match self.rule {
            WindowRule::Doubling => edge >= self.edge + segment.min(self.capacity / 2),
            WindowRule::Bsd { .. } => {
                edge > self.edge && (room >= segment || room >= self.capacity / 4)
            }
        };
        if moves {
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

    /// Whether reading has opened the window enough to tell the peer of it unasked: it could
    /// be advertised larger, and the peer has at most half of that to go on with, or what BSD asks
    /// for. (The second condition is ours, inferred from stacks in use: without it every read would
    /// cost an acknowledgement, and delaying them would be in vain.)
    #[inline]
    pub fn is_update_due(&mut self, segment: u64) -> bool {
        if self.linux.is_some() {
            return self.is_memory_update_due(segment);
        }
        let (offer, window) = (self.offer(), self.window());
        match self.rule {
            WindowRule::Doubling => {
                offer >= window + segment.min(self.capacity / 2) && offer >= 2 * window
            }
            WindowRule::Bsd { segments } => {
                let enough = (u64::from(segments) * segment).min(self.capacity.div_ceil(2));
                offer > 0 && offer >= window + enough
            }
        }
    }

    /// Whether the window now is no smaller than when it was told.
    #[inline]
    pub fn is_opening(&mut self, segment: u64) -> bool {
        let announced = self.announced();
        match &mut self.linux {
            Some(linux) => linux.select_window(announced, segment) >= announced,
            None => self.offer() >= announced,
        }
    }
}
