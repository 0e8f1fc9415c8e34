//! Segments that follow each other between the same ends, foreseen before they are taken.
//!
//! Where one connection has two or three packets in a row, as nearly all have, its place is
//! looked up once for all of them.
//!
//! With many connections open, nearly every one has left the caches since its last turn. A
//! processor can have a dozen lines of memory under way and no more, so what a turn needs is
//! asked for while packets behind it are still being dissected: spread over all the work there
//! is, the requests hardly wait for each other. They go in stages, because each asks at a place
//! that stands in what the one before has brought.

use super::store::Store;
use super::table::Table;
use crate::dissect::Segment;

/// Segments foreseen before they are taken. Few enough that they and what they need stay in a
/// second-level cache.
pub(super) const BATCH: usize = 384;

/// The number of no connection.
pub(super) const NONE: u32 = u32::MAX;

/// How many turns behind the latest its connection is looked up and asked for, then what its
/// senders need, and then their segments on their way. A main memory's latency is about that of
/// four segments' work.
const FIND_BEHIND: usize = 4;
const SENDING_BEHIND: usize = 9;
const SEGMENTS_BEHIND: usize = 14;

/// A turn of one pair of ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// How many segments were foreseen before its first.
    first: usize,
    pub hash: u64,
    /// The number of the connection that is probably theirs; of none if there is none.
    pub guess: u32,
}

/// The turns of segments that wait to be taken.
#[derive(Debug, Default)]
pub(super) struct Turns {
    turns: Vec<Turn>,
    /// Segments foreseen, and how many of them are taken.
    foreseen: usize,
    taken: usize,
    /// The turn that was taken last.
    current: usize,
    /// How far the stages have come: the number of the turn that the first of them is for, if it
    /// were not [`FIND_BEHIND`].
    stage: usize,
}

impl Turns {
    /// Foreseen segments that are not taken yet.
    #[inline]
    pub const fn waiting(&self) -> usize {
        self.foreseen - self.taken
    }

    /// Foresees `segments[from..]`; those before are foreseen already.
    #[inline]
    pub fn foresee(&mut self, segments: &[Segment], from: usize, table: &Table, store: &Store) {
        for at in from..segments.len() {
            let goes_on = at > 0 && segments[at].is_between_the_ends_of(&segments[at - 1]);
            if !goes_on {
                let (hash, first) = (table.hash(&segments[at]), self.foreseen);
                table.prefetch(hash);
                let guess = NONE;
                self.turns.push(Turn { first, hash, guess });
                self.advance(self.turns.len(), table, store);
            }
            self.foreseen += 1;
        }
    }

    /// No more will be foreseen before these are taken.
    #[inline]
    pub fn settle(&mut self, table: &Table, store: &Store) {
        self.advance(self.turns.len() + SEGMENTS_BEHIND, table, store);
    }

    #[inline]
    fn advance(&mut self, to: usize, table: &Table, store: &Store) {
        while self.stage < to {
            self.stage += 1;
            if let Some(turn) = behind(&mut self.turns, self.stage, FIND_BEHIND) {
                turn.guess = table.guess(turn.hash).unwrap_or(NONE);
                store.prefetch(turn.guess);
            }
            if let Some(turn) = behind(&mut self.turns, self.stage, SENDING_BEHIND) {
                store.prefetch_sending(turn.guess);
            }
            if let Some(turn) = behind(&mut self.turns, self.stage, SEGMENTS_BEHIND) {
                store.prefetch_segments(turn.guess);
            }
        }
    }

    /// The turn of the segment that is taken next, and how many of the next `most` are of it,
    /// which are taken with it.
    #[inline]
    pub fn take(&mut self, most: usize) -> (Turn, usize) {
        let end_of = |turns: &[Turn], number: usize| turns.get(number + 1).map(|next| next.first);
        if end_of(&self.turns, self.current) == Some(self.taken) {
            self.current += 1;
        }
        let turn = self.turns[self.current];
        let end = end_of(&self.turns, self.current).unwrap_or(self.foreseen);
        let count = most.min(end - self.taken);
        self.taken += count;
        if self.taken == self.foreseen {
            self.forget();
        }
        (turn, count)
    }

    fn forget(&mut self) {
        self.turns.clear();
        (self.foreseen, self.taken, self.current, self.stage) = (0, 0, 0, 0);
    }
}

#[inline]
fn behind(turns: &mut [Turn], stage: usize, distance: usize) -> Option<&mut Turn> {
    turns.get_mut(stage.checked_sub(distance)?)
}
