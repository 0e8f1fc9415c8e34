//! Routers that stand for all who are behind them: addresses and ports, translated.

use net::nat::{Inside, Protocol};

use super::World;
use crate::bytes::{quoted_sender, rewrite_quoted_sender};
use crate::packet::{Body, Packet};

impl World {
    /// A frame has come to an interface of a router, which may translate there.
    #[inline(never)]
    pub(super) fn admit_translated(&mut self, interface: u16, handle: u32) {
        let packet = *self.packets.get(handle);
        let is_ours = self.is_for_machine(interface, handle) && packet.damage.is_none();
        match self.translated_inbound(interface, packet) {
            Some(packet) if is_ours => {
                self.packets.release(handle);
                let node = self.network.interface(interface).node;
                self.route(node, packet);
            }
            _ => self.admit(interface, handle),
        }
    }

    /// A packet from outside as someone inside is to have it; none if it is for nobody there.
    fn translated_inbound(&mut self, interface: u16, mut packet: Packet) -> Option<Packet> {
        let here = self.network.interface(interface);
        let (outside, nat) = self.network.machines[usize::from(here.node)].nat.as_ref()?;
        if *outside != interface || packet.destination != here.ip {
            return None;
        }
        let inside = |protocol, port| nat.inbound(self.now, protocol, port);
        let to = match &mut packet.body {
            Body::Tcp(ports, _) => {
                let to = inside(Protocol::Tcp, ports.destination)?;
                ports.destination = to.port;
                to
            }
            Body::Udp(datagram) => {
                let to = inside(Protocol::Udp, datagram.destination_port)?;
                datagram.destination_port = to.port;
                to
            }
            Body::Echo(identifier, _) => {
                let to = inside(Protocol::Icmp, *identifier)?;
                *identifier = to.port;
                to
            }
            Body::Error(_, quoted) => {
                let bytes = self.foreign.bytes(*quoted);
                let (protocol, port) = quoted_sender(bytes)?;
                let to = inside(protocol, port)?;
                let bytes = rewrite_quoted_sender(bytes, to.address, to.port);
                *quoted = self.foreign.keep(&bytes);
                to
            }
            Body::Arp(_)
            | Body::Management(_)
            | Body::Foreign(..)
            | Body::MobileIp(_)
            | Body::Tunnel(_) => return None,
        };
        packet.destination = to.address;
        Some(packet)
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
            Body::Error(..)
            | Body::Arp(_)
            | Body::Management(_)
            | Body::Foreign(..)
            | Body::MobileIp(_)
            | Body::Tunnel(_) => {
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
