//! CUBIC as Linux calculates it (`net/ipv4/tcp_cubic.c`): in whole segments and integers, with
//! HyStart.
//!
//! It is RFC 9438's CUBIC but for this: the target lies one least round-trip time ahead rather
//! than a smoothed one; the window grows by at most one segment for two that are delivered;
//! before the first loss at least by one in twenty; a timeout forgets the plateau; and time is
//! counted in jiffies, then in units of 1/1024 s.

use units::{Duration, Time};

use super::hystart::HyStart;
use super::{Acked, CongestionControl, Loss, Restart, RoundTrip, Setup};

/// β, in 1024ths (717/1024 = 0.7).
const BETA: u64 = 717;
const BETA_SCALE: u64 = 1024;
/// C, as 41 * 10 / 2^40 segments per (1/1024 s)³, which is 0.4 per cubic second.
const SCALE: u64 = 410;
const SCALE_SHIFT: u32 = 40;
/// Eighths of a window's delivery that Reno's growth takes for a segment:
/// 8 (1 + β) / 3 (1 - β), rounded down as the kernel does.
const FRIENDLY_EIGHTHS: u64 = 15;
/// Delivered segments per added one: no fewer, and before the first loss no more.
const PACE_MIN: u64 = 2;
const PACE_MAX_FRESH: u64 = 20;
/// Interval at which the cubic is evaluated while the window stands still.
const REFRESH: Duration = Duration::from_micros(31_250);
/// After a loss delays are not taken for a second.
const QUIET: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub(crate) struct LinuxCubic {
    setup: Setup,
    /// In segments, as all that follows.
    window: u64,
    ssthresh: u64,
    /// Delivered since the window grew (snd_cwnd_cnt), and how many make it grow (cnt).
    credit: u64,
    pace: u64,
    last_max: u64,
    last_window: u64,
    last_time: Time,
    epoch: Option<LinuxCubicEpoch>,
    /// The least round-trip time.
    delay: Option<Duration>,
    hystart: Option<HyStart>,
    /// The tick of the kernel's clock.
    jiffy: Duration,
}

#[derive(Clone, Copy, Debug)]
struct LinuxCubicEpoch {
    start: Time,
    /// K, in 1/1024 s.
    k: u64,
    origin: u64,
    /// Window that Reno would have, and segments delivered since it grew.
    reno: u64,
    delivered: u64,
}

impl LinuxCubic {
    pub fn new(setup: &Setup, hystart: bool, jiffy: Duration) -> LinuxCubic {
        LinuxCubic {
            setup: *setup,
            window: setup.initial_window / setup.mss,
            ssthresh: u64::MAX,
            credit: 0,
            pace: 0,
            last_max: 0,
            last_window: 0,
            last_time: Time::ZERO,
            epoch: None,
            delay: None,
            hystart: hystart.then(HyStart::default),
            jiffy,
        }
    }

    fn is_path_full(&mut self, trip: &RoundTrip, least: Duration) -> bool {
        let window = self.window;
        (self.hystart.as_mut()).is_some_and(|hystart| hystart.is_full(trip, least, window))
    }

    /// The kernel's clock.
    fn jiffies(&self, now: Time) -> Time {
        let jiffy = self.jiffy.as_nanos();
        Time::from_nanos(now.as_nanos() / jiffy * jiffy)
    }

    /// `bictcp_update`.
    fn update(&mut self, now: Time, delivered: u64) {
        let now = self.jiffies(now);
        let window = self.window;
        if let Some(epoch) = &mut self.epoch {
            epoch.delivered += delivered;
        }
        let since = now.saturating_since(self.last_time);
        if self.last_window == window && since <= REFRESH {
            return;
        }
        let is_same_jiffy = self.epoch.is_some() && since == Duration::ZERO;
        if !is_same_jiffy {
            (self.last_window, self.last_time) = (window, now);
            let epoch = match self.epoch {
                Some(epoch) => epoch,
                None => self.begin_epoch(now, delivered),
            };
            self.pace = self.cubic_pace(&epoch, now);
            self.epoch = Some(epoch);
        }
        self.be_friendly();
        self.pace = self.pace.max(PACE_MIN);
    }

    fn begin_epoch(&self, now: Time, delivered: u64) -> LinuxCubicEpoch {
        let short_of = self.last_max.saturating_sub(self.window);
        let units = (short_of << SCALE_SHIFT) / SCALE;
        LinuxCubicEpoch {
            start: now,
            k: libm::cbrt(units as f64) as u64,
            origin: self.last_max.max(self.window),
            reno: self.window,
            delivered,
        }
    }

