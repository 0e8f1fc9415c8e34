//! Use of the congestion window: it may grow only where it limited the sender.

use units::{Duration, Time};

use crate::choices::choices;

choices! {
    /// Condition for a window to grow.
    pub enum WindowValidation {
        /// Nothing: it grows with every acknowledgement (4.4BSD).
        Off = "off",
        /// At least half of it was in flight (RFC 7661 §4.1).
        Half = "half",
        /// No further segment fitted it (Linux 2.4).
        Full = "full",
    }
}

impl WindowValidation {
    /// Returns whether a window of which `in_flight` was used before this acknowledgement may grow.
    #[inline]
    pub(crate) fn is_met(self, in_flight: u64, window: u64, mss: u64) -> bool {
        match self {
            WindowValidation::Off => true,
            WindowValidation::Half => 2 * in_flight >= window,
            WindowValidation::Full => in_flight + mss > window,
        }
    }
}

/// Linux's record of the window's use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// True if the window was full, and the most in flight, since SND.UNA passed the end
    /// of the last round.
    was_full: bool,
    most: u64,
    round_end: u64,
    /// True if something was sent since this was looked at; what was in use at most
    /// since it last was in full, and when that was.
    burst: bool,
    used: u64,
    limited_at: Time,
}

impl Usage {
    /// A new segment left: `in_flight` bytes from `una` up to `max` are outstanding, and
    /// `has_room` tells whether the window takes another.
    #[inline]
    pub fn on_sent(&mut self, una: u64, max: u64, in_flight: u64, has_room: bool) {
        if una >= self.round_end || !has_room || (!self.was_full && in_flight > self.most) {
            self.was_full = !has_room;
            self.most = in_flight;
            self.round_end = max;
        }
    }

    pub fn note_burst(&mut self) {
        self.burst = true;
    }

    pub fn take_burst(&mut self) -> bool {
        std::mem::take(&mut self.burst)
    }

    /// The window was set anew.
    pub fn note_settled(&mut self, now: Time) {
        self.limited_at = now;
    }

    /// Segments carry `mss` bytes from now on, where they carried `before`.
    pub fn resize(&mut self, before: u64, mss: u64) {
        self.most = self.most / before * mss;
        self.used = self.used / before * mss;
    }

    /// The window is in full use.
    pub fn note_limited(&mut self, now: Time) {
        self.used = 0;
        self.limited_at = now;
    }

    /// The window is not in full use. Once it has not been for a timeout, gives what was used of
    /// it at most, not less than `initial` (RFC 2861 §3; `tcp_cwnd_application_limited`).
    pub fn starved(
        &mut self,
        now: Time,
        in_flight: u64,
        rto: Duration,
        initial: u64,
    ) -> Option<u64> {
        self.used = self.used.max(in_flight);
        if now - self.limited_at < rto {
            return None;
        }
        let used = self.used.max(initial);
        self.note_limited(now);
        Some(used)
    }

    /// Returns whether the window was full at some time in the last round trip.
    pub fn was_full(&self) -> bool {
        self.was_full
    }

    /// Returns whether the window was full at some time in the last round trip, or half full in
    /// slow start (since 3.16, `tcp_is_cwnd_limited`).
    #[inline]
    pub fn was_limited(&self, window: u64, ssthresh: u64) -> bool {
        self.was_full || (window < ssthresh && window < 2 * self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(rule: WindowValidation, in_flight: u64) -> bool {
        rule.is_met(in_flight, 10_000, 1000)
    }

    #[test]
    fn each_rule_asks_for_its_share_of_the_window() {
        assert!(limited(WindowValidation::Off, 0));
        assert!(!limited(WindowValidation::Half, 4999) && limited(WindowValidation::Half, 5000));
        assert!(!limited(WindowValidation::Full, 9000) && limited(WindowValidation::Full, 9001));
    }

    #[test]
    fn linux_remembers_a_full_window_for_a_round_trip() {
        let mut usage = Usage::default();
        usage.on_sent(0, 10_000, 10_000, false);
        usage.on_sent(5000, 12_000, 7000, true);
        assert!(usage.was_limited(10_000, 2000));
        usage.on_sent(10_000, 13_000, 3000, true);
        assert!(!usage.was_limited(10_000, 2000), "a round with room");
        assert!(usage.was_limited(5000, u64::MAX), "slow start needs half");
    }
}
