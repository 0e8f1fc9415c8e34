//! The receiving half: reassembly, the advertised window, and SACK generation.

use crate::ranges::{Range, RangeSet};

/// What became of a segment's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// There was none.
    Empty,
    /// It extended the stream; with `filled_gap` there were data waiting beyond it.
    InOrder { filled_gap: bool },
    /// It lies beyond a gap.
    OutOfOrder,
    /// All of it was there before.
    Duplicate,
    /// None of it fits the window.
    OutsideWindow,
}

#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    /// RCV.NXT: the offset expected next. The peer's SYN is 0.
    pub nxt: u64,
    /// The offset the application reads next.
    read: u64,
    /// The highest right edge ever advertised; it never moves left.
    edge: u64,
    capacity: u64,
    /// The peer's FIN, once seen.
    fin: Option<u64>,
    waiting: RangeSet,
    recent: RecentBlocks,
    /// Whether duplicates are reported, and the one to report (RFC 2883).
    reports_duplicates: bool,
    duplicate: Option<Range>,
}

impl Receiver {
    pub fn new(capacity: u64, reports_duplicates: bool) -> Receiver {
        Receiver {
            nxt: 0,
            read: 1,
            edge: 0,
            capacity,
            fin: None,
            waiting: RangeSet::default(),
            recent: RecentBlocks::default(),
            reports_duplicates,
            duplicate: None,
        }
    }

    /// The peer's SYN has been received.
    pub fn synchronize(&mut self) {
        self.nxt = 1;
        self.edge = 1 + self.capacity;
    }

    /// Bytes in order that the application has not read.
    #[inline]
    pub fn readable(&self) -> u64 {
        let end = if self.is_finished() {
            self.nxt - 1
        } else {
            self.nxt
        };
        end.saturating_sub(self.read)
    }

