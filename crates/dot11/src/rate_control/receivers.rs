//! What a rate control keeps of each receiver.

use crate::frame::Address;

/// A table by address; it grows when a new receiver is sent to and never after.
#[derive(Clone, Debug)]
pub(super) struct ReceiverTable<T> {
    fresh: T,
    each: Vec<T>,
}

impl<T: Clone> ReceiverTable<T> {
    /// Nobody yet; `fresh` is what is known of somebody new.
    pub(super) fn new(fresh: T) -> ReceiverTable<T> {
        ReceiverTable {
            fresh,
            each: Vec::new(),
        }
    }

    /// Returns what is known of somebody, if anything may be.
    pub(super) fn known(&self, to: Address) -> Option<&T> {
        self.each.get(usize::from(to.0))
    }

    #[inline]
    pub(super) fn of(&mut self, to: Address) -> &mut T {
        let index = usize::from(to.0);
        if index >= self.each.len() {
            self.each.resize(index + 1, self.fresh.clone());
        }
        &mut self.each[index]
    }
}
