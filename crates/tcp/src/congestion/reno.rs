//! Slow start and congestion avoidance (RFC 5681).

use super::{Acked, CongestionControl, CountingUnit, Loss, Setup};

#[derive(Clone, Debug)]
pub(crate) struct Reno {
    pub(super) setup: Setup,
    pub(super) window: u64,
    pub(super) ssthresh: u64,
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
        let base = self.setup.reduced(self.window, loss);
        let mss = self.setup.mss;
        match self.setup.counting {
            CountingUnit::Segments { .. } => (base / mss / 2).max(2) * mss,
            _ => (base / 2).max(2 * mss),
        }
    }

    /// Slow start up to ssthresh, congestion avoidance with what is left over.
    #[inline]
    pub(super) fn grow(&mut self, acked: &Acked) {
        if self.window < self.ssthresh {
            let room = self.ssthresh - self.window;
            let step = self.setup.slow_start_step(acked, room);
            self.window += step;
            if step < room || step == acked.bytes {
                return;
            }
            self.avoid_congestion(acked.bytes - step);
        } else {
            self.avoid_congestion(acked.bytes);
        }
    }

    /// RFC 5681 §3.1: one segment per round trip, by the count of bytes it recommends or by
    /// its equation (3), which grows more slowly under delayed acknowledgements.
    fn avoid_congestion(&mut self, bytes: u64) {
        let mss = self.setup.mss;
        match self.setup.counting {
            CountingUnit::Acknowledgements => self.window += (mss * mss / self.window).max(1),
            CountingUnit::Bytes => self.count_bytes(bytes),
            CountingUnit::Segments { .. } => self.count_segments(bytes),
        }
    }

    #[inline]
    fn count_bytes(&mut self, bytes: u64) {
        self.credit += bytes;
        if self.credit >= self.window {
            self.credit -= self.window;
            self.window += self.setup.mss;
        }
    }

    /// The same as Linux counts: an acknowledgement may earn more than one segment
    /// (`tcp_cong_avoid_ai`).
    fn count_segments(&mut self, bytes: u64) {
        let (mss, window) = (self.setup.mss, self.window);
        if self.credit >= window {
            self.credit = 0;
            self.window += mss;
        }
        self.credit += bytes;
        self.window += self.credit / window * mss;
        self.credit %= window;
    }

    /// Fast retransmit: falls to `ssthresh`.
    pub(super) fn fall_to(&mut self, ssthresh: u64) {
        self.ssthresh = ssthresh;
        self.window = ssthresh;
        self.credit = 0;
    }

    /// The timer expired: falls to LW of RFC 5681 §3.1.
    pub(super) fn collapse(&mut self, ssthresh: u64) {
        self.ssthresh = ssthresh;
        self.window = self.setup.mss;
        self.credit = 0;
    }
}

impl CongestionControl for Reno {
    fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

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
        if acked.may_grow() {
            self.grow(acked);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.fall_to(self.halved(loss));
    }

    fn on_recovered(&mut self, burst_limit: u64) {
        self.window = self.ssthresh.min(burst_limit).max(self.setup.mss);
    }

    fn on_timeout(&mut self, loss: &Loss, again: bool) {
        let ssthresh = if again {
            self.ssthresh
        } else {
            self.halved(loss)
        };
        self.collapse(ssthresh);
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
    use units::Time;

    use super::super::testing::{acked, setup};
    use super::*;
    use crate::RecoveryPhase;

    fn reno(counting: CountingUnit) -> Reno {
        Reno::new(&Setup {
            counting,
            ..setup()
        })
    }

    fn ack(reno: &mut Reno, bytes: u64) {
        reno.on_ack(&acked(Time::ZERO, bytes));
    }

    fn loss(in_flight: u64) -> Loss {
        Loss { in_flight }
    }

    #[test]
    fn slow_start_adds_a_segment_per_acknowledgement_at_most() {
        let mut reno = reno(CountingUnit::Bytes);
        ack(&mut reno, 1000);
        assert_eq!(reno.window(), 3000);
        ack(&mut reno, 2000);
        assert_eq!(reno.window(), 4000, "a delayed acknowledgement counts once");
        ack(&mut reno, 300);
        assert_eq!(reno.window(), 4300);
    }

    #[test]
    fn congestion_avoidance_by_bytes_adds_a_segment_per_window() {
        let mut reno = reno(CountingUnit::Bytes);
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
        let mut reno = reno(CountingUnit::Acknowledgements);
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
        let mut reno = reno(CountingUnit::Bytes);
        reno.on_timeout(&loss(20_000), false);
        assert_eq!((reno.window(), reno.ssthresh()), (1000, 10_000));
        reno.on_timeout(&loss(1000), true);
        assert_eq!((reno.window(), reno.ssthresh()), (1000, 10_000));
    }

    #[test]
    fn linux_halves_the_window_and_others_what_is_in_flight() {
        let mut reno = reno(CountingUnit::Bytes);
        reno.window = 10_000;
        reno.on_loss(&loss(4000));
        assert_eq!(reno.ssthresh(), 2000);
        (reno.window, reno.setup.reduces_window) = (10_000, true);
        reno.on_loss(&loss(4000));
        assert_eq!(reno.ssthresh(), 5000);
    }

    #[test]
    fn ssthresh_is_never_below_two_segments() {
        let mut reno = reno(CountingUnit::Bytes);
        reno.on_loss(&loss(1500));
        assert_eq!(reno.ssthresh(), 2000);
    }

    #[test]
    fn a_window_that_is_not_used_does_not_grow() {
        let mut reno = reno(CountingUnit::Bytes);
        reno.on_ack(&Acked {
            limited: false,
            ..acked(Time::ZERO, 900)
        });
        assert_eq!(reno.window(), 2000);
    }

    /// RFC 3465 §2.2 and §2.3.
    #[test]
    fn appropriate_byte_counting_adds_two_segments_at_most_and_one_after_a_timeout() {
        let mut reno = Reno::new(&Setup {
            slow_start_limit: 2000,
            ..setup()
        });
        ack(&mut reno, 2000);
        ack(&mut reno, 5000);
        assert_eq!(reno.window(), 6000);
        reno.on_timeout(&loss(20_000), false);
        reno.on_ack(&Acked {
            phase: RecoveryPhase::Timeout,
            ..acked(Time::ZERO, 5000)
        });
        assert_eq!(reno.window(), 2000);
    }

    #[test]
    fn slow_start_without_a_limit_stops_at_ssthresh_and_avoidance_takes_the_rest() {
        let mut reno = Reno::new(&Setup {
            slow_start_limit: u64::MAX,
            ..setup()
        });
        reno.on_timeout(&loss(10_000), false);
        ack(&mut reno, 3000);
        assert_eq!(reno.window(), 4000);
        ack(&mut reno, 6000);
        assert_eq!(reno.window(), 6000, "one up to ssthresh, five for the next");
    }
}
