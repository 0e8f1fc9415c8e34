//! All connections of two captures, and which of one is which of the other.

use std::collections::{BTreeMap, VecDeque};

use super::connection::Connection;
use super::source::Sighting;
use super::{Extent, Limits, Witness};
use crate::analysis::table::Table;
use crate::dissect::{Flags, Segment};

/// Packets remembered of connections that only one capture knows, to recognise them under
/// other names.
const REMEMBERED: usize = 1 << 16;

/// Packets of a connection that are remembered so: those of its handshake and what follows.
const PACKETS: u64 = 16;

/// Connections under way.
#[derive(Debug)]
pub(super) struct Connections {
    connections: BTreeMap<u32, Box<Connection>>,
    tables: [Table; 2],
    strangers: [Strangers; 2],
    limits: Limits,
    next: u32,
    /// Connections that were told before their end to make room.
    pub evicted: u64,
}

/// Packets of connections that only one capture knows.
#[derive(Debug, Default)]
struct Strangers {
    packets: BTreeMap<u64, (u32, u8)>,
    order: VecDeque<u64>,
}

impl Strangers {
    fn remember(&mut self, key: u64, connection: u32, end: usize) {
        if self.packets.insert(key, (connection, end as u8)).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > REMEMBERED {
            if let Some(oldest) = self.order.pop_front() {
                self.packets.remove(&oldest);
            }
        }
    }
}

/// What a packet keeps when its addresses and ports are changed.
fn key(segment: &Segment) -> u64 {
    let (own, echo) = segment.options.timestamps.unwrap_or((0, 0));
    let ack = if segment.flags.has(Flags::ACK) {
        segment.ack
    } else {
        0
    };
    let words = [
        segment.seq,
        ack,
        segment.payload,
        segment.flags.0.into(),
        own,
        echo,
    ];
    // FNV-1a (draft-eastlake-fnv), over words: it need not withstand anybody, since whoever
    // makes captures that agree is believed.
    words
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash: u64, &word| {
            (hash ^ u64::from(word))
                .wrapping_mul(0x0000_0100_0000_01B3)
                .rotate_left(29)
        })
}

impl Connections {
    pub fn new(limits: Limits) -> Self {
        Connections {
            connections: BTreeMap::new(),
            tables: [Table::new(), Table::new()],
            strangers: Default::default(),
            limits,
            next: 1,
            evicted: 0,
        }
    }

    /// Capture `side` has a segment, at this time of the first capture's clock.
    pub fn take(
        &mut self,
        side: usize,
        sighting: &Sighting,
        aligned_ns: i64,
        extents: &[Extent; 2],
        witness: &mut impl Witness,
    ) {
        let segment = &sighting.segment;
        let number = match self.find(side, segment) {
            Some(number) => self.reunite(number, side, segment, witness),
            None => self
                .recognise(side, segment)
                .unwrap_or_else(|| self.open(side, segment, extents, witness)),
        };
        let Some(connection) = self.connections.get_mut(&number) else {
            return;
        };
        connection.take(side, sighting, aligned_ns, witness);
        connection.settle(aligned_ns, extents, witness);
        if connection.ends[1 - side].is_none() {
            let end = connection.end_of(side, segment);
            if connection.lanes[end].counts[side].packets <= PACKETS {
                self.strangers[side].remember(key(segment), number, end);
            }
        }
    }

    fn find(&self, side: usize, segment: &Segment) -> Option<u32> {
        let table = &self.tables[side];
        table.find(table.hash(segment), |number| {
            self.connections
                .get(&number)
                .is_some_and(|connection| connection.joins(side, segment))
        })
    }

    /// A connection that capture `side` has not known: the other does, by the same names or by
    /// others.
    fn recognise(&mut self, side: usize, segment: &Segment) -> Option<u32> {
        if let Some(number) = self.find(1 - side, segment) {
            let connection = self.connections.get_mut(&number)?;
            if connection.ends[side].is_some() {
                return None;
            }
            connection.ends[side] = connection.ends[1 - side];
            self.enter(side, number);
            return Some(number);
        }
        let &(number, end) = self.strangers[1 - side].packets.get(&key(segment))?;
        let connection = self.connections.get_mut(&number)?;
        if connection.ends[side].is_some() {
            return None;
        }
        let both = [segment.source, segment.destination];
        let end = usize::from(end);
        connection.ends[side] = Some([both[end], both[1 - end]]);
        self.enter(side, number);
        Some(number)
    }

