//! The least round-trip time of the last five minutes.
//!
//! K. Nichols's windowed minimum, as Linux keeps it (`lib/win_minmax.c`, tcp_min_rtt_wlen): the
//! least, the second and the third least since each before, so that a path that becomes longer is
//! believed in the end.

use units::{Duration, Time};

/// ip-sysctl, tcp_min_rtt_wlen: 300 s.
const WINDOW: Duration = Duration::from_secs(300);

#[derive(Clone, Debug, Default)]
pub(super) struct WindowedLeast {
    best: Option<[(Time, Duration); 3]>,
}

impl WindowedLeast {
    pub fn get(&self) -> Option<Duration> {
        self.best.map(|best| best[0].1)
    }

    #[inline]
    pub fn take(&mut self, now: Time, rtt: Duration) {
        let this = (now, rtt);
        match &mut self.best {
            Some(best) if rtt > best[0].1 && now - best[2].0 <= WINDOW => {
                Self::follow(best, this);
            }
            best => *best = Some([this; 3]),
        }
    }

    fn follow(best: &mut [(Time, Duration); 3], this: (Time, Duration)) {
        let (now, rtt) = this;
        if rtt <= best[1].1 {
            (best[1], best[2]) = (this, this);
        } else if rtt <= best[2].1 {
            best[2] = this;
        }
        let age = now - best[0].0;
        if age > WINDOW {
            *best = [best[1], best[2], this];
            if now - best[0].0 > WINDOW {
                *best = [best[1], best[2], this];
            }
        } else if best[1].0 == best[0].0 && age > WINDOW / 4 {
            (best[1], best[2]) = (this, this);
        } else if best[2].0 == best[1].0 && age > WINDOW / 2 {
            best[2] = this;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least_after(samples: &[(u64, u64)]) -> Option<u64> {
        let mut least = WindowedLeast::default();
        for &(seconds, ms) in samples {
            let now = Time::ZERO + Duration::from_secs(seconds);
            least.take(now, Duration::from_millis(ms));
        }
        least.get().map(|d| d.as_nanos() / 1_000_000)
    }

    #[test]
    fn the_least_is_forgotten_after_five_minutes() {
        assert_eq!(least_after(&[]), None);
        assert_eq!(least_after(&[(0, 20), (1, 10), (2, 30)]), Some(10));
        assert_eq!(least_after(&[(1, 10), (150, 30), (300, 40)]), Some(10));
        assert_eq!(least_after(&[(1, 10), (150, 30), (302, 40)]), Some(30));
    }
}
