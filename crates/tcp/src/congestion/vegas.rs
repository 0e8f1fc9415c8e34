//! Vegas: L. Brakmo and L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global
//! Internet", IEEE JSAC 13(8), 1995, §III.B and C.
//!
//! Once per round trip it compares the throughput it has with the one an empty path would
//! give; the difference, times BaseRTT, is what of its own waits in queues. It keeps that
//! between α and β segments and leaves slow start, which doubles every other round only, at
//! γ. α = 2, β = 4, γ = 1, as in the paper's "Vegas-2,4" and in Linux and ns-3.
//!
//! What follows a loss is Reno's halving, as in Linux and ns-3; the paper's own retransmission
//! at the first duplicate acknowledgement is not here. A round with fewer than three samples
//! says nothing (Linux `tcp_vegas.c`: they may be of delayed acknowledgements) and passes
//! as Reno's would.

use units::Duration;

use super::reno::Reno;
use super::{Acked, CongestionControl, Loss, Setup};

/// α, β and γ in segments.
const ALPHA: u64 = 2;
const BETA: u64 = 4;
const GAMMA: u64 = 1;
/// The samples that make a round's least one trustworthy.
const SAMPLES: u32 = 3;
/// The least window that can still tell a queue (Linux and ns-3).
const FLOOR_SEGMENTS: u64 = 2;

#[derive(Clone, Debug)]
pub(crate) struct Vegas {
    reno: Reno,
    /// BaseRTT: the least round-trip time of the connection.
    base: Duration,
    /// The least of this round, and how many there were.
    least: Duration,
    samples: u32,
    /// Bytes sent when this round began; its acknowledgement ends it.
    round_end: u64,
    /// True if slow start doubles in this round; it only measures otherwise.
    doubles: bool,
}

const UNKNOWN: Duration = Duration::from_nanos(u64::MAX);

impl Vegas {
    pub fn new(setup: &Setup) -> Vegas {
        Vegas {
            reno: Reno::new(setup),
            base: UNKNOWN,
            least: UNKNOWN,
            samples: 0,
            round_end: 0,
            doubles: true,
        }
    }

    fn in_slow_start(&self) -> bool {
        self.reno.window < self.reno.ssthresh
    }

    fn take_sample(&mut self, rtt: Duration) {
        self.base = self.base.min(rtt);
        self.least = self.least.min(rtt);
        self.samples += 1;
    }

    /// Returns what of the window waits in queues: (Expected - Actual) BaseRTT.
    fn queued(&self) -> u64 {
        let (base, rtt) = (self.base.as_nanos(), self.least.as_nanos());
        let waiting = u128::from(self.reno.window) * u128::from(rtt - base);
        (waiting / u128::from(rtt.max(1))) as u64
    }

    /// `acked` ends a round and is the first of the next.
    fn end_round(&mut self, acked: &Acked) {
        let mss = self.reno.setup.mss;
        let queued = self.queued();
        if self.in_slow_start() {
            self.doubles = !self.doubles;
            if queued > GAMMA * mss {
                let unqueued = self.reno.window - queued;
                self.reno.window = self.reno.window.min(unqueued + mss);
                self.reno.ssthresh = self.reno.window; // congestion avoidance from here on
            } else if self.doubles {
                self.reno.grow(acked);
            }
        } else if queued > BETA * mss {
            self.reno.window -= mss;
            self.reno.ssthresh = self.reno.ssthresh.min(self.reno.window); // no slow start again
        } else if queued < ALPHA * mss {
            self.reno.window += mss;
        }
        self.reno.window = self.reno.window.max(FLOOR_SEGMENTS * mss);
    }
}

impl CongestionControl for Vegas {
    fn setup(&mut self) -> &mut Setup {
        &mut self.reno.setup
    }

    /// Brakmo and Peterson 1995, §III.A: it reads the clock for every segment.
    fn times_every_segment(&self) -> bool {
        true
    }

    #[inline]
    fn window(&self) -> u64 {
        self.reno.window
    }

    #[inline]
    fn ssthresh(&self) -> u64 {
        self.reno.ssthresh
    }

