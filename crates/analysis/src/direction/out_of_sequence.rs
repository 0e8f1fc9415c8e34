//! Segments that do not continue the last one: retransmitted, late, or a probe.

use super::{DirectionState, DirectionTrouble, ORIGIN};
use crate::cause::{Cause, Evidence, InferredPhase};
use crate::holes::{FilledHole, HoleLeaver};
use crate::rtt::LEAST_RTO_NS;
use crate::step::{Fact, Note, Revision, SegmentKind};
use dissect::{ControlBits, TcpSegment};

/// Retransmissions remembered for a report that the receiver had the segment. Between hosts whose
/// segments overtake each other (network namespaces of one machine) RACK sends several hundred in a
/// row, and all of them are needless.
const AWAITING_REPORT: usize = 1024;

/// Time that a report is awaited: it comes when the copy arrives, a round trip later, behind what
/// waits in queues. (Inferred: many times what a path of the Internet takes; without an end to it,
/// what is remembered would grow with every loss of a long connection.)
const REPORTED_WITHIN_NS: u64 = 10_000_000_000;

/// Timestamps of retransmissions remembered for their echo.
const AWAITING_ECHO: usize = 64;

/// The segment size that every host accepts (RFC 9293 §3.7.1), until a larger is seen.
const DEFAULT_MSS: u16 = 536;

/// A retransmission that may turn out to have been needless, or a copy that the network made: the
/// receiver reports either.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoubtfulRetransmission {
    pub start: u64,
    pub end: u64,
    pub cause: Cause,
    /// Number of its packet.
    pub number: u64,
    pub time_ns: u64,
    /// Its timestamp.
    pub clock: Option<u32>,
    ip_id: Option<u16>,
}

impl DoubtfulRetransmission {
    /// Returns what is said of it now. `is_own` says that its sender's own segment says so.
    pub(super) const fn revision(&self, is_own: bool) -> Revision {
        Revision {
            is_own,
            packet: self.number,
            start: self.start,
            cause: self.cause,
        }
    }

    /// Returns whether it was sent later than the segment, by its timestamp or, if the sender
    /// counts them, its IP identification.
    pub(super) fn is_younger_than(&self, segment: &TcpSegment, counts_ip_ids: bool) -> bool {
        let clock = segment.options.timestamps.map(|(clock, _)| clock);
        let ticks = self
            .clock
            .zip(clock)
            .map(|(own, of)| own.wrapping_sub(of) as i32);
        let by_ip_id = || {
            let ids = self.ip_id.zip(segment.ip_id).filter(|_| counts_ip_ids);
            ids.is_some_and(|(own, of)| own.wrapping_sub(of) as i16 > 0)
        };
        match ticks {
            Some(ticks) if ticks != 0 => ticks > 0,
            _ => by_ip_id(),
        }
    }
}

impl DirectionState {
    /// A segment that does not go on where the last ended.
    #[inline(never)]
    pub(super) fn send_old(
        &mut self,
        segment: &TcpSegment,
        start: u64,
        end: u64,
        is_heard: bool,
        note: &mut impl Note,
    ) -> Option<Cause> {
        let next = self.next;
        let filled = self.fill(start, end.min(next), note);
        if filled.left.is_news() {
            self.on_early_ack(filled.left.at_ns, segment.time_ns);
        }
        let beyond = end.saturating_sub(self.next);
        let length = end - start;
        let seen = length - filled.bytes - beyond;
        if seen == 0 && self.was_captured_late(filled.left, end, segment.time_ns) {
            // What was captured before it did not set it off.
            self.signs.on_repetition();
            self.push_beyond(segment, end, is_heard);
            return None;
        }
        let cause = self.judge(segment, start, end, filled, seen, note);
        if cause == Cause::Reordering {
            self.lift_suspicion(start, end, note);
        }
        let seen_bytes = seen.min(segment.payload.into());
        // It may be below zero: what was taken for a probe, and acknowledged, was new.
        self.bytes_not_unique = self.bytes_not_unique.wrapping_add(seen_bytes);
        self.trouble().counters.on_old(segment.payload, seen, cause);
        note.note(Fact::Is(match seen {
            0 => SegmentKind::OutOfOrder,
            _ => SegmentKind::Retransmitted,
        }));
        note.note(Fact::SentAgain(cause, seen_bytes));
        if seen > 0 || cause.is_retransmission() {
            self.remember(segment, start, end, cause);
        }
        if filled.bytes > 0 && seen == 0 && end > self.acked {
            let mut sent = Self::sent(segment, start, end.min(self.next));
            sent.times += u8::from(cause.is_retransmission());
            self.outstanding.insert(sent);
        }
        self.push_beyond(segment, end, is_heard);
        Some(cause)
    }

    /// Notes as outstanding the part of a segment beyond all before.
    fn push_beyond(&mut self, segment: &TcpSegment, end: u64, is_heard: bool) {
        let from = self.next;
        if end > from {
            self.next = end;
            self.push(segment, from, end, is_heard);
        }
    }

