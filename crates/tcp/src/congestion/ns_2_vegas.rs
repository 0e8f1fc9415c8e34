//! Vegas as ns-2 2.35 has it (`tcp-vegas.cc`): the law of [`super::vegas`] with α = 1, β = 3 and
//! γ = 1, by the mean round trip of a round instead of the least, with what was sent in the round
//! instead of the window. A loss takes a quarter of the window, a timeout leaves two segments.
//!
//! The acknowledgement that ends a round decides what each of the next one adds: a segment, a share
//! of one, or nothing; and none adds to a window that is three segments ahead of what is in flight.

use units::{Duration, Time};

use super::{Acked, CongestionControl, Loss, Setup};

/// α, β and γ (ns-default.tcl: v_alpha_, v_beta_, v_gamma_) in half segments, each with the half
/// by which the agent rounds.
const ALPHA_HALVES: u64 = 2 - 1;
const BETA_HALVES: u64 = 2 * 3 + 1;
const GAMMA_HALVES: u64 = 2 + 1;
/// Window that a timeout leaves (v_slowstart_), and the least there is.
const LEAST_SEGMENTS: u64 = 2;

#[derive(Clone, Debug)]
pub(crate) struct Ns2Vegas {
    setup: Setup,
    window: u64,
    ssthresh: u64,
    /// BaseRTT.
    base: Duration,
    /// Of the round trips of this round.
    sum: Duration,
    samples: u64,
    /// Bytes sent when this round began, and its time.
    round_end: u64,
    round_begun: Time,
    /// Growth with each acknowledgement of this round.
    step: u64,
    /// True if slow start doubles in this round; it only measures otherwise.
    doubles: bool,
}

impl Ns2Vegas {
    pub fn new(setup: &Setup) -> Ns2Vegas {
        Ns2Vegas {
            setup: *setup,
            window: setup.initial_window,
            ssthresh: u64::MAX,
            base: Duration::MAX,
            sum: Duration::ZERO,
            samples: 0,
            round_end: 0,
            round_begun: Time::ZERO,
            step: 0,
            doubles: true,
        }
    }

    fn least(&self) -> u64 {
        LEAST_SEGMENTS * self.setup.mss
    }

    /// `acked` ends a round and is the first of the next.
    fn end_round(&mut self, acked: &Acked) {
        let rtt = match self.samples {
            0 => acked.now - self.round_begun,
            n => self.sum / n,
        };
        let sent = acked.max - self.round_end;
        if rtt < self.base || sent <= self.setup.mss {
            self.base = rtt;
        }
        self.decide(self.queued(acked, sent, rtt));
        (self.sum, self.samples) = (Duration::ZERO, 0);
        (self.round_end, self.round_begun) = (acked.max, acked.now);
    }

    /// Returns what waits in queues: what is outstanding, the segment just acknowledged with it,
    /// less what an empty path would hold at the rate of this round.
    fn queued(&self, acked: &Acked, sent: u64, rtt: Duration) -> u64 {
        let outstanding = acked.max - acked.una + self.setup.mss;
        let held =
            u128::from(sent) * u128::from(self.base.as_nanos()) / u128::from(rtt.as_nanos().max(1));
        outstanding.saturating_sub(held as u64)
    }

    fn decide(&mut self, queued: u64) {
        let mss = self.setup.mss;
        let halves = 2 * queued;
        self.step = 0;
        if self.window < self.ssthresh {
            self.doubles = !self.doubles;
            if self.doubles && halves >= GAMMA_HALVES * mss {
                self.ssthresh = self.least(); // congestion avoidance from here on
                self.window = (self.window - self.window / 8).max(self.least());
            } else if self.doubles {
                self.step = mss;
            }
        } else if halves >= BETA_HALVES * mss {
            self.window = (self.window - mss).max(self.least());
        } else if halves < ALPHA_HALVES * mss {
            self.step = mss * mss / self.window;
        }
    }

    fn grow(&mut self, acked: &Acked) {
        if self.step == self.setup.mss && self.window >= self.ssthresh {
            self.step = 0;
        }
        let ahead = 3 * self.setup.mss;
        if self.window <= acked.max - acked.una + ahead {
            self.window += self.step;
        }
    }
}

