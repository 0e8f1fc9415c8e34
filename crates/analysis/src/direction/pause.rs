//! Gaps between the segments of a sender: what held it up, and which of them are stalls.

use super::DirectionState;
use super::echo::Following;
use crate::cause::{Cause, HOST_DELAY_NS, InferredPhase};
use crate::limit::{HeldUp, Idle, Limit};
use crate::rtt::{HELD_BACK_NS, LEAST_RTO_NS};
use crate::silence::Whose;
use crate::stall::{Situation, Stall};
use crate::step::{Fact, Note};
use dissect::{ControlBits, TcpSegment};

/// Events and states since the last payload that may explain the next gap.
/// While nothing has, and the gap is short, it is the network's, and nothing is to be done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signs(u8);

impl Signs {
    /// The receiver's window has no room for another full segment.
    const FULL: u8 = 1;
    /// The other end sent data.
    const ASKED: u8 = 2;
    /// Something is missing that was sent.
    const HOLE: u8 = 4;
    /// The sender had no more. It says so by PSH (RFC 9293 §3.9.1, MUST-61), but also on full
    /// segments in between, as Linux does in every half window, and on what a card is to cut
    /// (forced_push, tcp_write_xmit).
    const SENT_ALL: u8 = 8;
    /// The last acknowledgment was of something new. Alone it is nothing to be looked at.
    const RELEASED: u8 = 16;
    /// A loss is being repaired, or was when the last payload was sent.
    const REPAIR: u8 = 32;
    /// The receiver told a window without room for a full segment. Alone it is nothing to be looked
    /// at.
    const CLOSED: u8 = 64;
    /// The last payload was retransmitted while the window had no room for it.
    const REFUSED: u8 = 128;

    /// Returns whether one of them may explain a short gap.
    #[inline]
    const fn are_there(self) -> bool {
        self.0 & !(Self::RELEASED | Self::CLOSED) != 0
    }

    #[inline]
    const fn has(self, sign: u8) -> bool {
        self.0 & sign != 0
    }

    #[inline]
    pub fn on_question(&mut self) {
        self.0 |= Self::ASKED;
    }

    #[inline]
    pub fn on_progress(&mut self) {
        self.0 |= Self::RELEASED;
    }

    /// Returns whether the last acknowledgment since was of something new.
    pub const fn are_of_progress(self) -> bool {
        self.has(Self::RELEASED)
    }

    /// Returns whether the sender said that it had no more.
    pub const fn have_sent_all(self) -> bool {
        self.has(Self::SENT_ALL)
    }

    #[inline]
    pub fn on_repetition(&mut self) {
        self.0 &= !Self::RELEASED;
    }

    #[inline]
    pub fn on_closing(&mut self) {
        self.0 |= Self::CLOSED;
    }

    pub fn on_hole(&mut self) {
        self.0 |= Self::HOLE;
    }

    pub fn on_repair(&mut self) {
        self.0 |= Self::REPAIR;
    }
}

impl DirectionState {
    /// Returns whether it has begun to send and has not said that this was all.
    const fn has_more(&self) -> bool {
        self.last_data_ns > 0 && !self.signs.have_sent_all()
    }

    /// Data are sent behind a gap.
    #[inline]
    pub(super) fn note_gap(
        &mut self,
        segment: &TcpSegment,
        before: u64,
        cause: Option<Cause>,
        note: &mut impl Note,
    ) {
        let now = segment.time_ns;
        let gap = now.saturating_sub(self.last_data_ns);
        let is_long = gap > self.estimator.smoothed_ns;
        let is_delayed = || gap > *HELD_BACK_NS.start() && self.was_delayed(before);
        if self.signs.are_there() || is_long || is_delayed() {
            self.end_gap(segment, gap, before, cause, note);
        }
        self.last_data_ns = now;
        if self.next != before {
            self.newest_payload = u16::try_from(segment.payload).unwrap_or(u16::MAX);
        }
        let mut signs = self.signs.0 & (Signs::HOLE | Signs::REPAIR);
        let room_left = self.edge().wrapping_sub(self.next) as i64;
        if room_left < self.segment_max.into() {
            signs |= Signs::FULL;
        }
        if segment.flags.has(ControlBits::PSH) && segment.payload < self.least_full() {
            signs |= Signs::SENT_ALL;
        }
        if cause == Some(Cause::WindowProbe) {
            signs |= Signs::REFUSED;
        }
        self.signs = Signs(signs);
    }

