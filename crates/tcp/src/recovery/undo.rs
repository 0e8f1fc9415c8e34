//! Undoing what a spurious retransmission has done to the window.
//!
//! Detection by timestamps is the Eifel algorithm (RFC 3522): an acknowledgement that echoes a
//! stamp older than that of the first retransmission is one of the original. Detection by DSACK
//! (RFC 2883, RFC 3708 §3) is that every retransmission was reported as a duplicate. The response
//! is Linux's: cwnd and ssthresh as before, unless they have grown since (RFC 4015 §3.2 would
//! take cwnd back more slowly; RFC 9438 §4.9 restores CUBIC's own variables too).

use super::{Recovery, RecoveryPhase, SendPointers};
use crate::congestion::Controller;
use crate::ranges::OffsetRange;

#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// The congestion control as it was before.
    prior: Option<Controller>,
    /// SND.UNA when recovery began: duplicates below are of another time.
    marker: u64,
    /// Bytes retransmitted that no DSACK has reported.
    unreported: u64,
    /// The stamp of the first retransmission.
    stamp: Option<u32>,
}

impl Recovery {
    fn may_undo(&self) -> bool {
        let s = &self.settings;
        s.frto || s.dsack || s.timestamp_undo
    }

    /// A recovery begins at `o`.
    pub(super) fn remember(&mut self, o: SendPointers, congestion: &Controller) {
        if self.may_undo() {
            self.undo = Undo {
                prior: Some(congestion.clone()),
                marker: o.una,
                ..Undo::default()
            };
        }
    }

    /// `range` was retransmitted, stamped so if there are timestamps.
    pub fn note_retransmission(&mut self, range: OffsetRange, stamp: Option<u32>) {
        if self.undo.prior.is_some() {
            self.undo.unreported += range.len();
            self.undo.stamp = self.undo.stamp.or(stamp);
        }
    }

    /// Returns whether an acknowledgement with this echo is of an original, not of a
    /// retransmission.
    pub fn is_spurious(&self, echo: u32) -> bool {
        if !self.settings.timestamp_undo {
            return false;
        }
        match (&self.undo.prior, self.undo.stamp) {
            (Some(_), Some(stamp)) => (echo.wrapping_sub(stamp) as i32) < 0,
            _ => false,
        }
    }

    /// The peer reports `range` as received before. True if with it all that was retransmitted
    /// was sent in vain.
    pub fn on_duplicate_report(&mut self, range: OffsetRange) -> bool {
        let undo = &mut self.undo;
        let counts = self.settings.dsack && undo.prior.is_some() && range.start >= undo.marker;
        if !counts || undo.unreported == 0 {
            return false;
        }
        undo.unreported = undo.unreported.saturating_sub(range.len());
        undo.unreported == 0
    }

    /// Takes everything back, and the sender is where it was.
    pub fn undo(&mut self, congestion: &mut Controller) {
        if let Some(prior) = self.undo.prior.take() {
            if prior.window() > congestion.window() {
                *congestion = prior;
            }
        }
        if self.phase != RecoveryPhase::Open {
            self.point = self.undo.marker; // what is lost after all starts a recovery
        }
        self.undo = Undo::default();
        self.phase = RecoveryPhase::Open;
        self.frto = super::Frto::Off;
        self.duplicate_acks = 0;
        self.resend_first = false;
        self.inflation = 0;
    }
}
