//! Choice of what may be sent now: again, for the first time, and within which window.

use super::frto::Frto;
use super::{Recovery, RecoveryPhase, SendPointers};
use crate::congestion::Controller;
use crate::ranges::OffsetRange;

impl Recovery {
    /// The congestion window with what recovery adds to it or takes from it.
    #[inline]
    pub fn window(&self, congestion: &Controller) -> u64 {
        let window = congestion.window();
        match self.phase {
            RecoveryPhase::Fast if !self.is_sack() => window
                .saturating_add_signed(self.inflation)
                .max(self.settings.mss),
            RecoveryPhase::Open if !self.is_sack() && self.settings.limited_transmit => {
                // RFC 3042 §2: for those before the threshold, whatever they lead to.
                let first = self.duplicate_acks.min(self.threshold - 1);
                window + u64::from(first) * self.settings.mss
            }
            _ => window,
        }
    }

    /// The bytes the window must cover.
    #[inline]
    pub fn in_flight(&self, o: SendPointers) -> u64 {
        let sent = o.nxt - o.una;
        if !self.is_sack() {
            return sent;
        }
        match self.phase {
            RecoveryPhase::Fast => self.sack.pipe,
            RecoveryPhase::Timeout => sent - self.scoreboard.bytes_below(o.nxt),
            // RFC 6675 §5 step 3: a SACKed byte makes room for limited transmit. (The byte of
            // a probe may be SACKed too, though it does not count as sent.)
            RecoveryPhase::Open if self.settings.limited_transmit => {
                sent.saturating_sub(self.scoreboard.bytes())
            }
            RecoveryPhase::Open => sent,
        }
    }

    /// Returns what must be retransmitted before anything new, the window allowing. The caller
    /// sends it.
    #[inline]
    pub fn take_retransmission(
        &mut self,
        o: SendPointers,
        congestion: &Controller,
    ) -> Option<OffsetRange> {
        if self.phase == RecoveryPhase::Open {
            return None;
        }
        let range = self.retransmission(o, congestion)?;
        if self.phase == RecoveryPhase::Fast {
            self.resend_first = false;
            self.sack_retransmitted(range);
        }
        Some(range)
    }

    fn retransmission(&self, o: SendPointers, congestion: &Controller) -> Option<OffsetRange> {
        match self.phase {
            RecoveryPhase::Open => None,
            RecoveryPhase::Fast if self.resend_first => {
                self.scoreboard.hole(o.una, o.max, self.settings.mss)
            }
            RecoveryPhase::Fast if self.is_sack() => self.sack_lost_hole(o, congestion.window()),
            RecoveryPhase::Fast => None,
            RecoveryPhase::Timeout => self.go_back(o, congestion.window()),
        }
    }

    /// After a timeout the outstanding data are retransmitted from the left under slow start,
    /// skipping what the peer has SACKed since (RFC 6675 §5.1).
    fn go_back(&self, o: SendPointers, window: u64) -> Option<OffsetRange> {
        let hole = self.scoreboard.hole(o.nxt, o.max, self.settings.mss)?;
        (self.in_flight(o) + hole.len() <= window).then_some(hole)
    }

    /// Returns whether a timeout's go-back still has something to retransmit.
    pub fn is_going_back(&self, o: SendPointers) -> bool {
        self.phase == RecoveryPhase::Timeout
            && self
                .scoreboard
                .hole(o.nxt, o.max, self.settings.mss)
                .is_some()
    }

    /// Returns what may be retransmitted when there is nothing new to send (RFC 6675 NextSeg() 3
    /// and 4). The caller sends it.
    #[inline]
    pub fn take_speculative_retransmission(
        &mut self,
        o: SendPointers,
        congestion: &Controller,
    ) -> Option<OffsetRange> {
        if self.phase == RecoveryPhase::Fast && self.is_sack() {
            self.sack_speculative(o, congestion.window())
        } else {
            None
        }
    }

    /// Returns what may be sent for the first time now.
    #[inline]
    pub fn budget(&self, o: SendPointers, congestion: &Controller) -> u64 {
        if self.phase == RecoveryPhase::Open && !self.settings.limited_transmit {
            return congestion.window().saturating_sub(o.nxt - o.una);
        }
        self.budget_in_trouble(o, congestion)
    }

    fn budget_in_trouble(&self, o: SendPointers, congestion: &Controller) -> u64 {
        if let Frto::AwaitSecond { budget, .. } = self.frto {
            return budget;
        }
        self.window(congestion).saturating_sub(self.in_flight(o))
    }

    /// `bytes` were sent for the first time, the last of what is outstanding now.
    #[inline]
    pub fn on_sent(&mut self, bytes: u64, o: SendPointers, congestion: &Controller) {
        if self.phase != RecoveryPhase::Open || self.duplicate_acks > 0 {
            self.on_sent_in_trouble(bytes, o, congestion);
        }
    }

    fn on_sent_in_trouble(&mut self, bytes: u64, o: SendPointers, congestion: &Controller) {
        match self.phase {
            // What the window allows is no limited transmit: an acknowledgement that tells of a
            // gap may open the window too.
            RecoveryPhase::Open => {
                let beyond = (o.nxt - o.una).saturating_sub(congestion.window());
                self.limited += bytes.min(beyond);
            }
            RecoveryPhase::Fast => self.sack.pipe += bytes,
            RecoveryPhase::Timeout => self.frto_sent(bytes),
        }
    }
}
