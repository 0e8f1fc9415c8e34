//! Reports of SACK options: the ranges that arrived most recently.

use crate::ranges::OffsetRange;

/// The ranges that arrived most recently, newest first.
#[derive(Clone, Debug)]
pub(super) struct RecentBlocks {
    blocks: [OffsetRange; RecentBlocks::MAX],
    len: usize,
    most: usize,
}

impl RecentBlocks {
    /// Twice as many as an option holds: it stays full when some of them merge.
    pub const MAX: usize = 8;

    /// Keeps `most` of them, no more than [`MAX`](Self::MAX).
    pub fn new(most: usize) -> RecentBlocks {
        RecentBlocks {
            blocks: [OffsetRange::default(); RecentBlocks::MAX],
            len: 0,
            most,
        }
    }

    #[inline]
    pub fn as_slice(&self) -> &[OffsetRange] {
        &self.blocks[..self.len]
    }

    /// Puts `range` first, joined with the blocks that it overlaps or touches.
    pub fn touch(&mut self, range: OffsetRange) {
        let mut joined = range;
        self.retain(|block| {
            let touches = block.start <= joined.end && joined.start <= block.end;
            if touches {
                joined = OffsetRange::new(block.start.min(joined.start), block.end.max(joined.end));
            }
            !touches
        });
        self.len = (self.len + 1).min(self.most);
        self.blocks[..self.len].rotate_right(1);
        self.blocks[0] = joined;
    }

    /// The place of the first block that `range` touches, which it extends; the number of blocks
    /// if there is none.
    pub fn extend(&mut self, range: OffsetRange) -> usize {
        let touches = |block: &OffsetRange| block.start <= range.end && range.start <= block.end;
        let place = self.as_slice().iter().position(touches);
        if let Some(block) = place.map(|place| &mut self.blocks[place]) {
            *block = OffsetRange::new(block.start.min(range.start), block.end.max(range.end));
        }
        place.unwrap_or(self.len)
    }

    /// Forgets the blocks that begin at or below `offset`, which has been reached.
    pub fn discard_below(&mut self, offset: u64) {
        self.retain(|block| block.start > offset);
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }

    fn retain(&mut self, mut keep: impl FnMut(OffsetRange) -> bool) {
        let mut kept = 0;
        for i in 0..self.len {
            if keep(self.blocks[i]) {
                self.blocks[kept] = self.blocks[i];
                kept += 1;
            }
        }
        self.len = kept;
    }
}
