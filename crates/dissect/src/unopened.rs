//! Protocols met in packets that are not opened here, by number and name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Serialize;

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
    /// The service access point in an LLC header (IEEE 802.2) where no EtherType follows.
    Llc,
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
    let layer = if layer == Layer::Gre {
        Layer::Ethertype
    } else {
        layer
    };
    NAMES.get(&(layer, number)).copied()
}

fn port_name(port: u16) -> Option<&'static str> {
    name(Layer::Udp, port.into())
}

/// Names by layer and number: link types after <https://www.tcpdump.org/linktypes.html>, EtherTypes
/// and service access points that captures of local networks hold (IEEE Registration Authority), protocols over IP and ports of
/// UDP (IANA), and those of programs that chose their own.
static NAMES: LazyLock<BTreeMap<(Layer, u32), &str>> = LazyLock::new(|| {
    let rows = include_str!("names.tsv").lines();
    rows.map(|row| known(row).expect("layer, number and name, parted by tabs"))
        .collect()
});

fn known(row: &str) -> Option<((Layer, u32), &str)> {
    let mut parts = row.split('\t');
    let layer = match parts.next()? {
        "link" => Layer::Link,
        "ethertype" => Layer::Ethertype,
        "llc" => Layer::Llc,
        "ip" => Layer::Ip,
        "udp" => Layer::Udp,
        _ => return None,
    };
    Some(((layer, parts.next()?.parse().ok()?), parts.next()?))
}

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
    fn each_number_has_one_name() {
        assert_eq!(NAMES.len(), include_str!("names.tsv").lines().count());
    }

    #[test]
    fn a_flood_of_numbers_takes_no_more_room() {
        let mut met = Met::default();
        (1_000..1_000_000).for_each(|number| met.add(Layer::Link, number));
        met.add(Layer::Ip, 2);
        assert_eq!(told(&met).len(), MOST + 1);
    }
}
