//! What every connection's TCP_INFO says, at a chosen step and at the end of the run.

use tcp::TcpInfo;
use units::table::{Cell, Column, ColumnValue, Flow, Row};
use units::{Duration, Time};

use super::TransferEnd;
use crate::hosts::{SocketEnd, Sockets};
use crate::ids::FlowId;

/// What one end of a connection knew about itself at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpSample {
    /// When.
    pub at: Time,
    /// Index of the flow in the plan.
    pub flow: FlowId,
    /// Which end it is of.
    pub end: TransferEnd,
    /// Linux's TCP_INFO.
    pub info: TcpInfo,
    /// What Linux counts outside TCP_INFO.
    pub counts: NstatCounts,
}

units::row! {
    /// What Linux counts outside TCP_INFO, for the whole host; `nstat` shows it under the names in
    /// brackets.
    pub struct NstatCounts = "counts" {
        /// retransmitted by fast recovery (TCPFastRetrans)
        fast_retransmissions: u64, "segments";
        /// retransmitted by the timer (TCPSlowStartRetrans)
        timeout_retransmissions: u64, "segments";
        /// SYNs and SYN-ACKs retransmitted (TCPSynRetrans)
        syn_retransmissions: u64, "segments";
        /// entries into fast recovery (TCPSackRecovery, TCPRenoRecovery)
        fast_recoveries: u64, "";
        /// recoveries and timeouts undone as spurious (TCPFullUndo …)
        spurious_recoveries: u64, "";
    }
}

/// Samples taken so far.
#[derive(Clone, Debug)]
pub struct TcpSamples {
    /// The time between two rounds.
    pub step: Duration,
    taken: Vec<TcpSample>,
    /// When the last one was taken, if any was.
    last_at: Option<Time>,
}

impl TcpSamples {
    /// None so far.
    pub fn new(step: Duration) -> Self {
        TcpSamples {
            step,
            taken: Vec::new(),
            last_at: None,
        }
    }

    /// Samples both ends of every connection there is.
    pub fn take(&mut self, now: Time, sockets: &Sockets) {
        for end in sockets.all() {
            self.add(now, end);
        }
    }

    /// Samples one end of a connection.
    pub fn add(&mut self, now: Time, end: &SocketEnd) {
        self.taken.push(TcpSample::of(end, now));
        self.last_at = Some(now);
    }

    /// Takes the samples of the end of the run, which is now.
    pub fn finish(&mut self, now: Time, sockets: &Sockets) {
        if self.last_at.is_none_or(|last_at| last_at < now) {
            self.take(now, sockets);
        }
    }

    /// Hands over the samples taken since this was called last.
    pub fn hand_over(&mut self) -> Vec<TcpSample> {
        std::mem::take(&mut self.taken)
    }
}

impl TcpSample {
    fn of(end: &SocketEnd, at: Time) -> TcpSample {
        let counters = end.connection.counters();
        TcpSample {
            at,
            flow: end.owner.flow,
            end: TransferEnd::of(end.owner.side),
            info: end.connection.tcp_info(),
            counts: NstatCounts {
                fast_retransmissions: counters.fast_retransmissions,
                timeout_retransmissions: counters.timeout_retransmissions,
                syn_retransmissions: counters.syn_retransmissions,
                fast_recoveries: counters.fast_recoveries,
                spurious_recoveries: counters.spurious_recoveries,
            },
        }
    }
}

units::row! {
    /// When a sample was taken, and of what.
    pub struct Occasion = "occasion" {
        /// when, from the start of the run
        time_s: Time, "s";
        /// the flow's name
        flow: Flow, "";
        /// `sender` starts the flow and sends its data, `receiver` does not
        end: TransferEnd, "";
    }
}

impl Row for TcpSample {
    const TABLE: &'static str = "tcp_info";
    const ABOUT: &'static str =
        "What both ends of each connection knew, at every step and at the end.";

    fn columns() -> Vec<Column> {
        [
            &Occasion::columns()[..],
            &TcpInfo::COLUMNS[..],
            &NstatCounts::columns()[..],
        ]
        .concat()
    }

    fn cells(&self) -> Vec<Cell> {
        let occasion = Occasion {
            time_s: self.at,
            flow: self.flow.into(),
            end: self.end,
        };
        let info = self.info.values();
        let mut cells = occasion.cells();
        cells.extend(info.iter().map(ColumnValue::cell));
        cells.extend(self.counts.cells());
        cells
    }
}
