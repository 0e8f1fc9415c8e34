//! The sending half: the stream, and the peer's window.
//!
//! Positions are offsets from the initial sequence number: the SYN is 0, the first byte 1,
//! and the FIN follows the last byte.

mod choice;

pub use choice::Nagle;
pub(crate) use choice::SendChoice;

/// The sender's three pointers: SND.UNA, SND.NXT and the highest offset ever sent, which
/// lies beyond SND.NXT while a timeout's go-back is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SendPointers {
    pub una: u64,
    pub nxt: u64,
    pub max: u64,
}

/// Boundary at the last byte written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Boundary {
    /// Nothing: the application has called more to follow, or it stands in the middle.
    #[default]
    Open,
    /// End of data to be pushed to the peer.
    Push,
    /// A record (MSG_EOR): no segment carries it and what follows.
    Record,
}

/// The offset of the first byte of data.
pub(crate) const FIRST_BYTE: u64 = 1;

#[derive(Clone, Debug)]
pub(crate) struct SendQueue {
    /// SND.UNA: the oldest offset not acknowledged.
    pub una: u64,
    /// SND.NXT: the offset to send next.
    pub nxt: u64,
    /// The offset after the highest ever sent.
    pub max: u64,
    /// The offset after the last byte the application has written.
    pub end: u64,
    /// True if the application has closed: a FIN stands at `end`.
    pub closing: bool,
    /// The right edge of the peer's window.
    pub edge: u64,
    /// SND.WL1 and SND.WL2, the segment that set the window.
    window_seq: u64,
    window_ack: u64,
    /// The end of the last short segment sent.
    pub short_end: u64,
    /// Max(SND.WND) of RFC 9293 §3.8.6.2.1.
    max_window: u64,
    capacity: u64,
    low_water: LowWater,
    /// The room that a writer who was cut short waits for.
    writable_room: u64,
    blocked: bool,
    /// True if the application holds back what does not fill a segment, for good or until it
    /// writes again, and how far it has pushed all the same.
    corked: bool,
    more_follows: bool,
    pushed: u64,
    /// Boundary that the application has set at the end of what it has written.
    boundary: Boundary,
}

/// The room that a writer is woken for, so that it writes in pieces worth its while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LowWater {
    /// A third of the buffer.
    Third,
    /// So many bytes, or the whole buffer if that is smaller.
    Bytes(u64),
}

impl LowWater {
    fn of(self, capacity: u64) -> u64 {
        match self {
            LowWater::Third => capacity.div_ceil(3),
            LowWater::Bytes(bytes) => bytes.min(capacity),
        }
    }
}

impl SendQueue {
    pub fn new(capacity: u64, low_water: LowWater) -> SendQueue {
        SendQueue {
            una: 0,
            nxt: 0,
            max: 0,
            end: FIRST_BYTE,
            closing: false,
            edge: 0,
            window_seq: 0,
            window_ack: 0,
            short_end: 0,
            max_window: 0,
            capacity,
            low_water,
            writable_room: low_water.of(capacity),
            blocked: false,
            corked: false,
            more_follows: false,
            pushed: 0,
            boundary: Boundary::Push,
        }
    }

    #[inline]
    pub fn outstanding(&self) -> SendPointers {
        SendPointers {
            una: self.una,
            nxt: self.nxt,
            max: self.max,
        }
    }

    /// Bytes sent and not acknowledged, FlightSize of RFC 5681.
    #[inline]
    pub fn flight(&self) -> u64 {
        self.max - self.una
    }

    /// Returns whether the peer's window takes nothing, not even of what is outstanding.
    #[inline]
    pub fn is_shut(&self) -> bool {
        self.edge <= self.una
    }

    /// Free room in the send buffer.
    #[inline]
    pub fn room(&self) -> u64 {
        self.capacity.saturating_sub(self.buffered())
    }

    /// Bytes written and not acknowledged.
    #[inline]
    pub fn buffered(&self) -> u64 {
        self.end - self.una.clamp(FIRST_BYTE, self.end)
    }

    /// Bytes written and never sent.
    pub fn unsent(&self) -> u64 {
        self.end.saturating_sub(self.max.max(FIRST_BYTE))
    }

    /// Takes as much of `bytes` as there is room for.
    pub fn write(&mut self, bytes: u64) -> u64 {
        let accepted = bytes.min(self.room());
        self.end += accepted;
        self.blocked = accepted < bytes;
        self.more_follows = false;
        self.boundary = Boundary::Push;
        accepted
    }

    /// Takes all of `bytes`, of which [`cut`](Self::cut) may refuse the end.
    pub fn offer(&mut self, bytes: u64) {
        self.end += bytes;
        self.more_follows = false;
        self.boundary = Boundary::Push;
    }

    /// Cuts what was written at `end`, where no record ends.
    pub fn cut(&mut self, end: u64) {
        self.end = end;
        self.boundary = self.boundary.min(Boundary::Push);
    }

    /// Returns whether a writer was cut short and has not heard of room since.
    pub fn is_blocked(&self) -> bool {
        self.blocked
    }

    pub fn note_blocked(&mut self, blocked: bool) {
        self.blocked = blocked;
    }

