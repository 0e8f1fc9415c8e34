//! What became of datagrams in one direction of a flow: loss, delay, jitter.

use net::Datagram;
use units::Time;

use super::Meter;

/// Datagrams of a flow and direction, counted by RFC 3550: its receiver's statistics (§A.3) and
/// its jitter (§6.4.1), on the numbers and times that the datagrams carry.
#[derive(Clone, Copy, Debug, Default)]
pub struct DatagramMeter {
    /// How many were sent.
    pub sent: u64,
    /// How many arrived, duplicates included.
    pub received: u64,
    /// How many had been sent when the last of those that have arrived was: `received` and lost.
    pub expected: u64,
    /// From sending to arrival.
    pub delay: Meter,
    /// The jitter at each arrival.
    pub jitter: Meter,
    /// The delay of the last to arrive, and sixteen times the jitter then.
    last: Option<(u64, u64)>,
}

impl DatagramMeter {
    /// One is sent; answers its number.
    #[inline]
    pub fn on_sent(&mut self) -> u32 {
        self.sent += 1;
        (self.sent - 1) as u32
    }

    /// One has arrived.
    pub fn on_received(&mut self, now: Time, datagram: &Datagram) {
        self.received += 1;
        self.expected = self.expected.max(u64::from(datagram.number) + 1);
        let delay = now - datagram.sent;
        self.delay.add_duration(delay);
        let delay = delay.as_nanos();
        let (before, scaled) = self.last.unwrap_or((delay, 0));
        // The integer form of RFC 3550 §A.8: j += |d| - (j + 8) / 16, j sixteen times the jitter.
        let scaled = scaled + delay.abs_diff(before) - ((scaled + 8) >> 4);
        self.last = Some((delay, scaled));
        self.jitter.add(scaled >> 4);
    }

    /// Of those expected, how many have not arrived; less than none where some came twice.
    pub fn lost_share(&self) -> Option<f64> {
        let expected = self.expected as f64;
        (self.expected > 0).then(|| (expected - self.received as f64) / expected)
    }

    /// Returns what came since `earlier`; the largest is still that since the last restart.
    pub fn since(&self, earlier: &DatagramMeter) -> DatagramMeter {
        DatagramMeter {
            sent: self.sent - earlier.sent,
            received: self.received - earlier.received,
            expected: self.expected - earlier.expected,
            delay: self.delay.since(&earlier.delay),
            jitter: self.jitter.since(&earlier.jitter),
            last: None,
        }
    }

    /// Both meters, for what is to be done with each.
    pub fn meters(&mut self) -> [&mut Meter; 2] {
        [&mut self.delay, &mut self.jitter]
    }
}

#[cfg(test)]
mod tests {
    use units::Duration;

    use super::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn datagram(number: u32, sent: u64) -> Datagram {
        Datagram {
            source_port: 1,
            destination_port: 2,
            payload: 160,
            number,
            sent: at(sent),
            tag: 0,
        }
    }

    #[test]
    fn jitter_is_a_sixteenth_of_the_first_change_of_delay() {
        let mut meter = DatagramMeter::default();
        meter.on_received(at(10), &datagram(0, 0));
        meter.on_received(at(30), &datagram(1, 20));
        assert_eq!(meter.jitter.sum, 0, "both took 10 ms");
        meter.on_received(at(66), &datagram(2, 40));
        assert_eq!(meter.jitter.sum, 1_000_000, "(26 ms - 10 ms) / 16");
        assert_eq!(meter.delay.sum, 46_000_000);
    }

    #[test]
    fn what_is_missing_before_the_last_that_came_is_lost() {
        let mut meter = DatagramMeter::default();
        for _ in 0..6 {
            meter.on_sent();
        }
        for number in [0, 1, 3, 4] {
            meter.on_received(at(100), &datagram(number, 0));
        }
        assert_eq!(
            meter.lost_share(),
            Some(0.2),
            "number 2; of 5 nothing is known yet"
        );
    }
}