    /// From how much payload on a segment may be a full one: options take up to 40 bytes of it
    /// (RFC 6691 §2).
    fn least_full(&self) -> u32 {
        let most = self.mss_announced.map(|most| most.saturating_sub(40));
        most.unwrap_or(self.segment_max).into()
    }

    #[inline(never)]
    fn end_gap(
        &mut self,
        segment: &TcpSegment,
        gap: u64,
        before: u64,
        cause: Option<Cause>,
        note: &mut impl Note,
    ) {
        if self.last_data_ns == 0 {
            return;
        }
        let now = segment.time_ns;
        let situation = self.situation(segment, gap, before, cause);
        let (limit, otherwise) = (situation.limit(), situation.limit_without_hole());
        self.accounts.add(limit, gap);
        if matches!(limit, Limit::Silence | Limit::Delay | Limit::Nagle) {
            self.trouble().idle.add(limit, gap);
        }
        if matches!(limit, Limit::Silence | Limit::Pace) {
            let bytes = self.bytes;
            self.trouble().pace.on_silence(now, bytes);
        }
        // A longer one may be a stall.
        let timeout = self.estimator.timeout_ns().max(LEAST_RTO_NS);
        let is_long = gap > self.path_rtt_ns().saturating_mul(2).min(timeout);
        let is_stall = if limit == Limit::Delay {
            self.count_stall(Stall::Delay, gap, note);
            true
        } else {
            is_long && self.estimator.smoothed_ns > 0 && self.end_pause(gap, situation, note)
        };
        if otherwise != limit {
            let asked = self.acked;
            let suspicion = &mut self.trouble().suspicion;
            suspicion.add(asked, otherwise, gap, is_stall);
        }
    }

    /// Takes a hole for a late segment: the gaps meanwhile are no loss's.
    #[cold]
    pub(super) fn lift_suspicion(&mut self, start: u64, end: u64, note: &mut impl Note) {
        let trouble = self.trouble.get_or_insert_default();
        for (limit, gaps) in trouble.suspicion.lift(start, end) {
            self.accounts.correct(limit, gaps.total_ns);
            match limit {
                Limit::Application => trouble.idle.on_long(gaps.stalls.total_ns),
                _ => trouble.idle.add(limit, gaps.total_ns),
            }
            let stalls = &mut trouble.counters.stalls;
            stalls[Stall::Recovery as usize].give(gaps.stalls);
            stalls[Stall::of(limit) as usize].take(gaps.stalls);
            if gaps.stalls.count > 0 {
                note.note(Fact::EndsPause(Stall::of(limit), gaps.stalls.total_ns));
            }
        }
    }

    fn situation(
        &mut self,
        segment: &TcpSegment,
        gap: u64,
        before: u64,
        cause: Option<Cause>,
    ) -> Situation {
        let now = segment.time_ns;
        let flight = before.saturating_sub(self.acked);
        let (answered_ns, quiet_ns) = (
            self.last_ack_ns.saturating_sub(self.last_data_ns),
            now.saturating_sub(self.last_ack_ns),
        );
        let at_once_ns = self.reaction_ns.saturating_add(HOST_DELAY_NS);
        Situation {
            cause: cause.filter(|cause| cause.is_retransmission() && *cause != Cause::PathMtu),
            window_was_closed: self.signs.has(Signs::FULL | Signs::CLOSED),
            was_waiting: flight > 0,
            was_released: answered_ns > 0,
            was_set_off: self.signs.has(Signs::RELEASED) && quiet_ns < answered_ns.min(at_once_ns),
            was_answer_due: flight > self.segment_max.into(),
            was_repairing: self.was_repairing(),
            has_hole: self.has_hole(before),
            was_refused: cause == Some(Cause::WindowProbe) || self.signs.has(Signs::REFUSED),
            had_sent_all: self.signs.has(Signs::SENT_ALL),
            may_keep_pace: flight == 0 && self.may_keep_pace(now, gap),
            was_asked: self.signs.has(Signs::ASKED),
            was_delayed: self.was_delayed(before),
            is_partial: segment.payload < self.least_full(),
        }
    }

