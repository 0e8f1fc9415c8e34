//! UDP datagrams (RFC 768).

use units::Time;

use crate::IPV4_HEADER;

/// A datagram; its payload is a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The port it comes from.
    pub source_port: u16,
    /// The port it goes to.
    pub destination_port: u16,
    /// Payload bytes.
    pub payload: u32,
    /// Its number among those of its flow and direction, from 0 on.
    pub number: u32,
    /// Time when it was sent.
    pub sent: Time,
    /// A number in its payload, for the application.
    pub tag: u64,
}

impl Datagram {
    const HEADER: u32 = 8;

    /// Bytes of the IP packet that carries it.
    #[inline]
    pub const fn ip_bytes(self) -> u32 {
        IPV4_HEADER + Self::HEADER + self.payload
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_of_1472_bytes_fills_a_packet_of_1500() {
        let datagram = Datagram {
            source_port: 49152,
            destination_port: 5001,
            payload: 1472,
            number: 0,
            sent: Time::ZERO,
            tag: 0,
        };
        assert_eq!(datagram.ip_bytes(), 1500);
    }
}
