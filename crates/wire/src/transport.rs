//! Protocols behind the IP header.

use crate::checksum::OnesComplementSum;
use crate::icmp::{self, Icmp};
use crate::protocol;
use crate::tcp::{self, Tcp};
use crate::udp::{self, Udp};

/// A transport header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportHeader {
    /// TCP.
    Tcp(Tcp),
    /// UDP.
    Udp(Udp),
    /// ICMP.
    Icmp(Icmp),
    /// ICMP of IPv6.
    IcmpV6(Icmp),
    /// None that is known or is there: a later fragment has none.
    Other,
}

impl TransportHeader {
    pub(crate) fn read(number: u8, behind: &[u8]) -> TransportHeader {
        let found = match number {
            protocol::TCP => Tcp::read(behind).map(TransportHeader::Tcp),
            protocol::UDP => Udp::read(behind).map(TransportHeader::Udp),
            protocol::ICMP => Icmp::read(behind).map(TransportHeader::Icmp),
            protocol::ICMP_V6 => Icmp::read(behind).map(TransportHeader::IcmpV6),
            _ => None,
        };
        found.unwrap_or(TransportHeader::Other)
    }

    /// Where in its header the checksum stands, if it has one.
    pub const fn checksum_at(&self) -> Option<usize> {
        match self {
            TransportHeader::Tcp(_) => Some(tcp::CHECKSUM),
            TransportHeader::Udp(udp) if udp.has_checksum => Some(udp::CHECKSUM),
            TransportHeader::Icmp(_) | TransportHeader::IcmpV6(_) => Some(icmp::CHECKSUM),
            TransportHeader::Udp(_) | TransportHeader::Other => None,
        }
    }

    /// Returns whether its checksum also covers the addresses of the IP header.
    pub const fn covers_addresses(&self) -> bool {
        !matches!(self, TransportHeader::Icmp(_) | TransportHeader::Other)
    }

    /// Bytes of the header.
    pub const fn header_len(&self) -> u16 {
        match self {
            TransportHeader::Tcp(tcp) => tcp.header_len,
            TransportHeader::Udp(_) => udp::HEADER as u16,
            TransportHeader::Icmp(_) | TransportHeader::IcmpV6(_) => icmp::HEADER as u16,
            TransportHeader::Other => 0,
        }
    }

    /// Returns whether the checksum over `behind`, header and payload, holds.
    pub(crate) fn is_sound(&self, pseudo_header: OnesComplementSum, behind: &[u8]) -> bool {
        let Some(_) = self.checksum_at() else {
            return true;
        };
        let begun = match self.covers_addresses() {
            true => pseudo_header,
            false => OnesComplementSum::default(),
        };
        begun.with(behind).checksum() == 0
    }
}
