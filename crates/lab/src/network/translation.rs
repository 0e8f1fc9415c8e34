//! Addresses and ports that routers translate.

use net::nat::{Inside, Protocol};
use units::Time;
use wire::protocol;

use super::Network;
use crate::ids::{InterfaceId, NodeId};
use crate::packets::{Body, ForeignPacket, Packet, Packets, quoted};

impl Network {
    /// Who inside a packet from outside is for; none if it is for nobody there.
    pub fn inside_of(
        &self,
        now: Time,
        interface: InterfaceId,
        packet: &Packet,
        packets: &Packets,
    ) -> Option<Inside> {
        let here = self.interface(interface);
        let (outside, nat) = self.machines[here.node.index()].nat.as_ref()?;
        if *outside != interface || packet.destination != here.ip {
            return None;
        }
        let inside = |protocol, port| nat.inbound(now, protocol, port);
        match &packet.body {
            Body::Tcp(ports, _) => inside(Protocol::Tcp, ports.destination),
            Body::Udp(datagram) => inside(Protocol::Udp, datagram.destination_port),
            Body::Echo(identifier, _) => inside(Protocol::Icmp, *identifier),
            Body::Error(_) => {
                let quoted = quoted(packets.bytes(packet)?)?;
                inside(protocol_of(quoted.ip.protocol)?, quoted.sender()?)
            }
            Body::Arp(_)
            | Body::Management(_)
            | Body::Foreign(_)
            | Body::MobileIp(_)
            | Body::Tunnel => None,
        }
    }

    /// Lets a packet that leaves through an interface come from it, if the router translates
    /// there; false if it has no port left for it.
    pub fn translate_outbound(
        &mut self,
        now: Time,
        node: NodeId,
        interface: InterfaceId,
        packet: &mut Packet,
    ) -> bool {
        let address = self.interface(interface).ip;
        let Some((outside, nat)) = &mut self.machines[node.index()].nat else {
            return true;
        };
        if *outside != interface {
            return true;
        }
        let (protocol, port) = match &mut packet.body {
            Body::Tcp(ports, _) => (Protocol::Tcp, &mut ports.source),
            Body::Udp(datagram) => (Protocol::Udp, &mut datagram.source_port),
            Body::Echo(identifier, _) => (Protocol::Icmp, identifier),
            // A fragment alone does not say whose port it comes from.
            Body::Foreign(ForeignPacket {
                protocol: protocol::TCP | protocol::UDP,
                ..
            }) => return false,
            Body::Error(_)
            | Body::Arp(_)
            | Body::Management(_)
            | Body::Foreign(_)
            | Body::MobileIp(_)
            | Body::Tunnel => {
                packet.source = address;
                return true;
            }
        };
        let inside = Inside {
            address: packet.source,
            port: *port,
        };
        let Some(mapped) = nat.outbound(now, protocol, inside) else {
            return false;
        };
        *port = mapped;
        packet.source = address;
        true
    }
}

/// Returns which ports or identifiers a protocol has, as numbered by IANA; none if it has none.
fn protocol_of(number: u8) -> Option<Protocol> {
    match number {
        protocol::ICMP => Some(Protocol::Icmp),
        protocol::TCP => Some(Protocol::Tcp),
        protocol::UDP => Some(Protocol::Udp),
        _ => None,
    }
}
