//! UDP datagrams (RFC 768).

use crate::IPV4_HEADER;

/// A datagram; its payload is a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Payload bytes.
    pub payload: u32,
}

impl Datagram {
    const HEADER: u32 = 8;

    /// Bytes of the IP packet that carries it.
    #[inline]
    pub const fn ip_bytes(self) -> u32 {
        IPV4_HEADER + Self::HEADER + self.payload
    }
}
