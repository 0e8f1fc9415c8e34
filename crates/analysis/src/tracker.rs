//! All connections of a capture, fed segment by segment.

use super::cause::Cause;
use super::connection::CapturedConnection;
use super::observer::{Alone, Observer};
use super::store::ConnectionStore;
use super::summary::Summary;
use super::trains::{Coming, NONE, Train, Trains};
use dissect::{ConnectionTable, IcmpReport, TcpSegment};

/// Limits of a tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackerLimits {
    /// Connections under way at once, one at the least. When there are more, an eighth of them is
    /// given out as it stands: first those that are closed, then attempts that nobody answered,
    /// then those that were silent longest.
    pub connections: usize,
}

impl Default for TrackerLimits {
    /// A million connections, which take about 1 GiB.
    fn default() -> Self {
        TrackerLimits {
            connections: 1 << 20,
        }
    }
}

/// Follows every connection and hands out its [`Summary`] when another takes its place, when
/// room is needed, or at the end.
#[derive(Debug)]
pub struct Tracker<S, O = Alone> {
    table: ConnectionTable,
    store: ConnectionStore,
    limits: TrackerLimits,
    sink: S,
    observer: O,
    /// Why the segment taken last was retransmitted or late, if it was.
    cause: Option<Cause>,
    /// Connections that were given out to make room.
    evicted: u64,
}

impl<S: FnMut(Summary)> Tracker<S> {
    /// A tracker that gives finished connections to `sink`.
    pub fn new(limits: TrackerLimits, sink: S) -> Self {
        Tracker::observed(limits, sink, Alone)
    }
}

#[expect(
    private_bounds,
    reason = "observers look into connections, which stay private"
)]
impl<S: FnMut(Summary), O: Observer> Tracker<S, O> {
    /// The same, with an observer of every segment.
    pub(super) fn observed(limits: TrackerLimits, sink: S, observer: O) -> Self {
        Tracker {
            table: ConnectionTable::default(),
            store: ConnectionStore::default(),
            limits,
            sink,
            observer,
            cause: None,
            evicted: 0,
        }
    }

    /// Connections that were given out to make room.
    pub const fn evicted(&self) -> u64 {
        self.evicted
    }

    /// Takes a segment, and tells why it was retransmitted or late, if it was.
    pub(super) fn judge(&mut self, segment: &TcpSegment) -> Option<Cause> {
        self.take(std::slice::from_ref(segment));
        self.cause
    }

    /// Takes what a router or host said of a segment, if its connection is known.
    pub fn take_report(&mut self, report: &IcmpReport) {
        let segment = TcpSegment {
            source: report.source,
            destination: report.destination,
            ..TcpSegment::default()
        };
        if let Some(connection) = self.number(&segment).and_then(|at| self.store.get_mut(at)) {
            connection.take_report(report);
        }
    }

    /// The number of the connection between the ends of a segment.
    fn number(&self, segment: &TcpSegment) -> Option<u32> {
        let joins = |number| {
            let connection = self.store.get(number);
            connection.is_some_and(|connection| connection.joins(segment))
        };
        self.table.find(self.table.hash(segment), joins)
    }

    /// Takes segments in the order of the capture.
    pub fn take(&mut self, segments: &[TcpSegment]) {
        let mut trains = Trains::new();
        for coming in Coming::new(segments) {
            let train = trains.advance(coming, &self.table, &self.store);
            self.take_turn(&train);
        }
    }

    /// Takes segments of one connection, or of several that follow each other between the same
    /// ends.
    #[inline]
    fn take_turn(&mut self, train: &Train<'_>) {
        let mut rest = train.segments;
        while let [first, ..] = rest {
            let number = self.find(first, train);
            let Some(connection) = self.store.get_mut(number) else {
                self.open(first, train.hash);
                rest = &rest[1..];
                continue;
            };
            let succeeded = rest.iter().position(|segment| {
                let is_succeeded = connection.is_succeeded_by(segment);
                if !is_succeeded {
                    self.cause = self.observer.take(connection, segment);
                }
                is_succeeded
            });
            let Some(at) = succeeded else { return };
            self.give_out(number, train.hash);
            rest = &rest[at..];
        }
    }

    /// The number of the connection that a segment of this turn belongs to; of none if there is
    /// none.
    #[inline]
    fn find(&self, segment: &TcpSegment, train: &Train<'_>) -> u32 {
        let is_it = |number: u32| {
            let connection = self.store.get(number);
            connection.is_some_and(|connection| connection.joins(segment))
        };
        if is_it(train.guess) {
            return train.guess;
        }
        self.table.find(train.hash, is_it).unwrap_or(NONE)
    }

    #[cold]
    fn open(&mut self, segment: &TcpSegment, hash: u64) {
        if self.store.len() >= self.limits.connections.max(1) {
            self.make_room();
        }
        let mut connection = CapturedConnection::new(segment);
        self.cause = self.observer.take(&mut connection, segment);
        let number = self.store.add(connection);
        let store = &self.store;
        self.table
            .insert(hash, number, |number, table| hash_of(store, table, number));
    }

    /// Gives a connection to the sink and forgets it.
    fn give_out(&mut self, number: u32, hash: u64) {
        let store = &self.store;
        self.table
            .remove(hash, number, |number, table| hash_of(store, table, number));
        if let Some(connection) = self.store.remove(number) {
            self.observer.close(&connection);
            (self.sink)(Summary::of(&connection));
        }
    }

    fn make_room(&mut self) {
        let mut candidates: Vec<(u8, u64, u32)> = self
            .store
            .numbers()
            .filter_map(|number| {
                let connection = self.store.get(number)?;
                Some((connection.claim(), connection.last_ns, number))
            })
            .collect();
        let count = (candidates.len() / 8).max(1).min(candidates.len());
        candidates.select_nth_unstable(count - 1);
        candidates.truncate(count);
        candidates.sort_unstable();
        self.evicted += count as u64;
        for (_, _, number) in candidates {
            let hash = hash_of(&self.store, &self.table, number);
            self.give_out(number, hash);
        }
    }

    /// Gives out all connections that are left, in the order of their first packets.
    pub fn finish(mut self) {
        let mut left: Vec<(u64, u32)> = self
            .store
            .numbers()
            .filter_map(|number| Some((self.store.get(number)?.number, number)))
            .collect();
        left.sort_unstable();
        for (_, number) in left {
            if let Some(connection) = self.store.get(number) {
                self.observer.close(connection);
                (self.sink)(Summary::of(connection));
            }
        }
    }
}

fn hash_of(store: &ConnectionStore, table: &ConnectionTable, number: u32) -> u64 {
    let connection = store
        .get(number)
        .expect("the table names connections in the store");
    let [client, server] = connection.ends();
    table.hash_ends(&client, &server)
}
