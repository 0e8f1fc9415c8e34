//! Protocols met in packets that are not opened here, by number and name.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::link_names;

/// Numbers of one layer that are told apart; a hostile capture may have millions (link types of
/// Apple's and CACE's headers stand in each packet).
const MOST: usize = 16;

/// Where a number stands that says what comes behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The link type of the capture.
    Link,
    /// The EtherType of a frame, or of what stands for one.
    Ethertype,
    /// The protocol type of GRE.
    Gre,
    /// The protocol field of an IP packet.
    Ip,
    /// A port of UDP: the registered one, if one of the two is known to be, or else the lower.
    Udp,
}

/// Packets in which something was met that is not opened here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unopened {
    /// Where its number stands.
    pub layer: Layer,
    /// Its number there.
    pub number: u32,
    /// Its name, of link types without the "LINKTYPE_" that all have; none if it has none that is
    /// known here.
    pub name: Option<&'static str>,
    /// Number of packets.
    pub packets: u64,
}

/// Counts packets by what was not opened in them.
#[derive(Debug, Default)]
pub(super) struct Met(BTreeMap<(Layer, u32), u64>);

impl Met {
    #[cold]
    pub fn add(&mut self, layer: Layer, number: u32) {
        if let Some(packets) = self.0.get_mut(&(layer, number)) {
            *packets += 1;
        } else if self.0.range((layer, 0)..=(layer, u32::MAX)).count() < MOST {
            self.0.insert((layer, number), 1);
        }
    }

    /// Counts a datagram of UDP that is not opened.
    #[cold]
    pub fn add_ports(&mut self, ports: [u16; 2]) {
        let known = ports.into_iter().find(|&port| port_name(port).is_some());
        let port = known.unwrap_or(ports[0].min(ports[1]));
        self.add(Layer::Udp, port.into());
    }

    /// The first that came of one layer, by number.
    pub fn told(&self, is_wanted: impl Fn(Layer) -> bool) -> Vec<Unopened> {
        let wanted = self.0.iter().filter(|((layer, _), _)| is_wanted(*layer));
        let told = wanted.map(|(&(layer, number), &packets)| Unopened {
            layer,
            number,
            name: name(layer, number),
            packets,
        });
        told.collect()
    }
}

fn name(layer: Layer, number: u32) -> Option<&'static str> {
    let small = u16::try_from(number).ok();
    match layer {
        Layer::Link => link_names::name(number),
        Layer::Ethertype | Layer::Gre => named(ETHERTYPES, small?),
        Layer::Ip => named(PROTOCOLS, small?),
        Layer::Udp => port_name(small?),
    }
}

fn port_name(port: u16) -> Option<&'static str> {
    named(PORTS, port)
}

