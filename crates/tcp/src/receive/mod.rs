//! The receiving half: reassembly, the advertised window, and SACK generation.

mod blocks;
mod linux;
mod packets;
mod window;

use units::Time;

use crate::ranges::{OffsetRange, RangeSet};
use blocks::RecentBlocks;
use linux::LinuxBuffer;
pub(crate) use linux::{Arrived, BufferSettings, Quick};
pub(crate) use window::WindowRule;

/// Fate of what a segment brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PayloadArrival {
    /// There was nothing.
    Empty,
    /// It extended the stream; with `filled_gap` there were data waiting beyond it.
    InOrder { filled_gap: bool },
    /// It lies beyond a gap.
    OutOfOrder,
    /// All of it was there before: below RCV.NXT, or beyond a gap.
    Duplicate { beyond_gap: bool },
    /// None of it fits the window.
    OutsideWindow,
    /// There is no memory for it.
    NoMemory,
}

/// Text of a segment: its payload and its FIN, in sequence space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    pub start: u64,
    pub payload: u32,
    pub fin: bool,
    /// Bytes of options beside it.
    pub options: u32,
}

impl Text {
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.payload) + u64::from(self.fin)
    }

    fn range(&self) -> OffsetRange {
        OffsetRange::new(self.start, self.end())
    }
}

/// Settings of a receiver at its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceiverSettings {
    /// Bytes of the stream that may wait to be read, where the buffer does not count memory.
    pub capacity: u64,
    /// Linux's buffer, where the profile has one.
    pub buffer: Option<BufferSettings>,
    /// When the window's edge moves, where it has none.
    pub rule: WindowRule,
    /// Whether duplicates are reported (RFC 2883).
    pub reports_duplicates: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    /// RCV.NXT: the offset expected next. The peer's SYN is 0.
    pub nxt: u64,
    /// The offset the application reads next.
    read: u64,
    /// The right edge advertised. It moves left only where Linux lacks memory.
    edge: u64,
    /// RCV.NXT when it was advertised last (rcv_wup).
    told: u64,
    capacity: u64,
    rule: WindowRule,
    /// The peer's FIN, once seen, and whether the stream has come to it.
    fin: Option<u64>,
    is_finished: bool,
    waiting: RangeSet,
    recent: RecentBlocks,
    reports_duplicates: bool,
    /// The duplicate to report.
    duplicate: Option<OffsetRange>,
    linux: Option<Box<LinuxBuffer>>,
}

/// TCP_NUM_SACKS: Linux keeps as many blocks as an option holds.
const LINUX_BLOCKS: usize = 4;

impl Receiver {
    pub fn new(settings: &ReceiverSettings) -> Receiver {
        let linux = settings.buffer.map(|b| Box::new(LinuxBuffer::new(b)));
        let blocks = linux.as_ref().map_or(RecentBlocks::MAX, |_| LINUX_BLOCKS);
        Receiver {
            nxt: 0,
            read: 1,
            edge: 0,
            told: 0,
            capacity: settings.capacity,
            rule: settings.rule,
            fin: None,
            is_finished: false,
            waiting: RangeSet::default(),
            recent: RecentBlocks::new(blocks),
            reports_duplicates: settings.reports_duplicates,
            duplicate: None,
            linux,
        }
    }

    /// The window that a SYN tells of, if segments hold `mss` bytes.
    pub fn first_window(&self, mss: u64) -> u64 {
        match &self.linux {
            Some(linux) => linux.first_window(mss),
            None => self.capacity,
        }
    }

    /// The peer's SYN has been received.
    pub fn synchronize(&mut self) {
        (self.nxt, self.told) = (1, 1);
        self.edge = 1 + self.capacity;
    }

    /// The connection opens: the SYN has told of `window`, segments hold `mss` bytes, and the
    /// window field counts units of 2^`shift`.
    pub fn open(&mut self, now: Time, mss: u64, shift: u8, window: u64) {
        if let Some(linux) = &mut self.linux {
            self.edge = self.told + window;
            linux.open(now, mss, shift, window);
        }
    }

    /// Takes what has come with the SYN for acknowledged by its answer, which tells of the same
    /// window.
    pub fn tell_anew(&mut self) {
        let window = self.edge - self.told;
        self.told = self.nxt;
        self.edge = self.told + window;
    }

    /// Bytes in order that the application has not read.
    #[inline]
    pub fn readable(&self) -> u64 {
        self.data_end().saturating_sub(self.read)
    }

