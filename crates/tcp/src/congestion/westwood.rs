//! Westwood+: L. Grieco and S. Mascolo, "Performance Evaluation and Comparison of Westwood+,
//! New Reno, and Vegas TCP Congestion Control", ACM CCR 34(2), 2004, §2.
//!
//! Grows as Reno does. After a loss it falls not to half but to the bandwidth it has had times
//! the least round-trip time: what the path held without a queue. The bandwidth is sampled
//! once per round trip (that is the "+"), at least 50 ms long, as what was acknowledged over
//! how long it took, and smoothed by an exponential filter of gain 1/8 (both as in Linux
//! `tcp_westwood.c` by the same authors). Duplicate acknowledgements count as a segment each,
//! and are not counted again when the cumulative one comes.

use units::{Duration, Time};

use super::reno::Reno;
use super::{Acked, CongestionControl, Loss, Setup};

/// The least time a bandwidth sample takes.
const ROUND_MIN: Duration = Duration::from_millis(50);
/// The filter forgets this much: 1/8 of the new, 7/8 of the old. Linux lets what comes out of it
/// pass through the same filter again.
const GAIN: u64 = 8;

#[derive(Clone, Debug)]
pub(crate) struct Westwood {
    reno: Reno,
    /// Bytes per second, smoothed; nought before the first sample.
    bandwidth: u64,
    rtt_min: Option<Duration>,
    rtt: Duration,
    /// Time when this sample began, and what has been acknowledged since.
    since: Option<Time>,
    bytes: u64,
    /// Counted for duplicates, and not to be counted again.
    counted: u64,
}

impl Westwood {
    pub fn new(setup: &Setup) -> Westwood {
        Westwood {
            reno: Reno::new(setup),
            bandwidth: 0,
            rtt_min: None,
            rtt: Duration::ZERO,
            since: None,
            bytes: 0,
            counted: 0,
        }
    }

    /// An acknowledgement of `bytes`. The one that begins the first sample does not count, as
    /// what it acknowledges took its time before (Linux `first_ack`).
    fn take(&mut self, now: Time, bytes: u64) {
        self.count(bytes);
        match self.since {
            Some(since) => self.measure(now, now - since),
            None => self.begin_sample(now),
        }
    }

    fn begin_sample(&mut self, now: Time) {
        self.since = Some(now);
        self.bytes = 0;
    }

    fn count(&mut self, bytes: u64) {
        let known = self.counted.min(bytes);
        self.counted -= known;
        self.bytes += bytes - known;
    }

    fn measure(&mut self, now: Time, elapsed: Duration) {
        if elapsed < self.rtt.max(ROUND_MIN) {
            return;
        }
        let rate = u128::from(self.bytes) * 1_000_000_000 / u128::from(elapsed.as_nanos());
        let rate = rate as u64;
        self.bandwidth = if self.bandwidth == 0 {
            rate
        } else {
            ((GAIN - 1) * self.bandwidth + rate) / GAIN
        };
        self.begin_sample(now);
    }

    /// The bandwidth times the least round-trip time.
    fn pipe(&self) -> u64 {
        let rtt = self.rtt_min.unwrap_or(Duration::ZERO).as_nanos();
        let pipe = u128::from(self.bandwidth) * u128::from(rtt) / 1_000_000_000;
        (pipe as u64).max(2 * self.reno.setup.mss)
    }
}

impl CongestionControl for Westwood {
    fn setup(&mut self) -> &mut Setup {
        &mut self.reno.setup
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
            self.rtt = rtt;
            self.rtt_min = Some(self.rtt_min.map_or(rtt, |least| least.min(rtt)));
        }
        self.take(acked.now, acked.bytes);
        self.reno.on_ack(acked);
    }

    fn on_duplicate_ack(&mut self) {
        let mss = self.reno.setup.mss;
        self.bytes += mss;
        self.counted += mss;
    }

    fn on_loss(&mut self, _loss: &Loss) {
        self.reno.fall_to(self.pipe());
    }

    fn on_recovered(&mut self, burst_limit: u64) {
        self.counted = 0;
        self.reno.on_recovered(burst_limit);
    }

    fn on_timeout(&mut self, _loss: &Loss, again: bool) {
        let ssthresh = if again {
            self.reno.ssthresh
        } else {
            self.pipe()
        };
        self.counted = 0;
        self.reno.collapse(ssthresh);
    }

    fn set(&mut self, window: u64, ssthresh: u64) {
        self.reno.set(window, ssthresh);
    }

    fn on_idle(&mut self) {
        self.since = None;
        self.reno.on_idle();
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{acked, setup};
    use super::*;

    /// A million bytes a second for two seconds, 60 ms of which 40 are the path's.
    fn steady() -> Westwood {
        let mut westwood = Westwood::new(&setup());
        for ms in 0..2000 {
            let rtt = Duration::from_millis(if ms == 0 { 40 } else { 60 });
            westwood.on_ack(&Acked {
                rtt: Some(rtt),
                ..acked(Time::ZERO + Duration::from_millis(ms), 1000)
            });
        }
        westwood
    }

    const LOSS: Loss = Loss { in_flight: 60_000 };

    #[test]
    fn a_loss_leaves_what_the_path_holds_without_a_queue() {
        let mut westwood = steady();
        westwood.on_loss(&LOSS);
        assert!((39_000..=41_000).contains(&westwood.window()));
        westwood.on_timeout(&LOSS, false);
        assert_eq!(westwood.window(), 1000);
        assert!((39_000..=41_000).contains(&westwood.ssthresh()));
    }

    #[test]
    fn the_first_sample_begins_behind_the_first_acknowledgement() {
        let mut westwood = Westwood::new(&setup());
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        westwood.take(at(0), 10_000);
        (1..=50).for_each(|ms| westwood.take(at(ms), 1000));
        assert_eq!(westwood.bandwidth, 1_000_000);
        westwood.on_idle();
        westwood.take(at(5000), 10_000);
        (5001..=5050).for_each(|ms| westwood.take(at(ms), 1000));
        assert_eq!(westwood.bandwidth, 1_000_000);
    }

    #[test]
    fn what_duplicates_have_told_is_not_counted_twice() {
        let mut westwood = Westwood::new(&setup());
        for _ in 0..5 {
            westwood.on_duplicate_ack();
        }
        westwood.count(7000);
        assert_eq!(westwood.bytes, 7000);
    }

    #[test]
    fn without_an_estimate_two_segments_remain() {
        let mut westwood = Westwood::new(&setup());
        westwood.on_loss(&LOSS);
        assert_eq!(westwood.window(), 2000);
    }
}
