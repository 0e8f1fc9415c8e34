//! What a MAC has done so far.

use crate::mode::Mode;

/// Counts since the start of the run. Queue drops, retry drops and outcomes add up: every MSDU
/// offered is delivered, dropped with a cause, or still queued.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// MSDUs that [`Mac::enqueue`](crate::Mac::enqueue) was asked to take.
    pub offered: u64,
    /// MSDUs refused because the queue was full.
    pub queue_drops: u64,
    /// MSDUs given up after the short retry limit.
    pub short_retry_drops: u64,
    /// MSDUs given up after the long retry limit.
    pub long_retry_drops: u64,
    /// Unicast MSDUs acknowledged to the last fragment.
    pub acknowledged: u64,
    /// Broadcast MSDUs transmitted.
    pub broadcasts: u64,
    /// Data MPDUs transmitted, retries included, in each mode.
    pub data_attempts: [u64; Mode::COUNT],
    /// Data MPDUs transmitted that were fragments of a larger MSDU.
    pub fragments: u64,
    /// Data MPDUs transmitted with the retry bit.
    pub retries: u64,
    /// Data MPDUs that were not acknowledged.
    pub ack_failures: u64,
    /// RTS transmitted.
    pub rts_sent: u64,
    /// RTS that were not answered.
    pub cts_failures: u64,
    /// CTS transmitted.
    pub cts_sent: u64,
    /// RTS not answered because the NAV forbade it.
    pub cts_withheld: u64,
    /// ACKs transmitted.
    pub acks_sent: u64,
    /// Beacons transmitted.
    pub beacons_sent: u64,
    /// MSDUs handed up.
    pub delivered: u64,
    /// Data MPDUs received again after a lost ACK, acknowledged and discarded.
    pub duplicates: u64,
    /// Fragments discarded because one before them is missing.
    pub orphan_fragments: u64,
}

impl Counters {
    /// Data MPDUs transmitted in all modes.
    pub fn attempts(&self) -> u64 {
        self.data_attempts.iter().sum()
    }
}
