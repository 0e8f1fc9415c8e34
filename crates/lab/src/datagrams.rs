//! Datagrams and echo requests as a table: when each was sent, and when it arrived.

use std::collections::BTreeMap;

use units::Time;
use units::table::Flow;

use crate::sockets::Owner;

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
    rows: Vec<SentDatagram>,
    /// How many each flow has sent.
    numbers: Vec<u64>,
    /// The row of each that may still arrive.
    under_way: BTreeMap<Key, usize>,
}

/// What a datagram is known by when it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// A datagram: who sent it, and its IP identification. The last one counts of those that
    /// have the same.
    Datagram(Owner, u16),
    /// An echo request: its flow and number.
    Request(u16, u32),
}

impl Datagrams {
    /// None so far, of so many flows.
    pub fn new(flows: usize) -> Datagrams {
        Datagrams {
            rows: Vec::new(),
            numbers: vec![0; flows],
            under_way: BTreeMap::new(),
        }
    }

    /// One is sent.
    pub fn on_sent(&mut self, now: Time, flow: u16, key: Key, size: u32) {
        let number = &mut self.numbers[usize::from(flow)];
        self.under_way.insert(key, self.rows.len());
        self.rows.push(SentDatagram {
            flow: Flow(flow),
            number: *number,
            sent_s: now,
            received_s: None,
            size,
        });
        *number += 1;
    }

    /// One has arrived, or its reply.
    pub fn on_received(&mut self, now: Time, key: Key) {
        if let Some(row) = self.under_way.remove(&key) {
            self.rows[row].received_s = Some(now);
        }
    }

    /// All of them.
    pub fn into_rows(self) -> Vec<SentDatagram> {
        self.rows
    }
}
