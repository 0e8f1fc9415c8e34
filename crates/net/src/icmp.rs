//! ICMP: echoes, and errors about packets (RFC 792).

use std::net::Ipv4Addr;

use crate::IPV4_HEADER;

const HEADER: u32 = 8;

/// An echo request or its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// True if this is the reply.
    pub reply: bool,
    /// The request's number; the reply carries the same.
    pub sequence: u32,
    /// Payload bytes.
    pub payload: u32,
}

impl Echo {
    /// The answer of a host to this request: the same number and payload.
    #[inline]
    pub const fn answer(self) -> Echo {
        Echo {
            reply: true,
            ..self
        }
    }

    /// Bytes of the IP packet that carries it.
    #[inline]
    pub const fn ip_bytes(self) -> u32 {
        IPV4_HEADER + HEADER + self.payload
    }
}

/// Why a packet could not be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// No route leads there.
    NetUnreachable,
    /// The last router cannot resolve the host's address.
    HostUnreachable,
    /// Nobody listens at the UDP port.
    PortUnreachable,
    /// It is longer than the next link allows and must not be fragmented.
    FragmentationNeeded {
        /// Bytes of the longest IP packet that the next link carries (RFC 1191 §4).
        next_hop_mtu: u16,
    },
    /// Its time to live ran out on the way.
    TimeExceeded,
}

impl Error {
    /// Type and code of the message.
    pub const fn type_and_code(self) -> (u8, u8) {
        match self {
            Error::NetUnreachable => (3, 0),
            Error::HostUnreachable => (3, 1),
            Error::PortUnreachable => (3, 3),
            Error::FragmentationNeeded { .. } => (3, 4),
            Error::TimeExceeded => (11, 0),
        }
    }
}

/// Facts that decide whether an error may be sent about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offender {
    /// Who sent it.
    pub source: Ipv4Addr,
    /// True if it went to several hosts: by its IP address or by that of the frame it came in.
    pub is_to_many: bool,
    /// True if it is a fragment other than the first.
    pub is_later_fragment: bool,
    /// True if it is an ICMP error itself.
    pub is_error: bool,
}

impl Offender {
    /// Returns whether an error may be sent about it (RFC 1122 §3.2.2): never where that would
    /// beget another, or one from each of many hosts, or go to nobody in particular.
    pub const fn may_be_told(self) -> bool {
        let is_single_host = !self.source.is_unspecified()
            && !self.source.is_loopback()
            && !self.source.is_multicast()
            && self.source.octets()[0] < 240;
        is_single_host && !self.is_to_many && !self.is_later_fragment && !self.is_error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_ping_is_an_84_byte_packet() {
        let request = Echo {
            reply: false,
            sequence: 7,
            payload: 56,
        };
        assert_eq!(request.ip_bytes(), 84);
        assert_eq!(
            request.answer(),
            Echo {
                reply: true,
                sequence: 7,
                payload: 56
            }
        );
    }

    #[test]
    fn an_error_says_what_happened_by_type_and_code() {
        let too_big = Error::FragmentationNeeded { next_hop_mtu: 1400 };
        assert_eq!(too_big.type_and_code(), (3, 4));
        assert_eq!(Error::TimeExceeded.type_and_code(), (11, 0));
    }

    #[test]
    fn no_error_is_sent_that_could_beget_a_storm() {
        let datagram = Offender {
            source: Ipv4Addr::new(10, 0, 0, 7),
            is_to_many: false,
            is_later_fragment: false,
            is_error: false,
        };
        assert!(datagram.may_be_told());
        let mute = [
            Offender {
                is_to_many: true,
                ..datagram
            },
            Offender {
                is_later_fragment: true,
                ..datagram
            },
            Offender {
                is_error: true,
                ..datagram
            },
        ];
        assert_eq!(mute.map(Offender::may_be_told), [false; 3]);
    }

    #[test]
    fn no_error_is_sent_to_what_is_no_single_host() {
        let sources = [
            "0.0.0.0",
            "127.0.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
        ];
        for source in sources {
            let packet = Offender {
                source: source.parse().unwrap(),
                is_to_many: false,
                is_later_fragment: false,
                is_error: false,
            };
            assert!(!packet.may_be_told(), "{source}");
        }
    }
}