    #[inline(never)]
    fn on_ack(&mut self, acked: &Acked) {
        if let Some(rtt) = acked.rtt {
            self.take_sample(rtt);
        }
        let round_is_over = acked.una > self.round_end;
        let is_telling = self.samples >= SAMPLES;
        if acked.may_grow() {
            if round_is_over && is_telling {
                self.end_round(acked);
            } else if self.in_slow_start() && self.doubles || round_is_over {
                self.reno.grow(acked);
            }
        }
        if round_is_over {
            self.round_end = acked.max;
            self.least = UNKNOWN;
            self.samples = 0;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.reno.on_loss(loss);
    }

    fn on_recovered(&mut self, burst_limit: u64) {
        self.reno.on_recovered(burst_limit);
    }

    fn on_timeout(&mut self, loss: &Loss, again: bool) {
        self.doubles = true;
        self.reno.on_timeout(loss, again);
    }

    fn set(&mut self, window: u64, ssthresh: u64) {
        self.reno.set(window, ssthresh);
    }

    fn on_idle(&mut self) {
        self.reno.on_idle();
    }
}

#[cfg(test)]
mod tests {
    use units::Time;

    use super::super::testing::{acked, setup};
    use super::*;

    /// One round: every segment of the window acknowledged with this round-trip time.
    fn round(vegas: &mut Vegas, rtt_ms: u64) -> u64 {
        let (begin, segments) = (vegas.round_end, vegas.window() / 1000);
        for n in 1..=segments.max(4) {
            vegas.on_ack(&Acked {
                una: begin + n * 1000,
                max: begin + 1_000_000,
                rtt: Some(Duration::from_millis(rtt_ms)),
                ..acked(Time::ZERO, 1000)
            });
        }
        vegas.window()
    }

    /// A connection past slow start with a window of `segments` and a BaseRTT of 100 ms.
    fn avoiding(segments: u64) -> Vegas {
        let mut vegas = Vegas::new(&setup());
        vegas.base = Duration::from_millis(100);
        (vegas.reno.window, vegas.reno.ssthresh) = (segments * 1000, 2000);
        vegas
    }

    /// With 20 segments, an RTT of 100 / (1 - q / 20) ms means that q of them wait.
    #[test]
    fn the_window_is_kept_where_two_to_four_segments_wait() {
        let after = |rtt_ms| {
            let mut vegas = avoiding(20);
            // The first acknowledgement ends the round before, of which nothing is known.
            vegas.round_end = 0;
            for n in 1..4 {
                vegas.on_ack(&Acked {
                    una: 0,
                    max: n,
                    rtt: Some(Duration::from_millis(rtt_ms)),
                    ..acked(Time::ZERO, 1000)
                });
            }
            vegas.on_ack(&Acked {
                una: 1,
                ..acked(Time::ZERO, 1000)
            });
            vegas.window()
        };
        assert_eq!(after(105), 21_000, "one waits");
        assert_eq!(after(115), 20_000, "2.6 wait");
        assert_eq!(after(140), 19_000, "5.7 wait");
    }

    #[test]
    fn a_window_that_has_become_smaller_stays_in_congestion_avoidance() {
        let mut vegas = avoiding(20);
        vegas.reno.ssthresh = 20_000;
        let windows: Vec<_> = (0..4).map(|_| round(&mut vegas, 200)).collect();
        assert_eq!(windows, [20_000, 19_000, 18_000, 17_000]);
    }

    #[test]
    fn every_acknowledgement_of_a_doubling_round_counts() {
        let mut vegas = Vegas::new(&setup());
        (vegas.reno.window, vegas.doubles) = (8000, false);
        round(&mut vegas, 100); // passes as Reno's would: nothing is known of the round before
        vegas.reno.window = 8000;
        let windows: Vec<_> = (0..4).map(|_| round(&mut vegas, 100)).collect();
        assert_eq!(windows, [16_000, 16_000, 32_000, 32_000]);
    }

    #[test]
    fn slow_start_doubles_every_other_round_and_ends_when_a_segment_waits() {
        let mut vegas = Vegas::new(&setup());
        let windows: Vec<_> = (0..6).map(|_| round(&mut vegas, 100)).collect();
        let rises = windows.windows(2).filter(|w| w[1] > w[0] + 1000).count();
        assert!(rises < 5 && vegas.window() > 8000, "{windows:?}");
        let before = vegas.window();
        round(&mut vegas, 130);
        round(&mut vegas, 130);
        assert!(!vegas.in_slow_start());
        assert!(vegas.window() < 2 * before);
    }
}
