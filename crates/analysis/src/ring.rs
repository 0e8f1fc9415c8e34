//! A queue whose places are found without a branch.
//!
//! `VecDeque` wraps an index by comparing it, and whether it wraps is nothing a
//! processor can foresee; a wrong guess throws away the loads that were begun for
//! other connections. A capacity that is a power of two needs a mask only.

use super::places::ValueStore;

/// Places at the beginning, a power of two: enough for a handshake.
const FIRST_PLACES: usize = 4;

/// Places when those do not suffice, for data then flow: a block of segments on their way, see
/// `blocks.rs`.
const NEXT_PLACES: usize = 32;

/// A queue of small values.
#[derive(Debug, Default)]
pub(super) struct Ring<T> {
    places: ValueStore<T>,
    head: u32,
    len: u32,
}

impl<T: Copy + Default> Ring<T> {
    /// Returns how many there are.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Where value number `index` stands; it must be masked against an empty ring by the caller.
    #[inline]
    fn place(&self, index: usize) -> usize {
        (self.head as usize + index) & self.places.len().wrapping_sub(1)
    }

    /// Value number `index`, or whatever stood there; none only before the first value.
    #[inline]
    pub fn peek(&self, index: usize) -> Option<&T> {
        self.places.get(self.place(index))
    }

    /// Value number `index`.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        if index < self.len() {
            self.peek(index)
        } else {
            None
        }
    }

    /// Value number `index`, to change it.
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index >= self.len() {
            return None;
        }
        let place = self.place(index);
        self.places.get_mut(place)
    }

    /// Appends a value.
    #[inline]
    pub fn push_back(&mut self, value: T) {
        if self.len() == self.places.len() {
            self.grow();
        }
        let place = self.place(self.len());
        self.places[place] = value;
        self.len += 1;
    }

    /// Takes the first value away.
    #[inline]
    pub fn pop_front(&mut self) {
        if self.len > 0 {
            self.head = self.place(1) as u32;
            self.len -= 1;
        }
    }

    /// Puts a value before value number `index`.
    pub fn insert(&mut self, index: usize, value: T) {
        self.push_back(value);
        for at in (index + 1..self.len()).rev() {
            let (to, from) = (self.place(at), self.place(at - 1));
            self.places[to] = self.places[from];
        }
        let place = self.place(index.min(self.len() - 1));
        self.places[place] = value;
    }

    /// Returns how many values stand before the first for which `is_before` fails, if those for
    /// which it holds stand first.
    pub fn partition_point(&self, is_before: impl Fn(&T) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.get(middle).is_some_and(&is_before) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    #[cold]
    fn grow(&mut self) {
        let places = match self.places.len() {
            0 => FIRST_PLACES,
            few => (few * 2).max(NEXT_PLACES),
        };
        let mut places = ValueStore::of(T::default(), places);
        for index in 0..self.len() {
            places[index] = self.places[self.place(index)];
        }
        self.places = places;
        self.head = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_does_what_a_queue_does(steps in proptest::collection::vec((0..4, any::<u16>()), 0..300)) {
            let (mut ring, mut queue) = (Ring::default(), VecDeque::new());
            for (step, value) in steps {
                match step {
                    0 | 1 => {
                        ring.push_back(value);
                        queue.push_back(value);
                    }
                    2 => {
                        ring.pop_front();
                        queue.pop_front();
                    }
                    _ => {
                        let at = usize::from(value) % (queue.len() + 1);
                        ring.insert(at, value);
                        queue.insert(at, value);
                    }
                }
                let held: Vec<u16> = (0..ring.len()).map(|n| *ring.get(n).unwrap()).collect();
                prop_assert_eq!(held, queue.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(ring.get(ring.len()), None);
            }
        }
    }
}