    /// Returns how many delivered segments earn one by the cubic.
    fn cubic_pace(&self, epoch: &LinuxCubicEpoch, now: Time) -> u64 {
        let window = self.window;
        let ahead = self.delay.unwrap_or(Duration::ZERO);
        let jiffy = self.jiffy.as_nanos();
        let ahead = ahead.as_nanos().next_multiple_of(jiffy);
        let nanos = now.saturating_since(epoch.start).as_nanos() + ahead;
        let t = (u128::from(nanos) * 1024 / 1_000_000_000) as u64;
        let from_plateau = u128::from(t.abs_diff(epoch.k));
        let cube = u128::from(SCALE) * from_plateau * from_plateau * from_plateau;
        let height = (cube >> SCALE_SHIFT) as u64;
        let target = if t < epoch.k {
            epoch.origin.saturating_sub(height)
        } else {
            epoch.origin + height
        };
        let pace = if target > window {
            window / (target - window)
        } else {
            100 * window
        };
        if self.last_max == 0 {
            pace.min(PACE_MAX_FRESH)
        } else {
            pace
        }
    }

    /// At least what Reno would have.
    fn be_friendly(&mut self) {
        let Some(epoch) = &mut self.epoch else {
            return;
        };
        let share = ((self.window * FRIENDLY_EIGHTHS) >> 3).max(1);
        // A segment for each share, and nothing for a share that is just full.
        let grown = epoch.delivered.saturating_sub(1) / share;
        epoch.delivered -= grown * share;
        epoch.reno += grown;
        if epoch.reno > self.window {
            self.pace = self.pace.min(self.window / (epoch.reno - self.window));
        }
    }

    /// `tcp_cong_avoid_ai`.
    fn add(&mut self, delivered: u64) {
        let pace = self.pace;
        if self.credit >= pace {
            self.credit = 0;
            self.window += 1;
        }
        self.credit += delivered;
        self.window += self.credit / pace;
        self.credit %= pace;
    }

    /// Forgets all but ssthresh at a loss that duplicates did not tell of (`bictcp_reset`).
    fn forget(&mut self) {
        (self.pace, self.last_max, self.last_window) = (0, 0, 0);
        self.last_time = Time::ZERO;
        (self.epoch, self.delay) = (None, None);
        if let Some(hystart) = &mut self.hystart {
            hystart.reset();
        }
    }

    /// `cubictcp_recalc_ssthresh`.
    fn reduce(&mut self, loss: &Loss) {
        self.epoch = None;
        let window = self.setup.reduced(self.window * self.setup.mss, loss) / self.setup.mss;
        self.last_max = if self.window < self.last_max {
            self.window * (BETA_SCALE + BETA) / (2 * BETA_SCALE) // fast convergence
        } else {
            self.window
        };
        self.ssthresh = (window * BETA / BETA_SCALE).max(2);
        self.credit = 0;
    }
}

impl CongestionControl for LinuxCubic {
    fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    fn window(&self) -> u64 {
        self.window * self.setup.mss
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh.saturating_mul(self.setup.mss)
    }

    fn on_ack(&mut self, acked: &Acked) {
        if !acked.may_grow() {
            return;
        }
        let mut delivered = acked.bytes / self.setup.mss;
        if self.window < self.ssthresh {
            let step = delivered.min(self.ssthresh - self.window);
            self.window += step;
            delivered -= step;
            if delivered == 0 {
                return;
            }
        }
        self.update(acked.now, delivered);
        self.add(delivered);
    }

    fn on_round_trip(&mut self, trip: &RoundTrip) {
        let since = |epoch: LinuxCubicEpoch| self.jiffies(trip.now).saturating_since(epoch.start);
        if self.epoch.is_some_and(|epoch| since(epoch) < QUIET) {
            return;
        }
        let least = self.delay.map_or(trip.rtt, |delay| delay.min(trip.rtt));
        self.delay = Some(least);
        if self.window < self.ssthresh && self.is_path_full(trip, least) {
            self.ssthresh = self.window;
        }
    }

    /// The time in which nothing was in flight does not count.
    fn on_restart(&mut self, restart: &Restart) {
        let now = self.jiffies(restart.now);
        let idle = now.saturating_since(self.jiffies(restart.last_sent));
        if let Some(epoch) = &mut self.epoch {
            epoch.start = (epoch.start + idle).min(now);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.reduce(loss);
        self.window = self.ssthresh;
    }

    fn on_recovered(&mut self, burst_limit: u64) {
        let limit = burst_limit / self.setup.mss;
        self.window = self.ssthresh.min(limit).max(1);
    }

    fn on_timeout(&mut self, loss: &Loss, again: bool) {
        if !again {
            self.reduce(loss);
        }
        self.window = 1;
        self.credit = 0;
        self.forget();
    }

    fn on_long_lost(&mut self) {
        self.forget();
    }

    fn set(&mut self, window: u64, ssthresh: u64) {
        self.window = (window / self.setup.mss).max(1);
        self.ssthresh = match ssthresh {
            u64::MAX => u64::MAX,
            bytes => bytes / self.setup.mss,
        };
    }

    fn on_idle(&mut self) {
        self.window = self.window.min(self.setup.initial_window / self.setup.mss);
    }
}
