//! Windows that close because the path is about to break off: Freeze-TCP (T. Goff, J. Moronski,
//! D. S. Phatak and V. Gupta, "Freeze-TCP: A True End-to-End TCP Enhancement Mechanism for Mobile
//! Environments", INFOCOM 2000).
//!
//! A receiver that foresees it tells of no window at all. Its peer then has nothing to time: it
//! probes, and its congestion window stays. Probes come seldom, so once the path is back the
//! receiver says so three times, of which one may well arrive.

use units::Time;

use super::{AckDue, Connection};
use crate::SendCause;
use crate::timers::Timer;

/// The largest window that the field can tell of.
pub(super) const MOST_TOLD: u64 = 65_535;

/// Number of times the end of it is told.
const COPIES: usize = 3;

impl Connection {
    /// The path is about to break off: whatever this end sends from now on tells of no window, and
    /// an acknowledgement leaves at once that does.
    pub fn freeze(&mut self) {
        self.most_told = 0;
        if self.state.may_receive() {
            self.ack.due = self.ack.due.max(AckDue::Now);
        }
    }

    /// The path is back: the last acknowledgement leaves again, three times, with the window there is.
    pub fn thaw(&mut self, now: Time) {
        self.most_told = MOST_TOLD;
        if self.state.may_receive() {
            for _ in 0..COPIES {
                let again = self.make_ack(now, SendCause::WindowUpdate);
                self.urgent.owe(again);
            }
        }
    }

    /// The peer has no window for what is outstanding any more, which is to be probed as any closed
    /// window is (RFC 9293 §3.8.6): no timer runs for it, and once there is a window it is
    /// retransmitted as the congestion window, which stays, allows (4.4BSD's `tcp_output`, "window
    /// shrank").
    #[cold]
    pub(super) fn heed_shut_window(&mut self) {
        if !self.send.is_shut() {
            return; // an older segment says so
        }
        self.timers.cancel(Timer::Retransmission);
        self.retries = 0;
        if self.send.nxt > self.send.una {
            self.recovery.retransmit_all(self.send.outstanding());
            self.send.nxt = self.send.una;
        }
    }
}
