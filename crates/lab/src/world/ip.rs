//! IPv4 at every machine: ways out, neighbours' addresses, packets passed on, errors told.

use std::net::Ipv4Addr;

use net::arp::{ARP_BYTES, Arp, ArpDue, ArpResolution};
use net::icmp::{Error, Offender};
use net::impairment::Damage;
use tcp::Ecn;
use units::{MacAddress, Time};
use wire::ethernet::EtherType;
use wire::ipv4::{Ipv4, cut};

use super::{World, WorldEvent};
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::meters::DropReason;
use crate::network::{Entrance, NextHop};
use crate::packets::{Body, InterfaceHop, Load, Packet, real, write_error, write_packet};
use crate::plan::NodeRole;

/// Time to live of a packet when it leaves its sender: what Windows starts with.
const TTL: u8 = 128;

/// What a packet of a machine's own carries.
pub(super) struct IpPayload {
    pub load: Option<Load>,
    pub body: Body,
}

impl World {
    /// Sends a packet of a machine's own, of `ip_bytes` with its header, to an address.
    #[inline(always)]
    pub(super) fn originate(
        &mut self,
        node: NodeId,
        destination: Ipv4Addr,
        dscp: u8,
        ip_bytes: u32,
        body: Body,
    ) {
        let Some(hop) = self.network.next_hop(node, destination) else {
            return;
        };
        let source = self.network.interface(hop.interface).ip;
        let carried = IpPayload { load: None, body };
        self.originate_over(hop, node, [source, destination], dscp, ip_bytes, carried);
    }

    /// The same over a hop, from an address of the machine's that need not be that of the way out.
    #[inline(always)]
    pub(super) fn originate_over(
        &mut self,
        hop: NextHop,
        node: NodeId,
        [source, destination]: [Ipv4Addr; 2],
        dscp: u8,
        ip_bytes: u32,
        IpPayload { load, body }: IpPayload,
    ) {
        let identification = self.network.identify(node);
        let packet = Packet {
            hop: InterfaceHop::UNKNOWN,
            source,
            destination,
            identification,
            ttl: TTL,
            dscp,
            ecn: Ecn::NotCapable,
            ip_bytes: ip_bytes as u16,
            damage: Damage::NONE,
            load,
            body,
        };
        self.send_packet(hop.interface, hop.neighbour, packet);
    }

    /// Sends a packet to a neighbour, as soon as its link address is known.
    #[inline(always)]
    pub(super) fn send_packet(
        &mut self,
        interface: InterfaceId,
        neighbour: Ipv4Addr,
        mut packet: Packet,
    ) {
        let here = self.network.interface(interface);
        let Some(destination) = here.resolver.recent(self.now, neighbour) else {
            let handle = self.packets.insert(packet);
            return self.resolve(interface, neighbour, handle);
        };
        packet.hop = InterfaceHop {
            source: here.mac,
            destination,
        };
        let handle = self.packets.insert(packet);
        self.leave(interface, handle);
    }

    #[cold]
    fn resolve(&mut self, interface: InterfaceId, neighbour: Ipv4Addr, handle: PacketId) {
        let resolver = &mut self.network.interfaces[interface.index()].resolver;
        match resolver.resolve(self.now, neighbour, handle.0) {
            ArpResolution::Resolved(mac) => self.send_to(interface, mac, handle),
            ArpResolution::Ask(arp) => self.ask(interface, arp),
            ArpResolution::Waiting => {}
            ArpResolution::Displaced(oldest) => {
                self.drop_at(interface, PacketId(oldest), DropReason::Displaced);
            }
        }
    }

    pub(super) fn send_to(
        &mut self,
        interface: InterfaceId,
        destination: MacAddress,
        handle: PacketId,
    ) {
        let source = self.network.interface(interface).mac;
        self.packets.direct(
            handle,
            InterfaceHop {
                source,
                destination,
            },
        );
        self.leave(interface, handle);
    }

    /// A packet whose hop is known leaves the machine that an interface is of.
    #[inline(always)]
    fn leave(&mut self, interface: InterfaceId, handle: PacketId) {
        match self.network.interface(interface).entrance {
            Entrance::Machine => {
                self.watch_stack(interface, handle);
                self.send_frame(interface, handle);
            }
            Entrance::Processor => self.process_sent(interface, handle),
            _ => self.depart(interface, handle),
        }
    }

