//! Link addresses and the headers that say "IPv4 follows".

use core::fmt;

use serde::{Serialize, Serializer};

/// The EtherType of IPv4 (RFC 894; registered by IEEE).
const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];

/// An IEEE 802 address of 48 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MacAddress(pub [u8; 6]);

impl MacAddress {
    /// Everyone.
    pub const BROADCAST: MacAddress = MacAddress([0xFF; 6]);

    /// The address of node number `node`: unicast and locally administered
    /// (IEEE 802-2014, 8.2: 0x02 in the first octet), so that no maker's real
    /// address is ever taken.
    pub const fn of_node(node: u32) -> Self {
        let [a, b, c, d] = node.to_be_bytes();
        MacAddress([0x02, 0x00, a, b, c, d])
    }

    /// The address as a number of 48 bits.
    #[inline]
    pub const fn to_bits(self) -> u64 {
        let [a, b, c, d, e, f] = self.0;
        let (high, low) = (u32::from_be_bytes([a, b, c, d]), u16::from_be_bytes([e, f]));
        (high as u64) << 16 | low as u64
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl Serialize for MacAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The Ethernet II header of an IPv4 packet.
pub const fn ethernet(source: MacAddress, destination: MacAddress) -> [u8; 14] {
    let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (destination.0, source.0);
    let [m, n] = ETHERTYPE_IPV4;
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n]
}

/// The LLC and SNAP headers of an IPv4 packet, which stand between an 802.11
/// header and the packet (RFC 1042: SAPs 0xAA, unnumbered information,
/// organization code zero, then the EtherType).
pub const LLC_SNAP_IPV4: [u8; 8] = [
    0xAA,
    0xAA,
    0x03,
    0x00,
    0x00,
    0x00,
    ETHERTYPE_IPV4[0],
    ETHERTYPE_IPV4[1],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_addresses_are_locally_administered_and_distinct() {
        assert_eq!(MacAddress::of_node(258).to_string(), "02:00:00:00:01:02");
        assert_eq!(
            MacAddress::of_node(u32::MAX).to_string(),
            "02:00:ff:ff:ff:ff"
        );
    }

    #[test]
    fn the_destination_stands_first() {
        let header = ethernet(MacAddress::of_node(1), MacAddress::BROADCAST);
        let expected = [255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 1, 8, 0];
        assert_eq!(header, expected);
    }
}
