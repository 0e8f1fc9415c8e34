//! Hosts: packets that have reached the machine they are for.

use net::icmp::Error;
use tcp::Seq;
use traffic::ReceivedDatagram;
use wire::protocol;

use super::World;
use super::ip::IpPayload;
use crate::hosts::{AppEvent, ConnectionPath};
use crate::ids::{FlowEnd, FlowId, NodeId, PacketId, PortNumber, Side};
use crate::network::mss_of;
use crate::packets::{Body, Packet, quoted};
use crate::rows::DatagramKey;

impl World {
    #[inline(always)]
    pub(super) fn receive(&mut self, node: NodeId, handle: PacketId) {
        match self.packets.get(handle).body {
            Body::Tcp(ports, _) => self.take_segment(node, ports, handle),
            _ => self.receive_other(node, handle),
        }
    }

    #[inline(never)]
    fn receive_other(&mut self, node: NodeId, handle: PacketId) {
        let packet = *self.packets.get(handle);
        match packet.body {
            Body::Udp(mut datagram) => {
                match (self.hosts.sockets).bound(node, PortNumber(datagram.destination_port)) {
                    Some(owner) if self.is_binding_request(owner, &datagram, packet.source) => {}
                    Some(owner) => {
                        if packet.load.is_some() {
                            datagram.number = self.hosts.number_of_real(owner);
                        }
                        self.note_datagram(owner, packet.identification);
                        self.hosts.flows[owner.flow.index()]
                            .take_datagram(self.now, owner.side, &datagram);
                        let taken = ReceivedDatagram {
                            payload: datagram.payload,
                            tag: datagram.tag,
                            sent: datagram.sent,
                        };
                        self.notify(owner, AppEvent::Datagram(taken));
                    }
                    None => self.send_error(node, Error::PortUnreachable, &packet),
                }
            }
            Body::Echo(flow, echo) if echo.reply => {
                let flow = FlowId(flow);
                if !self.hosts.asks(node, flow) {
                    return;
                }
                let side = Side::Initiator;
                self.note_reply(flow, echo.sequence);
                let event = AppEvent::Reply(echo.sequence, echo.payload);
                self.notify(flow.end(side), event);
            }
            Body::Echo(identifier, echo) => {
                let answer = echo.answer();
                let body = Body::Echo(identifier, answer);
                self.answer_echo(node, &packet, body);
            }
            Body::Error(Error::FragmentationNeeded { next_hop_mtu }) => {
                self.follow_smaller_path(node, next_hop_mtu, &packet);
            }
            Body::MobileIp(message) => self.take_message(node, &packet, message),
            Body::Tunnel => self.unwrap(node, &packet),
            // Other errors are for who looks at a capture: TCP lives on with all of these (RFC
            // 1122 §4.2.3.9), and no application here asks. Nor does a simulated host put fragments
            // together, or speak what has no body here.
            Body::Tcp(..) | Body::Error(_) | Body::Arp(_) => {}
            Body::Management(_) | Body::Foreign(_) => {}
        }
    }

    /// A router has said how long packets may be where one of ours was too long.
    fn follow_smaller_path(&mut self, node: NodeId, mtu: u16, error: &Packet) {
        let quoted = self.packets.bytes(error).and_then(quoted);
        let Some(quoted) = quoted.filter(|quoted| quoted.ip.protocol == protocol::TCP) else {
            return;
        };
        let [a, b, c, d, seq @ ..] = quoted.beginning;
        let way = ConnectionPath {
            node,
            peer: quoted.ip.destination,
            local_port: PortNumber(u16::from_be_bytes([a, b])),
            remote_port: PortNumber(u16::from_be_bytes([c, d])),
        };
        let seq = Seq(u32::from_be_bytes(seq));
        let Some(number) = self.hosts.sockets.find(way) else {
            return;
        };
        let now = self.now;
        let Some(end) = self.hosts.sockets.get_mut(number) else {
            return;
        };
        if end.connection.is_outstanding(seq) {
            end.connection.on_smaller_path(now, mss_of(mtu));
            self.pump(number);
        }
    }

    /// Answers a request for an echo with the data that came with it (RFC 1122 §3.2.2.6).
    fn answer_echo(&mut self, node: NodeId, request: &Packet, body: Body) {
        let Some(hop) = self.network.next_hop(node, request.source) else {
            return;
        };
        let source = self.network.interface(hop.interface).ip;
        let carried = IpPayload {
            load: request.load,
            body,
        };
        let (ends, bytes) = ([source, request.source], u32::from(request.ip_bytes));
        self.originate_over(hop, node, ends, request.dscp, bytes, carried);
    }

    fn note_datagram(&mut self, owner: FlowEnd, identification: u16) {
        if let Some(datagrams) = &mut self.observers.datagrams {
            let key = DatagramKey::Datagram(owner.other_end(), identification);
            datagrams.on_received(self.now, key);
        }
    }

    fn note_reply(&mut self, flow: FlowId, sequence: u32) {
        if let Some(datagrams) = &mut self.observers.datagrams {
            let key = DatagramKey::Request(flow, sequence as u16);
            datagrams.on_received(self.now, key);
        }
    }
}
