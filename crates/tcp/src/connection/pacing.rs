//! Segments spaced over the round trip instead of bursts, whatever the congestion control (A.
//! Aggarwal, S. Savage and T. Anderson, "Understanding the Performance of TCP Pacing", INFOCOM
//! 2000), at the rates at which Linux does so (`tcp_update_pacing_rate`).
//!
//! Here it is for the senders of the RFCs, the BSDs and the older Linux; that of today's Linux has
//! what its kernel has.

use units::{Duration, Time};

use super::Connection;
use crate::timers::Timer;

/// Time when the next segment may leave.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacingClock {
    /// RFC 6298's smoothed round-trip time on a clock of its own: that of a stack may tick once in
    /// half a second, which would space segments by what the path does not take.
    srtt: Option<Duration>,
    departs_at: Time,
}

/// Percent of a window that leave in a round trip: Linux's `tcp_pacing_ss_ratio` while slow start is
/// far from its end, so that the window can double, and `tcp_pacing_ca_ratio` later.
const SLOW_START: u64 = 200;
const AVOIDANCE: u64 = 120;

impl PacingClock {
    /// A round trip has been measured.
    pub fn on_round_trip(&mut self, rtt: Duration) {
        self.srtt = Some(match self.srtt {
            None => rtt,
            Some(srtt) => (srtt * 7 + rtt) / 8,
        });
    }

    /// So many bytes leave, of a window.
    fn on_sent(&mut self, now: Time, bytes: u64, window: u64, ssthresh: u64) {
        let Some(srtt) = self.srtt else { return };
        let percent = match window < ssthresh / 2 {
            true => SLOW_START,
            false => AVOIDANCE,
        };
        let nanos = u128::from(bytes) * u128::from(srtt.as_nanos()) * 100;
        let wait = nanos / (u128::from(window) * u128::from(percent));
        let wait = Duration::from_nanos(u64::try_from(wait).unwrap_or(u64::MAX));
        self.departs_at = self.departs_at.max(now) + wait;
    }
}

impl Connection {
    /// Returns whether the next segment has to wait for its time; it is looked for again then.
    #[inline]
    pub(super) fn is_paced(&mut self, now: Time) -> bool {
        match &self.pace {
            Some(pace) if pace.departs_at > now => {
                self.timers.arm(Timer::Departure, pace.departs_at);
                true
            }
            _ => false,
        }
    }

    /// New data leave.
    #[inline]
    pub(super) fn space(&mut self, now: Time, bytes: u64) {
        if let Some(pace) = &mut self.pace {
            let (window, ssthresh) = (self.congestion.window(), self.congestion.ssthresh());
            pace.on_sent(now, bytes, window, ssthresh);
        }
    }
}
