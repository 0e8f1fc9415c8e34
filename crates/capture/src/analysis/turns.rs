//! Segments that follow each other between the same ends.
//!
//! Where one connection has two or three packets in a row, as nearly all have, its place is
//! looked up once for all of them.

use super::table::Table;
use crate::dissect::Segment;

/// Segments looked up together. Few enough to stay in a second-level cache, so many that the
/// first ones, whose connections nobody asked for ahead, do not count.
pub(super) const BATCH: usize = 384;

/// The number of no connection.
pub(super) const NONE: u32 = u32::MAX;

/// A turn of one pair of ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    /// Index of its first segment in the batch.
    pub first: usize,
    pub hash: u64,
    /// The number of the connection that is probably theirs; of none if there is none.
    pub guess: u32,
}

/// The turns of a batch, in order.
#[derive(Debug, Default)]
pub(super) struct Turns {
    turns: Vec<Turn>,
}

impl Turns {
    /// Finds the turns of a batch in place of those of the last.
    #[inline]
    pub fn find(&mut self, batch: &[Segment], table: &Table) {
        self.turns.clear();
        for (first, segment) in batch.iter().enumerate() {
            if first == 0 || !segment.is_between_the_ends_of(&batch[first - 1]) {
                let (hash, guess) = (table.hash(segment), NONE);
                table.prefetch(hash);
                self.turns.push(Turn { first, hash, guess });
            }
        }
        for turn in &mut self.turns {
            turn.guess = table.guess(turn.hash).unwrap_or(NONE);
        }
    }

    #[inline]
    pub fn iter(&self) -> core::slice::Iter<'_, Turn> {
        self.turns.iter()
    }

    #[inline]
    pub fn get(&self, at: usize) -> Option<&Turn> {
        self.turns.get(at)
    }
}
