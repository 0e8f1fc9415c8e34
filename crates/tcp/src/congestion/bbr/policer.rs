//! Policers: where two intervals in a row lose much and deliver at the same rate, that is what a
//! token bucket lets through (`bbr_lt_bw_sampling`; Flach et al., "An Internet-Wide Analysis of
//! Traffic Policing", SIGCOMM 2016).

use units::Time;

use super::RATE_UNIT;

/// Rounds that an interval lasts at least, and at most.
const ROUNDS_MIN: u32 = 4;
const ROUNDS_MAX: u32 = 4 * ROUNDS_MIN;
/// Rounds for which the rate is kept to.
const ROUNDS_IN_USE: u32 = 48;
/// An interval that loses more than this, of 256 delivered, is lossy (20 %).
const LOSSY: u64 = 50;
/// Rates are the same that differ by an eighth, or by 4 kbit/s, in bytes per second.
const RATIO: u64 = 8;
pub(super) const DIFFERENCE: u64 = 4000 / 8;

/// Segments delivered and lost since the connection began, and when the last ones were.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub at: Time,
    pub delivered: u64,
    pub lost: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    /// The rate of the interval before, or what is kept to.
    rate: u64,
    is_in_use: bool,
    is_sampling: bool,
    rounds: u32,
    /// Time when the interval began.
    began: Totals,
}

impl Policer {
    /// The rate to keep to, if there is a policer.
    pub fn rate_in_use(&self) -> Option<u64> {
        self.is_in_use.then_some(self.rate)
    }

    pub fn reset(&mut self, totals: &Totals) {
        *self = Policer {
            began: *totals,
            ..Policer::default()
        };
    }

    /// Another round with the rate; true if it was the last one.
    pub fn is_over(&mut self) -> bool {
        self.rounds += 1;
        self.rounds >= ROUNDS_IN_USE
    }

    /// Returns whether an acknowledgement shows that there is a policer. `least` is a difference
    /// between two rates that is none.
    pub fn looks_limited(
        &mut self,
        totals: &Totals,
        has_lost: bool,
        is_app_limited: bool,
        begins_round: bool,
        least: u64,
    ) -> bool {
        // Not before its tokens are used up.
        if !self.is_sampling {
            if !has_lost {
                return false;
            }
            self.begin(totals);
            self.is_sampling = true;
        }
        if is_app_limited {
            self.reset(totals);
            return false;
        }
        self.rounds += u32::from(begins_round);
        if self.rounds < ROUNDS_MIN {
            return false;
        }
        if self.rounds > ROUNDS_MAX {
            self.reset(totals);
            return false;
        }
        // It ends with a loss, when the tokens are used up again.
        match self.rate_since(totals) {
            Some(rate) if has_lost => self.end(totals, rate, least),
            _ => false,
        }
    }

    fn begin(&mut self, totals: &Totals) {
        self.began = *totals;
        self.rounds = 0;
    }

    /// Returns what was delivered in the interval, if it is lossy.
    fn rate_since(&self, totals: &Totals) -> Option<u64> {
        let lost = totals.lost - self.began.lost;
        let delivered = totals.delivered - self.began.delivered;
        if delivered == 0 || lost << 8 < LOSSY * delivered {
            return None;
        }
        let milliseconds = |at: Time| at.as_nanos() / 1_000_000;
        let passed_ms = milliseconds(totals.at) - milliseconds(self.began.at);
        (passed_ms > 0).then(|| delivered * RATE_UNIT / (passed_ms * 1000))
    }

    fn end(&mut self, totals: &Totals, rate: u64, least: u64) -> bool {
        let apart = rate.abs_diff(self.rate);
        if self.rate > 0 && (apart * RATIO <= self.rate || apart <= least) {
            self.rate = (rate + self.rate) / 2;
            self.is_in_use = true;
            self.rounds = 0;
            return true;
        }
        self.rate = rate;
        self.begin(totals);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Duration;

    /// Rounds of 100 ms that deliver `delivered` segments and lose `lost`, until there is a policer.
    fn rounds_until_found(delivered: u64, lost: u64) -> Option<u64> {
        let mut policer = Policer::default();
        (1..100).find(|&round| {
            let totals = Totals {
                at: Time::ZERO + Duration::from_millis(100 * round),
                delivered: delivered * round,
                lost: lost * round,
            };
            policer.looks_limited(&totals, lost > 0, false, true, 0)
        })
    }

    #[test]
    fn two_lossy_intervals_of_one_rate_are_a_policer() {
        // The first loss begins an interval, whose first round is this one; each has four.
        assert_eq!(rounds_until_found(100, 30), Some(8));
        assert_eq!(
            rounds_until_found(100, 19),
            None,
            "a fifth is lost at least"
        );
    }

    #[test]
    fn the_rate_is_kept_to_for_48_rounds() {
        let mut policer = Policer::default();
        let over = (1..).find(|_| policer.is_over());
        assert_eq!(over, Some(48));
    }
}
