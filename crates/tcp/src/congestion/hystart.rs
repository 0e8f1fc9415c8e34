//! HyStart: slow start ends where the path seems full, before it overflows (S. Ha and I. Rhee,
//! "Taming the elephants: New TCP slow start", Computer Networks 55(9), 2011; `tcp_cubic.c`).
//!
//! Two signs end it: acknowledgements that follow each other closely for half the least delay
//! (the train of the window is as long as the path), and a round whose least delay has grown.

use units::{Duration, Time};

use super::RoundTrip;

/// hystart_low_window, in segments.
const WINDOW_MIN: u64 = 16;
/// hystart_ack_delta_us: acknowledgements this close belong to one train.
const TRAIN_GAP: Duration = Duration::from_millis(2);
/// HYSTART_MIN_SAMPLES.
const SAMPLES_MIN: u32 = 8;
/// HYSTART_DELAY_MIN and HYSTART_DELAY_MAX, between which an eighth of the delay is taken.
const RISE_MIN: Duration = Duration::from_millis(4);
const RISE_MAX: Duration = Duration::from_millis(16);
/// `hystart_ack_delay`: what four of the largest bursts a host sends at once take, at most this.
const BURST_DELAY_MAX: Duration = Duration::from_millis(1);
/// 4 times GSO_MAX_SIZE.
const BURST_BYTES: u64 = 4 * 65_536;

#[derive(Clone, Debug, Default)]
pub(super) struct HyStart {
    found: bool,
    round_start: Time,
    last_ack: Time,
    round_end: u64,
    /// The least round-trip time of this round, and how many there were.
    least: Option<Duration>,
    samples: u32,
}

impl HyStart {
    /// Begins anew, after a timeout.
    pub fn reset(&mut self) {
        *self = HyStart::default();
    }

    fn begin_round(&mut self, trip: &RoundTrip) {
        self.round_start = trip.now;
        self.last_ack = trip.now;
        self.round_end = trip.max;
        self.least = None;
        self.samples = 0;
    }

    /// A round trip of slow start; `least` is the least of the connection. True once slow start
    /// is to end.
    pub fn is_full(&mut self, trip: &RoundTrip, least: Duration, window: u64) -> bool {
        if self.found {
            return false;
        }
        if trip.una > self.round_end {
            self.begin_round(trip);
        }
        if window < WINDOW_MIN {
            return false;
        }
        self.found = self.is_train_long(trip, least) | self.has_delay_grown(trip, least);
        self.found
    }

    fn is_train_long(&mut self, trip: &RoundTrip, least: Duration) -> bool {
        if trip.now - self.last_ack > TRAIN_GAP {
            return false;
        }
        self.last_ack = trip.now;
        let rate = trip.bytes_per_second;
        let burst = match BURST_BYTES.saturating_mul(1_000_000).checked_div(rate) {
            Some(micros) => Duration::from_micros(micros).min(BURST_DELAY_MAX),
            None => Duration::ZERO,
        };
        trip.now - self.round_start > (least + burst) / 2
    }

    fn has_delay_grown(&mut self, trip: &RoundTrip, least: Duration) -> bool {
        let lowest = self.least.map_or(trip.rtt, |l| l.min(trip.rtt));
        self.least = Some(lowest);
        if self.samples < SAMPLES_MIN {
            self.samples += 1;
            return false;
        }
        lowest > least + (least / 8).clamp(RISE_MIN, RISE_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: Duration = Duration::from_millis(40);

    fn trip(at_us: u64, rtt_ms: u64, una: u64) -> RoundTrip {
        RoundTrip {
            now: Time::ZERO + Duration::from_micros(at_us),
            rtt: Duration::from_millis(rtt_ms),
            una,
            max: 1000,
            bytes_per_second: 1_000_000,
        }
    }

    #[test]
    fn a_train_of_acknowledgements_as_long_as_half_the_path_ends_slow_start() {
        let mut hystart = HyStart::default();
        let full: Vec<u64> = (0..20)
            .map(|n| 1500 * n)
            .filter(|&at| hystart.is_full(&trip(1_000_000 + at, 40, 1), LEAST, 100))
            .collect();
        assert_eq!(full, [21_000], "(40 ms + 1 ms) / 2 after the first");
    }

    #[test]
    fn a_round_that_takes_longer_ends_slow_start_after_eight_samples() {
        let rise = |ms: u64| {
            let mut hystart = HyStart::default();
            (0..20).position(|n| {
                let at = 1_000_000 + 10_000 * n;
                hystart.is_full(&trip(at, ms, 1), LEAST, 100)
            })
        };
        assert_eq!(rise(45), None, "an eighth of 40 ms is 5 ms");
        assert_eq!(rise(46), Some(8));
    }

    #[test]
    fn a_small_window_is_left_alone() {
        let mut hystart = HyStart::default();
        assert!((0..20).all(|n| !hystart.is_full(&trip(10_000 * n, 90, 1), LEAST, 15)));
    }
}
