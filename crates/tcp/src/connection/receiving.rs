//! Linux's treatment of data that arrive: when it acknowledges them, and what it learns of the
//! peer's segments, pace and round trip (`net/ipv4/tcp_input.c`).

use units::{Duration, Time};

use super::{AckDue, Connection};
use crate::receive::{Arrived, PayloadArrival, Text};
use crate::segment::TIMESTAMP_BYTES;
use crate::timers::Timer;
use crate::{Event, Flags, SackBlocks, Segment, SendCause, State};

/// An echo further back than this is taken for none: the age in microseconds would overflow
/// (tcp_rtt_tsopt_us, with a clock of milliseconds).
const MOST_TICKS: u32 = i32::MAX as u32 / 1000;

impl Connection {
    /// tcp_data_queue and tcp_ack_snd_check.
    #[inline(never)]
    pub(super) fn take_text_as_linux(&mut self, now: Time, segment: &Segment, start: u64) {
        let is_text = segment.payload > 0 || segment.flags.contains(Flags::FIN);
        let is_taken = self.state_takes_text() || self.is_repeated_after_end(start);
        if is_text && is_taken {
            self.counters.data_segments_received += u64::from(segment.payload > 0);
            self.receive_as_linux(now, segment, start);
        }
        if self.receive.take_fin() {
            self.take_fin(now);
        }
        self.acknowledge_as_linux(now);
    }

    /// Behind the peer's end Linux looks at what was there before, and answers it
    /// (tcp_rcv_state_process).
    #[inline]
    pub(super) fn is_repeated_after_end(&self, start: u64) -> bool {
        self.config.is_linux() && self.state.is_after_fin() && start < self.receive.nxt
    }

    /// tcp_data_queue, but for what becomes of the connection at the FIN.
    fn receive_as_linux(&mut self, now: Time, segment: &Segment, start: u64) {
        let text = &self.text_of(segment, start);
        let before = self.receive.nxt;
        let arrival = self.receive.accept(text);
        if self.receive.is_short() {
            self.delayed_ack.demand();
            self.delayed_ack.owe();
        }
        self.counters.bytes_received += self.receive.nxt - before;
        self.count_arrival(segment, arrival);
        match arrival {
            PayloadArrival::Empty => {}
            PayloadArrival::InOrder { filled_gap } => {
                if segment.payload > 0 {
                    self.follow_in_order(now, segment, text);
                }
                // RFC 5681 §4.2: at once when the last gap is filled.
                if filled_gap && !self.receive.has_gap() {
                    self.delayed_ack.demand();
                }
                self.delayed_ack.owe();
            }
            PayloadArrival::OutOfOrder | PayloadArrival::Duplicate { beyond_gap: true } => {
                self.delayed_ack.owe();
                self.follow_beyond_gap(now, segment, text, arrival);
            }
            PayloadArrival::Duplicate { beyond_gap: false } | PayloadArrival::OutsideWindow => {
                self.delayed_ack.hurry(self.receive.announced());
                self.delayed_ack.owe();
            }
            PayloadArrival::NoMemory => self.take_quick(),
        }
    }

    /// tcp_event_data_recv.
    fn follow_in_order(&mut self, now: Time, segment: &Segment, text: &Text) {
        self.events.push(Event::Readable);
        self.measure_segment(segment);
        let arrived = self.arrived(segment);
        let announced = self.receive.announced();
        self.receive.follow_in_order(now, &arrived, text.end());
        self.delayed_ack.follow_pace(now, self.rtt.rto(), announced);
        self.take_quick();
        self.look_at_mark(segment);
    }

    /// tcp_data_queue_ofo.
    fn follow_beyond_gap(
        &mut self,
        now: Time,
        segment: &Segment,
        text: &Text,
        arrival: PayloadArrival,
    ) {
        self.look_at_mark(segment);
        self.measure_segment(segment);
        // Acknowledgements that are being gathered leave before what they would tell of is hidden
        // by another block; what has just arrived is then told of with the next.
        if self.delayed_ack.is_gathering() && self.receive.hides_block(text) {
            let gathered = self.make_ack(now, SendCause::DuplicateAck);
            self.urgent.owe(gathered);
        }
        self.receive.report(text);
        let arrived = self.arrived(segment);
        let grows = self.sack && arrival == PayloadArrival::OutOfOrder;
        self.receive.follow_beyond_gap(&arrived, grows);
        self.take_quick();
    }

    /// tcp_fin: whoever is left to close will soon say something; who has closed already answers
    /// before it forgets what there was to report.
    pub(super) fn answer_fin_as_linux(&mut self, now: Time) {
        if self.state == State::Established {
            self.delayed_ack.set_conversation(true);
        } else {
            let answer = self.make_ack(now, SendCause::Ack);
            self.urgent.owe(answer);
        }
        self.receive.take_duplicate();
    }

    fn count_arrival(&mut self, segment: &Segment, arrival: PayloadArrival) {
        match arrival {
            PayloadArrival::OutOfOrder => self.counters.out_of_order_received += 1, // a FIN, too
            _ if segment.payload == 0 => {}
            PayloadArrival::Duplicate { beyond_gap } => {
                self.counters.duplicate_segments_received += 1;
                self.counters.out_of_order_received += u64::from(beyond_gap);
            }
            _ => {}
        }
    }

    /// tcp_measure_rcv_mss.
    fn measure_segment(&mut self, segment: &Segment) {
        let ends = segment.flags.intersects(Flags::PSH | Flags::FIN);
        let jitter = sack_bytes(&segment.options.sack);
        if self.delayed_ack.note_payload(segment.payload, ends, jitter) {
            let options = self.option_bytes(segment);
            self.receive.learn_ratio(segment.payload, options);
        }
    }

