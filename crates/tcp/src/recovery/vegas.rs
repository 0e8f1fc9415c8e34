//! Vegas' recovery (L. Brakmo and L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a
//! Global Internet", IEEE JSAC 13(8), 1995, §III.A), as ns-2 2.35 has it (`tcp-vegas.cc`).
//!
//! A timer by the clock, not by its ticks, is looked at when a duplicate comes: what has been out for
//! longer is retransmitted though there are no three. So it is at the first two new
//! acknowledgements after that, where another loss would show. For the rest it is Reno's.

use units::{Duration, Time};

use super::{AckProgress, Recovery, RecoveryAlgorithm};
use crate::congestion::Controller;

/// New acknowledgements at which the timer is looked at after a loss (v_worried_).
const WORRIES: u8 = 2;

/// Longer than the other timer ever waits, so that nothing comes of more.
const LONGEST: Duration = Duration::from_secs(3600);

/// The timer of what is out longest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FineTimer {
    mean: Duration,
    deviation: Duration,
    timeout: Duration,
    /// For how long the first outstanding segment has been out since it was sent last.
    waited: Duration,
    worries: u8,
}

impl FineTimer {
    /// Jacobson's estimator, with a sixteenth on top of mean and deviation (v_timeout_).
    fn on_round_trip(&mut self, rtt: Duration) {
        if self.mean == Duration::ZERO {
            (self.mean, self.deviation) = (rtt, rtt);
        }
        let error = rtt.as_nanos().abs_diff(self.mean.as_nanos());
        self.mean = Duration::from_nanos((7 * self.mean.as_nanos() + rtt.as_nanos()) / 8);
        self.deviation = Duration::from_nanos((3 * self.deviation.as_nanos() + error) / 4);
        let sum = self.mean + self.deviation * 2;
        self.timeout = sum + sum / 16;
    }

    pub fn has_expired(&self) -> bool {
        self.timeout > Duration::ZERO && self.waited >= self.timeout
    }

    /// Returns whether what was retransmitted is to be sent once more.
    pub fn expires_again(&mut self) -> bool {
        let expires = self.has_expired();
        if expires {
            self.timeout = (self.timeout * 2).min(LONGEST);
        }
        expires
    }

    /// Retransmits what it is the timer of.
    pub fn recover(&mut self) {
        self.timeout = (self.timeout + self.timeout / 8).min(LONGEST);
        self.worries = WORRIES;
    }

    /// One look fewer is left; whether this one finds another loss.
    fn finds_another(&mut self) -> bool {
        let finds = self.worries > 0 && self.has_expired();
        self.worries = if finds { self.worries - 1 } else { 0 };
        finds
    }
}

impl Recovery {
    pub fn is_vegas(&self) -> bool {
        self.settings.algorithm == RecoveryAlgorithm::Vegas
    }

    /// A round trip of a segment sent once, if there is one.
    pub fn note_fine_round_trip(&mut self, rtt: Option<Duration>) {
        if let Some(rtt) = rtt {
            self.fine.on_round_trip(rtt);
        }
    }

    /// Since when the first outstanding segment has been out.
    pub fn note_first_sent(&mut self, now: Time, sent: Option<Time>) {
        self.fine.waited = sent.map_or(Duration::ZERO, |sent| now - sent);
    }

    /// Retransmits what has been outstanding for too long in the same recovery, without another
    /// cut.
    pub(super) fn vegas_new_ack(&mut self, congestion: &mut Controller) -> AckProgress {
        if self.fine.finds_another() {
            self.resend_first = true;
            self.inflation = 0;
            return AckProgress::Partial {
                restart_timer: true,
            };
        }
        self.leave_fast(u64::MAX, congestion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_that_no_round_trip_sets_right_does_not_grow_for_ever() {
        let mut timer = FineTimer::default();
        timer.on_round_trip(Duration::from_secs(1));
        assert_eq!(timer.timeout, Duration::from_micros(2_656_250));
        for _ in 0..1000 {
            timer.recover();
        }
        assert_eq!(timer.timeout, LONGEST);
    }
}
