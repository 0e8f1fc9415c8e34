//! Packets of real machines, as far as a simulated network must read them.

use core::fmt;
use std::net::Ipv4Addr;

use etherparse::err::ipv4::{HeaderError, HeaderSliceError};
use etherparse::{Ipv4HeaderSlice, ip_number};

/// What a router or a port needs to know of an IPv4 packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedIpv4 {
    /// The sender's address.
    pub source: Ipv4Addr,
    /// The receiver's address.
    pub destination: Ipv4Addr,
    /// What follows the header, as numbered by IANA: 1 ICMP, 6 TCP, 17 UDP.
    pub protocol: u8,
    /// How many more routers the packet may pass.
    pub ttl: u8,
    /// The sender's number for this packet.
    pub identification: u16,
    /// Whether this is a part of a larger packet.
    pub is_fragment: bool,
    /// The length of the IPv4 header, options included.
    pub header_len: u16,
    /// The length of the packet, header included. Bytes behind it are padding
    /// of the link.
    pub total_len: u16,
    /// The ports of TCP or UDP, source first. A fragment shows them only when it
    /// is the first one.
    pub ports: Option<(u16, u16)>,
}

/// Why bytes are not an IPv4 packet that a host would accept (RFC 1122, 3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// Fewer bytes than the headers speak of.
    Truncated {
        /// How many bytes there should be.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// Another version of IP than 4.
    Version(u8),
    /// A header length, in words, below the least of 5.
    HeaderLength(u8),
    /// A total length shorter than the header itself.
    TotalLength(u16),
    /// The header's checksum does not match.
    Checksum,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::Truncated { needed, found } => {
                write!(f, "{found} bytes where the packet needs {needed}")
            }
            ParseError::Version(version) => write!(f, "IP version {version} instead of 4"),
            ParseError::HeaderLength(words) => write!(f, "a header of {words} words"),
            ParseError::TotalLength(bytes) => {
                write!(f, "a total length of {bytes} bytes, less than the header's")
            }
            ParseError::Checksum => write!(f, "a wrong header checksum"),
        }
    }
}

impl core::error::Error for ParseError {}

/// Reads the header of an IPv4 packet. Any bytes are safe to give.
pub fn parse_ipv4(bytes: &[u8]) -> Result<ParsedIpv4, ParseError> {
    let header = Ipv4HeaderSlice::from_slice(bytes).map_err(header_error)?;
    let header_len = u16::from(header.ihl()) * 4;
    let total_len = header.total_len();
    if total_len < header_len {
        return Err(ParseError::TotalLength(total_len));
    }
    if bytes.len() < usize::from(total_len) {
        return Err(ParseError::Truncated {
            needed: total_len.into(),
            found: bytes.len(),
        });
    }
    if header.to_header().calc_header_checksum() != header.header_checksum() {
        return Err(ParseError::Checksum);
    }
    let behind = &bytes[usize::from(header_len)..usize::from(total_len)];
    let is_first = header.fragments_offset().value() == 0;
    Ok(ParsedIpv4 {
        source: header.source_addr(),
        destination: header.destination_addr(),
        protocol: header.protocol().0,
        ttl: header.ttl(),
        identification: header.identification(),
        is_fragment: header.is_fragmenting_payload(),
        header_len,
        total_len,
        ports: match header.protocol() {
            ip_number::TCP | ip_number::UDP if is_first => ports(behind),
            _ => None,
        },
    })
}

/// The ports stand first in TCP and in UDP alike.
fn ports(behind: &[u8]) -> Option<(u16, u16)> {
    let [a, b, c, d] = *behind.first_chunk()?;
    Some((u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])))
}

