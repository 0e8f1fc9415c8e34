//! Linux's receive buffer: what it holds, what window it makes, and how both grow
//! (`net/ipv4/tcp_input.c` and `tcp_output.c` of Linux 6.18; the functions are named below).
//!
//! The buffer is memory; a window is bytes of the stream. How many bytes a piece of memory holds is
//! learnt from the largest segment seen (the scaling ratio). The window advertised is no larger
//! than `threshold`, which begins small and grows with each segment that is worth its memory, so
//! that the buffer never has to hold more than it can. The buffer itself grows with what the
//! application reads in a round trip.

mod memory;
mod tuning;

use units::{Duration, Time};

use memory::ReceiveMemory;
pub(super) use memory::{GapInsertion, HeldSegments};
use tuning::BufferTuning;

use crate::ranges::OffsetRange;

/// The buffer a connection begins with, and the most it may become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferSettings {
    /// Bytes of memory at first (tcp_rmem's default, or twice SO_RCVBUF).
    pub first: u64,
    /// Bytes of memory at most (tcp_rmem's maximum).
    pub most: u64,
    /// True if the application has set the size, so that it stays.
    pub is_set: bool,
    /// The largest window, in bytes of the stream.
    pub window: u64,
}

/// TCP_RMEM_TO_WIN_SCALE and TCP_DEFAULT_SCALING_RATIO: half of the memory, in 256ths.
const RATIO_SHIFT: u32 = 8;
const FIRST_RATIO: u64 = 128;
/// TCP_INIT_CWND: what is taken to be read in the first round trip.
const FIRST_SEGMENTS: u64 = 10;
/// Payloads shorter than this do not let the window grow (tcp_event_data_recv).
const WORTHWHILE: u32 = 128;
/// SOCK_MIN_RCVBUF: the least buffer, which is what one packet of 2 KiB takes.
const SIZE_MIN: u64 = 2304;

#[derive(Clone, Debug)]
pub(crate) struct LinuxBuffer {
    settings: BufferSettings,
    /// Bytes of memory it may use now (sk_rcvbuf).
    size: u64,
    /// Bytes of a window per 256 of memory.
    ratio: u64,
    /// The largest window the memory is good for (window_clamp).
    clamp: u64,
    /// The largest window that what has arrived is a reason for (rcv_ssthresh).
    threshold: u64,
    /// The segment announced, less the timestamps (advmss).
    mss: u64,
    /// The unit of the window field.
    shift: u8,
    memory: ReceiveMemory,
    /// Charge of the packet inserted last.
    added: u32,
    tuning: BufferTuning,
    /// Change of quick acknowledgements, since last asked.
    quick: Quick,
    /// Memory was lacking for what came in order (ICSK_ACK_NOMEM).
    is_short: bool,
    /// True if data beyond a gap were given up for want of memory.
    is_pruned: bool,
}

/// Change of the count of quick acknowledgements, first the one, then the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Quick {
    /// More than half of the buffer is in use: the peer is not hurried any more.
    pub none: bool,
    /// The window has grown, and the peer shall learn of it.
    pub one: bool,
}

impl LinuxBuffer {
    pub fn new(settings: BufferSettings) -> LinuxBuffer {
        LinuxBuffer {
            settings,
            size: settings.first.max(SIZE_MIN),
            ratio: FIRST_RATIO,
            clamp: settings.window,
            threshold: 0,
            mss: 0,
            shift: 0,
            memory: ReceiveMemory::default(),
            added: 0,
            tuning: BufferTuning::default(),
            quick: Quick::default(),
            is_short: false,
            is_pruned: false,
        }
    }

    /// The window a SYN tells of, with segments of `mss` (tcp_select_initial_window).
    pub fn first_window(&self, mss: u64) -> u64 {
        let space = self.window_of(self.size).min(self.settings.window);
        if space > mss {
            space - space % mss.max(1)
        } else {
            space
        }
    }

    /// The connection opens with segments of `mss`; `window` was advertised
    /// (tcp_init_buffer_space).
    pub fn open(&mut self, now: Time, mss: u64, shift: u8, window: u64) {
        (self.mss, self.shift) = (mss, shift);
        let most = self.window_of(self.size);
        self.clamp = self.clamp.min(most);
        if self.clamp > 2 * mss && self.clamp + mss > most {
            self.clamp = (2 * mss).max(most.saturating_sub(mss));
        }
        self.threshold = window.min(self.clamp);
        let space = self.threshold.min(window).min(FIRST_SEGMENTS * mss);
        self.tuning.begin(now, space);
    }

    /// SO_RCVBUF: the buffer is `bytes` of data, and grows no more.
    pub fn set(&mut self, bytes: u64) {
        self.size = (2 * bytes).max(SIZE_MIN);
        self.settings.is_set = true;
    }

    /// tcp_win_from_space.
    fn window_of(&self, memory: u64) -> u64 {
        (memory * self.ratio) >> RATIO_SHIFT
    }

