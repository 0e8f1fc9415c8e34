//! How probable it is that a packet arrives, of each rate.

/// Certainty; probabilities have twelve bits behind the point.
pub(super) const CERTAIN: u32 = 1 << BITS;
pub(super) const BITS: u32 = 12;

/// The weights of the two results before in the filter; the newest has what is missing to one. Those of
/// a low-pass filter of two poles and a period of 16 intervals.
const OF_LAST: i64 = 0x1499;
const OF_ONE_BEFORE: i64 = -0x92e;
const OF_NEW: i64 = CERTAIN as i64 - OF_LAST - OF_ONE_BEFORE;

/// So many percent.
pub(super) const fn percent(of_hundred: u32) -> u32 {
    CERTAIN * of_hundred / 100
}

/// What is known of a rate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateStatistics {
    /// MPDUs since the last update, and how many of them arrived.
    pub(super) attempts: u32,
    pub(super) successes: u32,
    /// Whether it has been tried.
    is_known: bool,
    pub(super) probability: u32,
    one_before: u32,
    /// The same in the interval before the last update, and in all of them.
    pub(super) last: Sent,
    pub(super) all: Sent,
}

/// Packets that were sent, and how many of them arrived.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    pub(super) sent: u64,
    pub(super) arrived: u64,
}

impl RateStatistics {
    pub(super) fn add(&mut self, acknowledged: u32, lost: u32) {
        self.attempts += acknowledged + lost;
        self.successes += acknowledged;
    }

    /// Takes what has come since the last update into the probability. A rate that was never tried takes
    /// the highest of the faster ones of its group, which goes on to the slower ones.
    pub(super) fn update(&mut self, of_faster: u32) -> u32 {
        if let Some(now) = (self.successes << BITS).checked_div(self.attempts) {
            self.is_known = true;
            self.filter(now);
        }
        self.last = Sent {
            sent: self.attempts.into(),
            arrived: self.successes.into(),
        };
        self.all.sent += self.last.sent;
        self.all.arrived += self.last.arrived;
        (self.attempts, self.successes) = (0, 0);
        let highest = self.probability.max(of_faster);
        if !self.is_known {
            self.probability = highest;
        }
        highest
    }

    /// The first result is taken as it is.
    fn filter(&mut self, now: u32) {
        let now = now.max(1);
        let (last, one_before) = match self.probability {
            0 => (now, now),
            last => (last, self.one_before),
        };
        let sum = OF_NEW * i64::from(now)
            + OF_LAST * i64::from(last)
            + OF_ONE_BEFORE * i64::from(one_before);
        self.one_before = last;
        self.probability = (sum >> BITS).clamp(1, i64::from(CERTAIN)) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability, in tenths of a percent, after each of these shares of 100 packets.
    fn after(arrive: &[u32]) -> Vec<u32> {
        let mut track = RateStatistics::default();
        let steps = arrive.iter().map(|&share| {
            track.add(share, 100 - share);
            track.update(0);
            (track.probability * 1000 + CERTAIN / 2) / CERTAIN
        });
        steps.collect()
    }

    #[test]
    fn a_step_down_passes_the_filter_in_four_intervals() {
        assert_eq!(after(&[100, 0, 0, 0, 0]), [1000, 714, 345, 35, 0]);
    }

    #[test]
    fn a_step_to_the_half_overshoots_and_settles() {
        let steps = after(&[[100].as_slice(), &[50; 40]].concat());
        assert_eq!(steps.iter().min(), Some(&391));
        assert!(steps[40].abs_diff(500) <= 2, "{steps:?}");
    }

    #[test]
    fn what_was_never_tried_takes_the_best_of_what_is_faster() {
        let mut tracks = [RateStatistics::default(); 3];
        tracks[1].add(3, 1);
        let highest = tracks
            .iter_mut()
            .rev()
            .fold(0, |of_faster, track| track.update(of_faster));
        let probabilities = tracks.map(|track| track.probability);
        assert_eq!((probabilities, highest), ([3072, 3072, 0], 3072));
    }
}
