//! Frames: over wires and by radio from interface to interface, and through bridges.

use dot11::{Address, Category};
use net::bridge::Decision;
use net::impairment::{ChainOutcome, Leaving};
use net::queue::QueueDropCause;
use units::Time;

use super::{World, WorldEvent};
use crate::ids::{InterfaceId, LinkId, NodeId, PacketId};
use crate::meters::DropReason;
use crate::network::{Egress, Entrance};
use crate::packets::Body;
use crate::plan::NodeRole;
use crate::radios::{OutgoingPacket, QueueEntry};

/// What stands for the port that a bridge's own frames come from.
const NO_PORT: u16 = u16::MAX;

impl World {
    /// Sends a packet, whose hop is known, through an interface. The caller's hold on it passes
    /// on, here and below.
    #[inline(always)]
    pub(super) fn send_frame(&mut self, interface: InterfaceId, handle: PacketId) {
        match self.network.interface(interface).egress {
            Egress::Link(link) => self.send_over(link, handle),
            Egress::Segment(segment, station) => self.send_on_segment(segment, station, handle),
            Egress::Radio => self.send_by_radio(interface, handle),
            Egress::Functions => self.send_by_function(interface, handle),
            Egress::Held => self.hold(interface, handle),
            Egress::Nowhere => self.drop_on_the_way_out(interface, handle),
        }
    }

    #[inline(never)]
    fn send_over(&mut self, link: LinkId, handle: PacketId) {
        let direction = &mut self.network.links[link.index()];
        match direction.send(self.now, handle, &mut self.packets) {
            Ok(arrival) => {
                if arrival != Time::NEVER {
                    self.calendar.schedule(arrival, WorldEvent::Arrival(link));
                }
                self.watch_departure(link, handle);
            }
            Err(cause) => self.drop_at(
                self.network.start_of(link),
                handle,
                DropReason::Queue(cause),
            ),
        }
    }

    #[inline(never)]
    fn send_by_radio(&mut self, interface: InterfaceId, handle: PacketId) {
        self.send_through(interface, interface.address(), handle);
    }

    /// The packet's codepoint decides which access function takes it.
    #[cold]
    #[inline(never)]
    fn send_by_function(&mut self, interface: InterfaceId, handle: PacketId) {
        let category = Category::of_dscp(self.packets.get(handle).dscp);
        let radios = self.air.radios.as_ref();
        if let Some(radio) = radios.map(|radios| radios.function_of(interface, category)) {
            self.send_through(interface, radio, handle);
        }
    }

    /// Sends a packet through one of an interface's radios.
    #[inline(always)]
    fn send_through(&mut self, interface: InterfaceId, radio: Address, handle: PacketId) {
        let (receiver, packet) = self.addressed(interface, handle);
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        match radios.enqueue(self.now, radio, receiver, packet) {
            QueueEntry::Taken => {}
            QueueEntry::Refused => {
                self.drop_at(interface, handle, DropReason::Queue(QueueDropCause::Full));
            }
            QueueEntry::Elsewhere => self.enqueue_at_interface(interface, radio, handle),
        }
    }

    /// The radio that a packet goes to on the air, and what its MAC is told of it.
    #[inline(always)]
    fn addressed(&self, interface: InterfaceId, handle: PacketId) -> (Address, OutgoingPacket) {
        let packet = self.packets.get(handle);
        let receiver = (self.network).receiver(self.now, interface, packet.hop.destination);
        let sent = OutgoingPacket {
            id: handle,
            ip_bytes: packet.ip_bytes,
        };
        (receiver, sent)
    }

    /// A packet waits in a radio's own queue.
    #[cold]
    fn enqueue_at_interface(&mut self, interface: InterfaceId, radio: Address, handle: PacketId) {
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        match radios.enqueue_at_interface(self.now, radio, handle, &mut self.packets) {
            Ok(()) => self.feed_mac(interface, radio),
            Err(cause) => self.drop_at(interface, handle, DropReason::Queue(cause)),
        }
        self.note_queue_drops(interface);
    }

    /// Hands the MAC of a radio the next packets of the queue in front of it, if it has one.
    #[inline]
    pub(super) fn feed_mac(&mut self, interface: InterfaceId, radio: Address) {
        let radios = self.air.radios.as_ref();
        if radios.is_some_and(|radios| radios.has_queue(radio)) {
            self.feed_from_queue(interface, radio);
        }
    }