    /// Whether the peer's FIN has been reached.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.fin.is_some_and(|fin| fin < self.nxt)
    }

    #[inline]
    pub fn has_gap(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether there is anything to report by SACK.
    #[inline]
    pub fn has_blocks(&self) -> bool {
        self.has_gap() || self.duplicate.is_some()
    }

    /// How many ranges there are to report, the duplicate included.
    pub fn block_count(&self) -> u64 {
        self.recent.as_slice().len() as u64 + u64::from(self.duplicate.is_some())
    }

    /// The duplicate to report first, once (RFC 2883 §4).
    #[inline]
    pub fn take_duplicate(&mut self) -> Option<Range> {
        self.duplicate.take()
    }

    /// Notes that `start..end` arrived and what of it was there before.
    pub fn note_duplicate(&mut self, start: u64, end: u64) {
        if !self.reports_duplicates || start >= end {
            return;
        }
        // Below RCV.NXT first; otherwise the first stretch that is waiting already.
        let (from, to) = if start < self.nxt {
            (start, end.min(self.nxt))
        } else {
            let from = self.waiting.first_within(start, end);
            (from, self.waiting.end_of_range_at(from).min(end))
        };
        if from < to {
            self.duplicate = Some(Range::new(from, to));
        }
    }

    /// RFC 9293 §3.4, the receive window's test; `length` is in sequence space.
    #[inline]
    pub fn is_acceptable(&self, start: u64, length: u64) -> bool {
        if length == 0 {
            start == self.nxt || (self.nxt < start && start < self.edge)
        } else {
            start < self.edge && start + length > self.nxt
        }
    }

    /// Takes the payload `start..start + length`, trimmed to the window.
    #[inline]
    pub fn accept(&mut self, start: u64, length: u64) -> Arrival {
        if length == 0 {
            return Arrival::Empty;
        }
        let end = (start + length).min(self.edge);
        if start == self.nxt && end > start && self.waiting.is_empty() {
            self.nxt = end;
            return Arrival::InOrder { filled_gap: false };
        }
        self.accept_unexpected(start, end)
    }

    fn accept_unexpected(&mut self, start: u64, end: u64) -> Arrival {
        self.note_duplicate(start, end);
        if end <= self.nxt {
            return if start < self.nxt {
                Arrival::Duplicate
            } else {
                Arrival::OutsideWindow
            };
        }
        if start >= end {
            return Arrival::OutsideWindow;
        }
        if start > self.nxt {
            let inserted = self.waiting.insert(Range::new(start, end));
            self.recent.touch(inserted.merged);
            return if inserted.added == 0 {
                Arrival::Duplicate
            } else {
                Arrival::OutOfOrder
            };
        }
        let filled_gap = self.has_gap();
        self.nxt = self.waiting.end_of_range_at(end).max(end);
        self.waiting.discard_below(self.nxt);
        self.recent.discard_below(self.nxt);
        Arrival::InOrder { filled_gap }
    }

    /// Notes the peer's FIN at `offset`. It counts once everything before it has arrived.
    pub fn note_fin(&mut self, offset: u64) {
        if offset < self.edge || offset == self.nxt {
            self.fin = Some(offset);
        }
    }

    /// Steps over the FIN if it is next. True the one time it is.
    #[inline]
    pub fn take_fin(&mut self) -> bool {
        let is_next = self.fin == Some(self.nxt);
        self.nxt += u64::from(is_next);
        is_next
    }

    pub fn set_capacity(&mut self, bytes: u64) {
        self.capacity = bytes.max(1);
    }

    /// The application reads up to `max` bytes.
    pub fn read(&mut self, max: u64) -> u64 {
        let bytes = max.min(self.readable());
        self.read += bytes;
        bytes
    }

    /// What the window would be if it were advertised now.
    #[inline]
    fn offer(&self) -> u64 {
        self.capacity.saturating_sub(self.readable())
    }

    /// The window to put into a segment. The right edge stays until it can move by a full
    /// segment or half the buffer: the receiver's side of silly window avoidance
    /// (RFC 9293 §3.8.6.2.2).
    #[inline]
    pub fn advertise(&mut self, mss: u64) -> u64 {
        let edge = self.nxt + self.offer();
        if edge >= self.edge + mss.min(self.capacity / 2) {
            self.edge = edge;
        }
        self.window()
    }

    /// The window as last advertised, less what has arrived since.
    #[inline]
    pub fn window(&self) -> u64 {
        self.edge.saturating_sub(self.nxt)
    }

    /// Whether reading has opened the window enough to tell the peer of it unasked: it could
    /// be advertised larger, and the peer has at most half of that to go on with. (The second
    /// condition is ours, inferred from stacks in use: without it every read would cost an
    /// acknowledgement, and delaying them would be in vain.)
    #[inline]
    pub fn is_update_due(&self, mss: u64) -> bool {
        let offer = self.offer();
        let window = self.window();
        offer >= window + mss.min(self.capacity / 2) && offer >= 2 * window
    }

    /// Whether the window now is no smaller than it was when `acknowledged` was told of.
    #[inline]
    pub fn is_opening(&self, acknowledged: u64) -> bool {
        self.offer() >= self.edge.saturating_sub(acknowledged)
    }

    /// The ranges to report by SACK, the one that arrived last first (RFC 2018 §4).
    #[inline]
    pub fn sack_blocks(&self) -> &[Range] {
        self.recent.as_slice()
    }
}

/// The ranges that arrived most recently, newest first. Each is a whole range of the
/// out-of-order queue. Twice as many as an option holds are kept, so that it stays full
/// when some of them merge.
#[derive(Clone, Debug, Default)]
struct RecentBlocks {
    blocks: [Range; RecentBlocks::MAX],
    len: usize,
}

impl RecentBlocks {
    const MAX: usize = 8;

    #[inline]
    fn as_slice(&self) -> &[Range] {
        &self.blocks[..self.len]
    }

    /// Puts `merged` first in place of the blocks it has swallowed.
    fn touch(&mut self, merged: Range) {
        self.retain(|block| !merged.contains_range(block));
        self.len = (self.len + 1).min(Self::MAX);
        self.blocks[..self.len].rotate_right(1);
        self.blocks[0] = merged;
    }

    fn discard_below(&mut self, offset: u64) {
        self.retain(|block| block.end > offset);
    }

