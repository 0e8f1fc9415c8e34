//! A connection under way.

use core::mem::offset_of;

use super::announced::{Announced, EcnFeedback, agreed_ecn, agrees_on_sack, shifts};
use super::cause::Cause;
use super::direction::DirectionState;
use super::progress::EndProgress;
use super::silence::Silences;
use super::step::{Fact, Note, SegmentKind};
use dissect::prefetch::prefetch;
use dissect::{ConnectionEnd, ControlBits, IcmpReport, IpAddress, TcpSegment};

/// A connection under way. The client is index 0 everywhere.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(super) struct CapturedConnection {
    addresses: [IpAddress; 2],
    ports: [u16; 2],
    pub progress: EndProgress,
    /// False in a place of the store that no connection has.
    pub is_under_way: bool,
    pub last_ns: u64,
    pub halves: [DirectionState; 2],
    pub first_ns: u64,
    /// Number of its first packet.
    pub number: u64,
    /// Segments with an earlier time than one before them.
    pub back_in_time: u64,
    pub announced: [Announced; 2],
    /// Time when the handshake was over.
    pub established_ns: u64,
    pub silences: Silences,
    /// Number of an older connection that the server acknowledged, instead of the SYN.
    acked_of_older: Option<u32>,
}

/// Ports below this are of servers (RFC 6335 §6, system ports).
const SYSTEM_PORTS: u16 = 1024;

/// The scale of windows that no SYN told: that of the largest buffer that a system comes with.
/// (Inferred; Linux `tcp_rmem`: 32 MiB.)
const USUAL_SHIFT: u8 = 10;

impl CapturedConnection {
    /// Asks for what every segment needs.
    #[inline]
    pub fn prefetch(&self) {
        const FIRST: usize = offset_of!(CapturedConnection, halves);
        const SECOND: usize = FIRST + size_of::<DirectionState>();
        prefetch(self, 0, FIRST + DirectionState::NEAR);
        prefetch(self, SECOND, SECOND + DirectionState::NEAR);
    }

    /// A connection whose first captured segment is `segment`.
    pub fn new(segment: &TcpSegment) -> Self {
        let ends = [segment.source, segment.destination];
        let is_from_client = match (
            segment.flags.has(ControlBits::SYN),
            segment.flags.has(ControlBits::ACK),
        ) {
            (true, is_answer) => !is_answer,
            (false, _) => {
                segment.source.port >= SYSTEM_PORTS || segment.destination.port < SYSTEM_PORTS
            }
        };
        let ends = if is_from_client {
            ends
        } else {
            [ends[1], ends[0]]
        };
        CapturedConnection {
            addresses: ends.map(|end| end.address),
            ports: ends.map(|end| end.port),
            is_under_way: true,
            first_ns: segment.time_ns,
            last_ns: segment.time_ns,
            number: segment.number,
            ..CapturedConnection::default()
        }
    }

    /// Client and server.
    #[inline]
    pub fn ends(&self) -> [ConnectionEnd; 2] {
        [0, 1].map(|end| ConnectionEnd {
            address: self.addresses[end],
            port: self.ports[end],
        })
    }

    /// The index of the end that sent a segment of this connection. Without a branch, because
    /// nobody foresees which end is next, and a wrong guess throws away the loads begun since.
    #[inline]
    pub fn sender(&self, segment: &TcpSegment) -> usize {
        let [client, _] = self.ends();
        usize::from(segment.source.differs_from(&client) != 0)
    }

    /// Returns whether a segment goes between the same ends.
    #[inline]
    pub fn joins(&self, segment: &TcpSegment) -> bool {
        let [client, server] = self.ends();
        segment.is_between(&client, &server)
    }

    /// Returns when the client's SYN was captured, or else the first segment: transfers begin
    /// there.
    pub const fn start_ns(&self) -> u64 {
        match self.announced[0].isn {
            Some(_) => self.announced[0].syn_ns,
            None => self.first_ns,
        }
    }

    /// Returns how much a connection deserves to stay when room is needed.
    pub fn claim(&self) -> u8 {
        if self.progress.is_closed() {
            0
        } else if self.halves[1].packets == 0 {
            1
        } else {
            2
        }
    }

    /// Returns whether a segment is of another connection between the same ends: a SYN opens it, or
    /// behind the end of this one it goes on elsewhere.
    #[inline]
    pub fn is_succeeded_by(&self, segment: &TcpSegment) -> bool {
        let is_opening =
            segment.flags.has(ControlBits::SYN) && !segment.flags.has(ControlBits::ACK);
        if !is_opening {
            return self.progress.is_closed() && self.is_left_by(segment);
        }
        let same_client = self.sender(segment) == 0;
        let same_isn = self.announced[0].isn == Some(segment.seq);
        self.progress.is_closed() || (self.progress.established && !(same_client && same_isn))
    }

