//! Who is who on a link.

use core::fmt;

use serde::{Serialize, Serializer};

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

    /// The node that has the address, if it is one of [`MacAddress::of_node`]'s and fits 16 bits.
    #[inline]
    pub const fn node(self) -> Option<u16> {
        let [a, b, c, d, high, low] = self.0;
        match u32::from_be_bytes([a, b, c, d]) {
            0x0200_0000 => Some(u16::from_be_bytes([high, low])),
            _ => None,
        }
    }

    /// Returns whether it stands for several stations: the bit sent first is set (IEEE 802-2014,
    /// 8.2).
    #[inline]
    pub const fn is_group(self) -> bool {
        self.0[0] & 1 != 0
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
        assert_eq!(MacAddress::of_node(258).node(), Some(258));
        assert_eq!(MacAddress::BROADCAST.node(), None);
        assert!(MacAddress::BROADCAST.is_group() && !MacAddress::of_node(1).is_group());
    }
}
