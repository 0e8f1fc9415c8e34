//! A receiver whose buffer is Linux's: what arrives is kept as packets, each with its memory.

use units::{Duration, Time};

use super::linux::HeldSegments;
use super::{Arrived, PayloadArrival, Quick, Receiver, Text};

impl Receiver {
    /// Linux's test in its place: what ends below the window told last is old, and what ends
    /// beyond it is taken only while nothing waits to be read (tcp_sequence of 6.18).
    pub fn is_acceptable_to_linux(&self, start: u64, end: u64, fin: bool) -> bool {
        if end < self.told {
            return false;
        }
        let edge = self.edge.max(self.nxt);
        end - u64::from(fin) <= edge || start <= edge && !self.has_unread_packets()
    }

    fn has_unread_packets(&self) -> bool {
        self.linux.as_ref().is_some_and(|linux| linux.has_unread())
    }

    /// tcp_data_queue: as a packet with its memory, whole even where it ends beyond the window.
    #[inline(never)]
    pub(super) fn accept_packet(&mut self, text: &Text) -> PayloadArrival {
        let (start, end) = (text.start, text.end());
        if start == end {
            return PayloadArrival::Empty;
        }
        self.duplicate = None;
        let window = self.window();
        if end <= self.nxt {
            self.note_duplicate(start, end);
            return PayloadArrival::Duplicate { beyond_gap: false };
        }
        if start >= self.nxt + window && (text.payload > 0 || start != self.nxt) {
            return PayloadArrival::OutsideWindow;
        }
        if start < self.nxt {
            self.note_duplicate(start, self.nxt);
            if window == 0 {
                return PayloadArrival::OutsideWindow;
            }
        }
        let is_in_order = start <= self.nxt;
        let has_memory = self
            .linux
            .as_mut()
            .is_some_and(|linux| linux.make_room(start, is_in_order));
        self.forget_pruned();
        let is_forced = is_in_order && (text.payload == 0 || !self.has_unread_packets());
        if !has_memory && !is_forced {
            return PayloadArrival::NoMemory;
        }
        if text.fin {
            self.fin = Some(end - 1);
        }
        if start > self.nxt {
            return self.keep_packet(text);
        }
        self.take_packet(text)
    }

    /// Forgets what was given up beyond the gap: it is to come again, and the peer is told of none
    /// of it.
    fn forget_pruned(&mut self) {
        let Some(end) = self.linux.as_mut().and_then(|linux| linux.take_pruned()) else {
            return;
        };
        self.waiting.discard_above(end);
        self.fin = self.fin.filter(|fin| *fin < end);
        self.recent.clear();
        self.duplicate = None;
    }

    /// A packet extends the stream, and lets those that waited for it follow.
    fn take_packet(&mut self, text: &Text) -> PayloadArrival {
        let packet = HeldSegments::new(text.range(), text.payload, text.options);
        let filled_gap = self.has_gap();
        let mut nxt = text.end();
        if let Some(linux) = &mut self.linux {
            linux.push(packet);
            if filled_gap {
                (nxt, self.duplicate) = linux.join(nxt, self.duplicate);
            }
        }
        if filled_gap {
            self.advance(nxt);
        } else {
            self.nxt = nxt;
        }
        PayloadArrival::InOrder { filled_gap }
    }

    /// A packet lies beyond a gap; [`report`](Self::report) is to follow.
    fn keep_packet(&mut self, text: &Text) -> PayloadArrival {
        let packet = HeldSegments::new(text.range(), text.payload, text.options);
        let Some(linux) = &mut self.linux else {
            return PayloadArrival::NoMemory;
        };
        let inserted = linux.insert(packet);
        self.waiting.insert(text.range());
        if self.reports_duplicates && inserted.duplicate.is_some() {
            self.duplicate = inserted.duplicate;
        }
        if inserted.is_known {
            PayloadArrival::Duplicate { beyond_gap: true }
        } else {
            PayloadArrival::OutOfOrder
        }
    }

