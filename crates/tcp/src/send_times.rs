//! Times at which each outstanding segment was sent, for stacks that time them all.

use std::collections::VecDeque;

use units::{Duration, Time};

use crate::ranges::OffsetRange;

/// The segments sent and not acknowledged, in the order of the stream. The queue keeps its
/// capacity, so the steady state allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct SendTimes {
    sent: VecDeque<SendTime>,
}

#[derive(Clone, Copy, Debug)]
struct SendTime {
    range: OffsetRange,
    at: Time,
    /// Retransmitted since: its round trip cannot be told (Karn).
    again: bool,
}

/// The round trips an acknowledgement tells: of the first and the last segment it covers that
/// were sent once. The first has the receiver's delay in it, the last has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RoundTrips {
    pub first: Duration,
    pub last: Duration,
}

impl SendTimes {
    pub fn on_sent(&mut self, range: OffsetRange, at: Time) {
        self.sent.push_back(SendTime {
            range,
            at,
            again: false,
        });
    }

    /// Returns when the first of them was sent last.
    pub fn first_sent(&self) -> Option<Time> {
        self.sent.front().map(|sent| sent.at)
    }

    pub fn on_retransmitted(&mut self, range: OffsetRange, at: Time) {
        let first = self.sent.partition_point(|s| s.range.end <= range.start);
        for sent in self.sent.range_mut(first..) {
            if sent.range.start >= range.end {
                break;
            }
            (sent.again, sent.at) = (true, at);
        }
    }

    /// Everything before `una` is acknowledged.
    pub fn on_acknowledged(&mut self, now: Time, una: u64) -> Option<RoundTrips> {
        let mut trips: Option<RoundTrips> = None;
        while let Some(sent) = self.sent.front().filter(|s| s.range.end <= una) {
            if !sent.again {
                let last = now - sent.at;
                let first = trips.map_or(last, |t| t.first);
                trips = Some(RoundTrips { first, last });
            }
            self.sent.pop_front();
        }
        trips
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn an_acknowledgement_tells_the_round_trips_of_what_was_sent_once() {
        let mut times = SendTimes::default();
        for n in 0..4 {
            times.on_sent(OffsetRange::new(n * 100, n * 100 + 100), at(n));
        }
        times.on_retransmitted(OffsetRange::new(0, 100), at(5));
        times.on_retransmitted(OffsetRange::new(250, 260), at(5));
        let trips = times.on_acknowledged(at(10), 250).unwrap();
        assert_eq!(trips.first, Duration::from_millis(9));
        assert_eq!(trips.last, Duration::from_millis(9));
        let trips = times.on_acknowledged(at(10), 400).unwrap();
        assert_eq!(trips.last, Duration::from_millis(7), "the third went twice");
        assert_eq!(times.on_acknowledged(at(11), 400), None);
    }
}