    pub fn set_capacity(&mut self, bytes: u64) {
        self.capacity = bytes;
        self.writable_room = self.low_water.of(bytes);
    }

    /// The buffer counts memory, of which a segment of `payload` bytes takes so many more: another
    /// is begun as long as there is any, and a writer is woken once what is free is half of what is
    /// taken (Linux 2.4: tcp_memory_free, tcp_min_write_space).
    pub fn count_memory(&mut self, memory: u64, payload: u64, beside: u64) {
        let each = payload + beside;
        let most = memory.div_ceil(each).max(1);
        let left = (memory * 2 / 3 / each).min(most - 1);
        self.capacity = most * payload;
        self.writable_room = (most - left) * payload;
    }

    pub fn cork(&mut self, on: bool) {
        self.corked = on;
    }

    /// More will be written soon.
    pub fn expect_more(&mut self) {
        self.more_follows = true;
        self.boundary = Boundary::Open;
    }

    /// Ends a record with what has been written.
    pub fn end_record(&mut self) {
        self.boundary = Boundary::Record;
    }

    /// The network has moved on: no more waiting for what may follow.
    #[inline]
    pub fn stop_expecting(&mut self) {
        self.more_follows = false;
    }

    /// Lets go what has been written so far.
    pub fn push(&mut self) {
        self.pushed = self.end;
    }

    /// Returns what the last byte written is the end of.
    #[inline]
    pub fn boundary(&self) -> Boundary {
        self.boundary
    }

    /// Returns whether a segment that ends at `offset` ends what the application wanted sent: PSH
    /// (RFC 9293 §3.9.1).
    #[inline]
    pub fn ends_at(&self, offset: u64) -> bool {
        offset == self.end && self.boundary != Boundary::Open
    }

    /// Returns whether the rest waits for the application.
    pub fn is_held(&self) -> bool {
        (self.corked || self.more_follows) && self.end > self.pushed
    }

    /// Returns whether a writer that was cut short should hear of room.
    #[inline]
    pub fn take_unblocked(&mut self) -> bool {
        let unblocked = self.blocked && self.is_writable();
        self.blocked &= !unblocked;
        unblocked
    }

    /// Returns whether there is room worth a writer's while.
    #[inline]
    pub fn is_writable(&self) -> bool {
        self.room() >= self.writable_room
    }

    /// Returns whether the application has written anything at all.
    pub fn has_data(&self) -> bool {
        self.end > FIRST_BYTE
    }

    /// Returns whether everything there is has been sent.
    #[inline]
    pub fn is_drained(&self) -> bool {
        self.nxt == self.end + u64::from(self.closing)
    }

    /// Moves SND.UNA; returns how many bytes of data that acknowledges.
    #[inline]
    pub fn acknowledge(&mut self, ack: u64) -> u64 {
        let data = ack.min(self.end) - self.una.max(FIRST_BYTE).min(ack.min(self.end));
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        data
    }

    /// Returns whether an acknowledgement is older than anything the peer could still be sending:
    /// by more than its largest window (RFC 5961 §5.2).
    #[cold]
    pub fn is_ancient(&self, ack: u64) -> bool {
        ack + self.max_window.min(self.una.saturating_sub(FIRST_BYTE)) < self.una
    }

    pub fn is_fin_acknowledged(&self) -> bool {
        self.closing && self.una > self.end
    }

    /// RFC 9293 §3.10.7.4: takes the window of a segment unless it is older than the last
    /// that set it. Returns whether the right edge moved.
    #[inline]
    pub fn update_window(&mut self, seq: u64, ack: u64, window: u64) -> bool {
        let is_newer = (self.window_seq, self.window_ack) <= (seq, ack);
        if !is_newer {
            return false;
        }
        (self.window_seq, self.window_ack) = (seq, ack);
        self.max_window = self.max_window.max(window);
        let before = core::mem::replace(&mut self.edge, ack + window);
        self.edge != before
    }

    /// The same as Linux does it (`tcp_may_update_window`): with new data acknowledged, by a
    /// newer segment, or when the window grows or closes; what an old segment says of a
    /// smaller one is not believed.
    pub fn update_window_as_linux(&mut self, seq: u64, ack: u64, window: u64) -> bool {
        let known = self.edge.saturating_sub(self.una);
        let is_taken = ack > self.una
            || seq > self.window_seq
            || (seq == self.window_seq && (window > known || window == 0));
        if is_taken {
            (self.window_seq, self.window_ack) = (seq, ack);
            self.max_window = self.max_window.max(window);
            self.edge = ack + window;
        }
        is_taken
    }

    /// The largest window the peer has shown.
    pub fn max_window(&self) -> u64 {
        self.max_window
    }

    /// `payload` bytes and perhaps a FIN are sent for the first time.
    #[inline]
    pub fn advance(&mut self, payload: u64, fin: bool, mss: u64) {
        self.nxt += payload + u64::from(fin);
        self.max = self.max.max(self.nxt);
        if payload < mss {
            self.short_end = self.nxt;
        }
    }
}

#[cfg(test)]
mod tests;
