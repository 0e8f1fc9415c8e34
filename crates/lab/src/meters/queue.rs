//! A queue's length over time.

use units::Time;

/// A queue's length over time.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueMeter {
    /// Packets in it now, the one in service included.
    pub length: u32,
    /// The most it held since that was asked for last.
    most: u32,
    /// Packet-nanoseconds up to `since`.
    area: u128,
    since: Time,
}

impl QueueMeter {
    /// A packet enters; answers whether it is the first.
    #[inline]
    pub fn push(&mut self, now: Time) -> bool {
        self.advance(now);
        self.length += 1;
        self.most = self.most.max(self.length);
        self.length == 1
    }

    /// A packet leaves; answers whether it was the last.
    #[inline]
    pub fn pop(&mut self, now: Time) -> bool {
        self.advance(now);
        self.length -= 1;
        self.length == 0
    }

    /// The most it held since this was asked for last.
    pub fn take_most(&mut self) -> u32 {
        std::mem::replace(&mut self.most, self.length)
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
        assert_eq!((queue.take_most(), queue.take_most()), (2, 1));
    }
}
