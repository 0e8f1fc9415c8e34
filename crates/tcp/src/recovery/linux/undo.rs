//! Taking back what a recovery or a timeout has done in vain: every copy was reported as a
//! duplicate (RFC 2883, RFC 3708), or an acknowledgement answers the original (RFC 3522). The
//! window and ssthresh are what they were, unless they have grown since
//! (`tcp_undo_cwnd_reduction` and what leads to it).

use units::Time;

use super::detection::WIDE_FOR;
use super::sent::SegmentMarks;
use super::{Sender, View};
use crate::congestion::Controller;
use crate::ranges::OffsetRange;
use crate::tcp_info::CaState;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LinuxUndo {
    /// SND.UNA when it began (undo_marker).
    pub marker: Option<u64>,
    /// Copies that no report has told of; `None` before the first.
    unreported: Option<u32>,
    /// Time when the first copy left (retrans_stamp).
    pub stamp: Option<Time>,
    pub prior_ssthresh: Option<u64>,
    pub prior_window: u32,
    /// Number of times something was taken back.
    pub times: u64,
}

impl LinuxUndo {
    /// A report of a duplicate below the acknowledgement, "dumb counting".
    pub fn note_report(&mut self, report: OffsetRange, prior_una: u64, segments: u64) {
        if report.end <= prior_una {
            self.count(report.end, segments as u32);
        }
    }

    /// A report of a duplicate that is still outstanding.
    pub fn note_copy(&mut self, range: OffsetRange) {
        self.count(range.end, 1);
    }

    fn count(&mut self, end: u64, segments: u32) {
        if let (Some(marker), Some(left)) = (self.marker, &mut self.unreported) {
            if end > marker {
                *left = left.saturating_sub(segments);
            }
        }
    }

    /// A copy leaves.
    pub fn note_sent(&mut self, now: Time) {
        self.stamp = self.stamp.or(Some(now));
        self.unreported = Some(self.unreported.unwrap_or(0) + 1);
    }

    fn is_all_reported(&self) -> bool {
        self.marker.is_some() && self.unreported == Some(0)
    }
}

impl Sender {
    /// `tcp_init_undo`: copies of before may still be reported.
    pub(super) fn begin_undo(&mut self, una: u64) {
        let probe = u32::from(self.probe.end.is_some() && self.probe.is_copy);
        let copies = self.retrans_out + probe;
        self.undo.marker = Some(una);
        self.undo.unreported = (copies > 0).then_some(copies);
    }

    /// `tcp_packet_delayed`: what is acknowledged arrived by itself.
    fn is_of_original(&self, view: &View) -> bool {
        match self.undo.stamp {
            Some(stamp) => view.echoes_before(stamp),
            // Nothing was retransmitted yet. (Held on to without SACK, it had been.)
            None => self.is_sack() || view.una < self.high_seq,
        }
    }

    /// `tcp_may_undo`.
    pub(super) fn may_undo(&self, view: &View) -> bool {
        self.undo.marker.is_some() && (self.undo.is_all_reported() || self.is_of_original(view))
    }

    /// `tcp_undo_cwnd_reduction`.
    pub(super) fn take_back(&mut self, forgets_losses: bool, congestion: &mut Controller) {
        if forgets_losses {
            self.sent
                .iter_mut()
                .for_each(|s| s.marks.clear(SegmentMarks::LOST));
            self.lost_out = 0;
            self.hint = 0;
        }
        if let Some(prior) = self.undo.prior_ssthresh {
            let prior_window = u64::from(self.undo.prior_window) * self.settings.mss;
            let window = if congestion.models_path() {
                congestion.on_undo();
                congestion.window()
            } else {
                congestion.window().max(prior_window)
            };
            if prior > congestion.ssthresh() {
                self.is_reduced = false; // the peer need not know (`tcp_ecn_withdraw_cwr`)
            }
            congestion.set(window, congestion.ssthresh().max(prior));
        }
        self.undo.marker = None;
        self.undo.times += 1;
        self.settled = true;
        self.rack.advanced = true; // losses are judged anew
    }

    /// `tcp_try_undo_dsack`: every copy was a duplicate, so segments come late here.
    pub(super) fn undo_if_all_reported(&mut self, congestion: &mut Controller) -> bool {
        if !self.undo.is_all_reported() {
            return false;
        }
        self.rack.wide_for = (self.rack.wide_for + 1).min(WIDE_FOR);
        self.take_back(false, congestion);
        true
    }

    /// `tcp_try_undo_recovery`; true if the state must be held on to.
    pub(super) fn undo_recovery(&mut self, view: &View, congestion: &mut Controller) -> bool {
        if self.may_undo(view) {
            self.take_back(false, congestion);
        } else {
            self.rack.wide_for = self.rack.wide_for.saturating_sub(1);
        }
        if self.must_stay(view) {
            return true;
        }
        self.enter(CaState::Open);
        false
    }

    /// Without SACK the state lasts until something above `high_seq` is acknowledged, lest
    /// duplicates of copies start another (RFC 6582 §3.2;
    /// `tcp_is_non_sack_preventing_reopen`).
    fn must_stay(&mut self, view: &View) -> bool {
        let stays = view.una == self.high_seq && !self.is_sack();
        if stays && !self.has_retransmitted() {
            self.undo.stamp = None;
        }
        stays
    }

    /// `tcp_try_undo_partial`; true if nothing more is to be done.
    pub(super) fn undo_partial(
        &mut self,
        view: &View,
        prior_una: u64,
        congestion: &mut Controller,
    ) -> bool {
        if self.undo.marker.is_none() || !self.is_of_original(view) {
            return false;
        }
        self.note_reordering(prior_una, view);
        if self.retrans_out > 0 {
            return true; // copies are in flight: let them come
        }
        if !self.has_retransmitted() {
            self.undo.stamp = None;
        }
        self.take_back(true, congestion);
        self.keep_open(view);
        false
    }

    /// `tcp_try_undo_loss`; `proven` where F-RTO has shown the timeout spurious.
    pub(super) fn undo_timeout(
        &mut self,
        view: &View,
        proven: bool,
        congestion: &mut Controller,
    ) -> bool {
        if !proven && !self.may_undo(view) {
            return false;
        }
        self.take_back(true, congestion);
        if self.must_stay(view) {
            return true;
        }
        if proven || self.is_sack() {
            self.enter(CaState::Open);
        }
        true
    }
}