impl CongestionControl for Ns2Vegas {
    fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    fn times_every_segment(&self) -> bool {
        true
    }

    #[inline]
    fn window(&self) -> u64 {
        self.window
    }

    #[inline]
    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    #[inline(never)]
    fn on_ack(&mut self, acked: &Acked) {
        if acked.una > self.round_end {
            self.end_round(acked);
        }
        self.grow(acked);
        if let Some(rtt) = acked.rtt {
            self.base = self.base.min(rtt);
            self.sum += rtt;
            self.samples += 1;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.setup.reduced(self.window, loss);
        self.window = (window - window / 4).max(self.least());
    }

    /// A window that duplicates have inflated is taken back, and slow start is over.
    fn on_recovered(&mut self, _burst_limit: u64) {
        self.ssthresh = self.least();
    }

    fn on_timeout(&mut self, loss: &Loss, _again: bool) {
        self.ssthresh = (self.setup.reduced(self.window, loss) / 2).max(self.least());
        self.window = self.least();
    }

    fn set(&mut self, window: u64, ssthresh: u64) {
        (self.window, self.ssthresh) = (window, ssthresh);
    }

    fn on_idle(&mut self) {
        self.window = self.window.min(self.setup.initial_window);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{acked, setup};
    use super::*;

    /// A window of `segments` past slow start, an empty path of 100 ms, and a round in which as
    /// many segments were sent; then the acknowledgement that ends it, with a mean of `rtt_ms`.
    fn after_a_round(segments: u64, rtt_ms: u64) -> Ns2Vegas {
        let mut vegas = Ns2Vegas::new(&setup());
        (vegas.window, vegas.ssthresh) = (segments * 1000, 2000);
        vegas.base = Duration::from_millis(100);
        (vegas.sum, vegas.samples) = (Duration::from_millis(rtt_ms), 1);
        vegas.round_end = 1000;
        vegas.on_ack(&Acked {
            una: 2000,
            max: 1000 + segments * 1000,
            ..acked(Time::ZERO, 1000)
        });
        vegas
    }

    /// Of 20 segments sent in a round of 100 / (1 − q / 20) ms, q wait.
    #[test]
    fn the_window_is_kept_where_one_to_three_segments_wait() {
        assert_eq!(
            after_a_round(20, 101).window,
            20_050,
            "less than half of one"
        );
        assert_eq!(after_a_round(20, 111).window, 20_000, "two");
        assert_eq!(after_a_round(20, 130).window, 19_000, "4.6");
    }

    #[test]
    fn slow_start_doubles_every_other_round_and_ends_once_more_than_one_waits() {
        let mut vegas = Ns2Vegas::new(&setup());
        vegas.base = Duration::from_millis(100);
        vegas.window = 16_000;
        vegas.decide(0);
        assert_eq!((vegas.step, vegas.doubles), (0, false));
        vegas.decide(1000);
        assert_eq!(vegas.step, 1000);
        vegas.decide(9000);
        vegas.decide(1500);
        assert_eq!(
            (vegas.window, vegas.ssthresh, vegas.step),
            (14_000, 2000, 0)
        );
    }

    #[test]
    fn a_loss_takes_a_quarter_and_a_timeout_leaves_two_segments() {
        let mut vegas = Ns2Vegas::new(&setup());
        vegas.window = 16_000;
        let loss = Loss { in_flight: 16_000 };
        vegas.on_loss(&loss);
        assert_eq!(vegas.window, 12_000);
        vegas.on_timeout(&Loss { in_flight: 12_000 }, false);
        assert_eq!((vegas.window, vegas.ssthresh), (2000, 6000));
    }

    #[test]
    fn a_window_three_segments_ahead_of_what_is_in_flight_does_not_grow() {
        let mut vegas = after_a_round(20, 101);
        let before = vegas.window;
        for (in_flight, grown) in [(16_000, 0), (18_000, 50)] {
            vegas.on_ack(&Acked {
                una: 2000,
                max: 2000 + in_flight,
                ..acked(Time::ZERO, 1000)
            });
            assert_eq!(vegas.window - before, grown);
        }
    }
}
