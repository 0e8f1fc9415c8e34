//! All headers of a packet at once.

use crate::checksum::OnesComplementSum;
use crate::ethernet::{EtherType, behind_tags};
use crate::ipv4::Ipv4;
use crate::ipv6::Ipv6;
use crate::transport::TransportHeader;

/// The headers in front of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// Where the network header begins: behind the tags of VLANs.
    pub network_at: usize,
    /// The network header.
    pub network: NetworkHeader,
    /// The transport header; a fragment has none, the first one included, since its ports stand for
    /// no other fragment.
    pub transport: TransportHeader,
}

/// A network header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkHeader {
    /// IPv4.
    Ipv4(Ipv4),
    /// IPv6.
    Ipv6(Ipv6),
    /// Anything else, or what is no sound packet of these.
    Other(EtherType),
}

impl Headers {
    /// Reads what a frame carries that says `kind` of it. Any bytes are safe to give.
    pub fn read(kind: EtherType, data: &[u8]) -> Headers {
        let (kind, at) = behind_tags(kind, data);
        let packet = &data[at..];
        let network = match kind {
            EtherType::IPV4 => Ipv4::read(packet).ok().map(NetworkHeader::Ipv4),
            EtherType::IPV6 => Ipv6::read(packet).map(NetworkHeader::Ipv6),
            _ => None,
        };
        let network = network.unwrap_or(NetworkHeader::Other(kind));
        let transport = match network {
            NetworkHeader::Ipv4(ip) if !ip.is_fragment() => {
                let behind = &packet[ip.header_len.into()..ip.total_len.into()];
                TransportHeader::read(ip.protocol, behind)
            }
            NetworkHeader::Ipv6(ip) if !ip.is_fragment => {
                let behind = &packet[ip.header_len..ip.total_len.into()];
                TransportHeader::read(ip.protocol, behind)
            }
            _ => TransportHeader::Other,
        };
        Headers {
            network_at: at,
            network,
            transport,
        }
    }

    /// Where the transport header begins.
    pub const fn transport_at(&self) -> usize {
        self.network_at
            + match self.network {
                NetworkHeader::Ipv4(ip) => ip.header_len as usize,
                NetworkHeader::Ipv6(ip) => ip.header_len,
                NetworkHeader::Other(_) => 0,
            }
    }

    /// Where the packet ends; bytes behind it are padding of the link. None for what has no length
    /// of its own.
    pub const fn end(&self) -> Option<usize> {
        match self.network {
            NetworkHeader::Ipv4(ip) => Some(self.network_at + ip.total_len as usize),
            NetworkHeader::Ipv6(ip) => Some(self.network_at + ip.total_len as usize),
            NetworkHeader::Other(_) => None,
        }
    }

    /// Bytes behind the transport header.
    pub fn payload(&self) -> u16 {
        let begins = self.transport_at() + usize::from(self.transport.header_len());
        self.end().map_or(0, |end| end.saturating_sub(begins)) as u16
    }

    /// Differentiated services codepoint and ECN field, where there are any.
    pub const fn service(&self) -> Option<u8> {
        match self.network {
            NetworkHeader::Ipv4(ip) => Some(ip.service),
            NetworkHeader::Ipv6(ip) => Some(ip.service),
            NetworkHeader::Other(_) => None,
        }
    }

    /// Returns whether the checksum of the transport header holds over the data that the headers
    /// were read from.
    pub fn is_sound(&self, data: &[u8]) -> bool {
        let pseudo_header = match self.network {
            NetworkHeader::Ipv4(ip) => ip.pseudo_header(),
            NetworkHeader::Ipv6(ip) => ip.pseudo_header(),
            NetworkHeader::Other(_) => OnesComplementSum::default(),
        };
        let behind = self
            .end()
            .and_then(|end| data.get(self.transport_at()..end));
        behind.is_none_or(|behind| self.transport.is_sound(pseudo_header, behind))
    }
}