    /// Returns whether the receiver held back the acknowledgment of all that was on its way, less
    /// than two full segments, which it may: that took longer than the shortest round trip by as
    /// much as receivers wait. With data from there it was its application that took so long.
    #[inline(never)]
    pub(super) fn was_delayed(&self, before: u64) -> bool {
        let answered_ns = self.last_ack_ns.saturating_sub(self.last_data_ns);
        let held_back_ns = answered_ns.saturating_sub(self.rtt.min_ns);
        let is_all = self.acked >= before && self.signs.has(Signs::RELEASED);
        let may_wait = self.has_acked_little && !self.signs.has(Signs::ASKED);
        is_all && may_wait && self.rtt.min_ns > 0 && HELD_BACK_NS.contains(&held_back_ns)
    }

    /// Who is to blame for a silence of both ends that a segment of this one ends.
    pub(crate) fn whose_silence(&self, segment: &TcpSegment) -> Whose {
        let start = self.number(segment.seq).unwrap_or(self.next);
        let answered_ns = self.last_ack_ns.saturating_sub(self.last_data_ns);
        let since_ns = segment.time_ns.saturating_sub(self.last_ack_ns);
        // One that opened soon is what the sender did not wait for.
        let opened_late = since_ns < answered_ns;
        let is_closed = self.signs.has(Signs::FULL | Signs::CLOSED) && opened_late;
        if start < self.next || self.acked < self.next && !is_closed {
            Whose::Network
        } else if is_closed || self.was_delayed(start) {
            Whose::Receiver
        } else if self.has_more() && self.sender_rtt_ns() == 0 && self.is_far() {
            Whose::Nobody
        } else {
            Whose::Sender
        }
    }

    /// Returns whether a loss was being repaired in the gap.
    fn was_repairing(&mut self) -> bool {
        let was_repairing = self.signs.has(Signs::REPAIR);
        if self.phase == InferredPhase::Open {
            self.signs.0 &= !Signs::REPAIR;
        }
        was_repairing
    }

    /// Returns whether the receiver asks for what was never seen, of what was sent before the gap.
    /// A hole that it does not speak of is the capture's, which missed what it has.
    fn has_hole(&mut self, before: u64) -> bool {
        if !self.signs.has(Signs::HOLE) {
            return false;
        }
        let (asked, next) = (self.acked, self.next);
        if self.left_at(asked, next).is_none() {
            self.signs.0 &= !Signs::HOLE;
        }
        let asks = self.duplicates > 0 || self.has_reports;
        asks && asked < before && self.left_at(asked, asked + 1).is_some()
    }

    /// A pause ends that is long for the way from here to the receiver and back. Only the whole
    /// path's round trip tells whether it is: gives whether it is a stall.
    #[cold]
    fn end_pause(&mut self, pause: u64, situation: Situation, note: &mut impl Note) -> bool {
        if self.following == Following::None {
            self.following = Following::Next;
        }
        if pause <= self.patience_ns() {
            return false;
        }
        if situation.limit() == Limit::Application {
            self.trouble().idle.on_long(pause);
        }
        self.count_stall(situation.stall(), pause, note);
        true
    }

