//! Slow start and congestion avoidance (RFC 5681).

use super::{Acked, CongestionControl, Loss, Setup};

#[derive(Clone, Debug)]
pub(crate) struct Reno {
    setup: Setup,
    window: u64,
    ssthresh: u64,
    /// Bytes acknowledged since congestion avoidance last added a segment.
    credit: u64,
}

impl Reno {
    pub fn new(setup: &Setup) -> Reno {
        let window = setup.initial_window;
        Reno {
            setup: *setup,
            window,
            ssthresh: u64::MAX,
            credit: 0,
        }
    }

    /// RFC 5681 (4).
    fn halved(&self, loss: &Loss) -> u64 {
        (loss.in_flight / 2).max(2 * self.setup.mss)
    }

    /// RFC 5681 §3.1: one segment per round trip, by the count of bytes it recommends or by
    /// its equation (3), which grows more slowly under delayed acknowledgements.
    fn avoid_congestion(&mut self, bytes: u64) {
        let mss = self.setup.mss;
        if !self.setup.byte_counting {
            self.window += (mss * mss / self.window).max(1);
            return;
        }
        self.credit += bytes;
        if self.credit >= self.window {
            self.credit -= self.window;
            self.window += mss;
        }
    }
}

impl CongestionControl for Reno {
    #[inline]
    fn window(&self) -> u64 {
        self.window
    }

    #[inline]
    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    #[inline]
    fn on_ack(&mut self, acked: &Acked) {
        // A window of which less than half was used has not been tested: RFC 7661 §4
        // lets it stand and grow no more.
        if acked.recovering || 2 * acked.in_flight < self.window {
            return;
        }
        if self.window < self.ssthresh {
            self.window += acked.bytes.min(self.setup.mss); // RFC 5681 (2)
        } else {
            self.avoid_congestion(acked.bytes);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.ssthresh = self.halved(loss);
        self.window = self.ssthresh;
        self.credit = 0;
    }

    fn on_recovered(&mut self, burst_limit: u64) {
        self.window = self.ssthresh.min(burst_limit).max(self.setup.mss);
    }

    fn on_timeout(&mut self, loss: &Loss, again: bool) {
        if !again {
            self.ssthresh = self.halved(loss);
        }
        self.window = self.setup.mss; // LW, RFC 5681 §3.1
        self.credit = 0;
    }

    fn on_idle(&mut self) {
        self.window = self.window.min(self.setup.initial_window);
    }
}

#[cfg(test)]
mod tests {
    use units::Time;

    use super::*;

    fn reno(byte_counting: bool) -> Reno {
        Reno::new(&Setup {
            mss: 1000,
            initial_window: 2000,
            byte_counting,
        })
    }

    fn ack(reno: &mut Reno, bytes: u64) {
        let in_flight = reno.window();
        reno.on_ack(&Acked {
            now: Time::ZERO,
            bytes,
            in_flight,
            rtt: None,
            recovering: false,
        });
    }

    fn loss(in_flight: u64) -> Loss {
        Loss {
            now: Time::ZERO,
            in_flight,
        }
    }

    #[test]
    fn slow_start_adds_a_segment_per_acknowledgement_at_most() {
        let mut reno = reno(true);
        ack(&mut reno, 1000);
        assert_eq!(reno.window(), 3000);
        ack(&mut reno, 2000);
        assert_eq!(reno.window(), 4000, "a delayed acknowledgement counts once");
        ack(&mut reno, 300);
        assert_eq!(reno.window(), 4300);
    }

    #[test]
    fn congestion_avoidance_by_bytes_adds_a_segment_per_window() {
        let mut reno = reno(true);
        reno.on_loss(&loss(8000));
        reno.on_recovered(u64::MAX);
        for _ in 0..2 {
            assert_eq!(reno.window(), 4000);
            ack(&mut reno, 2000);
        }
        assert_eq!(reno.window(), 5000);
    }

    #[test]
    fn congestion_avoidance_by_acknowledgements_halves_its_pace_when_they_are_delayed() {
        let mut reno = reno(false);
        reno.on_loss(&loss(20_000));
        reno.on_recovered(u64::MAX);
        for _ in 0..5 {
            ack(&mut reno, 2000);
        }
        assert!(
            (10_450..10_500).contains(&reno.window()),
            "{}",
            reno.window()
        );
    }

    #[test]
    fn a_second_timeout_of_the_same_segment_leaves_ssthresh() {
        let mut reno = reno(true);
        reno.on_timeout(&loss(20_000), false);
        assert_eq!((reno.window(), reno.ssthresh()), (1000, 10_000));
        reno.on_timeout(&loss(1000), true);
        assert_eq!((reno.window(), reno.ssthresh()), (1000, 10_000));
    }

    #[test]
    fn ssthresh_is_never_below_two_segments() {
        let mut reno = reno(true);
        reno.on_loss(&loss(1500));
        assert_eq!(reno.ssthresh(), 2000);
    }

    #[test]
    fn a_window_that_is_not_used_does_not_grow() {
        let mut reno = reno(true);
        let now = Time::ZERO;
        reno.on_ack(&Acked {
            now,
            bytes: 900,
            in_flight: 900,
            rtt: None,
            recovering: false,
        });
        assert_eq!(reno.window(), 2000);
    }
}