    /// Returns whether both numbers of a segment are further from where the connection ended than
    /// anything of it can be: they are of another, whose SYN was not captured.
    #[cold]
    fn is_left_by(&self, segment: &TcpSegment) -> bool {
        let from = self.sender(segment);
        let goes_on = segment.flags.has(ControlBits::ACK) && !segment.flags.has(ControlBits::RST);
        goes_on && self.is_elsewhere(from, segment.seq) && self.is_elsewhere(1 - from, segment.ack)
    }

    /// Returns whether a number is further from the newest of an end than the largest window of the
    /// other.
    fn is_elsewhere(&self, from: usize, number: u32) -> bool {
        let half = &self.halves[from];
        let is_near = |full: u64| full.abs_diff(half.next) <= self.largest_window(1 - from);
        half.is_started() && !half.number(number).is_some_and(is_near)
    }

    /// The largest window that an end can tell.
    const fn largest_window(&self, end: usize) -> u64 {
        let half = &self.halves[end];
        let shift = if half.knows_scale {
            half.shift
        } else {
            USUAL_SHIFT
        };
        (u16::MAX as u64) << shift
    }

    /// Takes a segment of this connection; gives why it was retransmitted or late, if it was.
    #[inline]
    pub fn take(&mut self, segment: &TcpSegment, note: &mut impl Note) -> Option<Cause> {
        let from = self.sender(segment);
        if segment.time_ns < self.last_ns {
            self.on_time_before();
        } else {
            self.last_ns = segment.time_ns;
        }
        let flags = segment.flags;
        self.halves[from].on_segment(segment);
        if self.halves[from].is_bare_reminder(segment) {
            self.halves[from].on_reminder(segment.time_ns, note);
            return None;
        }
        if flags.has(ControlBits::SYN | ControlBits::RST | ControlBits::ECE)
            || self.progress.is_watched
        {
            if flags.has(ControlBits::SYN | ControlBits::RST) {
                return self.take_unusual(segment, from, note);
            }
            if self.take_watched(segment, from) {
                return None;
            }
        }
        self.take_ack(segment, from, note);
        let cause = self.take_data(segment, from, note);
        if flags.has(ControlBits::FIN) {
            self.progress.fin[from] = true;
        }
        cause
    }

    #[cold]
    const fn on_time_before(&mut self) {
        self.back_in_time += 1;
    }

    /// Returns whether the server, which still has an older connection between the same ends,
    /// answers the SYN by an acknowledgment of that (RFC 9293 §3.5.1), or goes on with it.
    #[cold]
    fn is_of_older(&mut self, segment: &TcpSegment, from: usize) -> bool {
        let expected = self.announced[0].isn.map(|isn| isn.wrapping_add(1));
        let acked = Some(segment.ack).filter(|_| segment.flags.has(ControlBits::ACK));
        let is_older = from == 1 && acked.is_some() && acked != expected;
        if is_older {
            self.acked_of_older = acked;
        }
        is_older
    }

    /// A segment of this connection was not handed on, or not taken.
    #[cold]
    pub fn take_report(&mut self, report: &IcmpReport) {
        let [client, _] = self.ends();
        let from = usize::from(report.source != client);
        self.halves[from].on_report(report);
    }

    #[inline]
    fn take_data(
        &mut self,
        segment: &TcpSegment,
        from: usize,
        note: &mut impl Note,
    ) -> Option<Cause> {
        let peer_is_heard = self.halves[1 - from].packets > 0;
        let half = &mut self.halves[from];
        if !half.is_started() {
            half.start(segment.seq);
        }
        if segment.payload > 0 {
            self.note_silence(segment, from);
        }
        let half = &mut self.halves[from];
        if segment.payload > 0 || segment.flags.has(ControlBits::FIN) {
            return half.on_sent(segment, peer_is_heard, note);
        }
        None
    }

    #[inline]
    fn take_ack(&mut self, segment: &TcpSegment, from: usize, note: &mut impl Note) {
        if !segment.flags.has(ControlBits::ACK) {
            return;
        }
        let (window, is_same_window) = self.halves[from].advertise(segment);
        let is_accepted = from == 0 && self.progress.is_answered();
        if is_accepted {
            self.settle_answer(segment);
        }
        let peer = &mut self.halves[1 - from];
        if !peer.is_started() {
            peer.start(segment.ack);
        }
        peer.on_ack(segment, window, is_same_window, note);
        if is_accepted {
            self.take_handshake_end(segment);
        }
    }

    /// Takes what only some segments say: marks on what the other end sent, by a flag or a count, or,
    /// where the SYN was not answered yet, that they are of an older connection: gives whether they are.
    #[cold]
    fn take_watched(&mut self, segment: &TcpSegment, from: usize) -> bool {
        if self.progress.is_opening() {
            return self.is_of_older(segment, from);
        }
        let is_first = from == 0 && self.progress.is_answered();
        let marks = match self.progress.counts_marks {
            true if segment.flags.has(ControlBits::ACK) => {
                self.halves[from].count_marks(segment, is_first)
            }
            true => 0,
            false => u64::from(segment.flags.has(ControlBits::ECE)),
        };
        if marks > 0 {
            self.halves[1 - from].on_marks_told(marks);
        }
        false
    }

