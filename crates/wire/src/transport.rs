//! Protocols behind the IP header.

use crate::checksum::Sum;
use crate::icmp::{self, Icmp};
use crate::protocol;
use crate::tcp::{self, Tcp};
use crate::udp::{self, Udp};

/// A transport header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
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

impl Transport {
    pub(crate) fn read(number: u8, behind: &[u8]) -> Transport {
        let found = match number {
            protocol::TCP => Tcp::read(behind).map(Transport::Tcp),
            protocol::UDP => Udp::read(behind).map(Transport::Udp),
            protocol::ICMP => Icmp::read(behind).map(Transport::Icmp),
            protocol::ICMP_V6 => Icmp::read(behind).map(Transport::IcmpV6),
            _ => None,
        };
        found.unwrap_or(Transport::Other)
    }

    /// Where in its header the checksum stands, if it has one.
    pub const fn checksum_at(&self) -> Option<usize> {
        match self {
            Transport::Tcp(_) => Some(tcp::CHECKSUM),
            Transport::Udp(udp) if udp.has_checksum => Some(udp::CHECKSUM),
            Transport::Icmp(_) | Transport::IcmpV6(_) => Some(icmp::CHECKSUM),
            Transport::Udp(_) | Transport::Other => None,
        }
    }

    /// Returns whether its checksum also covers the addresses of the IP header.
    pub const fn covers_addresses(&self) -> bool {
        !matches!(self, Transport::Icmp(_) | Transport::Other)
    }

    /// Bytes of the header.
    pub const fn header_len(&self) -> u16 {
        match self {
            Transport::Tcp(tcp) => tcp.header_len,
            Transport::Udp(_) => udp::HEADER as u16,
            Transport::Icmp(_) | Transport::IcmpV6(_) => icmp::HEADER as u16,
            Transport::Other => 0,
        }
    }

    /// Returns whether the checksum over `behind`, header and payload, holds.
    pub(crate) fn is_sound(&self, pseudo_header: Sum, behind: &[u8]) -> bool {
        let Some(_) = self.checksum_at() else {
            return true;
        };
        let begun = match self.covers_addresses() {
            true => pseudo_header,
            false => Sum::default(),
        };
        begun.with(behind).checksum() == 0
    }
}