    /// Hands a MAC packets for as long as it wants any.
    #[cold]
    fn feed_from_queue(&mut self, interface: InterfaceId, radio: Address) {
        if let Egress::Held | Egress::Nowhere = self.network.interface(interface).egress {
            return;
        }
        while let Some(handle) = (self.air.radios.as_mut())
            .and_then(|radios| radios.dequeue_for_mac(self.now, radio, &mut self.packets))
        {
            self.note_queue_drops(interface);
            match self.has_left(interface, handle) {
                true => self.drop_for_absent(self.network.interface(interface).node, handle),
                false => self.serve(interface, radio, handle),
            }
        }
    }

    /// Hands a MAC the packet that has left the queue in front of it.
    #[cold]
    fn serve(&mut self, interface: InterfaceId, radio: Address, handle: PacketId) {
        let (receiver, packet) = self.addressed(interface, handle);
        let radios = self.air.radios.as_mut();
        if radios.is_some_and(|radios| !radios.serve(self.now, radio, receiver, packet)) {
            self.drop_at(interface, handle, DropReason::Queue(QueueDropCause::Full));
        }
    }

    /// A packet is at the far end of a link.
    pub(super) fn arrive(&mut self, link: LinkId) {
        let direction = &mut self.network.links[link.index()];
        let arrival = direction.arrive(self.now, &mut self.packets);
        if arrival.next_at != Time::NEVER {
            self.calendar
                .schedule(arrival.next_at, WorldEvent::Arrival(link));
        }
        let packet = PacketId(arrival.packet);
        match direction.impair(self.now, packet, &mut self.packets) {
            ChainOutcome::Through => self.deliver(link, packet),
            ChainOutcome::Damaged(damage) => self.deliver_damaged(link, packet, damage),
            ChainOutcome::Lost => {
                self.drop_at(self.network.end_of(link), packet, DropReason::Impaired);
            }
            ChainOutcome::Taken => {
                if direction.has_news() {
                    self.take_from_chain(link);
                }
            }
        }
    }

    /// Takes what the impairments at the far end of a link have held and let go on now.
    #[inline(never)]
    pub(super) fn take_from_chain(&mut self, link: LinkId) {
        while let Some(leaving) =
            self.network.links[link.index()].leaving(self.now, &mut self.packets)
        {
            match leaving {
                Leaving::Through(packet) => self.deliver(link, PacketId(packet)),
                Leaving::Damaged(packet, damage) => {
                    self.deliver_damaged(link, PacketId(packet), damage);
                }
                Leaving::Lost(packet) => {
                    let end = self.network.end_of(link);
                    self.drop_at(end, PacketId(packet), DropReason::Impaired);
                }
            }
        }
        let wake_at = self.network.links[link.index()].next_chain_wake(self.now);
        if wake_at != Time::NEVER {
            self.calendar.schedule(wake_at, WorldEvent::Impaired(link));
        }
    }

    /// A packet leaves a link at its far end.
    #[inline(always)]
    pub(super) fn deliver(&mut self, link: LinkId, handle: PacketId) {
        self.watch_arrival(link, handle);
        self.take_frame(self.network.end_of(link), handle);
    }

    /// A frame has reached an interface.
    #[inline(always)]
    pub(super) fn take_frame(&mut self, interface: InterfaceId, handle: PacketId) {
        let here = self.network.interface(interface);
        match here.entrance {
            Entrance::Machine => self.admit(interface, handle),
            Entrance::Bridge => self.bridge(here.node, interface, handle),
            Entrance::Processor => self.process_received(interface, handle),
            Entrance::Translator => self.admit_translated(interface, handle),
            Entrance::Port => self.hand_out(interface, handle),
        }
    }

    /// A frame leaves the world at a port.
    #[inline(never)]
    fn hand_out(&mut self, interface: InterfaceId, handle: PacketId) {
        if self.is_own_broadcast(interface, handle) {
            return self.packets.release(handle);
        }
        if let Some(outside_flows) = &mut self.observers.outside_flows {
            let (node, packet) = (
                self.network.interface(interface).node,
                self.packets.get(handle),
            );
            outside_flows.leaves(self.now, node, packet, &mut self.hosts.flows);
        }
        self.network.ports.emit(self.now, interface, handle);
    }

    /// Returns whether a frame for all comes back to the interface that sent it. An access point
    /// repeats its stations' broadcasts to all, and a driver hands none of its own to its kernel.
    fn is_own_broadcast(&self, interface: InterfaceId, handle: PacketId) -> bool {
        let hop = &self.packets.get(handle).hop;
        hop.destination.is_group() && hop.source == self.network.interface(interface).mac
    }

