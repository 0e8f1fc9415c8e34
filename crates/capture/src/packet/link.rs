//! The headers of links that say "IPv4 follows".

use units::MacAddress;

/// The EtherType of IPv4 (RFC 894; registered by IEEE).
const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];

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
    fn the_destination_stands_first() {
        let header = ethernet(MacAddress::of_node(1), MacAddress::BROADCAST);
        let expected = [255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 1, 8, 0];
        assert_eq!(header, expected);
    }
}