    fn retain(&mut self, keep: impl Fn(Range) -> bool) {
        let mut kept = 0;
        for i in 0..self.len {
            if keep(self.blocks[i]) {
                self.blocks[kept] = self.blocks[i];
                kept += 1;
            }
        }
        self.len = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 500;

    /// A receiver that has everything below offset 5001, as in the examples of RFC 2018 §4.
    fn receiver() -> Receiver {
        let mut receiver = Receiver::new(20_000, true);
        receiver.synchronize();
        receiver.accept(1, 5000);
        receiver
    }

    /// The n-th segment of 500 bytes after that, counted from nought.
    fn arrive(receiver: &mut Receiver, n: u64) -> (Arrival, u64, Vec<(u64, u64)>) {
        let arrival = receiver.accept(5001 + n * MSS, MSS);
        let number = |offset| (offset - 5001) / MSS;
        let blocks = receiver
            .sack_blocks()
            .iter()
            .map(|b| (number(b.start), number(b.end)))
            .collect();
        (arrival, number(receiver.nxt), blocks)
    }

    const FILLED: Arrival = Arrival::InOrder { filled_gap: true };

    #[test]
    fn the_first_of_eight_is_lost_and_one_block_grows() {
        let mut r = receiver();
        for n in 1..8 {
            let got = arrive(&mut r, n);
            assert_eq!(got, (Arrival::OutOfOrder, 0, vec![(1, n + 1)]));
        }
        assert_eq!(arrive(&mut r, 0), (FILLED, 8, vec![]));
    }

    #[test]
    fn every_second_of_eight_is_lost_and_the_newest_block_comes_first() {
        let mut r = receiver();
        assert_eq!(
            arrive(&mut r, 0),
            (Arrival::InOrder { filled_gap: false }, 1, vec![])
        );
        assert_eq!(arrive(&mut r, 2), (Arrival::OutOfOrder, 1, vec![(2, 3)]));
        assert_eq!(
            arrive(&mut r, 4),
            (Arrival::OutOfOrder, 1, vec![(4, 5), (2, 3)])
        );
        let third = (Arrival::OutOfOrder, 1, vec![(6, 7), (4, 5), (2, 3)]);
        assert_eq!(arrive(&mut r, 6), third);
        let merged = (Arrival::OutOfOrder, 1, vec![(2, 5), (6, 7)]);
        assert_eq!(arrive(&mut r, 3), merged, "the fourth arrives late");
        assert_eq!(arrive(&mut r, 1), (FILLED, 5, vec![(6, 7)]));
    }

    #[test]
    fn what_is_there_is_recognised_in_order_and_beyond_a_gap() {
        let mut r = receiver();
        arrive(&mut r, 2);
        assert_eq!(arrive(&mut r, 2).0, Arrival::Duplicate);
        assert_eq!(r.accept(4501, 500), Arrival::Duplicate);
        assert_eq!(r.accept(4801, 400), FILLED, "half old, half new");
        assert_eq!(r.nxt, 5201);
    }

    #[test]
    fn data_beyond_the_window_are_cut_off() {
        let mut r = receiver();
        assert_eq!(r.accept(20_001, 100), Arrival::OutsideWindow);
        assert_eq!(r.accept(19_951, 100), Arrival::OutOfOrder);
        r.accept(5001, 14_950);
        assert_eq!((r.nxt, r.window()), (20_001, 0));
        assert_eq!(r.accept(20_001, 1), Arrival::OutsideWindow, "a probe");
    }

    #[test]
    fn the_window_opens_in_steps_worth_a_segment() {
        let mut r = receiver();
        r.accept(5001, 15_000);
        r.read(MSS - 1);
        assert_eq!((r.advertise(MSS), r.is_update_due(MSS)), (0, false));
        r.read(1);
        assert!(r.is_update_due(MSS));
        assert_eq!(r.advertise(MSS), MSS);
        assert!(!r.is_update_due(MSS));
    }

    #[test]
    fn reading_at_once_asks_for_no_window_update() {
        let mut r = receiver();
        r.read(5000);
        assert_eq!(r.window(), 15_000);
        assert!(!r.is_update_due(MSS));
    }

    #[test]
    fn a_fin_waits_for_the_data_before_it() {
        let mut r = receiver();
        arrive(&mut r, 1);
        r.note_fin(6001);
        assert!(!r.take_fin());
        arrive(&mut r, 0);
        assert!(r.take_fin());
        assert!(r.is_finished());
        assert_eq!((r.readable(), r.nxt), (6000, 6002));
        assert!(!r.take_fin());
    }
}
