//! All connections of two captures, and which of one is which of the other.

use super::PairLimits;
use super::connection::PairedConnection;
use super::source::Sighting;
use super::strangers::{HoldingConnection, Strangers};
use super::walk::Extents;
use super::witness::Witness;
use dissect::ConnectionTable;
use dissect::TcpSegment;

/// Packets of a connection by which it is recognised under other names: those of its handshake
/// and what follows.
const TELLING_PACKETS: u64 = 16;

/// Connections under way, each in a slot that is used again when it is over.
#[derive(Debug)]
pub(super) struct Connections {
    slots: Vec<Option<Box<PairedConnection>>>,
    free: Vec<u32>,
    /// Where either capture's segments find their connection.
    tables: [ConnectionTable; 2],
    strangers: [Strangers; 2],
    limits: PairLimits,
    next_number: u32,
    /// Connections that were told before their end to make room.
    pub evicted: u64,
}

impl Connections {
    pub fn new(limits: PairLimits) -> Self {
        Connections {
            slots: Vec::new(),
            free: Vec::new(),
            tables: [ConnectionTable::default(), ConnectionTable::default()],
            strangers: Default::default(),
            limits,
            next_number: 1,
            evicted: 0,
        }
    }

    /// Capture `side` has a segment, at this time of the first capture's clock.
    pub fn take(
        &mut self,
        side: usize,
        sighting: &Sighting,
        aligned_ns: i64,
        extents: &Extents,
        witness: &mut impl Witness,
    ) {
        let segment = &sighting.segment;
        let slot = match self.find(side, segment) {
            Some(slot) => self.reunite(slot, side, segment, witness),
            None => self
                .recognise(side, segment)
                .unwrap_or_else(|| self.open(side, segment, extents, witness)),
        };
        let Some(connection) = self.get_mut(slot) else {
            return;
        };
        connection.take(side, sighting, aligned_ns, witness);
        connection.settle(aligned_ns, extents, witness);
        if connection.ends[1 - side].is_none() {
            let (number, end) = (connection.number, connection.end_of(side, segment));
            if connection.lanes[end].counts[side].packets <= TELLING_PACKETS {
                self.strangers[side].remember(segment, HoldingConnection { slot, number, end });
            }
        }
    }

    #[inline]
    fn get(&self, slot: u32) -> Option<&PairedConnection> {
        self.slots.get(slot as usize)?.as_deref()
    }

    #[inline]
    fn get_mut(&mut self, slot: u32) -> Option<&mut PairedConnection> {
        self.slots.get_mut(slot as usize)?.as_deref_mut()
    }

    #[inline]
    fn find(&self, side: usize, segment: &TcpSegment) -> Option<u32> {
        let table = &self.tables[side];
        table.find(table.hash(segment), |slot| {
            self.get(slot)
                .is_some_and(|connection| connection.joins(side, segment))
        })
    }

    /// A connection that capture `side` has not known: the other does, by the same names or by
    /// others.
    fn recognise(&mut self, side: usize, segment: &TcpSegment) -> Option<u32> {
        if let Some(slot) = self.find(1 - side, segment) {
            let connection = self.get_mut(slot)?;
            if connection.ends[side].is_some() {
                return None;
            }
            connection.ends[side] = connection.ends[1 - side];
            self.enter(side, slot);
            return Some(slot);
        }
        let owner = self.strangers[1 - side].owner(segment)?;
        let connection = self.get_mut(owner.slot)?;
        if connection.number != owner.number || connection.ends[side].is_some() {
            return None;
        }
        let both = [segment.source, segment.destination];
        connection.ends[side] = Some([both[owner.end], both[1 - owner.end]]);
        self.enter(side, owner.slot);
        Some(owner.slot)
    }

    /// A connection that only capture `side` knows may turn out to be one that only the other
    /// knows. Gives where it is kept.
    #[inline]
    fn reunite(
        &mut self,
        slot: u32,
        side: usize,
        segment: &TcpSegment,
        witness: &mut impl Witness,
    ) -> u32 {
        let is_known = |connection: &PairedConnection| connection.ends[1 - side].is_some();
        if self.get(slot).is_none_or(is_known) || self.strangers[1 - side].is_empty() {
            return slot;
        }
        self.join(slot, side, segment, witness).unwrap_or(slot)
    }

