//! Knowledge of a rate control about the rates to a receiver.

use phy::Mode;
use units::Duration;

/// A rate, as `rc_stats` in the debugfs of Linux's mac80211 has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownRate {
    /// The mode.
    pub mode: Mode,
    /// Place among those that yield most, from 1 on; 0 for none.
    pub place: u8,
    /// True if it is the one that arrives most surely.
    pub is_surest: bool,
    /// Time of a packet.
    pub packet: Duration,
    /// What it yields if all arrives, and as it is, in tens of packets a second.
    pub most: u32,
    /// See above.
    pub yields: u32,
    /// Part of the packets that arrive.
    pub probability: f64,
    /// Number of times that it is tried before the next one.
    pub tries: u8,
    /// Packets that arrived in the last interval.
    pub last_arrived: u64,
    /// Packets that were sent in it.
    pub last_sent: u64,
    /// Packets that have arrived at all.
    pub arrived: u64,
    /// Packets that have been sent at all.
    pub sent: u64,
}

/// All rates to a receiver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownRates {
    /// The rates, in the order of their groups.
    pub rates: Vec<KnownRate>,
    /// Packets at rates of the chain.
    pub ideal: u64,
    /// Packets that tried another rate.
    pub lookaround: u64,
    /// Packets in an aggregate, on average.
    pub aggregate: f64,
}
