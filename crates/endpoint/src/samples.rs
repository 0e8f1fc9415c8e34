//! What an end of a flow has seen, at regular instants.

use units::{Duration, Time};

use crate::log::{EndpointLog, LogMemory};
use crate::sockets::EndSockets;

/// Bytes of a row before the state of its connection.
const HEAD: usize = 24;
/// The number of a row that is of no connection.
const NONE: u32 = u32::MAX;

/// The samples of an end.
///
/// A row is, little-endian: microseconds behind the common start (8 bytes), application bytes
/// delivered (8), the connection's number (4), the length of what its kernel told (4); and that,
/// as the kernel has it, padded to the length which all rows have.
#[derive(Debug)]
pub(crate) struct Samples {
    interval: Duration,
    next_at: Time,
    log: EndpointLog,
}

impl Samples {
    /// Bytes of a row on a machine whose kernel tells so many of a connection.
    pub fn row(told: usize) -> usize {
        HEAD + told
    }

    /// Samples from the common start on, of rows of so many bytes.
    pub fn every(interval: Duration, row: usize, room: LogMemory) -> Samples {
        Samples {
            interval,
            next_at: Time::ZERO,
            log: EndpointLog::of_rows(row, room),
        }
    }

    /// Returns when the next one is due.
    pub fn next_at(&self) -> Time {
        self.next_at
    }

    /// Takes one if it is due at `now`; instants that were missed are passed over.
    pub fn take(&mut self, now: Time, sockets: &EndSockets) {
        if now >= self.next_at {
            self.sample(now, sockets);
            while self.next_at <= now {
                self.next_at += self.interval;
            }
        }
    }

    /// Takes the last one; gives the log, and how many samples there was no room for.
    pub fn end(mut self, now: Time, sockets: &EndSockets) -> (Vec<u8>, u64) {
        self.sample(now, sockets);
        self.log.end()
    }

    fn sample(&mut self, now: Time, sockets: &EndSockets) {
        let mut connections = sockets.connections().peekable();
        if connections.peek().is_none() {
            self.push(now, sockets.delivered, NONE, &[]);
        }
        for (number, told) in connections {
            self.push(now, sockets.delivered, number, told.bytes());
        }
    }

    fn push(&mut self, now: Time, delivered: u64, number: u32, told: &[u8]) {
        let at_us = now.as_nanos() / 1000;
        let length = told.len() as u32;
        self.log.push(&[
            &at_us.to_le_bytes(),
            &delivered.to_le_bytes(),
            &number.to_le_bytes(),
            &length.to_le_bytes(),
            told,
        ]);
    }
}
