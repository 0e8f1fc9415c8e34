//! IPv6 headers (RFC 8200), as far as the transport header is to be found.

use std::net::Ipv6Addr;

use crate::bytes::word;
use crate::checksum::OnesComplementSum;

/// Bytes of the fixed header.
pub const HEADER: usize = 40;

// Where fields stand.
const PAYLOAD_LENGTH: usize = 4;
const NEXT_HEADER: usize = 6;
const HOP_LIMIT: usize = 7;
const SOURCE: usize = 8;
const DESTINATION: usize = 24;

// Extension headers (IANA; RFC 8200 §4, RFC 4302).
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION_OPTIONS: u8 = 60;
const MOBILITY: u8 = 135;

/// Extension headers that are looked through; no packet in use has as many.
const MOST: usize = 8;

/// Fields of the headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv6 {
    /// The sender's address.
    pub source: Ipv6Addr,
    /// The receiver's address.
    pub destination: Ipv6Addr,
    /// Differentiated services codepoint and ECN field (RFC 2474, RFC 3168).
    pub service: u8,
    /// Number of further routers that the packet may pass.
    pub hop_limit: u8,
    /// Protocol that follows the last extension header that was read, as numbered by IANA.
    pub protocol: u8,
    /// The length of all headers up to that.
    pub header_len: usize,
    /// The length of the packet, fixed header included.
    pub total_len: u16,
    /// True if it is part of a larger packet.
    pub is_fragment: bool,
}

impl Ipv6 {
    /// Reads the headers of a packet; none of what is no whole packet. Any bytes are safe to give.
    pub fn read(bytes: &[u8]) -> Option<Ipv6> {
        let fixed: &[u8; HEADER] = bytes.first_chunk()?;
        let payload = word(fixed, PAYLOAD_LENGTH)?;
        let total_len = payload.checked_add(HEADER as u16)?;
        if fixed[0] >> 4 != 6 || bytes.len() < total_len.into() {
            return None;
        }
        let address = |at: usize| {
            let octets: [u8; 16] = fixed[at..at + 16].try_into().expect("sixteen of them");
            Ipv6Addr::from(octets)
        };
        let mut ip = Ipv6 {
            source: address(SOURCE),
            destination: address(DESTINATION),
            service: fixed[0] << 4 | fixed[1] >> 4,
            hop_limit: fixed[HOP_LIMIT],
            protocol: fixed[NEXT_HEADER],
            header_len: HEADER,
            total_len,
            is_fragment: false,
        };
        ip.skip_extensions(&bytes[..total_len.into()]);
        Some(ip)
    }

    fn skip_extensions(&mut self, packet: &[u8]) {
        for _ in 0..MOST {
            let Some([next, length, third, fourth]) = (packet.get(self.header_len..))
                .and_then(|behind| behind.first_chunk())
                .copied()
            else {
                return;
            };
            let length = usize::from(length);
            let bytes = match self.protocol {
                HOP_BY_HOP | ROUTING | DESTINATION_OPTIONS | MOBILITY => (length + 1) * 8,
                AUTHENTICATION => (length + 2) * 4,
                FRAGMENT => {
                    // All but the two reserved bits: the offset, and whether more follow.
                    self.is_fragment |= u16::from_be_bytes([third, fourth]) & !0b110 != 0;
                    8
                }
                _ => return,
            };
            if packet.len() < self.header_len + bytes {
                return;
            }
            self.header_len += bytes;
            self.protocol = next;
        }
    }

    /// The sum over what TCP, UDP and ICMPv6 have besides their own bytes (RFC 8200 §8.1).
    pub fn pseudo_header(&self) -> OnesComplementSum {
        OnesComplementSum::default()
            .with(&self.source.octets())
            .with(&self.destination.octets())
            .with_word(self.protocol.into())
            .with_word(self.total_len - self.header_len as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet of headers `extensions`, the first of kind `first`, in front of eight bytes.
    fn packet(first: u8, extensions: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x6B, 0x80, 0, 0, 0, extensions.len() as u8 + 8, first, 64];
        bytes.extend([0xFD; 16]);
        bytes.extend([0xFE; 16]);
        bytes.extend(extensions);
        bytes.extend([0, 53, 0, 54, 0, 8, 0, 0]);
        bytes
    }

    #[test]
    fn the_transport_is_found_behind_extension_headers() {
        let none = Ipv6::read(&packet(17, &[])).expect("a packet");
        assert_eq!(
            (none.service, none.protocol, none.header_len),
            (0xB8, 17, 40)
        );
        let options = [
            60, 0, 1, 4, 0, 0, 0, 0, // hop by hop: padding
            17, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // destination options
        ];
        let behind = Ipv6::read(&packet(0, &options)).expect("a packet");
        assert_eq!((behind.protocol, behind.header_len), (17, 64));
        assert!(!behind.is_fragment);
    }

    #[test]
    fn a_fragment_is_told_by_its_header_and_an_atomic_one_is_whole() {
        let first = Ipv6::read(&packet(44, &[17, 0, 0, 1, 0, 0, 0, 7])).expect("a packet");
        assert!(first.is_fragment);
        let atomic = Ipv6::read(&packet(44, &[17, 0, 0, 0, 0, 0, 0, 7])).expect("a packet");
        assert_eq!((atomic.is_fragment, atomic.protocol), (false, 17));
    }

    #[test]
    fn what_is_cut_off_is_no_packet_and_what_leads_out_of_it_is_not_followed() {
        let whole = packet(17, &[]);
        assert_eq!(Ipv6::read(&whole[..47]), None);
        let endless = Ipv6::read(&packet(0, &[0, 200, 0, 0, 0, 0, 0, 0])).expect("a packet");
        assert_eq!((endless.protocol, endless.header_len), (0, 40));
    }
}
