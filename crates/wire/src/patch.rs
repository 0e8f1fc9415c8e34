//! Fields of a packet changed where they stand, and the checksums over them with it.

use std::net::Ipv4Addr;

use crate::bytes::word;
use crate::checksum::{OnesComplementSum, updated};
use crate::headers::{Headers, NetworkHeader};
use crate::icmp::{self, Quoted};
use crate::ipv4::{self, sum_anew};
use crate::transport::TransportHeader;

/// A packet whose fields are changed. What its headers do not have is left alone.
#[derive(Debug)]
pub struct Patch<'a> {
    data: &'a mut [u8],
    headers: Headers,
}

/// Checksums that a field is under.
#[derive(Clone, Copy)]
enum ChecksumCover {
    Network,
    Transport,
    Both,
}

impl<'a> Patch<'a> {
    /// The data of a frame, as its headers say it.
    pub fn new(headers: Headers, data: &'a mut [u8]) -> Patch<'a> {
        Patch { data, headers }
    }

    /// Says who has sent an IPv4 packet.
    pub fn set_source(&mut self, address: Ipv4Addr) {
        self.set_ipv4(ipv4::SOURCE, address.octets(), ChecksumCover::Both);
    }

    /// Says whom an IPv4 packet is for.
    pub fn set_destination(&mut self, address: Ipv4Addr) {
        self.set_ipv4(ipv4::DESTINATION, address.octets(), ChecksumCover::Both);
    }

    /// Gives an IPv4 packet so many routers to pass.
    pub fn set_ttl(&mut self, ttl: u8) {
        let at = self.headers.network_at + ipv4::TTL;
        if let Some(&protocol) = self.data.get(at + 1) {
            self.set_ipv4(ipv4::TTL, [ttl, protocol], ChecksumCover::Network);
        }
    }

    /// Gives an IPv4 packet a number of its sender's.
    pub fn set_identification(&mut self, number: u16) {
        let bytes = number.to_be_bytes();
        self.set_ipv4(ipv4::IDENTIFICATION, bytes, ChecksumCover::Network);
    }

    /// Sets differentiated services codepoint and ECN field, of IPv6 too.
    pub fn set_service(&mut self, service: u8) {
        let at = self.headers.network_at;
        let Some(&[first, second]) = self.data.get(at..).and_then(|data| data.first_chunk()) else {
            return;
        };
        match self.headers.network {
            NetworkHeader::Ipv4(_) => self.set(at, &[first, service], ChecksumCover::Network),
            NetworkHeader::Ipv6(_) => {
                // No checksum is over it.
                self.data[at] = first & 0xF0 | service >> 4;
                self.data[at + 1] = service << 4 | second & 0x0F;
            }
            NetworkHeader::Other(_) => {}
        }
    }

    /// Sets the ports of TCP or UDP, the sender's first.
    pub fn set_ports(&mut self, ports: [u16; 2]) {
        if let TransportHeader::Tcp(_) | TransportHeader::Udp(_) = self.headers.transport {
            let at = self.headers.transport_at();
            for (port, at) in ports.into_iter().zip([at, at + 2]) {
                self.set(at, &port.to_be_bytes(), ChecksumCover::Transport);
            }
        }
    }

    /// Makes an ICMP echo one of this kind and program.
    pub fn set_echo(&mut self, kind: u8, identifier: u16) {
        if let TransportHeader::Icmp(before) = self.headers.transport
            && before.is_echo()
        {
            let at = self.headers.transport_at();
            self.set(at, &[kind, before.code], ChecksumCover::Transport);
            let identifier = identifier.to_be_bytes();
            self.set(at + icmp::IDENTIFIER, &identifier, ChecksumCover::Transport);
        }
    }

    /// Lets an ICMP error quote its packet as one of someone else (RFC 5508 REQ-4): by address, and
    /// by port or identifier. The sum of the quoted IP header is computed anew, as that header may
    /// have come with any.
    pub fn set_quoted_sender(&mut self, address: Ipv4Addr, port: u16) {
        let at = self.headers.transport_at() + icmp::HEADER;
        let Some(quoted) = self.data.get(at..).and_then(Quoted::read) else {
            return;
        };
        let Some(place) = quoted.sender_at() else {
            return;
        };
        self.set(
            at + ipv4::SOURCE,
            &address.octets(),
            ChecksumCover::Transport,
        );
        let behind = at + usize::from(quoted.ip.header_len);
        self.set(
            behind + place,
            &port.to_be_bytes(),
            ChecksumCover::Transport,
        );
        let Some(header) = self.data.get_mut(at..behind) else {
            return;
        };
        let before = word(header, ipv4::CHECKSUM);
        sum_anew(header);
        let after = word(header, ipv4::CHECKSUM);
        if let (Some(before), Some(after)) = (before, after) {
            let [before, after] = [before, after].map(u16::to_be_bytes);
            self.update_transport(&before, &after);
        }
    }

    /// Flips the last bit of the sum of an IPv4 header, so that it does not hold.
    pub fn spoil_network(&mut self) {
        if let NetworkHeader::Ipv4(_) = self.headers.network {
            let at = self.headers.network_at + ipv4::CHECKSUM;
            self.flip(at + 1);
        }
    }

    /// Flips the last bit of the transport header's sum, or of the packet where there is none.
    pub fn spoil_transport(&mut self) {
        let last = self.data.len().saturating_sub(1);
        let sum = self.headers.transport.checksum_at();
        let at = sum.map_or(last, |at| self.headers.transport_at() + at + 1);
        self.flip(at);
    }

    /// Writes the transport's checksum, which a sender has left to its interface: the field has the
    /// sum of the pseudo-header alone, as Linux hands such packets over (`CHECKSUM_PARTIAL`).
    pub fn complete_transport(&mut self) {
        let Some(sum) = self.headers.transport.checksum_at() else {
            return;
        };
        let begins = self.headers.transport_at();
        let ends = self.headers.end().unwrap_or(self.data.len());
        let Some(behind) = self.data.get_mut(begins..ends) else {
            return;
        };
        let checksum = match OnesComplementSum::default().with(behind).checksum() {
            0 if matches!(self.headers.transport, TransportHeader::Udp(_)) => 0xFFFF,
            checksum => checksum,
        };
        behind[sum..sum + 2].copy_from_slice(&checksum.to_be_bytes());
    }

    fn flip(&mut self, at: usize) {
        if let Some(byte) = self.data.get_mut(at) {
            *byte ^= 1;
        }
    }

    fn set_ipv4<const N: usize>(&mut self, at: usize, new: [u8; N], under: ChecksumCover) {
        if let NetworkHeader::Ipv4(_) = self.headers.network {
            self.set(self.headers.network_at + at, &new, under);
        }
    }

    /// Writes whole words, which begin at an even distance from the beginning of their header.
    fn set(&mut self, at: usize, new: &[u8], under: ChecksumCover) {
        let mut old = [0; 4];
        let old = &mut old[..new.len()];
        let Some(place) = self.data.get_mut(at..at + new.len()) else {
            return;
        };
        old.copy_from_slice(place);
        place.copy_from_slice(new);
        if let ChecksumCover::Network | ChecksumCover::Both = under {
            let at = self.headers.network_at + ipv4::CHECKSUM;
            self.update(at, old, new);
        }
        let covers = match under {
            ChecksumCover::Network => false,
            ChecksumCover::Transport => true,
            ChecksumCover::Both => self.headers.transport.covers_addresses(),
        };
        if covers {
            self.update_transport(old, new);
        }
    }

    fn update_transport(&mut self, old: &[u8], new: &[u8]) {
        if let Some(sum) = self.headers.transport.checksum_at() {
            let at = self.headers.transport_at() + sum;
            self.update(at, old, new);
            if word(self.data, at) == Some(0) && self.has_no_zero_sum() {
                self.data[at..at + 2].fill(0xFF);
            }
        }
    }

    /// Returns whether a checksum of zero is to be all ones: UDP says "no checksum" by it (RFC
    /// 768), and what is nothing but zeros has no other sum, which RFC 1624 §3 leaves aside.
    fn has_no_zero_sum(&self) -> bool {
        match self.headers.transport {
            TransportHeader::Udp(_) => true,
            TransportHeader::Icmp(_) => {
                let end = self.headers.end().unwrap_or(self.data.len());
                let message = self.data.get(self.headers.transport_at()..end);
                message.is_some_and(|bytes| bytes.iter().all(|&byte| byte == 0))
            }
            _ => false,
        }
    }

    fn update(&mut self, at: usize, old: &[u8], new: &[u8]) {
        if let Some(checksum) = word(self.data, at) {
            let checksum = updated(checksum, old, new);
            self.data[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
        }
    }
}

#[cfg(test)]
#[path = "patch_tests.rs"]
mod tests;