fn named(names: &[(u16, &'static str)], number: u16) -> Option<&'static str> {
    let at = names.binary_search_by_key(&number, |known| known.0);
    at.ok().map(|at| names[at].1)
}

/// EtherTypes that captures of local networks hold (IEEE Registration Authority).
const ETHERTYPES: &[(u16, &str)] = &[
    (0x0806, "ARP"),
    (0x0842, "Wake-on-LAN"),
    (0x2000, "CDP"),
    (0x22EA, "SRP"),
    (0x22F0, "AVTP"),
    (0x22F3, "TRILL"),
    (0x8035, "RARP"),
    (0x809B, "AppleTalk"),
    (0x80F3, "AppleTalk ARP"),
    (0x8137, "IPX"),
    (0x8204, "QNX"),
    (0x8808, "Ethernet flow control"),
    (0x8809, "slow protocols: LACP, marker, OAM"),
    (0x8863, "PPPoE discovery"),
    (0x886D, "Intel teaming"),
    (0x887B, "HomePlug 1.0"),
    (0x888E, "802.1X"),
    (0x8892, "PROFINET"),
    (0x88A4, "EtherCAT"),
    (0x88B8, "GOOSE"),
    (0x88BA, "IEC 61850 sampled values"),
    (0x88C7, "802.11i pre-authentication"),
    (0x88CC, "LLDP"),
    (0x88E1, "HomePlug AV"),
    (0x88E5, "MACsec"),
    (0x88F5, "MVRP"),
    (0x88F7, "PTP"),
    (0x88FB, "PRP"),
    (0x8902, "802.1ag"),
    (0x8906, "FCoE"),
    (0x890D, "802.11 over Ethernet: TDLS"),
    (0x8915, "RoCE"),
    (0x8940, "802.1Qbg"),
    (0x9000, "loopback"),
];

/// Protocols over IP (IANA).
const PROTOCOLS: &[(u16, &str)] = &[
    (1, "ICMP"),
    (2, "IGMP"),
    (17, "UDP"),
    (27, "RDP"),
    (33, "DCCP"),
    (50, "ESP"),
    (58, "ICMPv6"),
    (59, "no next header"),
    (88, "EIGRP"),
    (89, "OSPF"),
    (97, "EtherIP"),
    (103, "PIM"),
    (108, "IPComp"),
    (112, "VRRP"),
    (115, "L2TPv3"),
    (132, "SCTP"),
    (136, "UDP-Lite"),
];

/// Ports of UDP (IANA), and those of programs that chose their own.
const PORTS: &[(u16, &str)] = &[
    (53, "DNS"),
    (67, "DHCP"),
    (68, "DHCP"),
    (69, "TFTP"),
    (123, "NTP"),
    (137, "NetBIOS names"),
    (138, "NetBIOS datagrams"),
    (161, "SNMP"),
    (162, "SNMP traps"),
    (319, "PTP"),
    (320, "PTP"),
    (443, "QUIC"),
    (500, "IKE"),
    (514, "syslog"),
    (520, "RIP"),
    (546, "DHCPv6"),
    (547, "DHCPv6"),
    (1194, "OpenVPN"),
    (1812, "RADIUS"),
    (1813, "RADIUS accounting"),
    (1900, "SSDP"),
    (2055, "NetFlow"),
    (3478, "STUN"),
    (3702, "WS-Discovery"),
    (4500, "IPsec behind NAT"),
    (4739, "IPFIX"),
    (5004, "RTP"),
    (5060, "SIP"),
    (5246, "CAPWAP control"),
    (5353, "mDNS"),
    (5355, "LLMNR"),
    (5683, "CoAP"),
    (6343, "sFlow"),
    (6696, "Babel"),
    (9993, "ZeroTier"),
    (12222, "LWAPP"),
    (12223, "LWAPP control"),
    (41641, "Tailscale"),
    (51820, "WireGuard"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn told(met: &Met) -> Vec<(Layer, u32, Option<&'static str>, u64)> {
        let told = met.told(|_| true).into_iter();
        told.map(|each| (each.layer, each.number, each.name, each.packets))
            .collect()
    }

    #[test]
    fn what_is_not_opened_is_told_by_layer_number_and_name() {
        let mut met = Met::default();
        for number in [249, 147, 249, 65_000] {
            met.add(Layer::Link, number);
        }
        met.add(Layer::Ethertype, 0x0806);
        met.add_ports([51_000, 443]);
        met.add_ports([443, 51_001]);
        met.add_ports([40_000, 39_999]);
        let expected = [
            (Layer::Link, 147, Some("USER0"), 1),
            (Layer::Link, 249, Some("USBPCAP"), 2),
            (Layer::Link, 65_000, None, 1),
            (Layer::Ethertype, 0x0806, Some("ARP"), 1),
            (Layer::Udp, 443, Some("QUIC"), 2),
            (Layer::Udp, 39_999, None, 1),
        ];
        assert_eq!(told(&met), expected);
    }

    #[test]
    fn names_are_found_by_halving() {
        for names in [ETHERTYPES, PROTOCOLS, PORTS] {
            assert!(names.is_sorted_by_key(|known| known.0));
        }
    }

    #[test]
    fn a_flood_of_numbers_takes_no_more_room() {
        let mut met = Met::default();
        (1_000..1_000_000).for_each(|number| met.add(Layer::Link, number));
        met.add(Layer::Ip, 2);
        assert_eq!(told(&met).len(), MOST + 1);
    }
}