    fn count_stall(&mut self, stall: Stall, pause: u64, note: &mut impl Note) {
        self.trouble().counters.stalls[stall as usize].add(pause);
        note.note(Fact::EndsPause(stall, pause));
    }

    /// For how long each limit held; none where nobody acknowledged, or no time passed.
    pub(crate) fn held_up(&self) -> Option<HeldUp> {
        let whole_ns = self.active_until_ns().saturating_sub(self.first_data_ns);
        if !self.is_answered() || whole_ns == 0 {
            return None;
        }
        let idle = self
            .trouble
            .as_ref()
            .map_or(Idle::default(), |trouble| trouble.idle);
        let mut accounts = self.accounts;
        accounts.add(Limit::Window, self.lasting_ns());
        Some(if self.is_far() {
            accounts.far(whole_ns, idle)
        } else {
            accounts.near(whole_ns, idle)
        })
    }

    /// Returns whether more of the path lies between this sender and the point of capture than
    /// behind it, or nothing tells that it does not. Where no timestamps tell the way to the
    /// sender, the handshake does; it also does where the round trips behind may be those of
    /// delayed acknowledgments.
    pub(crate) fn is_far(&self) -> bool {
        match self.sender_rtt_ns() {
            0 if self.has_no_word_of_the_sender() => !self.has_path_behind(),
            0 => self.has_shaken_hands_far_off(),
            to_sender_ns => {
                to_sender_ns > self.estimator.smoothed_ns
                    || (self.has_shaken_hands_far_off() && !self.has_more_than_delayed())
            }
        }
    }

    /// Returns whether neither the handshake nor timestamps tell how far off the sender is.
    fn has_no_word_of_the_sender(&self) -> bool {
        let is_beside = self.has_clock && self.following == Following::None;
        match self.handshake_ns {
            0 => !is_beside,
            handshake_ns => !self.has_clock && handshake_ns < HOST_DELAY_NS,
        }
    }

    /// Returns whether the handshake took most of its time on this sender's side. One that took no
    /// longer than a host may take to answer tells of neither way, but of the hosts.
    const fn has_shaken_hands_far_off(&self) -> bool {
        self.handshake_before_ns() > self.rtt.first_ns
    }

    /// Returns whether the round trips show that more lies behind the point of capture than the
    /// receiver: they are longer than a host's answers, and not all of them a delayed
    /// acknowledgment's.
    fn has_path_behind(&self) -> bool {
        let is_long = self.rtt.mean_ns() >= HOST_DELAY_NS;
        self.rtt.min_ns >= HOST_DELAY_NS || (is_long && self.has_more_than_delayed())
    }

    /// Returns whether more is between here and the receiver on average than may wait there for a
    /// delayed acknowledgment: no receiver leaves more than two full segments without one (RFC 5681
    /// §4.2).
    fn has_more_than_delayed(&self) -> bool {
        let whole_ns = self.last_data_ns.saturating_sub(self.first_data_ns);
        // Little's law: what is on its way on average is the rate by how long it stays there.
        let flown = u128::from(self.bytes) * u128::from(self.rtt.mean_ns());
        flown > 2 * u128::from(self.segment_max) * u128::from(whole_ns)
    }

    /// The longest pause that the path explains: two round trips of all of it, as far as it can
    /// be told from here, or the retransmission timeout where that is less.
    pub(crate) fn patience_ns(&self) -> u64 {
        let path_ns = self.whole_path_ns();
        let timeouts = [self.estimator, self.echo.estimator].map(|side| side.timeout_ns());
        let timeout_ns = timeouts[0].saturating_add(timeouts[1]).max(LEAST_RTO_NS);
        if self.reports_are_cut() || (self.sender_rtt_ns() == 0 && self.is_far()) {
            // No timestamps tell the way to the sender, which a cut takes with the reports.
            return path_ns.max(timeout_ns);
        }
        path_ns.saturating_mul(2).min(timeout_ns).max(path_ns)
    }
}
