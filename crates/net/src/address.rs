//! Addresses of Ethernet and 802.11 interfaces (IEEE 802-2014 clause 8).

use std::fmt;

/// A 48-bit address, in the low bits of a number, its first octet highest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MacAddress(u64);

impl MacAddress {
    /// Everybody.
    pub const BROADCAST: MacAddress = MacAddress((1 << 48) - 1);

    /// What the addresses of simulated interfaces begin with: 0x02 in the first octet says
    /// "locally administered" (IEEE 802-2014 §8.2), so that no maker's address is ever taken.
    const OURS: u64 = 0x0200_0000_0000;

    /// The address of a simulated interface, by its number: 02:00:00:00 and its two octets.
    #[inline]
    pub const fn of_interface(number: u16) -> Self {
        MacAddress(Self::OURS | number as u64)
    }

    /// The number of the simulated interface that has this address; none for any other address.
    #[inline]
    pub const fn interface(self) -> Option<u16> {
        if self.0 >> 16 == Self::OURS >> 16 {
            Some(self.0 as u16)
        } else {
            None
        }
    }

    /// Whether it names several stations: a multicast address or the broadcast address.
    #[inline]
    pub const fn is_group(self) -> bool {
        self.0 >> 40 & 1 == 1
    }

    /// The address in these octets, the first one first.
    pub const fn from_bytes([a, b, c, d, e, f]: [u8; 6]) -> Self {
        MacAddress(u64::from_be_bytes([0, 0, a, b, c, d, e, f]))
    }

    /// Its octets, the first one first.
    pub const fn to_bytes(self) -> [u8; 6] {
        let [_, _, a, b, c, d, e, f] = self.0.to_be_bytes();
        [a, b, c, d, e, f]
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.to_bytes();
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl fmt::Debug for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulated_interface_is_known_by_its_address() {
        let address = MacAddress::of_interface(0x1234);
        assert_eq!(address.to_string(), "02:00:00:00:12:34");
        assert_eq!(address.interface(), Some(0x1234));
        let foreign = MacAddress::from_bytes([0x02, 0, 0, 1, 0x12, 0x34]);
        assert_eq!(foreign.interface(), None);
        assert_eq!(MacAddress::BROADCAST.interface(), None);
    }

    #[test]
    fn the_first_bit_on_the_wire_tells_a_group() {
        let spanning_tree = MacAddress::from_bytes([0x01, 0x80, 0xC2, 0, 0, 0]);
        assert!(spanning_tree.is_group() && MacAddress::BROADCAST.is_group());
        assert!(!MacAddress::of_interface(u16::MAX).is_group());
        assert_eq!(spanning_tree.to_bytes(), [0x01, 0x80, 0xC2, 0, 0, 0]);
    }
}
