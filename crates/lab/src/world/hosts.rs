//! Hosts: packets that have reached the machine they are for, and packets that leave it.

use std::net::Ipv4Addr;

use super::World;
use crate::demux;
use crate::flows::Turn;
use crate::packet::{Body, Packet};
use crate::sockets::{Owner, Side};

impl World {
    pub(super) fn receive(&mut self, node: u16, handle: u32) {
        let packet = self.packets.get(handle);
        if self.ports.is_port(node) {
            return self
                .ports
                .emit(&self.plan, &self.foreign, self.now, node, packet);
        }
        let from = packet.from;
        match packet.body {
            Body::Tcp(ports, segment) => {
                self.take_segment(node, self.address(from), ports, &segment);
            }
            Body::Udp(datagram) => {
                if let Some(owner) = self.sockets.bound(node, datagram.destination_port) {
                    self.give_turn(owner, Turn::Datagram(datagram.payload));
                }
            }
            Body::Echo(flow, echo) if echo.reply => {
                let side = Side::Initiator;
                let turn = Turn::Reply(echo.sequence, echo.payload);
                self.give_turn(Owner { flow, side }, turn);
            }
            Body::Echo(identifier, echo) => {
                let to = self.address(from);
                self.originate(node, to, Body::Echo(identifier, echo.answer()));
            }
            // A simulated host speaks no protocol of the outside's.
            Body::Foreign(_) => {}
        }
    }

    /// The address of a node.
    #[inline]
    pub(super) fn address(&self, node: u16) -> Ipv4Addr {
        self.plan.nodes[usize::from(node)].address
    }

    /// Sends a packet from a node to an address.
    pub(super) fn originate(&mut self, from: u16, to: Ipv4Addr, body: Body) {
        let ip_bytes = match body {
            Body::Tcp(_, segment) => net::IPV4_HEADER + segment.total_bytes(),
            Body::Udp(datagram) => datagram.ip_bytes(),
            Body::Echo(_, echo) => echo.ip_bytes(),
            Body::Foreign(_) => return,
        };
        let Some(to) = self.nodes.get(demux::key(u32::from(to), 0, 0)) else {
            return;
        };
        let identification = self.identify(from);
        let packet = Packet {
            from,
            to: to as u16,
            identification,
            ip_bytes: ip_bytes as u16,
            body,
        };
        let handle = self.packets.insert(packet);
        self.forward(from, handle);
    }

    pub(super) fn identify(&mut self, node: u16) -> u16 {
        let identification = &mut self.identifications[usize::from(node)];
        *identification = identification.wrapping_add(1);
        *identification
    }
}
