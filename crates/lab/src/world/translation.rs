//! Routers that stand for all who are behind them: addresses and ports, translated.

use net::nat::Inside;
use wire::ethernet::EtherType;
use wire::{Headers, Patch};

use super::World;
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::packets::{Body, Packet};

impl World {
    /// A frame has come to an interface of a router, which may translate there.
    #[inline(never)]
    pub(super) fn admit_translated(&mut self, interface: InterfaceId, handle: PacketId) {
        let packet = *self.packets.get(handle);
        let is_ours = self.is_for_machine(interface, handle) && packet.damage.is_none();
        let inside = (self.network).inside_of(self.now, interface, &packet, &self.packets);
        let Some(inside) = inside.filter(|_| is_ours) else {
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
    fn route_error_inside(
        &mut self,
        node: NodeId,
        handle: PacketId,
        mut error: Packet,
        to: Inside,
    ) {
        let mut bytes = self.packets.bytes(&error).unwrap_or_default().to_vec();
        let headers = Headers::read(EtherType::IPV4, &bytes);
        Patch::new(headers, &mut bytes).set_quoted_sender(to.address, to.port);
        let rewritten = self.packets.keep(&bytes);
        error.load = Some(rewritten);
        self.route(node, error);
        self.packets.release_bytes(rewritten);
        self.packets.release(handle);
    }
}
