//! Routers that stand for all who are behind them: addresses and ports, translated.

use net::nat::{Inside, Protocol};
use wire::ethernet::EtherType;
use wire::{Headers, Patch, protocol};

use super::World;
use crate::bytes::quoted;
use crate::packet::{Body, Foreign, Packet};

impl World {
    /// A frame has come to an interface of a router, which may translate there.
    #[inline(never)]
    pub(super) fn admit_translated(&mut self, interface: u16, handle: u32) {
        let packet = *self.packets.get(handle);
        let is_ours = self.is_for_machine(interface, handle) && packet.damage.is_none();
        let Some(inside) = self.inside_of(interface, &packet).filter(|_| is_ours) else {
            return self.admit(interface, handle);
        };
        let node = self.network.interface(interface).node;
        let mut translated = packet;
        translated.destination = inside.address;
        match &mut translated.body {
            Body::Tcp(ports, _) => ports.destination = inside.port,
            Body::Udp(datagram) => datagram.destination_port = inside.port,
            Body::Echo(identifier, _) => *identifier = inside.port,
            Body::Error(_) => return self.route_error_inside(node, handle, translated, inside),
            _ => {}
        }
        self.route(node, translated);
        self.packets.release(handle);
    }

    /// Passes an error on to someone inside, about a packet that has come from there.
    fn route_error_inside(&mut self, node: u16, handle: u32, mut error: Packet, to: Inside) {
        let mut bytes = self.packets.bytes(&error).unwrap_or_default().to_vec();
        let headers = Headers::read(EtherType::IPV4, &bytes);
        Patch::new(headers, &mut bytes).set_quoted_sender(to.address, to.port);
        let rewritten = self.packets.keep(&bytes);
        error.load = Some(rewritten);
        self.route(node, error);
        self.packets.release_bytes(rewritten);
        self.packets.release(handle);
    }

    /// Who inside a packet from outside is for; none if it is for nobody there.
    fn inside_of(&self, interface: u16, packet: &Packet) -> Option<Inside> {
        let here = self.network.interface(interface);
        let (outside, nat) = self.network.machines[usize::from(here.node)].nat.as_ref()?;
        if *outside != interface || packet.destination != here.ip {
            return None;
        }
        let inside = |protocol, port| nat.inbound(self.now, protocol, port);
        match &packet.body {
            Body::Tcp(ports, _) => inside(Protocol::Tcp, ports.destination),
            Body::Udp(datagram) => inside(Protocol::Udp, datagram.destination_port),
            Body::Echo(identifier, _) => inside(Protocol::Icmp, *identifier),
            Body::Error(_) => {
                let quoted = quoted(self.packets.bytes(packet)?)?;
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
    pub(super) fn translate_outbound(
        &mut self,
        node: u16,
        interface: u16,
        packet: &mut Packet,
    ) -> bool {
        let address = self.network.interface(interface).ip;
        let Some((outside, nat)) = &mut self.network.machines[usize::from(node)].nat else {
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
            Body::Foreign(Foreign {
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
        let Some(mapped) = nat.outbound(self.now, protocol, inside) else {
            return false;
        };
        *port = mapped;
        packet.source = address;
        true
    }
}

/// Which ports or identifiers a protocol has, as numbered by IANA; none if it has none.
fn protocol_of(number: u8) -> Option<Protocol> {
    match number {
        protocol::ICMP => Some(Protocol::Icmp),
        protocol::TCP => Some(Protocol::Tcp),
        protocol::UDP => Some(Protocol::Udp),
        _ => None,
    }
}
