//! Memory of a path that a host learns from one connection for the next: RFC 9040's temporal
//! sharing, of the slow start threshold alone, by the rules of Linux before 5.6
//! (`tcp_init_metrics`, `tcp_update_metrics`).

use super::Connection;
use crate::{Event, RecoveryPhase};

impl Connection {
    /// Slow start is to end where the host remembers that it may, if the stack goes by that; to be
    /// said before the handshake is over.
    pub fn recall_ssthresh(&mut self, bytes: u64) {
        if self.config.remembers_ssthresh {
            self.config.first_ssthresh = bytes;
        }
    }

    /// The threshold to be remembered once [`Event::Finished`] is told, where `known` is remembered
    /// of the path so far.
    pub fn ssthresh_to_remember(&self, known: Option<u64>) -> Option<u64> {
        let (window, ssthresh) = (self.congestion.window(), self.congestion.ssthresh());
        if ssthresh == u64::MAX {
            known.map(|known| known.max(window / 2)) // it never left slow start
        } else if window > ssthresh && self.recovery.phase() == RecoveryPhase::Open {
            Some(ssthresh.max(window / 2))
        } else {
            known.map(|known| known.max(ssthresh)) // a loss is not mended
        }
    }

    pub(super) fn tell_finished(&mut self) {
        if self.config.remembers_ssthresh {
            self.events.push(Event::Finished);
        }
    }
}