    /// tcp_space: the window that the free memory makes.
    fn free(&self) -> u64 {
        self.window_of(self.size.saturating_sub(self.memory.used()))
    }

    /// Returns what acknowledgements have to know, once.
    #[inline]
    pub fn take_quick(&mut self) -> Quick {
        std::mem::take(&mut self.quick)
    }

    /// The estimate of the round trip, if there is one.
    pub fn rtt(&self) -> Option<Duration> {
        self.tuning.rtt()
    }

    pub fn is_empty(&self) -> bool {
        self.memory.used() == 0
    }

    /// Returns whether data in order wait to be read.
    pub fn has_unread(&self) -> bool {
        self.memory.has_in_order()
    }

    /// Returns what TCP_INFO tells: rcv_ssthresh, rcv_space, rcv_rtt in microseconds.
    pub fn figures(&self) -> (u64, u64, u64) {
        let rtt = self.tuning.rtt().map_or(0, Duration::as_micros);
        (self.threshold, self.tuning.space, rtt)
    }

    /// The window to advertise now: `announced` is what the last segment told, `segment` the
    /// peer's full one (__tcp_select_window).
    pub fn select_window(&mut self, announced: u64, segment: u64) -> u64 {
        let allowed = self.window_of(self.size);
        let full = self.clamp.min(allowed);
        let segment = segment.min(full);
        let unit = 1 << self.shift;
        let mut free = self.free();
        if full == 0 {
            return 0;
        }
        if free < full / 2 {
            self.forbid_quick();
            free -= free % unit;
            if free < allowed / 16 || free < segment {
                return 0;
            }
        }
        let free = free.min(self.threshold);
        if self.shift > 0 {
            return free.next_multiple_of(unit);
        }
        if announced + segment <= free || announced > free {
            free - free % segment
        } else if segment == full && free > announced + full / 2 {
            free
        } else {
            announced
        }
    }

    /// `window` in whole units of the field.
    pub fn in_units(&self, window: u64) -> u64 {
        window.next_multiple_of(1 << self.shift)
    }

    /// Returns whether the free window would be at least twice `window` (tcp_cleanup_rbuf).
    pub fn is_update_due(&mut self, window: u64, announced: u64, segment: u64) -> bool {
        if 2 * window > self.clamp {
            return false;
        }
        let offer = self.select_window(announced, segment);
        offer > 0 && offer >= 2 * window
    }

    /// A segment as large as any before: the memory is worth so much (tcp_measure_rcv_mss).
    pub fn learn_ratio(&mut self, payload: u32, options: u32, announced: u64) {
        let cost = HeldSegments::new(OffsetRange::default(), payload, options).cost;
        let ratio = ((u64::from(payload) << RATIO_SHIFT) / u64::from(cost)).max(1);
        if ratio == self.ratio {
            return;
        }
        self.ratio = ratio;
        self.set_clamp(self.window_of(self.size), announced);
        self.tuning.space = self.tuning.space.min(self.clamp);
    }

    /// tcp_set_window_clamp.
    fn set_clamp(&mut self, window: u64, announced: u64) {
        let before = self.clamp;
        self.clamp = window.max(SIZE_MIN / 2).min(self.settings.window);
        if self.clamp < before {
            self.threshold = self.threshold.min(self.clamp);
        } else if self.clamp > before {
            self.threshold = self.threshold.max(announced.min(self.clamp));
        }
    }

    /// Returns whether there is memory for another packet, which begins at `start`, in order or
    /// not. The buffer grows to what it holds if it may, else what lies beyond it is given up
    /// (tcp_try_rmem_schedule, tcp_clamp_window, tcp_prune_ofo_queue). The kernel would also copy
    /// small packets together.
    pub fn make_room(&mut self, start: u64, is_in_order: bool) -> bool {
        let used = self.memory.used();
        if used <= self.size {
            return true;
        }
        self.forbid_quick();
        if !self.settings.is_set {
            self.size = self.size.max(used.min(self.settings.most));
        }
        if used > self.size {
            self.threshold = self.clamp.min(2 * self.mss);
            self.is_pruned |= self.memory.prune(start, self.size);
        }
        let has_room = self.memory.used() <= self.size;
        self.is_short |= is_in_order && !has_room;
        has_room
    }

    /// The end of what lies beyond a gap, once some of it has been given up.
    pub fn take_pruned(&mut self) -> Option<u64> {
        std::mem::take(&mut self.is_pruned).then(|| self.memory.last_end().unwrap_or(0))
    }

    /// Returns whether memory was lacking for what came in order, which the peer is not told yet.
    pub fn is_short(&self) -> bool {
        self.is_short
    }

    /// The same, once.
    pub fn take_short(&mut self) -> bool {
        std::mem::take(&mut self.is_short)
    }

    fn forbid_quick(&mut self) {
        self.quick = Quick {
            none: true,
            one: false,
        };
    }

