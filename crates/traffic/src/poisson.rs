//! Datagrams that leave independently of each other: a Poisson process.

use units::{Duration, Rate};

use crate::law::RandomLaw;
use crate::{About, App, Net, Transport};

units::declare! {
    /// Datagrams of one size, each independent of the others in time.
    pub struct Config = "poisson" {
        /// application bytes of a datagram
        payload: u32 = Field::size()
            // 1500 bytes of an Ethernet frame less the IPv4 and UDP headers (20 + 8).
            .within(1.0, 1472.0)
            .or(Default::Count(1472))
            .from("fills an Ethernet frame"),
        /// mean rate of application bytes; the times between datagrams are exponential
        rate: Rate = Field::rate(),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Udp,
    answers: false,
    records: false,
    metrics: &[],
};

/// A source whose datagrams are independent of each other.
#[derive(Clone, Debug)]
pub struct Initiator {
    payload: u32,
    /// Mean time between datagrams.
    interval: Duration,
}

pub use crate::reader::Reader as Responder;

impl Initiator {
    /// A source that has not started.
    pub fn new(config: &Config) -> Self {
        Initiator {
            payload: config.payload,
            interval: config.rate.duration_of(u64::from(config.payload)),
        }
    }

    fn wait(&self, net: &mut impl Net) {
        let mean = self.interval.as_nanos() as f64;
        let nanos = RandomLaw::Exponential.draw(mean, 0.0, net.draw());
        net.wake_at(net.now() + Duration::from_nanos(nanos as u64));
    }
}

impl App for Initiator {
    fn on_start(&mut self, net: &mut impl Net) {
        self.wait(net);
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        net.send(self.payload, 0);
        self.wait(net);
    }
}

#[cfg(test)]
mod tests {
    use units::Time;

    use super::*;
    use crate::test_host::TestHost;

    #[test]
    fn a_datagram_leaves_after_each_time_drawn() {
        let mut source = Initiator::new(&Config {
            payload: 1000,
            rate: Rate::from_mbps(8.0),
        });
        // A mean of 1 ms; the times are its multiples -ln(1 - u): ln 2, and 0.
        let mut test_host = TestHost {
            draws: vec![0.0, 0.5],
            ..TestHost::default()
        };
        source.on_start(&mut test_host);
        assert_eq!(test_host.sent, [0; 0], "the first waits, too");
        source.on_wake(&mut test_host);
        assert_eq!(test_host.sent, [1000]);
        let times = [693_147, 0].map(|nanos| Time::ZERO + Duration::from_nanos(nanos));
        assert_eq!(test_host.wakes, times);
    }
}
