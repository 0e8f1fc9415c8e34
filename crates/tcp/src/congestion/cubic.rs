//! CUBIC (RFC 9438).
//!
//! Between losses the window follows W_cubic(t) = C (t - K)³ + W_max, where t is the time since
//! congestion avoidance began and W_max the window at the last loss: it flattens where the last
//! loss was and grows ever faster beyond. Where Reno would have more, it does as Reno would
//! (the Reno-friendly region). C = 0.4 segments/s³ and β = 0.7 (§5.1 and §4.6), α = 3 (1 - β) /
//! (1 + β) (§4.3).
//!
//! Slow start is that of RFC 5681; HyStart++ (RFC 9406), which §4.10 recommends, is not here yet.
//! Arithmetic is that of IEEE 754 and `libm`'s cube root, the same on every machine.

use units::{Duration, Time};

use super::{Acked, CongestionControl, Loss, Setup};

/// C of §5.1, in segments per cubic second.
const C: f64 = 0.4;
/// β_cubic of §4.6.
const BETA: f64 = 0.7;
/// α_cubic of §4.3: what makes growth by α and decrease by β as fair as Reno's 1 and 1/2.
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// §4.2: the target is at most one and a half windows away.
const TARGET_MAX: f64 = 1.5;

#[derive(Clone, Debug)]
pub(crate) struct Cubic {
    setup: Setup,
    window: u64,
    ssthresh: u64,
    /// Growth earned short of a byte.
    fraction: f64,
    /// W_max and cwnd_prior, in segments.
    w_max: f64,
    cwnd_prior: f64,
    epoch: Option<CubicEpoch>,
    /// The last acknowledgement: time in which the window was not used does not count (§5.8).
    last_ack: Time,
    /// §4.8: the first congestion avoidance after a timeout starts on its own plateau.
    after_timeout: bool,
}

/// One stretch of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct CubicEpoch {
    start: Time,
    /// K in seconds: when W_cubic is back at W_max.
    k: f64,
    origin: f64,
    /// W_est of §4.3, in segments.
    w_est: f64,
}

impl CubicEpoch {
    /// §4.2, equation 1.
    fn w_cubic(&self, t: f64) -> f64 {
        let from_plateau = t - self.k;
        C * from_plateau * from_plateau * from_plateau + self.origin
    }
}

/// §4.2, equation 2.
fn k(w_max: f64, cwnd: f64) -> f64 {
    libm::cbrt((w_max - cwnd).max(0.0) / C)
}

impl Cubic {
    pub fn new(setup: &Setup) -> Cubic {
        Cubic {
            setup: *setup,
            window: setup.initial_window,
            ssthresh: u64::MAX,
            fraction: 0.0,
            w_max: 0.0,
            cwnd_prior: 0.0,
            epoch: None,
            last_ack: Time::ZERO,
            after_timeout: false,
        }
    }

    fn segments(&self, bytes: u64) -> f64 {
        bytes as f64 / self.setup.mss as f64
    }

    fn begin_epoch(&mut self, now: Time) -> CubicEpoch {
        let cwnd = self.segments(self.window);
        // A window that passed W_max by itself, or the one after a timeout, is its own plateau.
        let starts_anew = core::mem::take(&mut self.after_timeout) || cwnd >= self.w_max;
        let origin = if starts_anew { cwnd } else { self.w_max };
        CubicEpoch {
            start: now,
            k: k(origin, cwnd),
            origin,
            w_est: cwnd,
        }
    }

    fn avoid_congestion(&mut self, acked: &Acked, bytes: u64) {
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => self.begin_epoch(acked.now),
        };
        let (cwnd, segments) = (self.segments(self.window), self.segments(bytes));
        let alpha = if epoch.w_est < self.cwnd_prior {
            ALPHA
        } else {
            1.0
        };
        epoch.w_est += alpha * segments / cwnd;
        let t = (acked.now - epoch.start).as_secs_f64();
        let increase = if epoch.w_cubic(t) < epoch.w_est {
            (epoch.w_est - cwnd).max(0.0)
        } else {
            // For each segment acknowledged rather than for each acknowledgement, which
            // would follow the cubic at half speed under delayed acknowledgements.
            let target = epoch.w_cubic(t + acked.srtt.as_secs_f64());
            (target.clamp(cwnd, TARGET_MAX * cwnd) - cwnd) / cwnd * segments
        };
        self.epoch = Some(epoch);
        self.grow_by(increase);
    }

    fn grow_by(&mut self, segments: f64) {
        let bytes = segments * self.setup.mss as f64 + self.fraction;
        let whole = bytes as u64;
        self.fraction = bytes - whole as f64;
        self.window += whole;
    }

    /// §4.6 and §4.7: what a loss does to W_max and ssthresh.
    fn note_loss(&mut self, loss: &Loss) {
        let cwnd = self.segments(self.window);
        self.cwnd_prior = cwnd;
        // Fast convergence: a window short of the last one makes room for newcomers.
        self.w_max = if cwnd < self.w_max {
            cwnd * (1.0 + BETA) / 2.0
        } else {
            cwnd
        };
        let base = self.setup.reduced(self.window, loss);
        self.ssthresh = ((base as f64 * BETA) as u64).max(2 * self.setup.mss);
        self.epoch = None;
        self.fraction = 0.0;
    }

    /// Time since the last acknowledgement in which the application left the window unused.
    fn skip(&mut self, idle: Duration) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += idle;
        }
    }
}