    /// Of two answers to its SYN the client's first acknowledgment says which it took.
    #[cold]
    fn settle_answer(&mut self, segment: &TcpSegment) {
        let accepted = segment.ack.wrapping_sub(1);
        let answer = &mut self.announced[1];
        if answer.changed_isn && answer.isn != Some(accepted) {
            answer.isn = Some(accepted);
            self.halves[1].start(segment.ack);
        }
    }

    /// The client's first acknowledgment ends the handshake, whose time is that of the whole
    /// path, wherever between the ends the capture is taken.
    #[cold]
    fn take_handshake_end(&mut self, segment: &TcpSegment) {
        self.progress.established = true;
        self.established_ns = segment.time_ns;
        let syns = self.halves.each_ref().map(|half| half.syns);
        if syns == [1, 1] {
            let took = segment.time_ns.saturating_sub(self.announced[0].syn_ns);
            for half in &mut self.halves {
                half.handshake_ns = took;
            }
        }
    }

    #[cold]
    fn take_unusual(
        &mut self,
        segment: &TcpSegment,
        from: usize,
        note: &mut impl Note,
    ) -> Option<Cause> {
        if segment.flags.has(ControlBits::RST) {
            // Its numbers need not be of the connection (RFC 9293 §3.10.7.1).
            let is_of_older =
                self.progress.is_opening() && self.acked_of_older == Some(segment.seq);
            self.progress.reset |= !is_of_older && self.may_accept_reset(segment, from);
            return None;
        }
        if self.is_belated_answer(segment, from) {
            self.announced[from].changed_isn = true;
            note.note(Fact::Is(SegmentKind::SynAgain));
            self.take_ack(segment, from, note);
            return None;
        }
        self.take_syn(segment, from, note);
        if segment.flags.has(ControlBits::ACK) {
            self.progress.syn_ack = true;
            self.agree_options();
            self.take_ack(segment, from, note);
        } else {
            self.progress.syn = true;
            self.progress.is_watched |= self.progress.is_opening();
        }
        let body = TcpSegment {
            seq: segment.seq.wrapping_add(1),
            ..*segment
        };
        self.take_data(&body, from, note)
    }

    /// Returns whether the other end may accept a reset. Once the connection is established it
    /// drops one outside its window (RFC 9293 §3.10.7.4); Linux also takes one with the number of a
    /// FIN that it has (`tcp_reset_check`). The window may be larger than the one that was captured
    /// last, and where its scale is not known, every reset is taken.
    fn may_accept_reset(&self, segment: &TcpSegment, from: usize) -> bool {
        if !self.progress.established || !self.halves[1 - from].knows_scale {
            return true;
        }
        let half = &self.halves[from];
        let most = half.next + self.largest_window(1 - from);
        half.number(segment.seq)
            .is_some_and(|seq| half.acked <= seq + 1 && seq <= most)
    }

    /// Returns whether a SYN with ACK comes when the handshake is over, with another initial
    /// sequence number than the one that was acknowledged: something on the path, or another host
    /// behind the same address, answered too, and the client does not accept it (RFC 9293
    /// §3.10.7.4).
    fn is_belated_answer(&self, segment: &TcpSegment, from: usize) -> bool {
        let is_other = self.announced[from]
            .isn
            .is_some_and(|isn| isn != segment.seq);
        let is_over = self.progress.established && !self.progress.is_closed();
        segment.flags.has(ControlBits::ACK) && is_over && is_other
    }

    fn take_syn(&mut self, segment: &TcpSegment, from: usize, note: &mut impl Note) {
        let announced = &mut self.announced[from];
        let is_again = announced.isn == Some(segment.seq);
        announced.take(segment);
        let before = self.halves[from].next;
        self.halves[from].on_syn(segment, is_again);
        note.note(Fact::Is(match self.halves[from].next == before {
            true => SegmentKind::SynAgain,
            false => SegmentKind::Syn,
        }));
        self.halves[1 - from].mss_announced = segment.options.mss.filter(|&most| most > 0);
    }

    fn agree_options(&mut self) {
        let has_sack = agrees_on_sack(&self.announced) == Some(true);
        let shifts = shifts(&self.announced);
        self.progress.counts_marks = agreed_ecn(&self.announced) == EcnFeedback::Accurate;
        self.progress.is_watched = self.progress.counts_marks;
        for (from, half) in self.halves.iter_mut().enumerate() {
            half.has_sack = has_sack;
            half.knows_scale = shifts.is_some();
            half.shift = shifts.map_or(0, |shifts| shifts[from]);
        }
    }
}