    /// Takes a packet that extends the stream.
    pub fn push(&mut self, packet: HeldSegments) {
        self.memory.push(packet);
    }

    /// Takes a packet beyond a gap (tcp_data_queue_ofo).
    pub fn insert(&mut self, packet: HeldSegments) -> GapInsertion {
        let inserted = self.memory.insert(packet);
        self.added = inserted.cost;
        inserted
    }

    /// Lets what waits at `nxt` follow; see [`ReceiveMemory::join`].
    pub fn join(&mut self, nxt: u64, duplicate: Option<OffsetRange>) -> (u64, Option<OffsetRange>) {
        self.memory.join(nxt, duplicate)
    }

    /// The stream has ended.
    pub fn forget_beyond(&mut self) {
        self.memory.forget_beyond();
    }

    /// Data have extended the stream up to `nxt` (tcp_event_data_recv); `announced` is the window
    /// told last.
    pub fn follow(&mut self, now: Time, arrived: &Arrived, nxt: u64, announced: u64) {
        self.tuning.follow_windows(now, nxt, announced);
        if arrived.payload >= WORTHWHILE {
            self.grow(arrived, arrived.cost());
        }
    }

    /// A packet has been put beyond the gap at `nxt`, unless it was there before. Without SACK
    /// the window stays, so that duplicate acknowledgements look like such.
    pub fn follow_beyond_gap(&mut self, arrived: &Arrived, nxt: u64, grows: bool) {
        if grows {
            // A FIN that was copied behind another packet counts as no memory (truesize_adjust).
            let is_free = arrived.payload == 0 && self.added == 0;
            let cost = if is_free { 0 } else { arrived.cost() };
            self.grow(arrived, cost);
        }
        self.memory.charge(std::mem::take(&mut self.added));
        self.grow_buffer(self.tuning.space, nxt);
    }

    /// A segment echoes a timestamp that is `age_us` old; see [`BufferTuning::follow_stamps`].
    pub fn follow_stamps(&mut self, echo: u32, is_full: bool, age_us: u64, is_drained: bool) {
        self.tuning.follow_stamps(echo, is_full, age_us, is_drained);
    }

    /// The window may grow by twice a segment that is worth its memory, or that would be in a
    /// smaller window (tcp_grow_window).
    fn grow(&mut self, arrived: &Arrived, cost: u32) {
        let payload = u64::from(arrived.payload);
        let room = self.free().min(self.clamp).saturating_sub(self.threshold);
        if room == 0 {
            return;
        }
        let step = if self.window_of(u64::from(cost)) <= payload {
            2 * self.mss
        } else {
            self.step_of_small(cost, arrived)
        };
        if step > 0 {
            self.threshold += room.min(step.max(2 * payload));
            self.quick.one = true;
        }
    }

    /// __tcp_grow_window.
    fn step_of_small(&self, cost: u32, arrived: &Arrived) -> u64 {
        let mut worth = self.window_of(u64::from(cost)) >> 1;
        let mut window = self.window_of(self.settings.most) >> 1;
        while self.threshold <= window {
            if worth <= u64::from(arrived.payload) {
                return 2 * arrived.segment;
            }
            worth >>= 1;
            window >>= 1;
        }
        0
    }

    /// The application has read `from..to`; the stream ends at `nxt`, its data at `end`.
    #[inline(never)]
    pub fn on_read(&mut self, now: Time, read: OffsetRange, nxt: u64, end: u64) {
        let mut at = read.start;
        while at < read.end {
            let packet = self.memory.first_end().unwrap_or(end).min(end);
            at = packet.clamp(at, read.end);
            if let Some(copied) = self.tuning.on_read(now, at, nxt - at) {
                self.grow_buffer(copied, nxt);
            }
            if packet > at {
                return;
            }
            self.memory.pop();
        }
    }

    /// The application has read the FIN, too.
    pub fn forget_read(&mut self) {
        while self.memory.has_in_order() {
            self.memory.pop();
        }
    }

    /// The application reads `space` in a round trip, and the sender may double that
    /// (tcp_rcvbuf_grow).
    fn grow_buffer(&mut self, space: u64, nxt: u64) {
        let before = self.tuning.space.max(1);
        self.tuning.space = space;
        if self.settings.is_set || self.size >= self.settings.most {
            return;
        }
        let mut window = 2 * space;
        window += 2 * (window * space.saturating_sub(before) / before);
        window += self.memory.last_end().map_or(0, |end| end - nxt);
        let size = ((window << RATIO_SHIFT) / self.ratio).min(self.settings.most);
        if size > self.size {
            self.size = size;
            self.clamp = self.window_of(size).min(self.settings.window);
        }
    }
}

/// A segment with data, and what is known of the connection then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    pub payload: u32,
    /// Bytes of options.
    pub options: u32,
    /// The peer's full segment.
    pub segment: u64,
}

impl Arrived {
    fn cost(&self) -> u32 {
        HeldSegments::new(OffsetRange::default(), self.payload, self.options).cost
    }
}