    /// A packet leaves the machine that an interface is of, which has done with it.
    #[inline(never)]
    pub(super) fn depart(&mut self, interface: InterfaceId, handle: PacketId) {
        self.watch_stack(interface, handle);
        let here = self.network.interface(interface);
        match here.role {
            NodeRole::Switch | NodeRole::Ap => self.send_from_bridge(here.node, handle),
            _ => self.send_frame(interface, handle),
        }
    }

    /// A packet has come in a frame that is for this machine or for all. The caller keeps its hold
    /// on it.
    #[inline(always)]
    pub(super) fn take_packet(&mut self, interface: InterfaceId, handle: PacketId) {
        self.watch_stack(interface, handle);
        let packet = self.packets.get(handle);
        let node = self.network.interface(interface).node;
        if !packet.damage.is_none() {
            self.take_damaged(interface, handle);
        } else if self.network.is_for(interface, packet) {
            if packet.load.is_none() || self.is_sound(node, handle) {
                self.receive(node, handle);
            }
        } else {
            self.take_unaddressed(interface, *packet);
        }
    }

    /// A packet for no address of this machine's: a question of the link's, or one to be passed on.
    #[inline(never)]
    fn take_unaddressed(&mut self, interface: InterfaceId, packet: Packet) {
        let here = self.network.interface(interface);
        match packet.body {
            Body::Arp(arp) => self.hear(interface, &arp),
            Body::MobileIp(message) if packet.hop.destination.is_group() => {
                self.hear_message(interface, &packet, message);
            }
            Body::Foreign(_) if here.role == NodeRole::Ap => {
                self.hear_of_station(interface, &packet);
            }
            _ if here.role == NodeRole::Router => self.route(here.node, packet),
            _ => {}
        }
    }

    /// Passes a packet on to another network (RFC 1812 §5.2.1).
    pub(super) fn route(&mut self, node: NodeId, mut packet: Packet) {
        if packet.hop.destination.is_group() {
            return;
        }
        let Some(hop) = self.network.next_hop(node, packet.destination) else {
            self.note_dropped(node, &packet, DropReason::NoRoute);
            return self.send_error(node, Error::NetUnreachable, &packet);
        };
        if packet.ttl <= 1 {
            self.note_dropped(node, &packet, DropReason::Expired);
            return self.send_error(node, Error::TimeExceeded, &packet);
        }
        if self.network.mobile_ip.is_some() && self.forward_to_mobile(node, &packet) {
            return;
        }
        let next_hop_mtu = self.network.interface(hop.interface).mtu;
        let is_long = packet.ip_bytes > next_hop_mtu;
        if is_long && !self.may_be_cut(&packet) {
            self.note_dropped(node, &packet, DropReason::TooLong);
            return self.send_error(node, Error::FragmentationNeeded { next_hop_mtu }, &packet);
        }
        packet.ttl -= 1;
        if !(self.network).translate_outbound(self.now, node, hop.interface, &mut packet) {
            self.note_dropped(node, &packet, DropReason::NoPort);
            return;
        }
        match is_long {
            true => self.send_in_fragments(node, hop, &packet),
            false => self.send_packet(hop.interface, hop.neighbour, packet),
        }
    }

    /// Returns whether a packet may be fragmented: none that hosts here send (RFC 1191 §3).
    #[cold]
    fn may_be_cut(&self, packet: &Packet) -> bool {
        let ip = self.packets.bytes(packet).map(Ipv4::read);
        ip.is_some_and(|ip| ip.is_ok_and(|ip| !ip.dont_fragment))
    }

    /// Sends a packet as fragments that the next network carries (RFC 791 §3.2).
    #[cold]
    fn send_in_fragments(&mut self, node: NodeId, hop: NextHop, packet: &Packet) {
        let mut whole = Vec::new();
        write_packet(&self.packets, packet, usize::MAX, &mut whole);
        let mut fragments = Vec::new();
        let mtu = self.network.interface(hop.interface).mtu;
        cut(&whole, mtu, &mut Vec::new(), |fragment| {
            fragments.push(fragment.to_vec());
        });
        if fragments.is_empty() {
            return self.note_dropped(node, packet, DropReason::TooLong);
        }
        self.network.ports.note_cut(fragments.len());
        for fragment in fragments {
            let (now, kind) = (self.now, EtherType::IPV4);
            let fragment = real::packet(now, packet.hop, kind, &fragment, &mut self.packets);
            let damage = packet.damage;
            self.send_packet(hop.interface, hop.neighbour, Packet { damage, ..fragment });
            if let Some(own) = fragment.load {
                self.packets.release_bytes(own);
            }
        }
    }