    /// Returns whether what has just been put beyond a gap changes a block so late in the order, or
    /// pushes one so far, that the next acknowledgement may leave it out
    /// (TCP_SACK_BLOCKS_EXPECTED). The block has grown then, but stands where it stood.
    pub fn hides_block(&mut self, text: &Text) -> bool {
        const EXPECTED: usize = 2;
        self.recent.extend(text.range()) >= EXPECTED
    }

    /// Reports first from now on what has just been put beyond a gap.
    pub fn report(&mut self, text: &Text) {
        self.recent.touch(text.range());
    }

    /// Returns whether memory was lacking for what the next acknowledgement is about.
    pub fn is_short(&self) -> bool {
        self.linux.as_ref().is_some_and(|linux| linux.is_short())
    }

    /// The window to put into a segment, if the buffer counts memory: never less than there is,
    /// unless memory is lacking, which closes it (tcp_select_window).
    pub fn advertise_memory(&mut self, segment: u64) -> u64 {
        let (announced, current) = (self.announced(), self.window());
        if let Some(linux) = &mut self.linux {
            if linux.take_short() {
                self.edge = self.nxt;
            } else {
                let window = linux.select_window(announced, segment);
                let kept = linux.in_units(current);
                self.edge = self.nxt + if window < current { kept } else { window };
            }
        }
        self.told = self.nxt;
        self.window()
    }

    #[inline(never)]
    pub(super) fn is_memory_update_due(&mut self, segment: u64) -> bool {
        let (announced, window) = (self.announced(), self.window());
        let linux = self.linux.as_mut();
        linux.is_some_and(|linux| linux.is_update_due(window, announced, segment))
    }

    /// A segment of full size tells what memory is worth.
    pub fn learn_ratio(&mut self, payload: u32, options: u32) {
        let announced = self.announced();
        if let Some(linux) = &mut self.linux {
            linux.learn_ratio(payload, options, announced);
        }
    }

    /// Data have arrived in order, up to `nxt`: what waited there is not yet looked at.
    pub fn follow_in_order(&mut self, now: Time, arrived: &Arrived, nxt: u64) {
        let announced = self.announced();
        if let Some(linux) = &mut self.linux {
            linux.follow(now, arrived, nxt, announced);
        }
    }

    /// Something has arrived beyond a gap; `grows` says whether the window may grow.
    pub fn follow_beyond_gap(&mut self, arrived: &Arrived, grows: bool) {
        let nxt = self.nxt;
        if let Some(linux) = &mut self.linux {
            linux.follow_beyond_gap(arrived, nxt, grows);
        }
    }

    /// A segment echoes a timestamp of `age` ago; `is_full` says whether it is one of full size.
    pub fn follow_stamps(&mut self, echo: u32, is_full: bool, age: Duration) {
        let is_drained = self.nxt == self.read;
        if let Some(linux) = &mut self.linux {
            linux.follow_stamps(echo, is_full, age.as_micros(), is_drained);
        }
    }

    /// Returns what has become of quick acknowledgements since last asked.
    #[inline]
    pub fn take_quick(&mut self) -> Quick {
        let linux = self.linux.as_mut();
        linux.map_or(Quick::default(), |linux| linux.take_quick())
    }

    /// Returns whether the application has read all there is.
    pub fn is_read(&self) -> bool {
        self.linux.is_some() && self.nxt == self.read
    }

    /// Returns whether no memory is in use.
    pub fn is_drained(&self) -> bool {
        match &self.linux {
            Some(linux) => linux.is_empty(),
            None => self.readable() == 0,
        }
    }

    /// The receiver's estimate of the round trip; `None` where there is none.
    pub fn rtt(&self) -> Option<Duration> {
        self.linux.as_ref().and_then(|linux| linux.rtt())
    }

    /// Returns what TCP_INFO tells: rcv_ssthresh, rcv_space, rcv_rtt in microseconds.
    pub fn figures(&self) -> (u64, u64, u64) {
        match &self.linux {
            Some(linux) => linux.figures(),
            None => (self.window(), self.window(), 0),
        }
    }
}
