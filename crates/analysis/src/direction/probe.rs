//! Probes of a closed window, and keep-alives.

use super::{DirectionState, DirectionTrouble};
use crate::cause::Cause;
use crate::step::{Fact, Note, SegmentKind};
use dissect::{ControlBits, TcpSegment};

impl DirectionState {
    /// Returns whether a segment is a probe with a byte, or a keep-alive with one: a silence goes
    /// on.
    #[cold]
    pub fn is_for_closed(&self, segment: &TcpSegment) -> bool {
        let start = self.number(segment.seq).unwrap_or(self.next);
        segment.payload == 1 && (self.is_outside_window(start) || start < self.next)
    }

    /// Returns whether the segment asks for an answer and nothing else: without a byte, one number
    /// before the next, while nothing is on its way (RFC 9293 §3.8.4). Its receiver does not accept
    /// it, so that the answer is all that comes of it (§3.10.7.4).
    #[inline]
    pub fn is_bare_reminder(&self, segment: &TcpSegment) -> bool {
        let flags = segment.flags;
        segment.seq == (self.next as u32).wrapping_sub(1)
            && segment.payload == 0
            && self.acked == self.next
            && self.is_started()
            && !flags.has(ControlBits::SYN | ControlBits::FIN | ControlBits::RST)
            && !self.was_overtaken(segment)
    }

    /// Returns whether a mere acknowledgment was overtaken by what took up its number, as its
    /// clocks say. Where they say nothing it was by a FIN, behind which hardly anybody reminds.
    #[cold]
    pub(super) fn was_overtaken(&self, segment: &TcpSegment) -> bool {
        self.sent_before(segment).unwrap_or(self.fins > 0)
    }

    /// A segment at a number that was acknowledged: a probe where the window is closed, as Linux
    /// sends it (tcp_xmit_probe_skb), and a keep-alive elsewhere.
    #[cold]
    pub fn on_reminder(&mut self, now: u64, note: &mut impl Note) {
        let is_closed = self.was_closed && self.room == 0;
        let trouble = self.trouble();
        if is_closed {
            trouble.on_window_probe(now, note);
        } else {
            trouble.counters.keep_alives += 1;
            note.note(Fact::Is(SegmentKind::KeepAlive));
        }
    }

    /// Probes into a closed window and keep-alives take up numbers that come again.
    pub(super) fn is_probe(
        &mut self,
        segment: &TcpSegment,
        start: u64,
        end: u64,
        note: &mut impl Note,
    ) -> bool {
        if segment.payload != 1 {
            return false;
        }
        if start + 1 == self.next && self.acked == self.next {
            self.on_reminder(segment.time_ns, note);
            self.bytes_not_unique = self.bytes_not_unique.wrapping_add(1);
            return true;
        }
        let is_probe = self.is_outside_window(start) && start >= self.next;
        if is_probe {
            let trouble = self.trouble();
            trouble.probe_end = end;
            trouble.on_window_probe(segment.time_ns, note);
            self.bytes_not_unique = self.bytes_not_unique.wrapping_add(1);
        }
        is_probe
    }

    /// Until when this end had something to send: its last payload, or its last probe of a window
    /// that has stayed closed.
    pub(crate) fn active_until_ns(&self) -> u64 {
        self.last_data_ns.saturating_add(self.lasting_ns())
    }

    /// Returns how long the window has been closed at the end of the capture, as far as probes
    /// tell; 0 if it is not.
    pub(crate) fn lasting_ns(&self) -> u64 {
        let probed_ns = self
            .trouble
            .as_ref()
            .map_or(0, |trouble| trouble.last_probe_ns);
        match self.last_data_ns {
            0 => 0,
            last_ns => probed_ns.saturating_sub(last_ns),
        }
    }
}

impl DirectionTrouble {
    fn on_window_probe(&mut self, now: u64, note: &mut impl Note) {
        self.counters.on_window_probe();
        self.last_probe_ns = now;
        note.note(Fact::Is(SegmentKind::WindowProbe));
        note.note(Fact::SentAgain(Cause::WindowProbe, 0));
    }
}
