//! The pieces that Linux hands to the interface.

/// The segments that leave together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Piece {
    /// Where the present one ends.
    pub end: u64,
    /// Where the data begin that were written since everything had been sent last.
    pub queue_start: u64,
}

impl Piece {
    /// All that was written has been sent, up to `nxt`.
    #[inline]
    pub fn note_drained(&mut self, nxt: u64) {
        self.queue_start = nxt;
    }
}
