//! Segments that follow each other between the same ends, seen some turns before they are taken.
//!
//! Where one connection has two or three packets in a row, as nearly all have, its place is
//! looked up once for all of them.
//!
//! With many connections open, nearly every one has left the caches since its last turn. So what a
//! turn needs is asked for while those before it are taken. It goes in stages, because each asks
//! at a place that stands in what the one before has brought; and at most one turn a stage, as a
//! processor can have a dozen lines of memory under way and no more.

use super::store::ConnectionStore;
use dissect::ConnectionTable;
use dissect::TcpSegment;

/// The number of no connection.
pub(super) const NONE: u32 = u32::MAX;

/// Segments of a turn at most, so that they are still at hand when it is taken.
const LONGEST: usize = 16;

/// Distances, in turns behind the first look at a turn, at which its connection is looked up and
/// asked for, then what its senders need, then their segments on their way, and when it is taken.
/// With steps of three to six turns 20,000 connections take the same time, with shorter ones
/// longer. (Measured, `benches/captures.py`.)
const FIND_BEHIND: usize = 4;
const SENDING_BEHIND: usize = 8;
const SEGMENTS_BEHIND: usize = 12;
const TAKE_BEHIND: usize = 16;

/// Turns that are remembered, a power of two.
const REMEMBERED: usize = (TAKE_BEHIND + 1).next_power_of_two();

/// A turn of one pair of ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Train<'a> {
    pub segments: &'a [TcpSegment],
    pub hash: u64,
    /// The number of the connection that is probably theirs; of none if there is none.
    pub guess: u32,
}

impl Train<'_> {
    const NOBODYS: Self = Train {
        segments: &[],
        hash: 0,
        guess: NONE,
    };
}

/// Segments that follow each other between the same ends, turn by turn, and then nothing until the
/// last of it is taken.
#[derive(Debug)]
pub(super) struct Coming<'a> {
    rest: &'a [TcpSegment],
    until_taken: usize,
}

impl<'a> Coming<'a> {
    pub const fn new(segments: &'a [TcpSegment]) -> Self {
        Coming {
            rest: segments,
            until_taken: TAKE_BEHIND,
        }
    }
}

impl<'a> Iterator for Coming<'a> {
    type Item = &'a [TcpSegment];

    #[inline]
    fn next(&mut self) -> Option<&'a [TcpSegment]> {
        let [first, others @ ..] = self.rest else {
            self.until_taken = self.until_taken.checked_sub(1)?;
            return Some(&[]);
        };
        let more = others
            .iter()
            .take(LONGEST - 1)
            .take_while(|next| next.is_between_the_ends_of(first));
        let (train, rest) = self.rest.split_at(1 + more.count());
        self.rest = rest;
        Some(train)
    }
}

/// The last turns.
#[derive(Debug)]
pub(super) struct Trains<'a> {
    trains: [Train<'a>; REMEMBERED],
    latest: usize,
}

impl<'a> Trains<'a> {
    pub const fn new() -> Self {
        Trains {
            trains: [Train::NOBODYS; REMEMBERED],
            latest: 0,
        }
    }

    /// Looks at the next turn, asks for what others need, and gives the one that is to be taken
    /// now.
    #[inline]
    pub fn advance(
        &mut self,
        segments: &'a [TcpSegment],
        table: &ConnectionTable,
        store: &ConnectionStore,
    ) -> Train<'a> {
        self.latest += 1;
        *self.behind(0) = Train {
            segments,
            ..Train::NOBODYS
        };
        if let Some(first) = segments.first() {
            let hash = table.hash(first);
            table.prefetch(hash);
            self.behind(0).hash = hash;
        }
        let train = self.behind(FIND_BEHIND);
        if !train.segments.is_empty() {
            train.guess = table.guess(train.hash).unwrap_or(NONE);
            store.prefetch(train.guess);
        }
        store.prefetch_sending(self.behind(SENDING_BEHIND).guess);
        store.prefetch_segments(self.behind(SEGMENTS_BEHIND).guess);
        *self.behind(TAKE_BEHIND)
    }

    #[inline]
    fn behind(&mut self, distance: usize) -> &mut Train<'a> {
        &mut self.trains[self.latest.wrapping_sub(distance) % REMEMBERED]
    }
}
