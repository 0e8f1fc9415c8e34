//! Data acknowledged at once beyond the rate of the path, as where the air or a host
//! gathers them: so much more has to be in flight (`bbr_update_ack_aggregation`).

use units::Time;

use super::RATE_SHIFT;

/// Allowance, in µs of the rate.
const MOST_US: u64 = 100_000;
/// Rounds that a maximum holds for; the one before holds as long again.
const ROUNDS: u32 = 5;
/// Segments after which an epoch begins anew.
const EPOCH_MAX: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Excess {
    /// Time when the epoch began, and the segments delivered since.
    since: Time,
    acked: u64,
    /// The most of these rounds and of those before.
    most: [u64; 2],
    rounds: u32,
}

impl Excess {
    pub fn restart(&mut self, now: Time) {
        self.since = now;
        self.acked = 0;
    }

    pub fn begin_round(&mut self) {
        self.rounds += 1;
        if self.rounds >= ROUNDS {
            self.rounds = 0;
            self.most = [0, self.most[0]];
        }
    }

    /// `acked` segments were delivered at `at`; `most` is the most that counts.
    pub fn update(&mut self, at: Time, acked: u64, rate: u64, most: u64) {
        let passed_us = at.saturating_since(self.since).as_micros();
        let mut expected = (rate * passed_us) >> RATE_SHIFT;
        if self.acked <= expected || self.acked + acked >= EPOCH_MAX {
            self.restart(at);
            expected = 0;
        }
        self.acked += acked;
        let excess = (self.acked - expected).min(most);
        self.most[0] = self.most[0].max(excess);
    }

    /// Segments to add to the window.
    pub fn allowed(&self, rate: u64) -> u32 {
        let most = (rate * MOST_US) >> RATE_SHIFT;
        self.most[0].max(self.most[1]).min(most) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::super::RATE_UNIT;
    use super::*;
    use units::Duration;

    #[test]
    fn a_burst_of_acknowledgements_is_allowed_for_while_it_is_not_long_ago() {
        let mut excess = Excess::default();
        let a_segment_each_ms = RATE_UNIT / 1000;
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        // Thirty segments at once, after thirty milliseconds.
        excess.update(at(30), 30, a_segment_each_ms, 1000);
        assert_eq!(excess.allowed(a_segment_each_ms), 30);
        (0..5).for_each(|_| excess.begin_round());
        assert_eq!(excess.allowed(a_segment_each_ms), 30);
        (0..5).for_each(|_| excess.begin_round());
        assert_eq!(excess.allowed(a_segment_each_ms), 0);
    }
}