    /// A connection that only capture `side` knows may turn out to be one that only the other
    /// knows. Gives its number.
    fn reunite(
        &mut self,
        number: u32,
        side: usize,
        segment: &Segment,
        witness: &mut impl Witness,
    ) -> u32 {
        let Some(connection) = self.connections.get(&number) else {
            return number;
        };
        if connection.ends[1 - side].is_some() || self.strangers[1 - side].packets.is_empty() {
            return number;
        }
        let end = connection.end_of(side, segment);
        let Some(&(other, theirs)) = self.strangers[1 - side].packets.get(&key(segment)) else {
            return number;
        };
        let is_stranger = self
            .connections
            .get(&other)
            .is_some_and(|other| other.ends[side].is_none());
        if !is_stranger || other == number {
            return number;
        }
        self.leave(side, number);
        let Some(connection) = self.connections.remove(&number) else {
            return number;
        };
        if let Some(known) = self.connections.get_mut(&other) {
            known.join(*connection, side, end ^ usize::from(theirs), witness);
        }
        self.enter(side, other);
        other
    }

    fn open(
        &mut self,
        side: usize,
        segment: &Segment,
        extents: &[Extent; 2],
        witness: &mut impl Witness,
    ) -> u32 {
        if self.connections.len() >= self.limits.connections {
            self.make_room(extents, witness);
        }
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        self.connections
            .insert(number, Box::new(Connection::new(number, side, segment)));
        self.enter(side, number);
        number
    }

    fn enter(&mut self, side: usize, number: u32) {
        let connections = &self.connections;
        if let Some(hash) = hash_of(connections, &self.tables[side], side, number) {
            self.tables[side].insert(hash, number, |number, table| {
                hash_of(connections, table, side, number).unwrap_or(0)
            });
        }
    }

    fn leave(&mut self, side: usize, number: u32) {
        let connections = &self.connections;
        if let Some(hash) = hash_of(connections, &self.tables[side], side, number) {
            self.tables[side].remove(hash, number, |number, table| {
                hash_of(connections, table, side, number).unwrap_or(0)
            });
        }
    }

    /// Tells an eighth of the connections before their end: those that were silent longest.
    fn make_room(&mut self, extents: &[Extent; 2], witness: &mut impl Witness) {
        let all = self.connections.iter();
        let mut candidates: Vec<(i64, u32)> = all
            .map(|(&number, connection)| (connection.last_ns, number))
            .collect();
        let count = (candidates.len() / 8).max(1).min(candidates.len());
        candidates.select_nth_unstable(count - 1);
        candidates.truncate(count);
        candidates.sort_unstable();
        self.evicted += count as u64;
        for (_, number) in candidates {
            self.close(number, extents, witness);
        }
    }

    fn close(&mut self, number: u32, extents: &[Extent; 2], witness: &mut impl Witness) {
        self.leave(0, number);
        self.leave(1, number);
        if let Some(mut connection) = self.connections.remove(&number) {
            connection.finish(extents, witness);
            witness.closed(&connection);
        }
    }

    /// Settles what is over in connections that have fallen silent; gives how many packets wait.
    pub fn sweep(
        &mut self,
        now_ns: i64,
        extents: &[Extent; 2],
        witness: &mut impl Witness,
    ) -> usize {
        let mut waiting = 0;
        for connection in self.connections.values_mut() {
            connection.settle(now_ns, extents, witness);
            waiting += connection.waiting();
        }
        waiting
    }

    /// The captures are over.
    pub fn finish(&mut self, extents: &[Extent; 2], witness: &mut impl Witness) {
        while let Some((&number, _)) = self.connections.first_key_value() {
            self.close(number, extents, witness);
        }
    }
}

fn hash_of(
    connections: &BTreeMap<u32, Box<Connection>>,
    table: &Table,
    side: usize,
    number: u32,
) -> Option<u64> {
    let [one, other] = connections.get(&number)?.ends[side]?;
    Some(table.hash_ends(&one, &other))
}