    /// The end of the data in order.
    #[inline]
    fn data_end(&self) -> u64 {
        self.nxt - u64::from(self.is_finished)
    }

    /// Returns whether the peer's FIN has been reached.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    #[inline]
    pub fn has_gap(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns whether there is anything to report by SACK.
    #[inline]
    pub fn has_blocks(&self) -> bool {
        self.has_gap() || self.duplicate.is_some()
    }

    /// Returns how many ranges there are to report, the duplicate included.
    pub fn block_count(&self) -> u64 {
        self.recent.as_slice().len() as u64 + u64::from(self.duplicate.is_some())
    }

    /// The duplicate to report first, once (RFC 2883 §4).
    #[inline]
    pub fn take_duplicate(&mut self) -> Option<OffsetRange> {
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
            self.duplicate = Some(OffsetRange::new(from, to));
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

    /// Takes what a segment brings. Where the buffer does not count memory, it is trimmed to the
    /// window.
    #[inline]
    pub fn accept(&mut self, text: &Text) -> PayloadArrival {
        if self.linux.is_some() {
            return self.accept_packet(text);
        }
        let Text { start, fin, .. } = *text;
        let data_end = start + u64::from(text.payload);
        if data_end == start && !fin {
            return PayloadArrival::Empty;
        }
        let mut end = data_end.min(self.edge);
        if fin && end == data_end && (end < self.edge || start <= self.nxt) {
            self.fin = Some(end);
            end += 1;
        }
        if start == self.nxt && end > start && self.waiting.is_empty() {
            self.nxt = end;
            return PayloadArrival::InOrder { filled_gap: false };
        }
        self.accept_unexpected(start, end)
    }

    #[inline(never)]
    fn accept_unexpected(&mut self, start: u64, end: u64) -> PayloadArrival {
        self.note_duplicate(start, end);
        if end <= self.nxt {
            return if start < self.nxt {
                PayloadArrival::Duplicate { beyond_gap: false }
            } else {
                PayloadArrival::OutsideWindow
            };
        }
        if start >= end {
            return PayloadArrival::OutsideWindow;
        }
        if start > self.nxt {
            let inserted = self.waiting.insert(OffsetRange::new(start, end));
            self.recent.touch(inserted.merged);
            return if inserted.added == 0 {
                PayloadArrival::Duplicate { beyond_gap: true }
            } else {
                PayloadArrival::OutOfOrder
            };
        }
        let filled_gap = self.has_gap();
        let nxt = self.waiting.end_of_range_at(end).max(end);
        self.advance(nxt);
        PayloadArrival::InOrder { filled_gap }
    }

    /// The stream now reaches `nxt`, or the FIN below it.
    fn advance(&mut self, nxt: u64) {
        self.nxt = nxt.min(self.fin.map_or(nxt, |fin| fin + 1));
        self.waiting.discard_below(self.nxt);
        self.recent.discard_below(self.nxt);
    }

    /// Steps over the FIN if the stream has come to it. True the one time it has.
    #[inline]
    pub fn take_fin(&mut self) -> bool {
        self.fin.is_some() && self.reach_fin()
    }

    #[cold]
    fn reach_fin(&mut self) -> bool {
        let is_reached = !self.is_finished && self.fin.is_some_and(|fin| fin < self.nxt);
        if is_reached {
            self.finish();
        }
        is_reached
    }

    /// Nothing comes after a FIN.
    fn finish(&mut self) {
        self.is_finished = true;
        self.waiting.clear();
        self.recent.clear();
        if let Some(linux) = &mut self.linux {
            linux.forget_beyond();
        }
    }

    /// SO_RCVBUF: so many bytes of data.
    pub fn set_capacity(&mut self, bytes: u64) {
        self.capacity = bytes.max(1);
        if let Some(linux) = &mut self.linux {
            linux.set(self.capacity);
        }
    }

    /// The application reads up to `max` bytes.
    #[inline]
    pub fn read(&mut self, now: Time, max: u64) -> u64 {
        let bytes = max.min(self.readable());
        let (from, end) = (self.read, self.data_end());
        self.read += bytes;
        if let Some(linux) = &mut self.linux {
            linux.on_read(now, OffsetRange::new(from, self.read), self.nxt, end);
            if self.is_finished && bytes < max {
                linux.forget_read();
            }
        }
        bytes
    }

    /// The ranges to report by SACK, the one that arrived last first (RFC 2018 §4).
    #[inline]
    pub fn sack_blocks(&self) -> &[OffsetRange] {
        self.recent.as_slice()
    }
}

#[cfg(test)]
mod tests;
