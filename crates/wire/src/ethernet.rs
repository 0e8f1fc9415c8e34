//! The headers of links: what says which protocol follows.

use units::MacAddress;

use crate::bytes::word;

/// Protocol that a frame carries, as its EtherType says (registered by IEEE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EtherType(pub u16);

impl EtherType {
    /// IPv4 (RFC 894).
    pub const IPV4: EtherType = EtherType(0x0800);
    /// ARP (RFC 826).
    pub const ARP: EtherType = EtherType(0x0806);
    /// IPv6 (RFC 2464 §3).
    pub const IPV6: EtherType = EtherType(0x86DD);
    /// The tag of a VLAN (IEEE 802.1Q-2018 Table 9-1).
    pub const VLAN: EtherType = EtherType(0x8100);
    /// The tag of a provider's VLAN, which may stand before another (IEEE 802.1Q-2018 Table 9-1).
    pub const SERVICE_VLAN: EtherType = EtherType(0x88A8);

    /// Returns whether a tag follows.
    #[inline]
    pub const fn is_tag(self) -> bool {
        matches!(self, EtherType::VLAN | EtherType::SERVICE_VLAN)
    }
}

/// Bytes of an Ethernet header.
pub const HEADER: usize = 14;
/// Bytes of a tag, with the type of what follows it.
pub const TAG: usize = 4;
/// The tags that are looked through, one behind the other.
pub const TAGS: usize = 2;

/// An Ethernet header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ethernet {
    /// Whom the frame is for.
    pub destination: MacAddress,
    /// Who sends it.
    pub source: MacAddress,
    /// Protocol that follows; of a frame of IEEE 802.3 its length.
    pub kind: EtherType,
}

impl Ethernet {
    /// The header of a frame, and what follows it; none of what is too short for one.
    pub fn read(frame: &[u8]) -> Option<(Ethernet, &[u8])> {
        let (header, data) = frame.split_first_chunk::<HEADER>()?;
        let [d0, d1, d2, d3, d4, d5, s0, s1, s2, s3, s4, s5, high, low] = *header;
        let ethernet = Ethernet {
            destination: MacAddress([d0, d1, d2, d3, d4, d5]),
            source: MacAddress([s0, s1, s2, s3, s4, s5]),
            kind: EtherType(u16::from_be_bytes([high, low])),
        };
        Some((ethernet, data))
    }
}

/// Returns what stands behind the tags at the beginning of a frame's data of some kind, and where.
pub fn behind_tags(mut kind: EtherType, data: &[u8]) -> (EtherType, usize) {
    let mut at = 0;
    while kind.is_tag() && at < TAGS * TAG {
        let Some(next) = word(data, at + 2) else {
            break;
        };
        kind = EtherType(next);
        at += TAG;
    }
    (kind, at)
}

/// The Ethernet II header of a packet.
pub const fn ethernet(
    source: MacAddress,
    destination: MacAddress,
    kind: EtherType,
) -> [u8; HEADER] {
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
        let (source, destination) = (MacAddress::of_node(1), MacAddress::BROADCAST);
        let header = ethernet(source, destination, EtherType::IPV4);
        let expected = [255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 1, 8, 0];
        assert_eq!(header, expected);
        let read = Ethernet {
            destination,
            source,
            kind: EtherType::IPV4,
        };
        assert_eq!(Ethernet::read(&header), Some((read, &[][..])));
        assert_eq!(Ethernet::read(&header[..13]), None);
    }

    #[test]
    fn tags_are_looked_through() {
        let twice = [0, 1, 0x81, 0, 0, 2, 0x08, 0, 0x45];
        let found = behind_tags(EtherType::SERVICE_VLAN, &twice);
        assert_eq!(found, (EtherType::IPV4, 8));
        assert_eq!(
            behind_tags(EtherType::VLAN, &[0, 1, 8]),
            (EtherType::VLAN, 0)
        );
    }
}
