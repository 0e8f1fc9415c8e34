//! Where a connection is found by the addresses and ports of a segment.
//!
//! Open addressing with linear probing; each place holds 32 bits of the hash and
//! the connection's number, so that eight places share a cache line and a wrong
//! connection is hardly ever touched. Removal moves the followers up, so there
//! are no tombstones to wade through. The hash is seeded at random, so that
//! nobody can make a capture whose connections all meet in one place; the order
//! in it is never shown.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use crate::mix::{WORDS, fold};
use crate::prefetch::prefetch;
use crate::{ConnectionEnd, TcpSegment};

const EMPTY: u32 = u32::MAX;

/// Places at the beginning, a power of two.
const FIRST_PLACES: usize = 1024;

#[derive(Clone, Copy, Debug)]
struct TableSlot {
    tag: u32,
    connection: u32,
}

const FREE: TableSlot = TableSlot {
    tag: 0,
    connection: EMPTY,
};

/// Finds connections.
#[derive(Debug)]
pub struct ConnectionTable {
    places: Vec<TableSlot>,
    used: usize,
    seed: u64,
}

impl Default for ConnectionTable {
    fn default() -> Self {
        ConnectionTable {
            places: vec![FREE; FIRST_PLACES],
            used: 0,
            seed: RandomState::new().build_hasher().finish(),
        }
    }
}

impl ConnectionTable {
    /// The hash of a segment's ends, the same in both directions.
    #[inline]
    pub fn hash(&self, segment: &TcpSegment) -> u64 {
        self.hash_ends(&segment.source, &segment.destination)
    }

    /// That of two ends, in either order.
    #[inline]
    pub fn hash_ends(&self, one: &ConnectionEnd, other: &ConnectionEnd) -> u64 {
        let end = |end: &ConnectionEnd| {
            let (high, low) = ((end.address.0 >> 64) as u64, end.address.0 as u64);
            let port = u64::from(end.port) << 48;
            fold(low ^ port ^ self.seed, WORDS[0]) ^ fold(high ^ port ^ self.seed, WORDS[1])
        };
        let (a, b) = (end(one), end(other));
        fold(a.wrapping_add(b) ^ WORDS[2], (a ^ b) | WORDS[3])
    }

    /// The hash of a number.
    #[inline]
    pub fn hash_word(&self, word: u64) -> u64 {
        fold(word ^ self.seed, WORDS[0])
    }

    /// Asks for the place where a search for this hash begins.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        let place = &self.places[hash as usize & (self.places.len() - 1)];
        prefetch(place, 0, size_of::<TableSlot>());
    }

    /// The connection with this hash for which `is_it` holds.
    #[inline]
    pub fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.places.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let place = self.places[at];
            if place.connection == EMPTY {
                return None;
            }
            if place.tag == tag(hash) && is_it(place.connection) {
                return Some(place.connection);
            }
            at = (at + 1) & mask;
        }
    }

    /// The first connection that may be the one with this hash, without a look at it.
    #[inline]
    pub fn guess(&self, hash: u64) -> Option<u32> {
        self.find(hash, |_| true)
    }

    /// Enters a connection; `hash_of` tells the hashes of those that must move.
    pub fn insert(
        &mut self,
        hash: u64,
        connection: u32,
        hash_of: impl Fn(u32, &ConnectionTable) -> u64,
    ) {
        // More than half full, runs of places grow long, and nobody foresees how long.
        if (self.used + 1) * 2 > self.places.len() {
            self.grow(hash_of);
        }
        self.put(hash, connection);
        self.used += 1;
    }

    fn put(&mut self, hash: u64, connection: u32) {
        let mask = self.places.len() - 1;
        let mut at = hash as usize & mask;
        while self.places[at].connection != EMPTY {
            at = (at + 1) & mask;
        }
        self.places[at] = TableSlot {
            tag: tag(hash),
            connection,
        };
    }

    fn grow(&mut self, hash_of: impl Fn(u32, &ConnectionTable) -> u64) {
        let doubled = vec![FREE; self.places.len() * 2];
        let old = std::mem::replace(&mut self.places, doubled);
        for place in old.iter().filter(|place| place.connection != EMPTY) {
            let hash = hash_of(place.connection, self);
            self.put(hash, place.connection);
        }
    }

    /// Removes a connection.
    pub fn remove(
        &mut self,
        hash: u64,
        connection: u32,
        hash_of: impl Fn(u32, &ConnectionTable) -> u64,
    ) {
        let mask = self.places.len() - 1;
        let mut hole = hash as usize & mask;
        while self.places[hole].connection != connection {
            if self.places[hole].connection == EMPTY {
                return;
            }
            hole = (hole + 1) & mask;
        }
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let place = self.places[at];
            if place.connection == EMPTY {
                break;
            }
            let home = hash_of(place.connection, self) as usize & mask;
            // It may move up unless its home lies behind the hole.
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(hole) & mask {
                self.places[hole] = place;
                hole = at;
            }
        }
        self.places[hole] = FREE;
        self.used -= 1;
    }
}

/// The upper half tells connections apart; the lower says where to look.
#[inline]
const fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::IpAddress;

    fn end(number: u32) -> ConnectionEnd {
        ConnectionEnd {
            address: IpAddress(u128::from(number / 7)),
            port: (number % 7) as u16,
        }
    }

    #[test]
    fn both_directions_have_the_same_hash() {
        let table = ConnectionTable::default();
        assert_eq!(
            table.hash_ends(&end(1), &end(50)),
            table.hash_ends(&end(50), &end(1))
        );
        assert_ne!(
            table.hash_ends(&end(1), &end(50)),
            table.hash_ends(&end(2), &end(50))
        );
    }

    proptest! {
        /// Whatever comes and goes, the table knows what a map knows. Few distinct hashes, so
        /// that runs are long and wrap around.
        #[test]
        fn it_finds_what_is_in_it(steps in proptest::collection::vec((any::<bool>(), 0_u32..3000), 0..4000)) {
            let hash_of = |connection: u32, _: &ConnectionTable| u64::from(connection % 97) * 0x1_0000_0011;
            let mut table = ConnectionTable::default();
            let mut known = BTreeMap::new();
            for (insert, number) in steps {
                let hash = hash_of(number, &table);
                if insert && known.insert(number, ()).is_none() {
                    table.insert(hash, number, hash_of);
                } else if !insert && known.remove(&number).is_some() {
                    table.remove(hash, number, hash_of);
                }
            }
            for number in 0..3000 {
                let found = table.find(hash_of(number, &table), |connection| connection == number);
                prop_assert_eq!(found.is_some(), known.contains_key(&number));
            }
        }
    }
}
