//! Identity of a connection.

use crate::connection::Connection;
use dissect::Endpoint;

/// A connection by its first packet and its ends: between the same ends there may be others, and
/// an aggregated 802.11 frame may begin several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// Number of its first packet in the file, from 1.
    pub first_packet: u64,
    /// Who opened it.
    pub client: Endpoint,
    /// The other end.
    pub server: Endpoint,
}

impl Identity {
    pub(super) fn of(connection: &Connection) -> Self {
        let [client, server] = connection.ends();
        Identity {
            first_packet: connection.number,
            client,
            server,
        }
    }
}