impl CongestionControl for Cubic {
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

    #[inline(never)]
    fn on_ack(&mut self, acked: &Acked) {
        let since = acked.now.saturating_since(self.last_ack);
        self.last_ack = acked.now;
        if !acked.may_grow() {
            self.skip(since);
            return;
        }
        let mut bytes = acked.bytes;
        if self.window < self.ssthresh {
            let room = self.ssthresh - self.window;
            let step = self.setup.slow_start_step(acked, room);
            self.window += step;
            bytes -= step;
            if step < room || bytes == 0 {
                return;
            }
        }
        self.avoid_congestion(acked, bytes);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.note_loss(loss);
        self.window = self.ssthresh;
    }

    fn on_recovered(&mut self, burst_limit: u64) {
        self.window = self.ssthresh.min(burst_limit).max(self.setup.mss);
    }

    fn on_timeout(&mut self, loss: &Loss, again: bool) {
        if !again {
            self.note_loss(loss);
        }
        self.after_timeout = true;
        self.epoch = None;
        self.window = self.setup.mss;
    }

    fn set(&mut self, window: u64, ssthresh: u64) {
        (self.window, self.ssthresh) = (window, ssthresh);
    }

    fn on_idle(&mut self) {
        self.window = self.window.min(self.setup.initial_window);
        self.epoch = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{acked, setup};
    use super::*;

    const RTT: Duration = Duration::from_millis(100);

    /// A window of `segments` that meets a loss at time 0.
    fn after_loss(segments: u64) -> Cubic {
        let mut cubic = Cubic::new(&setup());
        cubic.window = segments * 1000;
        cubic.on_loss(&Loss {
            in_flight: segments * 1000,
        });
        cubic.on_recovered(u64::MAX);
        cubic
    }

    fn at(seconds: f64) -> Time {
        Time::from_nanos((seconds * 1e9) as u64)
    }

    /// RFC 9438 §4.2.
    #[test]
    fn the_plateau_is_reached_after_the_cube_root_of_the_fall_over_c() {
        assert!((k(100.0, 70.0) - 4.2172).abs() < 1e-4);
        assert!((k(1000.0, 700.0) - 9.0856).abs() < 1e-4);
    }

    #[test]
    fn between_losses_the_window_follows_the_cubic_within_two_percent() {
        for (segments, until) in [(1000u64, 20.0), (300, 14.0)] {
            let mut cubic = after_loss(segments);
            let (mut now, w_max) = (0.0, segments as f64);
            let k = k(w_max, 0.7 * w_max);
            while now < until {
                let window = cubic.window() / 1000;
                for n in 0..window {
                    let time = now + 0.1 * n as f64 / window as f64;
                    cubic.on_ack(&Acked {
                        srtt: RTT,
                        ..acked(at(time), 1000)
                    });
                }
                now += 0.1;
                let expected = C * (now - k).powi(3) + w_max;
                let ratio = cubic.window() as f64 / 1000.0 / expected;
                assert!((0.98..1.02).contains(&ratio), "{now} s: {ratio}");
            }
        }
    }

    /// §4.3: with a small product of bandwidth and delay Reno is faster.
    #[test]
    fn in_the_reno_friendly_region_the_window_grows_by_alpha_per_round() {
        let mut cubic = after_loss(20);
        assert_eq!(cubic.window(), 14_000);
        for round in 0..10 {
            for _ in 0..cubic.window() / 1000 {
                cubic.on_ack(&Acked {
                    srtt: Duration::from_millis(1),
                    ..acked(at(0.001 * f64::from(round)), 1000)
                });
            }
        }
        let grown = (cubic.window() as f64 - 14_000.0) / 1000.0;
        assert!((grown - 10.0 * ALPHA).abs() < 0.3, "{grown}");
    }

    #[test]
    fn a_loss_takes_three_tenths_and_an_early_one_gives_more_way() {
        let mut cubic = after_loss(100);
        assert_eq!((cubic.window(), cubic.w_max), (70_000, 100.0));
        cubic.on_loss(&Loss { in_flight: 70_000 });
        assert_eq!((cubic.window(), cubic.w_max), (49_000, 70.0 * 0.85));
    }

    /// §4.8.
    #[test]
    fn after_a_timeout_congestion_avoidance_starts_on_its_own_plateau() {
        let mut cubic = Cubic::new(&setup());
        cubic.window = 100_000;
        let loss = Loss { in_flight: 100_000 };
        cubic.on_timeout(&loss, false);
        assert_eq!((cubic.window(), cubic.ssthresh()), (1000, 70_000));
        for _ in 0..71 {
            cubic.on_ack(&acked(at(1.0), 1000));
        }
        let epoch = cubic.epoch.unwrap();
        assert_eq!(epoch.k, 0.0);
        assert!((69.0..72.0).contains(&epoch.origin), "{epoch:?}");
    }

    /// §5.8: otherwise the window would leap after a pause of the application.
    #[test]
    fn time_in_which_the_window_is_not_used_does_not_count() {
        let mut cubic = after_loss(100);
        cubic.on_ack(&acked(at(0.1), 1000));
        let before = cubic.window();
        cubic.on_ack(&Acked {
            limited: false,
            ..acked(at(60.0), 1000)
        });
        cubic.on_ack(&acked(at(60.01), 1000));
        assert!(cubic.window() < before + 1000, "{}", cubic.window());
    }
}
