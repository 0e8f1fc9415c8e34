//! Size of the buffer: dynamic right-sizing (W. Feng et al., "Dynamic Right-Sizing in
//! TCP", 2001; `tcp_rcv_space_adjust`, `tcp_rcv_rtt_update` of Linux 6.18).
//!
//! The receiver estimates the round trip, counts what the application reads in one, and makes the
//! buffer hold twice as much.

use units::{Duration, Time};

#[derive(Clone, Debug, Default)]
pub(super) struct BufferTuning {
    /// Eight times the estimate of the round trip, in microseconds; nought before the first.
    rtt_us_8: u64,
    /// Where the stream must get to for the window begun last to have passed, and when that was.
    window_passed: Option<(u64, Time)>,
    /// The timestamp echoed last.
    echo: Option<u32>,
    /// Bytes read in the round trip that had the most (rcvq_space.space).
    pub space: u64,
    /// Where the application was when this round trip began, and when that was.
    read: u64,
    since: Time,
}

impl BufferTuning {
    /// The connection opens; nothing is read yet.
    pub fn begin(&mut self, now: Time, space: u64) {
        (self.space, self.read, self.since) = (space, 1, now);
    }

    /// The estimate; `None` before the first.
    pub fn rtt(&self) -> Option<Duration> {
        (self.rtt_us_8 > 0).then(|| Duration::from_micros(self.rtt_us_8 / 8))
    }

    /// Without timestamps: a window of data takes a round trip at least (`tcp_rcv_rtt_measure`).
    /// The stream has come to `nxt`, and `window` was advertised last.
    pub fn follow_windows(&mut self, now: Time, nxt: u64, window: u64) {
        if let Some((end, begun)) = self.window_passed {
            if nxt < end {
                return;
            }
            let passed = ((now - begun).as_nanos() / 1000).max(1);
            if self.rtt_us_8 == 0 || passed * 8 < self.rtt_us_8 {
                self.rtt_us_8 = passed * 8;
            }
        }
        self.window_passed = Some((nxt + window, now));
    }

    /// With timestamps: a full segment echoes one that is `age_us` old (`tcp_rcv_rtt_measure_ts`).
    /// While unread data wait, only a smaller sample counts.
    pub fn follow_stamps(&mut self, echo: u32, is_full: bool, age_us: u64, is_drained: bool) {
        if self.echo == Some(echo) {
            return;
        }
        self.echo = Some(echo);
        if !is_full || age_us == 0 {
            return;
        }
        if self.rtt_us_8 == 0 || age_us * 8 < self.rtt_us_8 {
            self.rtt_us_8 = age_us * 8;
        } else if is_drained {
            self.rtt_us_8 = self.rtt_us_8 - self.rtt_us_8 / 8 + age_us;
        }
    }

    /// The application has read up to `read` and left `unread` bytes. Gives what it read in this
    /// round trip if that is over and it was more than ever (`tcp_rcv_space_adjust`).
    pub fn on_read(&mut self, now: Time, read: u64, unread: u64) -> Option<u64> {
        let elapsed = (now - self.since).as_nanos() / 1000;
        if self.rtt_us_8 == 0 || elapsed < self.rtt_us_8 / 8 {
            return None;
        }
        let copied = (read - self.read).saturating_sub(unread);
        (self.read, self.since) = (read, now);
        (copied > self.space).then_some(copied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_window_of_data_measures_the_round_trip_and_only_a_shorter_one_counts() {
        let mut tuning = BufferTuning::default();
        tuning.follow_windows(at(0), 1000, 10_000);
        tuning.follow_windows(at(20), 10_999, 10_000);
        assert_eq!(tuning.rtt(), None, "the window has not passed");
        tuning.follow_windows(at(30), 11_000, 10_000);
        assert_eq!(tuning.rtt(), Some(Duration::from_millis(30)));
        tuning.follow_windows(at(90), 21_000, 10_000);
        assert_eq!(tuning.rtt(), Some(Duration::from_millis(30)));
    }

    #[test]
    fn what_is_read_in_a_round_trip_is_told_when_it_is_more_than_before() {
        let mut tuning = BufferTuning::default();
        tuning.begin(at(0), 14_600);
        tuning.follow_stamps(1, true, 40_000, true);
        assert_eq!(tuning.on_read(at(39), 20_001, 0), None);
        assert_eq!(tuning.on_read(at(40), 20_001, 0), Some(20_000));
        assert_eq!(tuning.on_read(at(80), 30_001, 0), None, "less than before");
    }
}
