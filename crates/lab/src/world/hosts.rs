//! Hosts: packets that have reached the machine they are for.

use std::net::Ipv4Addr;

use net::icmp::Error;
use traffic::Datagram;

use super::World;
use crate::bytes::read_quoted_segment;
use crate::datagrams::Key;
use crate::flows::Turn;
use crate::network::mss_of;
use crate::packet::Body;
use crate::sockets::{Owner, Side, Way};

impl World {
    #[inline(always)]
    pub(super) fn receive(&mut self, node: u16, handle: u32) {
        match self.packets.get(handle).body {
            Body::Tcp(ports, _) => self.take_segment(node, ports, handle),
            _ => self.receive_other(node, handle),
        }
    }

    #[inline(never)]
    fn receive_other(&mut self, node: u16, handle: u32) {
        let packet = *self.packets.get(handle);
        match packet.body {
            Body::Udp(datagram) => match self.sockets.bound(node, datagram.destination_port) {
                Some(owner) if self.is_knock(owner, &datagram, packet.source) => {}
                Some(owner) => {
                    self.note_datagram(owner, packet.identification);
                    self.flows[usize::from(owner.flow)]
                        .take_datagram(self.now, owner.side, &datagram);
                    let taken = Datagram {
                        payload: datagram.payload,
                        tag: datagram.tag,
                        sent: datagram.sent,
                    };
                    self.give_turn(owner, Turn::Datagram(taken));
                }
                None => self.send_error(node, Error::PortUnreachable, &packet),
            },
            Body::Echo(flow, echo) if echo.reply => {
                let side = Side::Initiator;
                self.note_reply(flow, echo.sequence);
                let turn = Turn::Reply(echo.sequence, echo.payload);
                self.give_turn(Owner { flow, side }, turn);
            }
            Body::Echo(identifier, echo) => {
                let answer = echo.answer();
                let body = Body::Echo(identifier, answer);
                let bytes = answer.ip_bytes();
                self.originate(node, packet.source, packet.dscp, bytes, body);
            }
            Body::Error(Error::FragmentationNeeded { next_hop_mtu }, quoted) => {
                self.follow_smaller_path(node, next_hop_mtu, quoted);
            }
            Body::MobileIp(message) => self.take_message(node, &packet, message),
            Body::Tunnel(wrapped) => self.unwrap(node, wrapped),
            // Other errors are for who looks at a capture: TCP lives on with all of these (RFC
            // 1122 §4.2.3.9), and no application here asks. Nor does a simulated host speak any
            // protocol of the outside's.
            Body::Tcp(..) | Body::Error(..) | Body::Arp(_) => {}
            Body::Management(_) | Body::Foreign(..) => {}
        }
    }

    /// A router has said how long packets may be where one of ours was too long.
    fn follow_smaller_path(&mut self, node: u16, mtu: u16, quoted: u32) {
        let Some(quoted) = read_quoted_segment(self.foreign.bytes(quoted)) else {
            return;
        };
        let way = Way {
            node,
            peer: quoted.destination,
            local_port: quoted.ports.source,
            remote_port: quoted.ports.destination,
        };
        let Some(number) = self.sockets.find(way) else {
            return;
        };
        let now = self.now;
        let Some(end) = self.sockets.get_mut(number) else {
            return;
        };
        if end.connection.is_outstanding(quoted.seq) {
            end.connection.on_smaller_path(now, mss_of(mtu));
            self.pump(number);
        }
    }

    fn note_datagram(&mut self, owner: Owner, identification: u16) {
        if let Some(datagrams) = &mut self.datagrams {
            let sender = Owner {
                side: owner.side.other(),
                ..owner
            };
            datagrams.on_received(self.now, Key::Datagram(sender, identification));
        }
    }

    fn note_reply(&mut self, flow: u16, sequence: u32) {
        if let Some(datagrams) = &mut self.datagrams {
            datagrams.on_received(self.now, Key::Request(flow, sequence));
        }
    }

    /// The address of a node.
    #[inline]
    pub(super) fn address(&self, node: u16) -> Ipv4Addr {
        self.network.interface(node).ip
    }
}
