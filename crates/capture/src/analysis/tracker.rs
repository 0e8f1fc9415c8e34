//! All connections of a capture, fed segment by segment.

use super::cause::Cause;
use super::connection::Connection;
use super::observer::{Alone, Observer};
use super::store::Store;
use super::summary::Summary;
use super::table::Table;
use crate::dissect::Segment;

/// Segments looked up together.
pub(super) const BATCH: usize = 128;

/// How many segments ahead a connection is asked for, and then its segments on their way,
/// whose place stands in it. A main memory's latency is about that of four segments' work;
/// the rest is for memory that others use too.
const CONNECTION_AHEAD: usize = 16;
const SEGMENTS_AHEAD: usize = 8;

/// What a tracker may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections under way at once. When there are more, an eighth of them is given out as
    /// it stands: first those that are closed, then attempts that nobody answered, then those
    /// that were silent longest.
    pub connections: usize,
}

impl Default for Limits {
    /// A million connections, which take about 2 GiB.
    fn default() -> Self {
        Limits {
            connections: 1 << 20,
        }
    }
}

/// Follows every connection and hands out its [`Summary`] when another takes its place, when
/// room is needed, or at the end.
#[derive(Debug)]
pub struct Tracker<S, O = Alone> {
    table: Table,
    store: Store,
    limits: Limits,
    sink: S,
    observer: O,
    /// Connections that were given out to make room.
    evicted: u64,
}

impl<S: FnMut(Summary)> Tracker<S> {
    /// A tracker that gives finished connections to `sink`.
    pub fn new(limits: Limits, sink: S) -> Self {
        Tracker::observed(limits, sink, Alone)
    }
}

#[expect(
    private_bounds,
    reason = "observers look into connections, which stay private"
)]
impl<S: FnMut(Summary), O: Observer> Tracker<S, O> {
    /// The same, with an observer of every segment.
    pub(super) fn observed(limits: Limits, sink: S, observer: O) -> Self {
        Tracker {
            table: Table::new(),
            store: Store::default(),
            limits,
            sink,
            observer,
            evicted: 0,
        }
    }

    /// Connections that were given out to make room.
    pub const fn evicted(&self) -> u64 {
        self.evicted
    }

    /// Takes a segment, and tells why it was sent again, if it was.
    pub(super) fn judge(&mut self, segment: &Segment) -> Option<Cause> {
        let before = self.causes(segment);
        self.take(std::slice::from_ref(segment));
        let after = self.causes(segment);
        Cause::ALL
            .into_iter()
            .find(|cause| after[cause.index()] > before[cause.index()])
    }

    /// The causes counted so far of the segments that the sender of this one sent again.
    fn causes(&self, segment: &Segment) -> [u64; Cause::ALL.len()] {
        let connection = |number| self.store.get(number);
        let found = self.table.find(self.table.hash(segment), |number| {
            connection(number).is_some_and(|connection| connection.joins(segment))
        });
        found
            .and_then(connection)
            .map_or_else(Default::default, |connection| {
                connection.halves[connection.sender(segment)]
                    .counters
                    .causes
            })
    }

    /// Takes segments in the order of the capture.
    pub fn take(&mut self, segments: &[Segment]) {
        for batch in segments.chunks(BATCH) {
            let mut hashes = [0; BATCH];
            let mut guesses = [u32::MAX; BATCH];
            for ((hash, guess), segment) in hashes.iter_mut().zip(&mut guesses).zip(batch) {
                *hash = self.table.hash(segment);
                *guess = self.table.guess(*hash).unwrap_or(u32::MAX);
            }
            for &guess in &guesses[..CONNECTION_AHEAD] {
                self.store.prefetch(guess);
            }
            for (index, segment) in batch.iter().enumerate() {
                if let Some(&guess) = guesses.get(index + CONNECTION_AHEAD) {
                    self.store.prefetch(guess);
                }
                if let Some(&guess) = guesses.get(index + SEGMENTS_AHEAD) {
                    self.store.prefetch_segments(guess);
                }
                self.take_one(segment, hashes[index]);
            }
        }
    }

    #[inline]
    fn take_one(&mut self, segment: &Segment, hash: u64) {
        let store = &self.store;
        let found = self.table.find(hash, |number| {
            store
                .get(number)
                .is_some_and(|connection| connection.joins(segment))
        });
        match found.and_then(|number| Some((number, self.store.get_mut(number)?))) {
            Some((_, connection)) if !connection.is_succeeded_by(segment) => {
                self.observer.take(connection, segment);
            }
            Some((number, _)) => {
                self.give_out(number, hash);
                self.open(segment, hash);
            }
            None => self.open(segment, hash),
        }
    }

    #[cold]
    fn open(&mut self, segment: &Segment, hash: u64) {
        if self.store.len() >= self.limits.connections {
            self.make_room();
        }
        let mut connection = Connection::new(segment);
        self.observer.take(&mut connection, segment);
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

fn hash_of(store: &Store, table: &Table, number: u32) -> u64 {
    let connection = store
        .get(number)
        .expect("the table names connections in the store");
    let [client, server] = connection.ends();
    table.hash_ends(&client, &server)
}
