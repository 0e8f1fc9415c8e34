//! A game: what the player does goes to the server, and what becomes of the world comes back.
//!
//! Sizes and intervals are those of T. Janevski and I. Petrov's game. That the server sends to
//! those alone of whom it has heard is inferred: it has no other way to know of them.

use units::declaration::{Declared, Metric};
use units::{Duration, Time};

use crate::deadline::{IN_TIME, SENT, missed};
use crate::{About, App, ApplicationCounts, Net, ReceivedDatagram, Report, Transport};

units::declare! {
    /// A player's events and a game server's updates, each at a constant interval.
    pub struct Config = "game" {
        /// bytes of a player's event
        event_payload: u32 = Field::size().within(1.0, 1472.0)
            .or(Default::Count(42))
            .from("janevski2009 §III"),
        /// time between a player's events
        event_interval: Duration = Field::duration().positive()
            .or(Default::Text("60 ms"))
            .from("janevski2009 §III"),
        /// bytes of a server's update
        update_payload: u32 = Field::size().within(1.0, 1472.0)
            .or(Default::Count(200))
            .from("janevski2009 §III"),
        /// time between a server's updates
        update_interval: Duration = Field::duration().positive()
            .or(Default::Text("50 ms"))
            .from("janevski2009 §III"),
        /// age at which an event or an update comes too late
        deadline: Duration = Field::duration().positive()
            .or(Default::Text("75 ms"))
            .from("half of the 150 ms of round trip beyond which players of Quake 3 leave (Armitage 2003)"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Udp,
    answers: true,
    records: false,
    metrics: &[
        Declared {
            metric: Metric {
                name: "late_updates",
                label: "Late updates",
                unit: "",
                about: "share of the server's updates that the player did not have within the deadline",
            },
            value: |of| missed(of.responder[SENT], of.initiator[IN_TIME]),
        },
        Declared {
            metric: Metric {
                name: "late_events",
                label: "Late events",
                unit: "",
                about: "share of the player's events that the server did not have within the deadline",
            },
            value: |of: &ApplicationCounts| missed(of.initiator[SENT], of.responder[IN_TIME]),
        },
    ],
};

/// An end that sends at an interval and notes what comes in time.
#[derive(Clone, Debug)]
pub struct GameEnd {
    size: u32,
    interval: Duration,
    deadline: Duration,
    next_at: Time,
    has_begun: bool,
    counts: [u64; 2],
}

/// The player.
#[derive(Clone, Debug)]
pub struct Initiator(GameEnd);

/// The server.
#[derive(Clone, Debug)]
pub struct Responder(GameEnd);

impl GameEnd {
    fn new(size: u32, interval: Duration, deadline: Duration) -> GameEnd {
        GameEnd {
            size,
            interval,
            deadline,
            next_at: Time::ZERO,
            has_begun: false,
            counts: [0; 2],
        }
    }

    fn begin(&mut self, net: &mut impl Net) {
        self.has_begun = true;
        self.next_at = net.now() + net.phase(self.interval);
        match self.next_at > net.now() {
            true => net.wake_at(self.next_at),
            false => self.send(net),
        }
    }

    fn send(&mut self, net: &mut impl Net) {
        net.send(self.size, 0);
        self.counts[SENT] += 1;
        self.next_at += self.interval;
        net.wake_at(self.next_at);
    }

    fn take(&mut self, datagram: ReceivedDatagram, net: &mut impl Net) {
        let is_in_time = net.now() - datagram.sent <= self.deadline;
        self.counts[IN_TIME] += u64::from(is_in_time);
    }
}

impl Initiator {
    /// A player who has not begun.
    pub fn new(config: &Config) -> Self {
        Initiator(GameEnd::new(
            config.event_payload,
            config.event_interval,
            config.deadline,
        ))
    }
}

impl Responder {
    /// A server that knows of no player.
    pub fn new(config: &Config) -> Self {
        Responder(GameEnd::new(
            config.update_payload,
            config.update_interval,
            config.deadline,
        ))
    }
}

impl App for Initiator {
    fn on_start(&mut self, net: &mut impl Net) {
        self.0.begin(net);
    }

    fn on_datagram(&mut self, datagram: ReceivedDatagram, net: &mut impl Net) {
        self.0.take(datagram, net);
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        self.0.send(net);
    }

    fn counts(&self) -> &[u64] {
        &self.0.counts
    }
}

impl App for Responder {
    fn on_datagram(&mut self, datagram: ReceivedDatagram, net: &mut impl Net) {
        self.0.take(datagram, net);
        net.report(Report::Delivered(u64::from(datagram.payload)));
        if !self.0.has_begun {
            self.0.begin(net);
        }
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        self.0.send(net);
    }

    fn counts(&self) -> &[u64] {
        &self.0.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::TestHost;

    fn game() -> Config {
        Config {
            event_payload: 42,
            event_interval: Duration::from_millis(60),
            update_payload: 200,
            update_interval: Duration::from_millis(50),
            deadline: Duration::from_millis(75),
        }
    }

    fn sent_at(millis: u64) -> ReceivedDatagram {
        ReceivedDatagram {
            payload: 42,
            tag: 0,
            sent: Time::ZERO + Duration::from_millis(millis),
        }
    }

    #[test]
    fn the_server_begins_at_the_first_event() {
        let (mut server, mut test_host) = (Responder::new(&game()), TestHost::default());
        server.on_start(&mut test_host);
        assert_eq!(test_host.sent, [0; 0]);
        server.on_datagram(sent_at(0), test_host.at_millis(5));
        server.on_datagram(sent_at(60), test_host.at_millis(65));
        assert_eq!(test_host.sent, [200], "once");
        assert_eq!(test_host.wakes, [Time::ZERO + Duration::from_millis(55)]);
    }

    #[test]
    fn an_event_that_is_older_than_the_deadline_is_late() {
        let (mut server, mut test_host) = (Responder::new(&game()), TestHost::default());
        server.on_datagram(sent_at(0), test_host.at_millis(75));
        server.on_datagram(sent_at(60), test_host.at_millis(136));
        let counts = ApplicationCounts {
            initiator: vec![4, 0],
            responder: server.counts().to_vec(),
        };
        let late = ABOUT.metrics[1].value;
        assert_eq!(late(&counts), Some(0.75), "one of four was in time");
    }
}
