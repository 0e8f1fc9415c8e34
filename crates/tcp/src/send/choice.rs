//! Choice of new data to send: Nagle's algorithm and the avoidance of silly windows.

use super::SendQueue;
use crate::choices::choices;

/// Decision about data that have not been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SendChoice {
    /// There is nothing to send, or an acknowledgement will bring the next occasion.
    Wait,
    /// The peer's window forbids it and nothing is outstanding: only a probe can tell more.
    AwaitWindow,
    /// Send this much payload from SND.NXT, with or without a FIN.
    Send { payload: u64, fin: bool },
}

choices! {
    /// Event that a short segment waits for (RFC 9293 §3.7.4).
    pub enum Nagle {
        /// Nothing.
        Off = "off",
        /// Until nothing is outstanding (RFC 896).
        Any = "rfc896",
        /// Until no short segment is outstanding (G. Minshall, "A Proposed Modification to Nagle's
        /// Algorithm", 1999), as in Linux.
        Short = "minshall",
    }
}

impl SendQueue {
    /// Decides about new data (SND.NXT having reached the highest offset sent), where the
    /// congestion window leaves `budget` bytes: Nagle's algorithm (RFC 9293 §3.7.4) and the
    /// sender's side of silly window avoidance (§3.8.6.2.1).
    #[inline]
    pub fn choose(&self, budget: u64, mss: u64, nagle: Nagle) -> SendChoice {
        let queued = self.end.saturating_sub(self.nxt);
        if queued == 0 {
            return self.choose_fin();
        }
        let window = self.edge.saturating_sub(self.nxt);
        let payload = queued.min(mss).min(window);
        let fin = self.closing && payload == queued;
        let is_idle = self.una == self.nxt;
        let is_worth_it = payload == mss
            || payload == queued
                && (fin || !self.is_held() && (is_idle || self.may_send_short(nagle)))
            || payload > 0 && payload == window && 2 * payload >= self.max_window;
        if is_worth_it {
            if payload <= budget {
                SendChoice::Send { payload, fin }
            } else {
                SendChoice::Wait
            }
        } else if is_idle && (payload == window || self.is_held()) {
            SendChoice::AwaitWindow
        } else {
            SendChoice::Wait
        }
    }

    /// Returns whether a short segment may follow others that are outstanding.
    #[inline(never)]
    pub fn may_send_short(&self, nagle: Nagle) -> bool {
        match nagle {
            Nagle::Off => true,
            Nagle::Any => false,
            Nagle::Short => self.short_end <= self.una,
        }
    }

    fn choose_fin(&self) -> SendChoice {
        if self.closing && self.nxt == self.end {
            SendChoice::Send {
                payload: 0,
                fin: true,
            }
        } else {
            SendChoice::Wait
        }
    }

    /// Returns what a persist timer forces out: what the window takes, and one byte if it is
    /// closed.
    pub fn forced(&self, mss: u64) -> u64 {
        let queued = self.end.saturating_sub(self.nxt);
        let window = self.edge.saturating_sub(self.nxt).max(1);
        queued.min(window).min(mss)
    }
}
