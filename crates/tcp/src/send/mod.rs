//! The sending half: the stream, the peer's window, and what new data may be sent.
//!
//! Positions are offsets from the initial sequence number: the SYN is 0, the first byte 1,
//! and the FIN follows the last byte.

use crate::recovery::Outstanding;

/// The offset of the first byte of data.
pub(crate) const FIRST_BYTE: u64 = 1;

/// What to do about data that have not been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// There is nothing to send, or an acknowledgement will bring the next occasion.
    Wait,
    /// The peer's window forbids it and nothing is outstanding: only a probe can tell more.
    AwaitWindow,
    /// Send this much payload from SND.NXT, with or without a FIN.
    Send { payload: u64, fin: bool },
}

/// What a short segment waits for (RFC 9293 §3.7.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nagle {
    Off,
    /// Until nothing is outstanding.
    On,
    /// Until no short segment is outstanding (G. Minshall, "A Proposed Modification to Nagle's
    /// Algorithm", 1999), as in Linux.
    SmallOnly,
}

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
    /// Whether the application has closed: a FIN stands at `end`.
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
    blocked: bool,
    /// Whether the application holds back what does not fill a segment, for good or until it
    /// writes again, and how far it has pushed all the same.
    corked: bool,
    more_follows: bool,
    pushed: u64,
    /// Whether the application has called the end of what it has written an end.
    is_complete: bool,
}