    fn arrived(&self, segment: &Segment) -> Arrived {
        Arrived {
            payload: segment.payload,
            options: self.option_bytes(segment),
            segment: u64::from(self.delayed_ack.segment()),
        }
    }

    /// Returns what a segment of the peer's brings; `start` is its first offset.
    fn text_of(&self, segment: &Segment, start: u64) -> Text {
        Text {
            start,
            payload: segment.payload,
            fin: segment.flags.contains(Flags::FIN),
            options: self.option_bytes(segment),
        }
    }

    pub(super) fn option_bytes(&self, segment: &Segment) -> u32 {
        let stamps = segment.options.timestamps.map_or(0, |_| TIMESTAMP_BYTES);
        stamps + sack_bytes(&segment.options.sack)
    }

    fn take_quick(&mut self) {
        let quick = self.receive.take_quick();
        self.delayed_ack.adjust_quick(quick);
    }

    /// The window to tell of (tcp_select_window).
    #[inline(never)]
    pub(super) fn advertise_as_linux(&mut self) -> u64 {
        let segment = u64::from(self.delayed_ack.segment());
        let window = self.receive.advertise_memory(segment);
        self.take_quick();
        window
    }

    /// A full segment echoes what was sent a round trip ago, unless one before it, or an
    /// acknowledgement alone, has echoed the same (tcp_rcv_rtt_measure_ts).
    #[inline(never)]
    pub(super) fn follow_echo(&mut self, now: Time, segment: &Segment) {
        let agreed = self.timestamps.is_some();
        let Some(stamps) = segment.options.timestamps.filter(|_| agreed) else {
            return;
        };
        let is_full = segment.sequence_length() >= self.delayed_ack.segment();
        let ticks = self.clock(now).wrapping_sub(stamps.echo);
        let is_past = ticks < MOST_TICKS;
        let age = self.config.timestamp_tick * u64::from(if is_past { ticks } else { 0 });
        self.receive.follow_stamps(stamps.echo, is_full, age);
    }

    /// __tcp_ack_snd_check: at once for more than one full segment, as long as the application
    /// keeps up with reading, for a quick one, and for what may not wait; otherwise later.
    fn acknowledge_as_linux(&mut self, now: Time) {
        if !self.delayed_ack.is_owed() {
            return;
        }
        if self.is_ripe_for_linux() {
            self.ack.due = AckDue::Now;
        } else if !self.receive.has_gap() {
            self.delay_as_linux(now);
        } else if self.config.compressed_ack == Duration::ZERO
            || !self.sack
            || !self.delayed_ack.may_gather(self.receive.nxt)
        {
            self.ack.due = AckDue::Now;
        } else {
            self.gather(now);
        }
    }

    fn is_ripe_for_linux(&mut self) -> bool {
        let owed = self.receive.nxt - self.acknowledged;
        let segment = u64::from(self.delayed_ack.segment());
        let segments = u64::from(self.config.delayed_ack_segments - 1);
        let is_long = owed > segments * segment
            && (self.receive.is_read() || self.receive.is_opening(segment));
        self.take_quick();
        is_long || self.delayed_ack.is_quick() || self.delayed_ack.is_due()
    }

    /// tcp_cleanup_rbuf: reading lets go an acknowledgement that was held back because the data
    /// had not been read, and tells of a window that has opened to twice its size.
    #[inline(never)]
    pub(super) fn acknowledge_after_reading(&mut self, bytes: u64) {
        if self.ack.due != AckDue::No {
            return;
        }
        let segment = u64::from(self.delayed_ack.segment());
        if self.delayed_ack.is_owed() {
            let is_long = self.receive.nxt - self.acknowledged > segment;
            let is_drained = bytes > 0 && self.receive.is_drained();
            if is_long || is_drained && self.delayed_ack.follows_reading() {
                self.ack.due = AckDue::Now;
                return;
            }
        }
        if bytes > 0 && self.state.may_receive() && !self.receive.is_finished() {
            if self.receive.is_update_due(segment) {
                self.ack.due = AckDue::WindowUpdate;
            }
            self.take_quick();
        }
    }

    /// tcp_send_delayed_ack.
    fn delay_as_linux(&mut self, now: Time) {
        let delay = self.delayed_ack.delay(self.rtt.smoothed());
        let running = self.timers.deadline(Timer::DelayedAck);
        if running != Time::NEVER && self.delayed_ack.is_about_to_expire(now, running, delay) {
            self.ack.due = AckDue::Now;
        } else {
            // Before the first data there is no delay, but the next tick is the soonest.
            let expiry = match delay {
                Duration::ZERO => self.rtt.tick_after(now, self.delayed_ack.jiffy()),
                delay => now + delay,
            };
            let deadline = running.min(expiry);
            self.timers.arm(Timer::DelayedAck, deadline);
        }
    }

    /// The acknowledgement waits for others of its kind: a twentieth of the round trip, by the
    /// receiver's estimate or the sender's if that is smaller, and no longer than the profile says.
    fn gather(&mut self, now: Time) {
        if self.timers.is_armed(Timer::DelayedAck) {
            return;
        }
        let sent = self.rtt.smoothed().unwrap_or(Duration::MAX);
        let round_trip = self.receive.rtt().unwrap_or(Duration::ZERO).min(sent);
        let wait = (round_trip / 20).min(self.config.compressed_ack);
        self.timers.arm(Timer::DelayedAck, now + wait);
    }
}

/// Returns what SACK blocks take of a segment (RFC 2018 §3, aligned).
fn sack_bytes(blocks: &SackBlocks) -> u32 {
    match blocks.len() as u32 {
        0 => 0,
        n => 4 + 8 * n,
    }
}
