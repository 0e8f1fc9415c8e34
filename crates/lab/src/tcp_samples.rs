//! What every connection's TCP_INFO says, at a chosen step and at the end of the run.

use tcp::TcpInfo;
use units::{Duration, Time};

use crate::sockets::{Endpoint, Owner, Side, Sockets};

/// What one end of a connection knew about itself at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpSample {
    /// When.
    pub at: Time,
    /// Index of the flow in the plan.
    pub flow: usize,
    /// Whether it is the end that opened the connection and sends the flow's data.
    pub initiator: bool,
    /// Linux's TCP_INFO.
    pub info: TcpInfo,
    /// What Linux counts outside TCP_INFO, by [`TcpSample::COUNTS`].
    pub counts: [u64; TcpSample::COUNTS.len()],
}

/// Samples taken so far.
#[derive(Clone, Debug)]
pub struct TcpSamples {
    /// The time between two rounds.
    pub step: Duration,
    taken: Vec<TcpSample>,
}

impl TcpSamples {
    /// None so far.
    pub fn new(step: Duration) -> Self {
        TcpSamples {
            step,
            taken: Vec::new(),
        }
    }

    /// Samples both ends of every connection there is.
    pub fn take(&mut self, now: Time, sockets: &Sockets) {
        for flow in 0..sockets.flows() {
            for side in Side::BOTH {
                for end in sockets.of(Owner { flow, side }) {
                    self.add(now, end);
                }
            }
        }
    }

    /// Samples one end of a connection.
    pub fn add(&mut self, now: Time, end: &Endpoint) {
        self.taken.push(TcpSample::of(end, now));
    }

    /// All samples, with those of the end of the run, which is now.
    pub fn finish(mut self, now: Time, sockets: &Sockets) -> Vec<TcpSample> {
        if self.taken.last().is_none_or(|last| last.at < now) {
            self.take(now, sockets);
        }
        self.taken
    }
}

impl TcpSample {
    /// Names of the counts: segments sent again by fast recovery, by the retransmission timer,
    /// and SYNs and SYN-ACKs; entries into fast recovery; recoveries and timeouts that turned
    /// out to be spurious and were undone.
    pub const COUNTS: [&'static str; 5] = [
        "fast_retransmissions",
        "timeout_retransmissions",
        "syn_retransmissions",
        "fast_recoveries",
        "spurious_recoveries",
    ];

    fn of(end: &Endpoint, at: Time) -> TcpSample {
        let counters = end.connection.counters();
        TcpSample {
            at,
            flow: usize::from(end.owner.flow),
            initiator: end.owner.side == Side::Initiator,
            info: end.connection.tcp_info(),
            counts: [
                counters.fast_retransmissions,
                counters.timeout_retransmissions,
                counters.syn_retransmissions,
                counters.fast_recoveries,
                counters.spurious_recoveries,
            ],
        }
    }
}
