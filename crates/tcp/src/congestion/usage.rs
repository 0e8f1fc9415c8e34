//! Whether the congestion window was what limited the sender: only then may it grow.

use serde::{Deserialize, Serialize};

/// What must be true of a window for it to grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WindowValidation {
    /// Nothing: it grows with every acknowledgement (4.4BSD).
    Off,
    /// At least half of it was in flight (RFC 7661 §4.1).
    Half,
    /// No further segment fitted it (Linux 2.4).
    Full,
    /// It was full at some time in the last round trip, or half full in slow start (Linux
    /// since 3.16, `tcp_is_cwnd_limited`).
    Linux,
}

/// What is remembered of the window's use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    rule: WindowValidation,
    /// Linux: whether the window was full, and the most in flight, since SND.UNA passed the end
    /// of the last round.
    was_full: bool,
    most: u64,
    round_end: u64,
}

impl Usage {
    pub fn new(rule: WindowValidation) -> Usage {
        Usage {
            rule,
            was_full: false,
            most: 0,
            round_end: 0,
        }
    }

    /// Whether this rule wants to know what is sent.
    #[inline]
    pub fn is_kept(&self) -> bool {
        self.rule == WindowValidation::Linux
    }

    /// A new segment left: `una..max` are outstanding, and `has_room` tells whether the window
    /// takes another.
    #[inline]
    pub fn on_sent(&mut self, una: u64, max: u64, has_room: bool) {
        let in_flight = max - una;
        if una >= self.round_end || !has_room || (!self.was_full && in_flight > self.most) {
            self.was_full = !has_room;
            self.most = in_flight;
            self.round_end = max;
        }
    }

    /// Whether a window of which `in_flight` was used before this acknowledgement may grow.
    #[inline]
    pub fn is_limited(&self, in_flight: u64, window: u64, ssthresh: u64, mss: u64) -> bool {
        match self.rule {
            WindowValidation::Off => true,
            WindowValidation::Half => 2 * in_flight >= window,
            WindowValidation::Full => in_flight + mss > window,
            WindowValidation::Linux => {
                self.was_full || (window < ssthresh && window < 2 * self.most)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(rule: WindowValidation, in_flight: u64) -> bool {
        Usage::new(rule).is_limited(in_flight, 10_000, u64::MAX, 1000)
    }

    #[test]
    fn each_rule_asks_for_its_share_of_the_window() {
        assert!(limited(WindowValidation::Off, 0));
        assert!(!limited(WindowValidation::Half, 4999) && limited(WindowValidation::Half, 5000));
        assert!(!limited(WindowValidation::Full, 9000) && limited(WindowValidation::Full, 9001));
    }

    #[test]
    fn linux_remembers_a_full_window_for_a_round_trip() {
        let mut usage = Usage::new(WindowValidation::Linux);
        usage.on_sent(0, 10_000, false);
        usage.on_sent(5000, 12_000, true);
        assert!(usage.is_limited(3000, 10_000, 2000, 1000));
        usage.on_sent(10_000, 13_000, true);
        assert!(
            !usage.is_limited(3000, 10_000, 2000, 1000),
            "a round with room"
        );
        assert!(
            usage.is_limited(3000, 5000, u64::MAX, 1000),
            "slow start needs half"
        );
    }
}
