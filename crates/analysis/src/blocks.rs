//! Memory for what many connections need alike, many pieces of it to a large page.
//!
//! A processor remembers of a few thousand pages where they lie. The pieces that a system's
//! allocator gives to twenty thousand connections lie on more small pages than that, and with
//! nearly every turn of a connection one would have to be looked up. So pieces of one size come
//! from here, out of large pages. They are a thread's own; when the last is given back, so is the
//! memory.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::RefCell;
use std::ptr::NonNull;

use super::huge_pages::ask_for_huge_pages;

/// Bytes of a block: 32 segments on their way.
pub(super) const BYTES: usize = 768;

/// Blocks to a chunk: few at first, since most captures have few connections, and then as many as
/// fill three large pages.
const FEW: usize = 64;
const MANY: usize = 8192;

/// A large page of x86-64, and of 64-bit Arm with pages of 4 KiB; elsewhere a boundary as good as
/// any.
const PAGE: usize = 2 << 20;

/// A piece of memory, of which nothing is known but its size and that it begins with a line of
/// the cache.
#[repr(align(64))]
pub(super) struct MemoryBlock(
    #[expect(dead_code, reason = "it is for others to say what is in it")] [u8; BYTES],
);

/// A block that nobody else has, until [`give_back`]; what stands in it is not initialised.
pub(super) fn take() -> NonNull<MemoryBlock> {
    BLOCKS.with_borrow_mut(Blocks::take)
}

/// Takes back what [`take`] gave to this thread.
pub(super) fn give_back(block: NonNull<MemoryBlock>) {
    BLOCKS.with_borrow_mut(|blocks| blocks.give_back(block));
}

thread_local! {
    static BLOCKS: RefCell<Blocks> = RefCell::default();
}

#[derive(Default)]
struct Blocks {
    chunks: Vec<Chunk>,
    free: Vec<NonNull<MemoryBlock>>,
    taken: usize,
}

impl Blocks {
    fn take(&mut self) -> NonNull<MemoryBlock> {
        self.taken += 1;
        if let Some(block) = self.free.pop() {
            return block;
        }
        if let Some(block) = self.chunks.last_mut().and_then(Chunk::next) {
            return block;
        }
        let size = if self.chunks.is_empty() { FEW } else { MANY };
        let mut chunk = Chunk::new(size);
        let block = chunk.next().expect("it is new");
        self.chunks.push(chunk);
        block
    }

    fn give_back(&mut self, block: NonNull<MemoryBlock>) {
        self.taken -= 1;
        self.free.push(block);
        if self.taken == 0 {
            *self = Blocks::default();
        }
    }
}

/// Blocks beside each other.
struct Chunk {
    start: NonNull<MemoryBlock>,
    size: usize,
    /// Number of those that were ever taken: the first ones.
    used: usize,
}

impl Chunk {
    #[expect(
        unsafe_code,
        reason = "memory that stays uninitialised has no safe form"
    )]
    fn new(size: usize) -> Self {
        let layout = Self::layout(size);
        // SAFETY: its size is not 0.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start.cast()) else {
            handle_alloc_error(layout)
        };
        if size == MANY {
            ask_for_huge_pages(start.as_ptr(), size);
        }
        let used = 0;
        Chunk { start, size, used }
    }

    fn layout(size: usize) -> Layout {
        let align = if size == MANY {
            PAGE
        } else {
            align_of::<MemoryBlock>()
        };
        let layout = Layout::array::<MemoryBlock>(size).and_then(|layout| layout.align_to(align));
        layout.expect("some megabytes")
    }

    #[expect(
        unsafe_code,
        reason = "an address within a piece of memory is computed"
    )]
    fn next(&mut self) -> Option<NonNull<MemoryBlock>> {
        if self.used == self.size {
            return None;
        }
        // SAFETY: it lies within what was allocated.
        let block = unsafe { self.start.add(self.used) };
        self.used += 1;
        Some(block)
    }
}

impl Drop for Chunk {
    #[expect(unsafe_code, reason = "memory is given back that is no value's")]
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and no block of it is taken any more: the
        // thread has ended, with all that was its own, or the last was given back.
        unsafe { dealloc(self.start.as_ptr().cast(), Self::layout(self.size)) };
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn blocks_lie_beside_each_other_and_are_used_again() {
        let taken: Vec<_> = (0..FEW + 10).map(|_| take()).collect();
        let places: BTreeSet<usize> = taken.iter().map(|block| block.addr().get()).collect();
        let apart = places
            .iter()
            .zip(places.iter().skip(1))
            .map(|(one, next)| next - one);
        assert_eq!(places.len(), FEW + 10);
        assert!(apart.min() >= Some(BYTES));
        let last = *taken.last().unwrap();
        give_back(last);
        assert_eq!(take(), last);
        taken.into_iter().for_each(give_back);
        BLOCKS.with_borrow(|blocks| assert!(blocks.chunks.is_empty() && blocks.free.is_empty()));
    }
}
