//! Datagrams at a constant rate, or as many as the interface takes.

use units::{Duration, Rate, Time};

use crate::{About, App, Net, Transport, wake_from};

units::declare! {
    /// Datagrams of one size at one rate.
    pub struct Config = "udp" {
        /// application bytes of a datagram
        payload: u32 = Field::size()
            // 1500 bytes of an Ethernet frame less the IPv4 and UDP headers (20 + 8).
            .within(1.0, 1472.0)
            .or(Default::Count(1472))
            .from("fills an Ethernet frame"),
        /// rate of application bytes; absent: the sender's queue is never empty
        rate: Option<Rate> = Field::rate().optional(),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Udp,
    answers: false,
    records: false,
    metrics: &[],
};

/// A source of equal datagrams.
#[derive(Clone, Debug)]
pub struct Initiator {
    payload: u32,
    /// Time between datagrams; `None` for a source that is never out of datagrams.
    interval: Option<Duration>,
    next_at: Time,
}

pub use crate::reader::Reader as Responder;

impl Initiator {
    /// A source that has not started.
    pub fn new(config: &Config) -> Self {
        let interval = |rate: Rate| rate.duration_of(u64::from(config.payload));
        Initiator {
            payload: config.payload,
            interval: config.rate.map(interval),
            next_at: Time::ZERO,
        }
    }
}

impl App for Initiator {
    fn on_start(&mut self, net: &mut impl Net) {
        let Some(interval) = self.interval else {
            return net.want_room();
        };
        self.next_at = net.now() + net.phase(interval);
        wake_from(self.next_at, self, net);
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        if let Some(interval) = self.interval {
            self.next_at += interval;
            net.wake_at(self.next_at);
            net.send(self.payload, 0);
        }
    }

    #[inline]
    fn on_room(&mut self, net: &mut impl Net) {
        net.send(self.payload, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::TestHost;

    #[test]
    fn a_thousand_bytes_at_8_mbps_leave_every_millisecond() {
        let rate = Some(Rate::from_mbps(8.0));
        let mut source = Initiator::new(&Config {
            payload: 1000,
            rate,
        });
        let mut test_host = TestHost::default();
        source.on_start(&mut test_host);
        source.on_wake(test_host.at_millis(1));
        assert_eq!(test_host.sent, [1000, 1000]);
        let at = |millis| Time::ZERO + Duration::from_millis(millis);
        assert_eq!(test_host.wakes, [at(1), at(2)]);
    }

    #[test]
    fn the_first_datagram_leaves_anywhere_in_the_interval() {
        let rate = Some(Rate::from_mbps(8.0));
        let mut source = Initiator::new(&Config {
            payload: 1000,
            rate,
        });
        let mut test_host = TestHost {
            phase: 0.25,
            ..TestHost::default()
        };
        source.on_start(&mut test_host);
        assert_eq!(test_host.sent, [0; 0]);
        let at = |micros| Time::ZERO + Duration::from_micros(micros);
        test_host.now = at(250);
        source.on_wake(&mut test_host);
        assert_eq!(
            (test_host.sent.len(), &test_host.wakes[..]),
            (1, &[at(250), at(1250)][..])
        );
    }

    #[test]
    fn without_a_rate_it_sends_whenever_there_is_room() {
        let mut source = Initiator::new(&Config {
            payload: 700,
            rate: None,
        });
        let mut test_host = TestHost::default();
        source.on_start(&mut test_host);
        assert!(test_host.wants_room && test_host.sent.is_empty());
        source.on_room(&mut test_host);
        assert_eq!(test_host.sent, [700]);
    }
}
