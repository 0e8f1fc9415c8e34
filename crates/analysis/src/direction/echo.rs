//! The way from the point of capture to the sender and back, which the timestamps tell that the
//! sender echoes.
//!
//! Data that echo an older timestamp than that of an acknowledgment were sent before it reached
//! the sender (RFC 7323 §4.3), so its round trip takes longer than until the last of them passes,
//! and no longer than until the first that echoes it. Between the two the sender may have paused.

use super::DirectionState;
use crate::cause::{Cause, HOST_DELAY_NS};
use crate::rtt::SmoothedRtt;
use dissect::TcpSegment;

/// State of following an acknowledgment on its way to the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Following {
    /// The next will be.
    #[default]
    Next,
    /// One is.
    One,
    /// None: the sender stands beside the capture, where its own round trips are those of the
    /// path, or there are no timestamps. A pause that seems long asks once more.
    None,
}

/// The acknowledgment that is followed, and what others told of the way.
#[derive(Debug, Default)]
pub(super) struct FollowedAck {
    clock: u32,
    since_ns: u64,
    /// The least time that it has been on its way.
    under_way_ns: u64,
    pub(super) estimator: SmoothedRtt,
}

impl DirectionState {
    /// From here to the sender and back, smoothed; 0 if nothing tells.
    pub(crate) const fn sender_rtt_ns(&self) -> u64 {
        self.echo.estimator.smoothed_ns
    }

    /// An acknowledgment passes on its way to the sender.
    #[inline(never)]
    pub(super) fn follow(&mut self, acknowledgment: &TcpSegment) {
        let clock = acknowledgment.options.timestamps.map(|(clock, _)| clock);
        self.following = clock.map_or(Following::None, |_| Following::One);
        self.echo.clock = clock.unwrap_or_default();
        self.echo.since_ns = acknowledgment.time_ns;
        self.echo.under_way_ns = 0;
    }

    /// Data pass while an acknowledgment is followed. What a timer retransmits does not count: the
    /// acknowledgment may be lost.
    #[inline(never)]
    pub(super) fn hear_echo(&mut self, data: &TcpSegment, cause: Option<Cause>) {
        let is_driven = cause.is_none_or(|cause| matches!(cause, Cause::Fast | Cause::Rack));
        let Some((_, echoed)) = data.options.timestamps.filter(|_| is_driven) else {
            return;
        };
        let path_ns = self.whole_path_ns();
        let expected_ns = self.expected_way_ns();
        let echo = &mut self.echo;
        if (echoed.wrapping_sub(echo.clock) as i32) < 0 {
            echo.under_way_ns = data.time_ns.saturating_sub(echo.since_ns);
        } else if echo.under_way_ns > 0 {
            let took_ns = data.time_ns.saturating_sub(echo.since_ns);
            let has_paused = took_ns.saturating_sub(echo.under_way_ns) > path_ns;
            let under_way_ns = echo.under_way_ns;
            let sample_ns = match expected_ns {
                0 => Some(took_ns).filter(|_| !has_paused || self.is_regular(took_ns)),
                // Not clamped: the capture's clock may have been set back since.
                _ => Some(expected_ns.max(under_way_ns).min(took_ns)),
            };
            if let Some(sample_ns) = sample_ns {
                self.echo.estimator.add(sample_ns);
            }
            self.following = Following::Next;
        } else {
            self.following = Following::None;
        }
    }

    /// Returns whether an echo took as long as the one before, of a sender that did not say that it
    /// had sent all: one that sends a flight each round trip seems to pause between them, and a
    /// path takes always about the same. (An eighth is inferred.)
    #[cold]
    fn is_regular(&mut self, took_ns: u64) -> bool {
        let said_all = self.signs.have_sent_all();
        let before_ns = std::mem::replace(&mut self.trouble().echo_took_ns, took_ns);
        !said_all && took_ns.abs_diff(before_ns) <= took_ns / 8
    }

    /// From here to the sender and back, as far as it is known already; 0 if nothing tells. What is
    /// sent now and then tells wide bounds of it alone.
    fn expected_way_ns(&self) -> u64 {
        match self.echo.estimator.smoothed_ns {
            0 => self.handshake_before_ns(),
            smoothed_ns => smoothed_ns,
        }
    }

    /// The third duplicate acknowledgment passes on its way to the sender.
    #[cold]
    pub(super) fn note_third_duplicate(&mut self, acknowledgment: &TcpSegment) {
        let clock = acknowledgment.options.timestamps.map(|(clock, _)| clock);
        self.trouble().third_duplicate = clock.map(|clock| (clock, acknowledgment.time_ns));
    }

    /// Returns whether the sender had heard the third duplicate acknowledgment when it sent a
    /// segment, whose echo says so, and no longer before than the way there and back takes: that
    /// set it off. A timer expires whenever it does.
    pub(super) fn answers_third(&self, segment: &TcpSegment) -> bool {
        let third = self
            .trouble
            .as_ref()
            .and_then(|trouble| trouble.third_duplicate);
        let told = third.zip(segment.options.timestamps);
        let Some(((clock, passed_ns), (_, echoed))) = told else {
            return false;
        };
        let way_ns = self
            .echo
            .estimator
            .timeout_ns()
            .saturating_add(HOST_DELAY_NS);
        let is_echoed = echoed.wrapping_sub(clock) as i32 >= 0;
        is_echoed && segment.time_ns.saturating_sub(passed_ns) <= way_ns
    }

    /// The handshake's time on this sender's side of the capture: either end answered in it at once,
    /// so that what it left to this sender's own first round trip is the other's way. 0 if no
    /// handshake tells.
    pub(super) const fn handshake_before_ns(&self) -> u64 {
        self.handshake_ns.saturating_sub(self.rtt.first_ns)
    }

    /// From here to the receiver and to the sender and back.
    pub(super) fn whole_path_ns(&self) -> u64 {
        let to_sender_ns = self.echo.estimator.smoothed_ns.max(self.echo.under_way_ns);
        let both_ns = self.estimator.smoothed_ns.saturating_add(to_sender_ns);
        self.path_rtt_ns().max(both_ns)
    }
}