    fn join(
        &mut self,
        slot: u32,
        side: usize,
        segment: &TcpSegment,
        witness: &mut impl Witness,
    ) -> Option<u32> {
        let owner = self.strangers[1 - side].owner(segment)?;
        let other = self.get(owner.slot)?;
        let is_stranger = other.number == owner.number && other.ends[side].is_none();
        if !is_stranger || owner.slot == slot {
            return None;
        }
        let end = self.get(slot)?.end_of(side, segment);
        self.leave(side, slot);
        let connection = self.remove(slot)?;
        let known = self.get_mut(owner.slot)?;
        known.join(*connection, side, end ^ owner.end, witness);
        self.enter(side, owner.slot);
        Some(owner.slot)
    }

    fn open(
        &mut self,
        side: usize,
        segment: &TcpSegment,
        extents: &Extents,
        witness: &mut impl Witness,
    ) -> u32 {
        if self.slots.len() - self.free.len() >= self.limits.connections.max(1) {
            self.make_room(extents, witness);
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        let connection = PairedConnection::new(self.next_number, side, segment);
        self.next_number = self.next_number.wrapping_add(1);
        self.slots[slot as usize] = Some(Box::new(connection));
        self.enter(side, slot);
        slot
    }

    fn remove(&mut self, slot: u32) -> Option<Box<PairedConnection>> {
        let connection = self.slots.get_mut(slot as usize)?.take()?;
        self.free.push(slot);
        Some(connection)
    }

    fn enter(&mut self, side: usize, slot: u32) {
        let slots = &self.slots;
        if let Some(hash) = hash_of(slots, &self.tables[side], side, slot) {
            self.tables[side].insert(hash, slot, |slot, table| {
                hash_of(slots, table, side, slot).unwrap_or(0)
            });
        }
    }

    fn leave(&mut self, side: usize, slot: u32) {
        let slots = &self.slots;
        if let Some(hash) = hash_of(slots, &self.tables[side], side, slot) {
            self.tables[side].remove(hash, slot, |slot, table| {
                hash_of(slots, table, side, slot).unwrap_or(0)
            });
        }
    }

    /// Those under way, with where they are kept.
    fn all(&self) -> impl Iterator<Item = (u32, &PairedConnection)> {
        let slots = (0..).zip(&self.slots);
        slots.filter_map(|(slot, connection)| Some((slot, connection.as_deref()?)))
    }

    /// Tells an eighth of the connections before their end: those that were silent longest.
    fn make_room(&mut self, extents: &Extents, witness: &mut impl Witness) {
        let silence = |(slot, connection): (u32, &PairedConnection)| {
            (connection.last_ns, connection.number, slot)
        };
        let mut candidates: Vec<(i64, u32, u32)> = self.all().map(silence).collect();
        let count = (candidates.len() / 8).max(1).min(candidates.len());
        candidates.select_nth_unstable(count - 1);
        candidates.truncate(count);
        candidates.sort_unstable();
        self.evicted += count as u64;
        for (_, _, slot) in candidates {
            self.close(slot, extents, witness);
        }
    }

    fn close(&mut self, slot: u32, extents: &Extents, witness: &mut impl Witness) {
        self.leave(0, slot);
        self.leave(1, slot);
        if let Some(mut connection) = self.remove(slot) {
            connection.finish(extents, witness);
            witness.closed(&connection);
        }
    }

    /// Settles what is over in connections that have fallen silent; gives how many packets wait.
    pub fn sweep(&mut self, now_ns: i64, extents: &Extents, witness: &mut impl Witness) -> usize {
        let mut waiting = 0;
        for connection in self.slots.iter_mut().flatten() {
            connection.settle(now_ns, extents, witness);
            waiting += connection.waiting();
        }
        waiting
    }

    /// Makes room: keeps the last few of each direction that only one capture knows. Gives how
    /// many packets still wait.
    pub fn drop_alone(&mut self) -> usize {
        let mut waiting = 0;
        for connection in self.slots.iter_mut().flatten() {
            connection.drop_alone();
            waiting += connection.waiting();
        }
        waiting
    }

    /// The captures are over.
    pub fn finish(&mut self, extents: &Extents, witness: &mut impl Witness) {
        let all = self.all();
        let mut left: Vec<(u32, u32)> = all
            .map(|(slot, connection)| (connection.number, slot))
            .collect();
        left.sort_unstable();
        for (_, slot) in left {
            self.close(slot, extents, witness);
        }
    }
}

fn hash_of(
    slots: &[Option<Box<PairedConnection>>],
    table: &ConnectionTable,
    side: usize,
    slot: u32,
) -> Option<u64> {
    let [one, other] = slots.get(slot as usize)?.as_ref()?.ends[side]?;
    Some(table.hash_ends(&one, &other))
}
