//! Fields of all IPv4 packets, and sets of their addresses.

use std::fmt;
use std::net::Ipv4Addr;

/// Bytes of an IPv4 header without options (RFC 791).
pub const IPV4_HEADER: u32 = 20;

/// The time to live that a host gives its packets (RFC 1700, "IP time to live parameter").
pub const DEFAULT_TTL: u8 = 64;

/// The addresses that begin with the same bits (RFC 4632).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    network: u32,
    mask: u32,
}

impl Prefix {
    /// The addresses that share their first `length` bits, 0 to 32, with `address`.
    ///
    /// # Panics
    /// When there are not that many bits.
    pub const fn new(address: Ipv4Addr, length: u8) -> Self {
        assert!(length <= 32, "an address has 32 bits");
        let mask = match length {
            0 => 0,
            _ => u32::MAX << (32 - length),
        };
        let network = address.to_bits() & mask;
        Prefix { network, mask }
    }

    /// Every address.
    pub const ALL: Prefix = Prefix::new(Ipv4Addr::UNSPECIFIED, 0);

    /// Returns how many bits they share.
    #[inline]
    pub const fn length(self) -> u8 {
        self.mask.count_ones() as u8
    }

    /// Returns whether `address` is one of them.
    #[inline]
    pub const fn contains(self, address: Ipv4Addr) -> bool {
        address.to_bits() & self.mask == self.network
    }

    /// The address of all hosts among them (RFC 919); a network of one or two addresses has none
    /// (RFC 3021).
    pub const fn broadcast(self) -> Option<Ipv4Addr> {
        match self.length() {
            ..=30 => Some(Ipv4Addr::from_bits(self.network | !self.mask)),
            _ => None,
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", Ipv4Addr::from_bits(self.network), self.length())
    }
}

impl fmt::Debug for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_holds_the_addresses_that_begin_like_it() {
        let lan = Prefix::new(Ipv4Addr::new(10, 0, 1, 7), 24);
        assert_eq!(lan.to_string(), "10.0.1.0/24");
        assert!(lan.contains(Ipv4Addr::new(10, 0, 1, 255)));
        assert!(!lan.contains(Ipv4Addr::new(10, 0, 2, 1)));
        assert_eq!(lan.broadcast(), Some(Ipv4Addr::new(10, 0, 1, 255)));
        let host = Prefix::new(Ipv4Addr::new(10, 0, 1, 7), 32);
        assert_eq!(host.broadcast(), None);
        assert!(Prefix::ALL.contains(Ipv4Addr::BROADCAST));
    }
}
