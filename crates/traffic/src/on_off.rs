//! Datagrams in bursts: a source that is on and off in turn.

use units::{Duration, Rate, Time};

use crate::law::RandomLaw;
use crate::{About, App, Net, Transport, wake_from};

units::declare! {
    /// Datagrams of one size at one rate, in bursts: the source is on and off in turn.
    pub struct Config = "on-off" {
        /// application bytes of a datagram
        payload: u32 = Field::size()
            // 1500 bytes of an Ethernet frame less the IPv4 and UDP headers (20 + 8).
            .within(1.0, 1472.0)
            .or(Default::Count(1472))
            .from("fills an Ethernet frame"),
        /// rate of application bytes while it is on
        rate: Rate = Field::rate(),
        /// mean time for which it is on
        on: Duration = Field::duration().positive()
            .or(Default::Text("500 ms"))
            .from("ns-2's Application/Traffic/Exponential and /Pareto"),
        /// mean time for which it is off
        off: Duration = Field::duration().positive()
            .or(Default::Text("500 ms"))
            .from("ns-2's Application/Traffic/Exponential and /Pareto"),
        /// how both times vary
        distribution: RandomLaw = Field::of(Quantity::Choice(RandomLaw::WORDS))
            .or(Default::Text("exponential"))
            .from("ns-2's Application/Traffic/Exponential"),
        /// of `pareto` times how fast long ones become rare: up to 2 the variance is infinite,
        /// and the sum of many sources self-similar (Willinger et al. 1997)
        shape: f64 = Field::of(Quantity::Number).within(1.0, 100.0).open()
            .or(Default::Number(1.5))
            .from("ns-2's Application/Traffic/Pareto"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Udp,
    answers: false,
    records: false,
    metrics: &[],
};

/// A source that is on and off in turn.
#[derive(Clone, Debug)]
pub struct Initiator {
    config: Config,
    interval: Duration,
    next_at: Time,
    /// Time when it turns off.
    off_at: Time,
}

pub use crate::reader::Reader as Responder;

impl Initiator {
    /// A source that has not started.
    pub fn new(config: &Config) -> Self {
        Initiator {
            config: config.clone(),
            interval: config.rate.duration_of(u64::from(config.payload)),
            next_at: Time::ZERO,
            off_at: Time::ZERO,
        }
    }

    fn draw(&self, mean: Duration, net: &mut impl Net) -> Duration {
        let (law, shape) = (self.config.distribution, self.config.shape);
        let nanos = law.draw(mean.as_nanos() as f64, shape, net.draw());
        Duration::from_nanos(nanos as u64)
    }
}

impl App for Initiator {
    fn on_start(&mut self, net: &mut impl Net) {
        self.next_at = net.now() + net.phase(self.interval);
        self.off_at = self.next_at + self.draw(self.config.on, net);
        wake_from(self.next_at, self, net);
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        net.send(self.config.payload, 0);
        self.next_at += self.interval;
        if self.next_at >= self.off_at {
            self.next_at = self.off_at + self.draw(self.config.off, net);
            self.off_at = self.next_at + self.draw(self.config.on, net);
        }
        net.wake_at(self.next_at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::TestHost;

    #[test]
    fn a_constant_source_sends_half_of_the_time() {
        let mut source = Initiator::new(&Config {
            payload: 1000,
            rate: Rate::from_mbps(8.0),
            on: Duration::from_millis(3),
            off: Duration::from_millis(3),
            distribution: RandomLaw::Constant,
            shape: 1.5,
        });
        let mut test_host = TestHost::default();
        source.on_start(&mut test_host);
        for millis in [1, 2, 6, 7] {
            let at = Time::ZERO + Duration::from_millis(millis);
            assert_eq!(test_host.wakes.last(), Some(&at));
            source.on_wake(test_host.at_millis(millis));
        }
        assert_eq!(test_host.sent.len(), 5, "at 0, 1, 2, 6 and 7 ms");
    }
}