    /// A frame goes from an interface into its machine, whose processor has done with it.
    pub(super) fn hand_on(&mut self, interface: InterfaceId, handle: PacketId) {
        let here = self.network.interface(interface);
        match here.role {
            NodeRole::Switch | NodeRole::Ap => self.bridge(here.node, interface, handle),
            NodeRole::Router => self.admit_translated(interface, handle),
            _ => self.admit(interface, handle),
        }
    }

    /// A frame has come to an interface of a machine that is no bridge.
    #[inline(never)]
    pub(super) fn admit(&mut self, interface: InterfaceId, handle: PacketId) {
        if self.is_for_machine(interface, handle) {
            self.take_packet(interface, handle);
        }
        self.packets.release(handle);
    }

    /// Returns whether a frame is for the machine whose interface it has come to.
    #[inline(always)]
    pub(super) fn is_for_machine(&self, interface: InterfaceId, handle: PacketId) -> bool {
        let hop = &self.packets.get(handle).hop;
        self.network.is_for_machine(interface, hop)
    }

    /// A frame has come to an access point through one of its interfaces.
    #[inline(never)]
    fn bridge(&mut self, node: NodeId, from: InterfaceId, handle: PacketId) {
        let hop = &self.packets.get(handle).hop;
        let bridge = &mut self.network.machines[node.index()].bridge;
        bridge.learn(self.now, hop.source, from.0);
        match bridge.decide(self.now, from.0, hop.destination) {
            Decision::Port(port) if hop.destination.node() != Some(port) => {
                self.send_frame(InterfaceId(port), handle);
            }
            Decision::Port(_) => {
                self.take_from_bridge(from, handle);
                self.packets.release(handle);
            }
            Decision::Flood => {
                if hop.destination.is_group() {
                    self.take_from_bridge(from, handle);
                }
                self.flood(node, Some(from), handle);
            }
            Decision::Discard
                if self.network.ports.any && self.is_between_stations(from, handle) =>
            {
                self.send_frame(from, handle);
            }
            Decision::Discard => self.packets.release(handle),
        }
    }

    /// Returns whether a frame that has come by radio is for a machine behind another station.
    fn is_between_stations(&self, from: InterfaceId, handle: PacketId) -> bool {
        let network = &self.network;
        network.ports.any
            && network.is_between_stations(self.now, from, &self.packets.get(handle).hop)
    }

    /// A frame is for the access point itself, or for all. What access points say to each other
    /// stays in the world, where the machine within one is real.
    #[inline(never)]
    fn take_from_bridge(&mut self, interface: InterfaceId, handle: PacketId) {
        let within = self.network.interface(interface).node.first_interface();
        let is_foreign = || matches!(self.packets.get(handle).body, Body::Foreign(_));
        if !self.network.ports.has(within) || is_foreign() {
            return self.take_packet(interface, handle);
        }
        self.packets.hold(handle);
        self.hand_out(within, handle);
    }

    /// Sends a frame that an access point itself has made, or the machine within it.
    #[inline(never)]
    pub(super) fn send_from_bridge(&mut self, node: NodeId, handle: PacketId) {
        let destination = self.packets.get(handle).hop.destination;
        let bridge = &self.network.machines[node.index()].bridge;
        match bridge.decide(self.now, NO_PORT, destination) {
            Decision::Port(port) => self.send_frame(InterfaceId(port), handle),
            Decision::Discard => self.packets.release(handle),
            Decision::Flood => self.flood(node, None, handle),
        }
    }

    /// Passes a frame on through all interfaces of a bridge but the one it came through. A radio
    /// that it came through repeats it if it is for all; one for a single receiver goes over
    /// wires only, as an access point knows its stations.
    fn flood(&mut self, node: NodeId, from: Option<InterfaceId>, handle: PacketId) {
        let is_for_all = self.packets.get(handle).hop.destination.is_group();
        let mut goes_nowhere = true;
        for at in 0..self.network.machines[node.index()].interfaces.len() {
            let port = self.network.machines[node.index()].interfaces[at];
            let goes = match self.network.interface(port).egress {
                Egress::Radio | Egress::Functions => is_for_all,
                Egress::Link(_) | Egress::Segment(..) => Some(port) != from,
                Egress::Held | Egress::Nowhere => false,
            };
            if goes {
                goes_nowhere = false;
                self.packets.hold(handle);
                self.send_frame(port, handle);
            }
        }
        if goes_nowhere {
            self.observers.absent_stations.count_drop(node);
            self.note_drop(node, handle, DropReason::NoStation);
        }
        self.packets.release(handle);
    }
}