    /// Returns whether a segment was captured behind its acknowledgment, and else in its place:
    /// nothing of its sender that follows it was captured before, and it comes sooner than a timer
    /// sends anything again (RFC 6298).
    fn was_captured_late(&self, left: HoleLeaver, end: u64, now: u64) -> bool {
        let patient_ns = self.whole_timeout_ns().max(LEAST_RTO_NS);
        let is_soon = now.saturating_sub(left.at_ns) < patient_ns;
        let holes = self.trouble.as_ref().map(|trouble| &trouble.holes);
        left.is_by_ack && is_soon && holes.is_some_and(|holes| holes.are_all_of(end, self.next))
    }

    /// The sender's timeout by the way on either side of the point of capture.
    fn whole_timeout_ns(&self) -> u64 {
        let sides = [self.estimator, self.echo.estimator];
        let both_ns = sides.map(|side| side.timeout_ns());
        both_ns[0].saturating_add(both_ns[1]).max(self.handshake_ns)
    }

    /// Takes a segment that is captured after its acknowledgment.
    #[cold]
    pub(super) fn on_early_ack(&mut self, ack_ns: u64, now: u64) {
        let counters = &mut self.trouble().counters;
        counters.acks_early += 1;
        let ahead_ns = now.saturating_sub(ack_ns);
        counters.acks_early_ns = counters.acks_early_ns.saturating_add(ahead_ns);
    }

    /// Takes `start..end` for captured: what of it was not before.
    fn fill(&mut self, start: u64, end: u64, note: &mut impl Note) -> FilledHole {
        let lowest = ORIGIN + u64::from(self.lowest);
        let mut filled = self.trouble().holes.fill(start, end);
        if filled.bytes > 0 {
            note.note(Fact::FillsLeftAt(filled.left.at_ns));
        }
        if (ORIGIN..lowest).contains(&start) {
            // The capture began behind these, or has them in another order.
            let left = HoleLeaver::at(self.last_data_ns.max(self.last_ack_ns));
            filled = FilledHole {
                bytes: filled.bytes + end.min(lowest) - start,
                left,
            };
            self.trouble().holes.leave_before(end, lowest, left);
            self.lowest = (start - ORIGIN) as u32;
        }
        filled
    }

    fn judge(
        &mut self,
        segment: &TcpSegment,
        start: u64,
        end: u64,
        filled: FilledHole,
        seen: u64,
        note: &mut impl Note,
    ) -> Cause {
        let now = segment.time_ns;
        let ip_id = segment.ip_id.unwrap_or(0);
        let is_numbered = segment.ip_id.is_some() && self.counts_ip_ids();
        let sent_before = self.sent_before_successors(segment, end, filled.left);
        let mss = u64::from(self.segment_max.max(DEFAULT_MSS));
        let mut evidence = Evidence {
            phase: self.phase,
            is_unseen: seen == 0,
            is_seen: seen == end - start,
            is_acknowledged: end <= self.acked,
            is_outside: self.is_outside_window(start),
            follows_repair: sent_before == Some(true)
                && self.was_overtaken_by_repair(segment, start, end),
            is_head: start <= self.acked,
            is_tail: end >= self.next,
            has_sack: self.has_sack,
            has_clock: self.has_clock,
            is_in_syn: segment.flags.has(ControlBits::SYN),
            is_unheard: self.last_ack_ns == 0,
            reports_are_cut: self.reports_are_cut(),
            times: 1,
            elapsed_ns: now.saturating_sub(self.last_data_ns),
            quiet_ns: now.saturating_sub(self.last_ack_ns.max(self.last_data_ns)),
            unanswered_ns: now.saturating_sub(self.last_ack_ns),
            follows_ack: self.last_ack_ns >= self.last_data_ns,
            follows_progress: self.signs.are_of_progress(),
            reaction_ns: self.reaction_ns,
            duplicates: self.duplicates.into(),
            sacked_above: self.outstanding.sacked_above(end, 2 * mss),
            mss,
            sent_before,
            is_old_packet: is_numbered && sent_before == Some(true) && self.is_of_the_past(segment),
            min_rtt_ns: self.min_rtt_ns(),
            smoothed_ns: self.path_rtt_ns(),
            timeout_ns: self.whole_timeout_ns(),
            was_too_big: self.was_too_big(segment, start),
            answers_third: self.answers_third(segment),
            ..Evidence::default()
        };
        if seen == 0 {
            evidence.elapsed_ns = now.saturating_sub(filled.left.at_ns);
        } else if let Some((first, all_sacked)) =
            self.outstanding.retransmit(start, end, now, ip_id)
        {
            evidence.elapsed_ns = now.saturating_sub(first.last_ns);
            evidence.times = first.times.into();
            evidence.was_declined = first.last_ns < self.first_ack_ns && self.has_only_syn(start);
            evidence.is_sacked = all_sacked;
            evidence.newer_delivered = self.newest_delivered_ns > first.last_ns;
            evidence.is_old_packet |= is_numbered && first.ip_id == ip_id;
        }
        if evidence.is_unheard && !evidence.is_in_syn {
            evidence.backs_off = self.backs_off(start, evidence.elapsed_ns, note);
        }
        let (cause, rule) = evidence.judge();
        note.note(Fact::ByRule(rule));
        let phase = self.phase;
        if self.enter_recovery(cause, evidence.is_new_timeout(), note) {
            self.recovery_end = self.next;
            if phase == InferredPhase::Open {
                self.trouble().recovery_clock = segment.options.timestamps.map(|(clock, _)| clock);
            }
        }
        cause
    }

