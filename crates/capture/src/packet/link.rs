//! The headers of links: what says which protocol follows.

use units::MacAddress;

/// What a frame carries, as its EtherType says (registered by IEEE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EtherType(pub u16);

impl EtherType {
    /// IPv4 (RFC 894).
    pub const IPV4: EtherType = EtherType(0x0800);
    /// ARP (RFC 826).
    pub const ARP: EtherType = EtherType(0x0806);
}

/// The Ethernet II header of a packet.
pub const fn ethernet(source: MacAddress, destination: MacAddress, kind: EtherType) -> [u8; 14] {
    let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (destination.0, source.0);
    let [m, n] = kind.0.to_be_bytes();
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n]
}

/// The LLC and SNAP headers of a packet, which stand between an 802.11 header and the packet
/// (RFC 1042: SAPs 0xAA, unnumbered information, organization code zero, then the EtherType).
pub const fn llc_snap(kind: EtherType) -> [u8; 8] {
    let [m, n] = kind.0.to_be_bytes();
    [0xAA, 0xAA, 0x03, 0x00, 0x00, 0x00, m, n]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_destination_stands_first() {
        let header = ethernet(
            MacAddress::of_node(1),
            MacAddress::BROADCAST,
            EtherType::IPV4,
        );
        let expected = [255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 1, 8, 0];
        assert_eq!(header, expected);
    }
}
