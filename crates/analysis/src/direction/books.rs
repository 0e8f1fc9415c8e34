//! The counters that every segment enters.

use super::DirectionState;
use crate::counters::DirectionCounters;
use crate::holes::HoleLeaver;
use dissect::{Checksum, ControlBits, TcpSegment};

/// Segments by what their checksums say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Verdicts {
    right: u32,
    partial: u32,
    wrong: u32,
}

impl Verdicts {
    fn add(&mut self, checksum: Checksum, segments: u32) {
        let counter = match checksum {
            Checksum::Unknown => return,
            Checksum::Right => &mut self.right,
            Checksum::Partial => &mut self.partial,
            Checksum::Wrong => &mut self.wrong,
        };
        *counter = counter.saturating_add(segments);
    }
}

impl DirectionState {
    /// Any segment.
    #[inline]
    pub fn on_segment(&mut self, segment: &TcpSegment) {
        let flags = segment.flags;
        self.packets += 1;
        if segment.options.is_cut {
            self.on_cut_options();
        }
        if segment.ttl != self.ttl || self.packets == 1 {
            self.on_ttl(segment.ttl);
        }
        if segment.marks.is_capable() {
            self.on_marks(segment);
        }
        if flags.has(ControlBits::SYN | ControlBits::FIN | ControlBits::RST | ControlBits::CWR)
            || !flags.has(ControlBits::ACK)
        {
            self.on_unusual(segment);
        }
        if flags.has(ControlBits::PSH) {
            self.pushes += 1;
        }
        if segment.checksum == self.checksum {
            self.checksums_alike = self.checksums_alike.saturating_add(1);
        } else if segment.checksum != Checksum::Unknown {
            self.on_other_checksum(segment.checksum);
        }
        if !self.has_acked && flags.has(ControlBits::ACK) && !flags.has(ControlBits::SYN) {
            self.has_acked = true;
            self.first_ack_ns = segment.time_ns;
        }
    }

    #[cold]
    fn on_cut_options(&mut self) {
        self.trouble().counters.options_cut += 1;
    }

    #[cold]
    fn on_unusual(&mut self, segment: &TcpSegment) {
        let flags = segment.flags;
        let is_first_word = flags.has(ControlBits::SYN | ControlBits::FIN | ControlBits::RST)
            || !flags.has(ControlBits::ACK);
        if flags.has(ControlBits::CWR) && !flags.has(ControlBits::SYN) {
            self.trouble().counters.ecn_reductions += 1;
        }
        if !is_first_word {
            return;
        }
        self.syns += u64::from(flags.has(ControlBits::SYN));
        self.fins += u64::from(flags.has(ControlBits::FIN));
        self.resets += u64::from(flags.has(ControlBits::RST));
        self.packets_without_ack += u64::from(!flags.has(ControlBits::ACK));
        // The payload of a reset is a message (RFC 9293 §3.5.3), not data.
        self.packets_other += u64::from(segment.payload == 0 || flags.has(ControlBits::RST));
    }

    #[cold]
    fn on_other_checksum(&mut self, checksum: Checksum) {
        self.checksums.add(self.checksum, self.checksums_alike);
        (self.checksum, self.checksums_alike) = (checksum, 1);
    }

    #[cold]
    fn on_ttl(&mut self, ttl: u8) {
        let is_first = self.packets == 1;
        self.ttl_min = if is_first { ttl } else { self.ttl_min.min(ttl) };
        self.ttl_max = self.ttl_max.max(ttl);
        self.ttl = ttl;
    }

    /// A segment that occupies sequence numbers.
    #[inline]
    pub(super) fn on_data(&mut self, segment: &TcpSegment, start: u64) {
        if segment.payload == 0 {
            return;
        }
        if self.packets_data == 0 {
            self.first_data_ns = segment.time_ns;
            self.mss_min = segment.payload;
            self.begin_data(start, segment);
        }
        self.packets_data += 1;
        self.bytes += u64::from(segment.payload);
        self.mss_max = self.mss_max.max(segment.payload);
        self.mss_min = self.mss_min.min(segment.payload);
    }

    /// Before the first data of a direction that was captured from its middle on, others were on
    /// their way.
    #[cold]
    fn begin_data(&mut self, start: u64, segment: &TcpSegment) {
        let next = self.next;
        if self.syns > 0 || (start <= next && self.trouble.is_none()) {
            return;
        }
        let holes = &mut self.trouble().holes;
        holes.begin_at(start);
        if start > next {
            holes.leave(next, start, HoleLeaver::by(segment), 0);
            self.next = start;
        }
    }

    #[inline]
    pub(super) fn on_flight(&mut self, flight: u64) {
        self.flight_max = self.flight_max.max(flight);
        let is_first = self.flight_min == 0;
        self.flight_min = if is_first {
            flight
        } else {
            self.flight_min.min(flight)
        };
        if self.is_first_window {
            self.flight_initial = flight;
        }
    }

    #[inline]
    pub(super) fn on_window(&mut self, window: u16) {
        self.window_max = self.window_max.max(window);
        self.window_min_below = self.window_min_below.max(u16::MAX - window);
        if window == 0 {
            self.trouble().counters.window_zero += 1;
        }
    }

    /// All counters as they stand.
    pub fn counters(&self) -> DirectionCounters {
        let window_min = u16::MAX - self.window_min_below;
        let has_window = window_min <= self.window_max;
        let bytes = |window| self.scaled(window).filter(|_| has_window);
        let flight = |bytes| self.is_answered().then_some(bytes);
        let mut checksums = self.checksums;
        checksums.add(self.checksum, self.checksums_alike);
        DirectionCounters {
            packets: self.packets,
            acks: self.packets - self.packets_without_ack,
            acks_pure: self.packets - self.packets_data - self.packets_other,
            packets_data: self.packets_data,
            bytes: self.bytes,
            bytes_unique: self.bytes.wrapping_sub(self.bytes_not_unique),
            flight_max: flight(self.flight_max),
            flight_min: flight(self.flight_min),
            window_max: bytes(self.window_max),
            window_min: bytes(window_min),
            mss_max: self.mss_max,
            mss_min: self.mss_min,
            ttl_min: self.ttl_min,
            ttl_max: self.ttl_max,
            pushes: self.pushes,
            first_ack_ns: self.first_ack_ns,
            first_data_ns: self.first_data_ns,
            flight_initial: flight(self.flight_initial),
            syns: self.syns,
            fins: self.fins,
            resets: self.resets,
            checksums_right: checksums.right.into(),
            checksums_partial: checksums.partial.into(),
            checksums_wrong: checksums.wrong.into(),
            ..self
                .trouble
                .as_ref()
                .map_or_else(DirectionCounters::default, |trouble| trouble.counters)
        }
    }
}