    /// Returns whether nothing but this end's SYN is acknowledged, behind which `start` comes.
    fn has_only_syn(&self, start: u64) -> bool {
        let behind_syn = ORIGIN + u64::from(self.lowest) + 1;
        self.syns > 0 && start == behind_syn && self.acked == behind_syn
    }

    /// Returns whether the snap length cut off what the receiver says in options.
    pub(super) fn reports_are_cut(&self) -> bool {
        let trouble = self.trouble.as_ref();
        trouble.is_some_and(|trouble| trouble.reports_are_cut)
    }

    /// The shortest round trip of the path: the handshake's is the whole path's, while that of
    /// data may end at a point of capture near the receiver.
    fn min_rtt_ns(&self) -> u64 {
        match (self.rtt.min_ns, self.handshake_ns) {
            (0, handshake) => handshake,
            (data, 0) => data,
            (data, handshake) if data < handshake / 2 => handshake,
            (data, handshake) => data.min(handshake),
        }
    }

    pub(super) fn path_rtt_ns(&self) -> u64 {
        self.estimator.smoothed_ns.max(self.handshake_ns)
    }

    /// A retransmission may begin a phase of recovery; gives whether one begins. A timer that expires
    /// in the recovery from another begins anew.
    fn enter_recovery(&mut self, cause: Cause, is_new_timeout: bool, note: &mut impl Note) -> bool {
        match (cause, self.phase) {
            (Cause::Timeout, InferredPhase::Timeout) if !is_new_timeout => return false,
            (Cause::Timeout, _) => {
                self.phase = InferredPhase::Timeout;
                self.trouble().counters.timeouts += 1;
                note.note(Fact::TimerExpired);
            }
            // In the kernel of Linux, too, this timer is none of its TCPTimeouts, but what is
            // retransmitted when there is room belongs to the recovery from it (tcp_enter_loss).
            (Cause::WindowProbe, _) => self.phase = InferredPhase::Timeout,
            (Cause::Fast | Cause::Rack, InferredPhase::Open) => {
                self.phase = InferredPhase::Fast;
                self.trouble().counters.recoveries += 1;
                note.note(Fact::BeginsRecovery);
            }
            _ => return false,
        }
        true
    }

    /// Remembers a retransmission: it matters to the round trips behind it, and may be found
    /// needless later.
    fn remember(&mut self, segment: &TcpSegment, start: u64, end: u64, cause: Cause) {
        let again = DoubtfulRetransmission {
            start,
            end,
            cause,
            number: segment.number,
            time_ns: segment.time_ns,
            clock: segment.options.timestamps.map(|(clock, _)| clock),
            ip_id: segment.ip_id,
        };
        match cause {
            Cause::Reordering => return,
            Cause::NetworkDuplicate => return self.trouble().expect_report(again),
            _ => {}
        }
        // Behind what was sent last nothing waits for it.
        if end < self.next {
            self.last_retransmission_ns = segment.time_ns;
        }
        if let Some((clock, _)) = segment.options.timestamps {
            self.trouble().expect_echo(clock, segment.time_ns);
        }
        if matches!(cause, Cause::WindowProbe | Cause::PathMtu) {
            return;
        }
        self.signs.on_repair();
        self.trouble().expect_report(again);
    }
}

impl DirectionTrouble {
    fn expect_echo(&mut self, clock: u32, now: u64) {
        if self
            .clocks_again
            .back()
            .is_some_and(|&(last, _)| last == clock)
        {
            return;
        }
        if self.clocks_again.len() == AWAITING_ECHO {
            self.clocks_again.pop_front();
        }
        self.clocks_again.push_back((clock, now));
    }

    fn expect_report(&mut self, again: DoubtfulRetransmission) {
        let since_ns = again.time_ns.saturating_sub(REPORTED_WITHIN_NS);
        while self
            .recent
            .front()
            .is_some_and(|oldest| oldest.time_ns < since_ns || self.recent.len() == AWAITING_REPORT)
        {
            self.recent.pop_front();
        }
        self.recent.push_back(again);
    }
}
