//! Application-limited transfer: one connection, fed at a constant rate.
//!
//! The source is one that makes its data as time goes by: what a full send buffer keeps it from
//! writing waits, and is written as soon as there is room, one write after the other, until the
//! source is level with its rate again. This is what `iperf3 -b` does: it writes whenever the
//! mean rate since the beginning is below the one asked for (`iperf_check_throttle`). A path that
//! is slower than the rate therefore sees a bulk transfer, and a stall of the path a burst after.

use units::declaration::{Declared, Metric};
use units::{Duration, Rate, Time};

use crate::{About, App, Net, Socket, SocketEvents, Transport};

units::declare! {
    /// One TCP connection whose application writes at a constant rate.
    pub struct Config = "application-limited" {
        /// rate at which the application has bytes to write
        rate: Rate = Field::rate(),
        /// bytes of one write
        write_size: u64 = Field::size()
            .positive()
            .or(Default::Count(1460))
            .from("inferred: a full segment of Ethernet, so that a write is no burst of its own"),
        /// bytes to send; absent: until the run ends
        bytes: Option<u64> = Field::size().positive().optional().from("no end"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Tcp,
    answers: false,
    records: false,
    metrics: &[
        Declared {
            metric: Metric {
                name: "written_bytes",
                label: "Bytes written",
                unit: "bytes",
                about: "application bytes that the send buffer has taken",
            },
            value: |of| Some(of.initiator[WRITTEN] as f64),
        },
        Declared {
            metric: Metric {
                name: "blocked_writes",
                label: "Blocked writes",
                unit: "writes",
                about: "writes that found too little room in the send buffer, and waited for it",
            },
            value: |of| Some(of.initiator[BLOCKED] as f64),
        },
    ],
};

const WRITTEN: usize = 0;
const BLOCKED: usize = 1;

/// The sending end.
#[derive(Clone, Debug)]
pub struct Initiator {
    write_size: u64,
    interval: Duration,
    /// Bytes of the writes to come; `None` for a source that never ends.
    left: Option<u64>,
    next_at: Time,
    socket: Socket,
    step: WriterStep,
    counts: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriterStep {
    /// The connection is not open yet, or no more.
    Silent,
    /// Until the next write is due.
    Waiting,
    /// A write has to wait for room for so many bytes.
    Blocked { bytes: u64 },
}

pub use crate::reader::Reader as Responder;

impl Initiator {
    /// A source that has not started.
    pub fn new(config: &Config) -> Self {
        Initiator {
            write_size: config.write_size,
            interval: config.rate.duration_of(config.write_size),
            left: config.bytes,
            next_at: Time::ZERO,
            socket: Socket(0),
            step: WriterStep::Silent,
            counts: [0; 2],
        }
    }

    /// Writes all that is due, as far as there is room.
    fn write_due(&mut self, net: &mut impl Net) {
        while self.left != Some(0) {
            if net.now() < self.next_at {
                self.step = WriterStep::Waiting;
                return net.wake_at(self.next_at);
            }
            let bytes = self.write_size.min(self.left.unwrap_or(u64::MAX));
            self.left = self.left.map(|left| left - bytes);
            self.next_at += self.interval;
            if !self.write(bytes, net) {
                self.counts[BLOCKED] += 1;
                return;
            }
        }
        self.step = WriterStep::Silent;
        net.close(self.socket);
    }

    /// Returns whether there was room for all of a write, or for the rest of one.
    fn write(&mut self, bytes: u64, net: &mut impl Net) -> bool {
        let taken = net.write(self.socket, bytes);
        self.counts[WRITTEN] += taken;
        self.step = WriterStep::Blocked {
            bytes: bytes - taken,
        };
        taken == bytes
    }
}

impl App for Initiator {
    fn on_start(&mut self, net: &mut impl Net) {
        self.socket = net.connect();
    }

    fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        if news.established {
            self.next_at = net.now() + net.phase(self.interval);
            self.write_due(net);
        } else if let WriterStep::Blocked { bytes } = self.step
            && self.write(bytes, net)
        {
            self.write_due(net);
        }
        if news.peer_closed {
            net.close(socket);
        }
    }

    fn on_end(&mut self, _socket: Socket, _net: &mut impl Net) {
        self.step = WriterStep::Silent;
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        if self.step == WriterStep::Waiting {
            self.write_due(net);
        }
    }

    fn counts(&self) -> &[u64] {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::{OPEN, QUIET, TestHost};

    /// A source that writes 1000 bytes every millisecond.
    fn source(bytes: Option<u64>) -> Initiator {
        Initiator::new(&Config {
            rate: Rate::from_mbps(8.0),
            write_size: 1000,
            bytes,
        })
    }

    fn millis(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn a_write_is_due_every_interval_from_the_opening_of_the_connection() {
        let mut source = source(None);
        let mut test_host = TestHost::with_room(10_000);
        source.on_start(&mut test_host);
        source.on_stream(Socket(0), OPEN, test_host.at_millis(5));
        source.on_wake(test_host.at_millis(6));
        assert_eq!(test_host.written, 2000);
        assert_eq!(test_host.wakes, [millis(6), millis(7)]);
        source.on_stream(Socket(0), QUIET, &mut test_host);
        assert_eq!(
            (test_host.written, test_host.wakes.len()),
            (2000, 2),
            "an ACK changes nothing"
        );
    }

    #[test]
    fn what_a_full_buffer_held_back_is_made_up_for_once_there_is_room() {
        let mut source = source(None);
        let mut test_host = TestHost::with_room(1300);
        source.on_stream(Socket(0), OPEN, &mut test_host);
        source.on_wake(test_host.at_millis(1));
        assert_eq!((test_host.written, test_host.wakes.len()), (1300, 1));
        test_host.room = 100;
        source.on_stream(Socket(0), QUIET, test_host.at_millis(2));
        test_host.room = 9000;
        source.on_stream(Socket(0), QUIET, test_host.at_millis(4));
        assert_eq!(test_host.written, 5000, "the writes at 0, 1, 2, 3 and 4 ms");
        assert_eq!(test_host.wakes.last(), Some(&millis(5)));
        assert_eq!(
            source.counts(),
            [5000, 1],
            "the writes after the first found room"
        );
    }

    #[test]
    fn it_closes_after_its_last_byte() {
        let mut source = source(Some(1500));
        let mut test_host = TestHost::with_room(10_000);
        source.on_stream(Socket(0), OPEN, &mut test_host);
        assert!(!test_host.closed);
        source.on_wake(test_host.at_millis(1));
        assert_eq!((test_host.written, test_host.closed), (1500, true));
    }

    #[test]
    fn a_connection_that_has_ended_is_written_to_no_more() {
        let mut source = source(None);
        let mut test_host = TestHost::with_room(10_000);
        source.on_stream(Socket(0), OPEN, &mut test_host);
        source.on_end(Socket(0), &mut test_host);
        source.on_wake(test_host.at_millis(1));
        assert_eq!((test_host.written, test_host.wakes.len()), (1000, 1));
    }
}
