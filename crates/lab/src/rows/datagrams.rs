//! Datagrams and echo requests as a table: when each was sent, and when it arrived.

use std::collections::{BTreeMap, BTreeSet};

use units::Time;
use units::table::Flow;

use super::log::{LogPiece, RowLog};
use crate::ids::{FlowEnd, FlowId};

units::row! {
    /// Datagrams and echo requests, in the order in which they were sent.
    pub struct SentDatagram = "datagrams" {
        /// the flow's name
        flow: Flow, "";
        /// its number among those of its flow, from 0 on
        number: u64, "";
        /// when it was sent, from the start of the run
        sent_s: Time, "s";
        /// when it arrived, of an echo request the reply; NaN if that has not
        received_s: Option<Time>, "s";
        /// payload
        size: u32, "bytes";
    }
}

/// Datagrams so far.
#[derive(Clone, Debug)]
pub struct Datagrams {
    rows: RowLog<SentDatagram>,
    /// How many each flow has sent.
    numbers: Vec<u64>,
    /// The row of each that may still arrive.
    under_way: BTreeMap<DatagramKey, usize>,
}

/// What a datagram is known by when it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DatagramKey {
    /// A datagram: who sent it, and its IP identification. The last one counts of those that
    /// have the same.
    Datagram(FlowEnd, u16),
    /// An echo request: its flow, and its number as ICMP has it. The last one counts of those that
    /// have the same.
    Request(FlowId, u16),
}

impl Datagrams {
    /// None so far, of so many flows.
    pub fn new(flows: usize) -> Datagrams {
        Datagrams {
            rows: RowLog::default(),
            numbers: vec![0; flows],
            under_way: BTreeMap::new(),
        }
    }

    /// One is sent.
    pub fn on_sent(&mut self, now: Time, flow: FlowId, key: DatagramKey, size: u32) {
        let number = &mut self.numbers[flow.index()];
        let row = self.rows.push(SentDatagram {
            flow: flow.into(),
            number: *number,
            sent_s: now,
            received_s: None,
            size,
        });
        self.under_way.insert(key, row);
        *number += 1;
    }

    /// One has arrived, or its reply.
    pub fn on_received(&mut self, now: Time, key: DatagramKey) {
        if let Some(row) = self.under_way.remove(&key) {
            (self.rows).change(row, |datagram| datagram.received_s = Some(now));
        }
    }

    /// Hands over those of which anything is new.
    pub fn take(&mut self) -> LogPiece<SentDatagram> {
        let open: BTreeSet<usize> = self.under_way.values().copied().collect();
        self.rows.take(|row| open.contains(&row))
    }
}
