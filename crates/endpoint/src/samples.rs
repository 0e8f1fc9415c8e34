//! What an end of a flow has seen, at regular instants.

use units::{Duration, Time};

use crate::message::Sample;
use crate::sockets::Sockets;

/// The samples of an end.
#[derive(Debug)]
pub(crate) struct Samples {
    interval: Duration,
    next_at: Time,
    taken: Vec<Sample>,
}

impl Samples {
    /// Samples from the common start on.
    pub fn every(interval: Duration) -> Samples {
        Samples {
            interval,
            next_at: Time::ZERO,
            taken: Vec::new(),
        }
    }

    /// When the next one is due.
    pub fn next_at(&self) -> Time {
        self.next_at
    }

    /// Takes one if it is due at `now`; instants that were missed are passed over.
    pub fn take(&mut self, now: Time, sockets: &Sockets) {
        if now >= self.next_at {
            self.taken.push(sample(now, sockets));
            while self.next_at <= now {
                self.next_at += self.interval;
            }
        }
    }

    /// Takes the last one, and gives all.
    pub fn end(mut self, now: Time, sockets: &Sockets) -> Vec<Sample> {
        self.taken.push(sample(now, sockets));
        self.taken
    }
}

fn sample(now: Time, sockets: &Sockets) -> Sample {
    Sample {
        at_us: now.as_nanos() / 1000,
        delivered: sockets.delivered,
        tcp: sockets.tcp(),
    }
}
