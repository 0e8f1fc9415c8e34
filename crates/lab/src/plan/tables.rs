//! Long tables that a plan wants kept.

use serde::{Deserialize, Serialize};

/// Long tables, which are kept only where they are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongTables {
    /// A row for each datagram and each echo request.
    pub datagrams: bool,
    /// A row for each data frame and RTS.
    pub attempts: bool,
    /// How long what happens takes, every single time, in buckets; and percentiles of it.
    pub distributions: bool,
}
