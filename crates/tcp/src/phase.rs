//! Phases of loss recovery.

/// Phase of a connection's loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecoveryPhase {
    /// Nothing is known to be lost.
    Open,
    /// Fast recovery: duplicate acknowledgements told of a loss.
    Fast,
    /// The timer expired, or Tahoe acts as if it had, and what was outstanding is being
    /// retransmitted.
    Timeout,
}
