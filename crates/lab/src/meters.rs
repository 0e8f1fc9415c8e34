//! What is counted while a world runs.

use traffic::TimingRecord;
use units::{Duration, Time};

/// A queue's length over time.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueMeter {
    /// Packets in it now, the one in service included.
    pub length: u32,
    /// The most it held since the last restart.
    pub most: u32,
    /// Packet-nanoseconds up to `since`.
    area: u128,
    since: Time,
}

impl QueueMeter {
    /// A packet enters.
    #[inline]
    pub fn push(&mut self, now: Time) {
        self.advance(now);
        self.length += 1;
        self.most = self.most.max(self.length);
    }

    /// A packet leaves.
    #[inline]
    pub fn pop(&mut self, now: Time) {
        self.advance(now);
        self.length -= 1;
    }

    /// Forgets the past.
    pub fn restart(&mut self, now: Time) {
        *self = QueueMeter {
            length: self.length,
            most: self.length,
            since: now,
            ..Self::default()
        };
    }

    /// Packet-nanoseconds up to `now`: a mean length is their difference over the time between.
    pub fn area(&mut self, now: Time) -> u128 {
        self.advance(now);
        self.area
    }

    #[inline]
    fn advance(&mut self, now: Time) {
        self.area += u128::from((now - self.since).as_nanos()) * u128::from(self.length);
        self.since = now;
    }
}

/// Durations of which the mean and the extremes matter.
#[derive(Clone, Copy, Debug, Default)]
pub struct DurationMeter {
    /// How many.
    pub count: u64,
    /// Their sum.
    pub sum: Duration,
    /// The longest.
    pub longest: Duration,
}

impl DurationMeter {
    /// One more.
    #[inline]
    pub fn add(&mut self, span: Duration) {
        self.count += 1;
        self.sum += span;
        self.longest = self.longest.max(span);
    }

    /// All of another meter's as well.
    pub fn merge(&mut self, other: &DurationMeter) {
        self.count += other.count;
        self.sum += other.sum;
        self.longest = self.longest.max(other.longest);
    }

    /// Their mean in milliseconds; not a number without any.
    pub fn mean_ms(&self) -> f64 {
        self.sum.as_secs_f64() * 1e3 / self.count as f64
    }
}

/// What a flow has achieved since measuring began.
#[derive(Clone, Debug, Default)]
pub struct FlowMeter {
    /// Application bytes delivered.
    pub bytes: u64,
    /// Round-trip times.
    pub rtt: DurationMeter,
    /// Data segments that arrived again although the receiver had them.
    pub spurious: u64,
    /// Why the connection ended before its time.
    pub failure: Option<tcp::Failure>,
    /// Timing records that ended since.
    pub records: Vec<TimingRecord>,
}

impl FlowMeter {
    /// Forgets the past, except a failure.
    pub fn restart(&mut self) {
        *self = FlowMeter {
            failure: self.failure,
            ..FlowMeter::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_queue_weighs_each_length_by_its_time() {
        let at = Time::from_nanos;
        let mut queue = QueueMeter::default();
        queue.push(at(100));
        queue.push(at(200));
        queue.pop(at(500));
        assert_eq!(queue.area(at(1000)), 100 + 2 * 300 + 500);
        assert_eq!(queue.most, 2);
    }
}