fn header_error(error: HeaderSliceError) -> ParseError {
    match error {
        HeaderSliceError::Len(error) => ParseError::Truncated {
            needed: error.required_len,
            found: error.len,
        },
        HeaderSliceError::Content(HeaderError::UnexpectedVersion { version_number }) => {
            ParseError::Version(version_number)
        }
        HeaderSliceError::Content(HeaderError::HeaderLengthSmallerThanHeader { ihl }) => {
            ParseError::HeaderLength(ihl)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Datagram, IcmpEcho, Payload, Transport, Udp};
    use super::*;

    fn written(transport: Transport<'_>) -> Vec<u8> {
        let datagram = Datagram {
            source: Ipv4Addr::new(192, 168, 1, 1),
            destination: Ipv4Addr::new(192, 168, 1, 2),
            identification: 99,
            ttl: 63,
            tos: 0,
            transport,
            payload: Payload::Zeros(100),
        };
        let mut bytes = Vec::new();
        datagram.write(usize::MAX, &mut bytes).unwrap();
        bytes
    }

    fn udp() -> Vec<u8> {
        written(Transport::Udp(Udp {
            source_port: 1_000,
            destination_port: 2_000,
        }))
    }

    #[test]
    fn what_was_written_is_read_again() {
        let expected = ParsedIpv4 {
            source: Ipv4Addr::new(192, 168, 1, 1),
            destination: Ipv4Addr::new(192, 168, 1, 2),
            protocol: 17,
            ttl: 63,
            identification: 99,
            is_fragment: false,
            header_len: 20,
            total_len: 128,
            ports: Some((1_000, 2_000)),
        };
        assert_eq!(parse_ipv4(&udp()), Ok(expected));
    }

    #[test]
    fn padding_of_the_link_is_not_part_of_the_packet() {
        let mut bytes = udp();
        bytes.extend([0; 18]);
        assert_eq!(parse_ipv4(&bytes).unwrap().total_len, 128);
    }

    #[test]
    fn icmp_has_no_ports() {
        let ping = IcmpEcho {
            reply: false,
            identifier: 1,
            sequence: 1,
        };
        assert_eq!(
            parse_ipv4(&written(Transport::IcmpEcho(ping)))
                .unwrap()
                .ports,
            None
        );
    }

    #[test]
    fn each_defect_has_its_own_error() {
        let broken = |at: usize, value: u8| {
            let mut bytes = udp();
            bytes[at] = value;
            parse_ipv4(&bytes).unwrap_err()
        };
        assert_eq!(
            parse_ipv4(&[]),
            Err(ParseError::Truncated {
                needed: 20,
                found: 0
            })
        );
        assert_eq!(
            parse_ipv4(&udp()[..127]),
            Err(ParseError::Truncated {
                needed: 128,
                found: 127
            })
        );
        assert_eq!(broken(0, 0x65), ParseError::Version(6));
        assert_eq!(broken(0, 0x44), ParseError::HeaderLength(4));
        assert_eq!(broken(3, 19), ParseError::TotalLength(19));
        assert_eq!(broken(8, 62), ParseError::Checksum);
    }

    #[test]
    fn a_later_fragment_shows_no_ports() {
        let mut header = etherparse::Ipv4Header::from_slice(&udp()).unwrap().0;
        header.fragment_offset = 185.try_into().unwrap();
        header.header_checksum = header.calc_header_checksum();
        let mut bytes = udp();
        bytes[..20].copy_from_slice(&header.to_bytes());
        let parsed = parse_ipv4(&bytes).unwrap();
        assert!(parsed.is_fragment);
        assert_eq!(parsed.ports, None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..100),
            first in prop_oneof![Just(0x45u8), Just(0x4F), any::<u8>()],
        ) {
            let mut bytes = bytes;
            if let Some(byte) = bytes.first_mut() {
                *byte = first;
            }
            if let Ok(parsed) = parse_ipv4(&bytes) {
                prop_assert!(usize::from(parsed.total_len) <= bytes.len());
                prop_assert!(parsed.header_len <= parsed.total_len);
            }
        }

        #[test]
        fn a_damaged_packet_never_panics(at in 0usize..128, value: u8, len in 0usize..=128) {
            let mut bytes = udp();
            bytes[at] = value;
            let _ = parse_ipv4(&bytes[..len]);
        }
    }
}
