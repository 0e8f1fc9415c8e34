//! Places for values, all of them filled: where a ring keeps what is in it.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use super::blocks::{self, BYTES, MemoryBlock};

/// Values beside each other: a block, if they are just as large, or else a box.
pub(super) struct ValueStore<T>(NonNull<[T]>);

impl<T: Copy> ValueStore<T> {
    /// So many of one value.
    #[expect(unsafe_code, reason = "a block is made a slice")]
    pub fn of(value: T, count: usize) -> Self {
        if !Self::are_a_block(count) {
            let places = Box::into_raw(vec![value; count].into_boxed_slice());
            return ValueStore(NonNull::new(places).expect("a box is somewhere"));
        }
        let start = blocks::take().cast::<T>();
        for index in 0..count {
            // SAFETY: a block has room for so many, it is aligned for them, and nobody else has it.
            unsafe { start.add(index).write(value) };
        }
        ValueStore(NonNull::slice_from_raw_parts(start, count))
    }
}

impl<T> ValueStore<T> {
    const fn are_a_block(count: usize) -> bool {
        count * size_of::<T>() == BYTES && align_of::<T>() <= align_of::<MemoryBlock>()
    }
}

impl<T> Default for ValueStore<T> {
    fn default() -> Self {
        ValueStore(NonNull::slice_from_raw_parts(NonNull::dangling(), 0))
    }
}

impl<T> Deref for ValueStore<T> {
    type Target = [T];

    #[inline]
    #[expect(unsafe_code, reason = "what stands in a block is read")]
    fn deref(&self) -> &[T] {
        // SAFETY: all values were written when it was made, and are its own until it is dropped.
        unsafe { self.0.as_ref() }
    }
}

impl<T> DerefMut for ValueStore<T> {
    #[inline]
    #[expect(unsafe_code, reason = "what stands in a block is changed")]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { self.0.as_mut() }
    }
}

impl<T> Drop for ValueStore<T> {
    #[expect(unsafe_code, reason = "a box is made of what came from one")]
    fn drop(&mut self) {
        if Self::are_a_block(self.len()) {
            blocks::give_back(self.0.cast());
        } else {
            // SAFETY: it came from a box of as many, or it is empty, and then a box is nowhere,
            // too.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for ValueStore<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
