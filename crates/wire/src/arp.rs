//! ARP for IPv4 over Ethernet (RFC 826).

use std::net::Ipv4Addr;

use units::MacAddress;

/// Bytes of a packet (RFC 826, "Packet format").
pub const ARP_BYTES: u32 = 28;

/// Ethernet (1), IPv4, and the lengths of their addresses.
const PREFACE: [u8; 6] = [0, 1, 0x08, 0x00, 6, 4];

/// Operation of a packet: it asks or answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Who has the target's IP address?
    Request,
    /// The sender has its IP address.
    Reply,
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arp {
    /// Its operation.
    pub operation: Operation,
    /// The sender's link address.
    pub sender_mac: MacAddress,
    /// The sender's IP address; none (0.0.0.0) in a probe (RFC 5227 §1.1).
    pub sender_ip: Ipv4Addr,
    /// The target's link address; zero in a request, which asks for it.
    pub target_mac: MacAddress,
    /// The target's IP address.
    pub target_ip: Ipv4Addr,
}

impl Arp {
    /// Where the frame that carries it goes: to everybody who could answer, or to who asked.
    pub const fn destination(&self) -> MacAddress {
        match self.operation {
            Operation::Request => MacAddress::BROADCAST,
            Operation::Reply => self.target_mac,
        }
    }

    /// Returns what a packet says; none of what is none, or for other protocols.
    pub fn read(bytes: &[u8]) -> Option<Arp> {
        let bytes: &[u8; ARP_BYTES as usize] = bytes.first_chunk()?;
        let operation = match bytes[..8].strip_prefix(&PREFACE)? {
            [0, 1] => Operation::Request,
            [0, 2] => Operation::Reply,
            _ => return None,
        };
        let mac = |at: usize| MacAddress(bytes[at..at + 6].try_into().expect("six of them"));
        let ip = |at: usize| Ipv4Addr::new(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
        Some(Arp {
            operation,
            sender_mac: mac(8),
            sender_ip: ip(14),
            target_mac: mac(18),
            target_ip: ip(24),
        })
    }

    /// Its bytes.
    pub fn bytes(&self) -> [u8; ARP_BYTES as usize] {
        let operation = match self.operation {
            Operation::Request => 1,
            Operation::Reply => 2,
        };
        let mut bytes = [0; ARP_BYTES as usize];
        bytes[..6].copy_from_slice(&PREFACE);
        bytes[7] = operation;
        bytes[8..14].copy_from_slice(&self.sender_mac.0);
        bytes[14..18].copy_from_slice(&self.sender_ip.octets());
        bytes[18..24].copy_from_slice(&self.target_mac.0);
        bytes[24..].copy_from_slice(&self.target_ip.octets());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let arp = Arp {
            operation: Operation::Reply,
            sender_mac: MacAddress::of_node(1),
            sender_ip: Ipv4Addr::new(10, 0, 0, 1),
            target_mac: MacAddress::of_node(2),
            target_ip: Ipv4Addr::new(10, 0, 0, 2),
        };
        let mut bytes = arp.bytes();
        assert_eq!(Arp::read(&bytes), Some(arp));
        assert_eq!(Arp::read(&bytes[..27]), None);
        bytes[7] = 3;
        assert_eq!(Arp::read(&bytes), None, "RARP");
    }
}