impl SendQueue {
    pub fn new(capacity: u64) -> SendQueue {
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
            blocked: false,
            corked: false,
            more_follows: false,
            pushed: 0,
            is_complete: true,
        }
    }

    #[inline]
    pub fn outstanding(&self) -> Outstanding {
        Outstanding {
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
        self.is_complete = true;
        accepted
    }

    pub fn set_capacity(&mut self, bytes: u64) {
        self.capacity = bytes;
    }

    pub fn cork(&mut self, on: bool) {
        self.corked = on;
    }

    /// More will be written soon.
    pub fn expect_more(&mut self) {
        self.more_follows = true;
        self.is_complete = false;
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

    /// Whether the application has not called more to follow.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether a segment that ends at `offset` ends what the application wanted sent: PSH
    /// (RFC 9293 §3.9.1).
    #[inline]
    pub fn ends_at(&self, offset: u64) -> bool {
        offset == self.end && self.is_complete
    }

    /// Whether the rest waits for the application.
    pub fn is_held(&self) -> bool {
        (self.corked || self.more_follows) && self.end > self.pushed
    }

    /// Whether a writer that was cut short should hear of room: once a third of the buffer
    /// is free, so that it writes in pieces worth its while.
    #[inline]
    pub fn take_unblocked(&mut self) -> bool {
        let unblocked = self.blocked && 3 * self.room() >= self.capacity;
        self.blocked &= !unblocked;
        unblocked
    }

    /// Whether the application has written anything at all.
    pub fn has_data(&self) -> bool {
        self.end > FIRST_BYTE
    }

    /// Whether everything there is has been sent.
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

    /// Whether an acknowledgement is older than anything the peer could still be sending: by
    /// more than its largest window (RFC 5961 §5.2).
    #[cold]
    pub fn is_ancient(&self, ack: u64) -> bool {
        ack + self.max_window.min(self.una - FIRST_BYTE) < self.una
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

    /// Decides about new data (SND.NXT having reached the highest offset sent), where the
    /// congestion window leaves `budget` bytes: Nagle's algorithm (RFC 9293 §3.7.4) and the
    /// sender's side of silly window avoidance (§3.8.6.2.1).
    #[inline]
    pub fn choose(&self, budget: u64, mss: u64, nagle: Nagle) -> Choice {
        let queued = self.end.saturating_sub(self.nxt);
        if queued == 0 {
            return self.choose_fin();
        }
        let window = self.edge.saturating_sub(self.nxt);
        let payload = queued.min(mss).min(window);
        let fin = self.closing && payload == queued;
        let is_idle = self.una == self.nxt;
        let is_worth_it = payload == mss
            || payload == queued
                && (fin || !self.is_held() && (is_idle || self.may_send_short(nagle)))
            || payload > 0 && payload == window && 2 * payload >= self.max_window;
        if is_worth_it {
            if payload <= budget {
                Choice::Send { payload, fin }
            } else {
                Choice::Wait
            }
        } else if is_idle && (payload == window || self.is_held()) {
            Choice::AwaitWindow
        } else {
            Choice::Wait
        }
    }

    /// Whether a short segment may follow others that are outstanding.
    #[inline(never)]
    pub fn may_send_short(&self, nagle: Nagle) -> bool {
        match nagle {
            Nagle::Off => true,
            Nagle::On => false,
            Nagle::SmallOnly => self.short_end <= self.una,
        }
    }

    fn choose_fin(&self) -> Choice {
        if self.closing && self.nxt == self.end {
            Choice::Send {
                payload: 0,
                fin: true,
            }
        } else {
            Choice::Wait
        }
    }

    /// What a persist timer forces out: what the window takes, and one byte if it is closed.
    pub fn forced(&self, mss: u64) -> u64 {
        let queued = self.end.saturating_sub(self.nxt);
        let window = self.edge.saturating_sub(self.nxt).max(1);
        queued.min(window).min(mss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    /// A connection of which everything sent is acknowledged, with `window` bytes open.
    fn queue(written: u64, window: u64) -> SendQueue {
        let mut queue = SendQueue::new(100_000);
        (queue.nxt, queue.max) = (1, 1);
        queue.acknowledge(1);
        queue.update_window(1, 1, window);
        queue.write(written);
        queue
    }

    fn send(queue: &mut SendQueue, payload: u64) {
        queue.nxt += payload;
        queue.max = queue.nxt;
    }

    #[test]
    fn nagle_holds_a_short_segment_back_while_something_is_outstanding() {
        let mut queue = queue(1500, 50_000);
        assert_eq!(
            queue.choose(9000, MSS, Nagle::On),
            Choice::Send {
                payload: MSS,
                fin: false
            }
        );
        send(&mut queue, MSS);
        assert_eq!(queue.choose(9000, MSS, Nagle::On), Choice::Wait);
        assert_eq!(
            queue.choose(9000, MSS, Nagle::Off),
            Choice::Send {
                payload: 500,
                fin: false
            }
        );
        queue.acknowledge(1001);
        assert_eq!(
            queue.choose(9000, MSS, Nagle::On),
            Choice::Send {
                payload: 500,
                fin: false
            }
        );
    }

    /// Minshall: a short segment after full ones does not wait, a second short one does.
    #[test]
    fn the_modified_algorithm_waits_for_short_segments_only() {
        let mut queue = queue(1500, 50_000);
        send(&mut queue, MSS);
        let rest = Choice::Send {
            payload: 500,
            fin: false,
        };
        assert_eq!(queue.choose(9000, MSS, Nagle::SmallOnly), rest);
        send(&mut queue, 500);
        queue.short_end = queue.nxt;
        queue.write(300);
        assert_eq!(queue.choose(9000, MSS, Nagle::SmallOnly), Choice::Wait);
    }

    #[test]
    fn a_cork_holds_back_what_does_not_fill_a_segment() {
        let mut queue = queue(1500, 50_000);
        queue.cork(true);
        send(&mut queue, MSS);
        assert_eq!(queue.choose(9000, MSS, Nagle::Off), Choice::Wait);
        queue.acknowledge(1001);
        // With nothing outstanding no acknowledgement will let it go, but the persist timer.
        assert_eq!(queue.choose(9000, MSS, Nagle::Off), Choice::AwaitWindow);
        let rest = Choice::Send {
            payload: 500,
            fin: false,
        };
        queue.push();
        assert_eq!(queue.choose(9000, MSS, Nagle::Off), rest);
        queue.write(0);
        queue.cork(false);
        queue.expect_more();
        queue.push();
        queue.write(100);
        queue.expect_more();
        assert_eq!(queue.choose(9000, MSS, Nagle::Off), Choice::AwaitWindow);
        queue.stop_expecting();
        assert!(matches!(
            queue.choose(9000, MSS, Nagle::Off),
            Choice::Send { payload: 600, .. }
        ));
    }

    #[test]
    fn the_last_segment_takes_the_fin_along() {
        let mut queue = queue(1500, 50_000);
        queue.closing = true;
        send(&mut queue, MSS);
        assert_eq!(
            queue.choose(9000, MSS, Nagle::On),
            Choice::Send {
                payload: 500,
                fin: true
            }
        );
    }

    #[test]
    fn a_small_window_is_not_filled_with_small_segments() {
        let mut queue = queue(5000, 4000);
        send(&mut queue, 3000);
        queue.update_window(1, 1, 3300);
        assert_eq!(
            queue.choose(9000, MSS, Nagle::Off),
            Choice::Wait,
            "a third of a segment is silly"
        );
        queue.acknowledge(3001);
        queue.update_window(1, 3001, 300);
        assert_eq!(queue.choose(9000, MSS, Nagle::Off), Choice::AwaitWindow);
        assert_eq!(queue.forced(MSS), 300);
    }

    #[test]
    fn half_of_the_largest_window_is_worth_a_segment() {
        let queue = queue(5000, 600);
        assert_eq!(
            queue.choose(9000, MSS, Nagle::On),
            Choice::Send {
                payload: 600,
                fin: false
            }
        );
    }

    #[test]
    fn a_closed_window_asks_for_a_probe() {
        let queue = queue(5000, 0);
        assert_eq!(queue.choose(9000, MSS, Nagle::On), Choice::AwaitWindow);
        assert_eq!(queue.forced(MSS), 1);
    }

    #[test]
    fn an_older_segment_does_not_set_the_window() {
        let mut queue = queue(0, 5000);
        queue.update_window(10, 1, 4000);
        assert!(!queue.update_window(9, 1, 9000));
        assert_eq!(queue.edge, 4001);
    }

    #[test]
    fn a_writer_is_cut_at_the_buffer_and_hears_of_room_later() {
        let mut queue = queue(0, 5000);
        assert_eq!(queue.write(150_000), 100_000);
        send(&mut queue, 40_000);
        queue.acknowledge(30_001);
        assert!(!queue.take_unblocked());
        queue.acknowledge(34_001);
        assert!(queue.take_unblocked());
        assert!(!queue.take_unblocked());
        assert_eq!(queue.room(), 34_000);
    }
}