    /// Tells the sender of a packet what became of it, where that may be told.
    pub(super) fn send_error(&mut self, node: NodeId, error: Error, packet: &Packet) {
        let offender = Offender {
            source: packet.source,
            is_to_many: packet.hop.destination.is_group(),
            is_later_fragment: self.is_later_fragment(packet),
            is_error: real::is_error(packet, &self.packets),
        };
        let Some(hop) =
            (self.network.next_hop(node, packet.source)).filter(|_| offender.may_be_told())
        else {
            return;
        };
        // The header and eight bytes of what follows it (RFC 792).
        let mut quoted = Vec::new();
        write_packet(&self.packets, packet, usize::MAX, &mut quoted);
        let header = usize::from(quoted[0] & 0x0F) * 4;
        quoted.truncate(header + 8);
        let source = self.network.interface(hop.interface).ip;
        let ends = [source, packet.source];
        let mut bytes = Vec::new();
        write_error(error, ends, &quoted, &mut bytes);
        let told = self.packets.keep(&bytes);
        let carried = IpPayload {
            load: Some(told),
            body: Body::Error(error),
        };
        self.originate_over(hop, node, ends, 0, bytes.len() as u32, carried);
        self.packets.release_bytes(told);
    }

    fn is_later_fragment(&self, packet: &Packet) -> bool {
        let ip = self.packets.bytes(packet).map(Ipv4::read);
        ip.is_some_and(|ip| ip.is_ok_and(|ip| ip.fragment_offset > 0))
    }

    /// Hears an ARP packet: answers it, and sends what waited for what it says.
    fn hear(&mut self, interface: InterfaceId, arp: &Arp) {
        let here = &mut self.network.interfaces[interface.index()];
        let heard = here.resolver.on_arp(self.now, arp);
        if let Some(answer) = heard.answer {
            self.send_arp(interface, answer);
        }
        for handle in heard.released {
            self.send_to(interface, arp.sender_mac, PacketId(handle));
        }
    }

    fn ask(&mut self, interface: InterfaceId, arp: Arp) {
        self.send_arp(interface, arp);
        let at = self.network.interface(interface).resolver.wake_at();
        self.calendar
            .schedule(at, WorldEvent::Neighbours(interface));
    }

    fn send_arp(&mut self, interface: InterfaceId, arp: Arp) {
        let handle = self.packets.insert(Packet {
            body: Body::Arp(arp),
            ..Packet::of_link(ARP_BYTES as u16)
        });
        self.send_to(interface, arp.destination(), handle);
    }

    /// Asks once more for what nobody has answered, or gives it up.
    pub(super) fn look_at_neighbours(&mut self, interface: InterfaceId) {
        let number = interface.index();
        while let Some(due) = self.network.interfaces[number].resolver.on_timer(self.now) {
            match due {
                ArpDue::Ask(arp) => self.send_arp(interface, arp),
                ArpDue::Unreachable { dropped, .. } => {
                    for handle in dropped {
                        self.give_up(interface, PacketId(handle));
                    }
                }
            }
        }
        let at = self.network.interface(interface).resolver.wake_at();
        if at != Time::NEVER {
            self.calendar
                .schedule(at, WorldEvent::Neighbours(interface));
        }
    }

    /// Drops a packet whose next neighbour does not answer; its sender is told, if it is another
    /// machine.
    fn give_up(&mut self, interface: InterfaceId, handle: PacketId) {
        let packet = *self.packets.get(handle);
        let node = self.network.interface(interface).node;
        self.note_drop(node, handle, DropReason::NoNeighbour);
        if !self.network.is_at_home(node, packet.source) {
            self.send_error(node, Error::HostUnreachable, &packet);
        }
        self.packets.release(handle);
    }
}
