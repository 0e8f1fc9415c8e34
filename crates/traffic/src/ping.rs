//! Ping: echo requests at an interval, and what became of them.

use std::collections::VecDeque;

use units::declaration::{Declared, Metric};
use units::{Duration, Time};

use crate::{About, App, Net, Report, Transport, wake_from};

units::declare! {
    /// ICMP echo requests and their replies.
    pub struct Config = "ping" {
        /// bytes after the ICMP header
        payload: u32 = Field::size()
            // 1500 bytes of an Ethernet frame less the IPv4 and ICMP headers (20 + 8).
            .within(1.0, 1472.0)
            .or(Default::Count(56))
            .from("usual for ping"),
        /// time between requests
        interval: Duration = Field::duration()
            .positive()
            .or(Default::Text("1 s"))
            .from("usual for ping"),
        /// whether a request also follows at once on a reply, and 10 ms on a request at the latest,
        /// as those of `ping -f` do
        flood: bool = Field::of(Quantity::Flag).or(Default::Flag(false)).from("usual for ping"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Icmp,
    answers: false,
    records: false,
    metrics: &[
        Declared {
            metric: Metric {
                name: "requests",
                label: "Echo requests",
                unit: "requests",
                about: "echo requests sent",
            },
            value: |of| Some(of.initiator[REQUESTS] as f64),
        },
        Declared {
            metric: Metric {
                name: "replies",
                label: "Echo replies",
                unit: "replies",
                about: "echo requests answered within 10 s, each counted once",
            },
            value: |of| Some(of.initiator[REPLIES] as f64),
        },
    ],
};

const REQUESTS: usize = 0;
const REPLIES: usize = 1;

/// The sender of echo requests.
#[derive(Clone, Debug)]
pub struct Initiator {
    payload: u32,
    interval: Duration,
    is_flood: bool,
    next_at: Time,
    sequence: u32,
    /// Time when each request from `oldest` on was sent; `None` once it was answered.
    pending: VecDeque<Option<Time>>,
    oldest: u32,
    counts: [u64; 2],
}

/// Nothing: the machine itself answers echo requests (RFC 1122 §3.2.2.6).
#[derive(Clone, Copy, Debug)]
pub struct Responder;

impl Responder {
    /// The other end of pings.
    pub fn new(_config: &Config) -> Self {
        Responder
    }
}

impl App for Responder {}

impl Initiator {
    /// A request is given up this long after it was sent, the default of iputils' `ping -W`.
    const PATIENCE: Duration = Duration::from_secs(10);

    /// A flood waits no longer for a reply: it sends "one hundred times per second" at least
    /// (ping(8) of iputils, `-f`).
    const FLOOD: Duration = Duration::from_millis(10);

    /// A sender that has not started.
    pub fn new(config: &Config) -> Self {
        Initiator {
            payload: config.payload,
            interval: if config.flood {
                Self::FLOOD.min(config.interval)
            } else {
                config.interval
            },
            is_flood: config.flood,
            next_at: Time::ZERO,
            sequence: 0,
            pending: VecDeque::new(),
            oldest: 0,
            counts: [0; 2],
        }
    }

    fn request(&mut self, net: &mut impl Net) {
        self.forget(net.now());
        self.pending.push_back(Some(net.now()));
        self.next_at += self.interval;
        net.wake_at(self.next_at);
        net.ping(self.sequence, self.payload);
        self.sequence += 1;
        self.counts[REQUESTS] += 1;
    }

    /// Returns when the request was sent that is answered now; `None` for one given up or answered
    /// before.
    fn answered(&mut self, sequence: u32) -> Option<Time> {
        // Real hosts' replies tell the lower 16 bits alone (RFC 792).
        let index = sequence.wrapping_sub(self.oldest) as u16;
        self.pending.get_mut(usize::from(index))?.take()
    }

    fn forget(&mut self, now: Time) {
        while let Some(&request) = self.pending.front() {
            if request.is_some_and(|sent| now.saturating_since(sent) < Self::PATIENCE) {
                break;
            }
            self.pending.pop_front();
            self.oldest += 1;
        }
    }
}

impl App for Initiator {
    fn on_start(&mut self, net: &mut impl Net) {
        self.next_at = net.now() + net.phase(self.interval);
        wake_from(self.next_at, self, net);
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        // A flood's reply has put off what it was to be woken for.
        if net.now() >= self.next_at {
            self.request(net);
        }
    }

    fn on_reply(&mut self, sequence: u32, payload: u32, net: &mut impl Net) {
        if let Some(sent) = self.answered(sequence) {
            self.counts[REPLIES] += 1;
            net.report(Report::RoundTrip(net.now() - sent));
            net.report(Report::Delivered(u64::from(payload)));
            if self.is_flood {
                self.next_at = net.now();
                self.request(net);
            }
        }
    }

    fn counts(&self) -> &[u64] {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::TestHost;

    fn ping(interval: Duration) -> Initiator {
        Initiator::new(&Config {
            payload: 56,
            interval,
            flood: false,
        })
    }

    fn round_trips(test_host: &TestHost) -> Vec<u64> {
        let millis = |report: &Report| match report {
            Report::RoundTrip(time) => Some(time.as_nanos() / 1_000_000),
            _ => None,
        };
        test_host.reports.iter().filter_map(millis).collect()
    }

    #[test]
    fn a_reply_gives_the_round_trip_time_once() {
        let mut ping = ping(Duration::from_millis(100));
        let mut test_host = TestHost::default();
        ping.on_start(&mut test_host);
        ping.on_wake(test_host.at_millis(100));
        assert_eq!(test_host.requests, [(0, 56), (1, 56)]);
        ping.on_reply(1, 56, test_host.at_millis(103));
        ping.on_reply(1, 56, test_host.at_millis(104));
        assert_eq!(round_trips(&test_host), [3], "a duplicate counts once");
        ping.on_reply(0, 56, test_host.at_millis(150));
        assert_eq!(round_trips(&test_host), [3, 150], "overtaken");
        assert_eq!(ping.counts(), [2, 2]);
    }

    #[test]
    fn a_flood_asks_again_at_each_reply_and_after_ten_milliseconds_without() {
        let mut ping = Initiator::new(&Config {
            payload: 56,
            interval: Duration::from_secs(1),
            flood: true,
        });
        let mut test_host = TestHost::default();
        ping.on_start(&mut test_host);
        ping.on_reply(0, 56, test_host.at_millis(3));
        ping.on_wake(test_host.at_millis(10));
        assert_eq!(test_host.requests.len(), 2, "the second was 7 ms ago");
        ping.on_wake(test_host.at_millis(13));
        assert_eq!(test_host.requests.len(), 3);
    }

    #[test]
    fn a_request_is_given_up_after_ten_seconds() {
        let mut ping = ping(Duration::from_secs(6));
        let mut test_host = TestHost::default();
        ping.on_start(&mut test_host);
        for second in [6, 12] {
            ping.on_wake(test_host.at_millis(second * 1000));
        }
        ping.on_reply(0, 56, test_host.at_millis(12_001));
        ping.on_reply(1, 56, test_host.at_millis(12_002));
        assert_eq!(round_trips(&test_host), [6002]);
    }
}
