//! Identity of a connection.

use crate::connection::CapturedConnection;
use dissect::ConnectionEnd;

/// A connection by its first packet and its ends: between the same ends there may be others, and
/// an aggregated 802.11 frame may begin several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConnectionIdentity {
    /// Number of its first packet in the file, from 1.
    pub first_packet: u64,
    /// Who opened it.
    pub client: ConnectionEnd,
    /// The other end.
    pub server: ConnectionEnd,
}

impl ConnectionIdentity {
    pub(super) fn of(connection: &CapturedConnection) -> Self {
        let [client, server] = connection.ends();
        ConnectionIdentity {
            first_packet: connection.number,
            client,
            server,
        }
    }
}
