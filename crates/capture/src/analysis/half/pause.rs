//! Pauses of a sender, and what they were spent with.

use super::echo::Following;
use super::{Half, Trouble};
use crate::analysis::cause::{Cause, Phase};
use crate::analysis::rtt::LEAST_RTO_NS;
use crate::analysis::stall::Situation;

impl Half {
    /// Data are sent behind a pause, which may be a stall.
    #[inline]
    pub(super) fn note_pause(&mut self, now: u64, before: u64, cause: Option<Cause>) {
        let pause = now.saturating_sub(self.last_data_ns);
        let is_long = pause > self.stall_after_ns() && self.estimator.smoothed_ns > 0;
        if is_long && self.last_data_ns > 0 {
            self.end_pause(pause, before, cause);
        }
    }

    /// A longer pause than this may be a stall, once a round trip is known.
    #[inline]
    fn stall_after_ns(&self) -> u64 {
        let timeout = self.estimator.timeout_ns().max(LEAST_RTO_NS);
        self.path_rtt_ns().saturating_mul(2).min(timeout)
    }

    /// A pause ends that is long for the way from here to the receiver and back. Only the whole
    /// path's round trip tells whether it is.
    #[cold]
    fn end_pause(&mut self, pause: u64, before: u64, cause: Option<Cause>) {
        if self.following == Following::None {
            self.following = Following::Next;
        }
        if pause <= self.patience_ns() {
            return;
        }
        let flight = before.saturating_sub(self.acked);
        let has_hole = |trouble: &Trouble| trouble.holes.left_at(self.acked, before).is_some();
        let is_behind_a_hole = self.trouble.as_deref().is_some_and(has_hole);
        let situation = Situation {
            cause: cause.filter(|cause| cause.is_retransmission()),
            window_was_closed: self.closed_ns >= self.last_data_ns,
            was_waiting: flight > 0,
            was_released: self.last_ack_ns > self.last_data_ns,
            was_answer_due: flight > self.segment_max.into(),
            has_loss: is_behind_a_hole || self.phase != Phase::Open,
        };
        let pauses = &mut self.trouble().counters.stalls[situation.stall() as usize];
        pauses.count += 1;
        pauses.total_ns = pauses.total_ns.saturating_add(pause);
    }

    /// The longest pause that the path explains: two round trips of all of it, as far as it can
    /// be told from here, or the retransmission timeout where that is less.
    fn patience_ns(&self) -> u64 {
        let path_ns = self.whole_path_ns();
        let timeouts = [self.estimator, self.echo.estimator].map(|side| side.timeout_ns());
        let timeout_ns = timeouts[0].saturating_add(timeouts[1]).max(LEAST_RTO_NS);
        if self.reports_are_cut() {
            // The timestamps are cut off as well that would tell the way to the sender.
            return path_ns.max(timeout_ns);
        }
        path_ns.saturating_mul(2).min(timeout_ns).max(path_ns)
    }
}
