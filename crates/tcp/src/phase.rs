//! What a connection is doing about losses.

/// What a connection is doing about losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecoveryPhase {
    /// Nothing is known to be lost.
    Open,
    /// Fast recovery: duplicate acknowledgements told of a loss.
    Fast,
    /// The timer expired, or Tahoe acts as if it had, and what was outstanding is being
    /// sent again.
    Timeout,
}
