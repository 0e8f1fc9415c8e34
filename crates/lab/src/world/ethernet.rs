//! Frames: over wires and by radio from interface to interface, and through bridges.

use dot11::{Address, Category};
use net::bridge::Decision;
use net::impairment::{Leaving, Passage};
use net::queue::Cause;
use units::{MacAddress, Time};

use super::{Event, World};
use crate::drops::Why;
use crate::network::{Egress, Entrance};
use crate::plan::Role;
use crate::radios::Entry;

impl World {
    /// Sends a packet, whose hop is known, through an interface. The caller's hold on it passes
    /// on, here and below.
    #[inline(always)]
    pub(super) fn send_frame(&mut self, interface: u16, handle: u32) {
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
    fn send_over(&mut self, link: u16, handle: u32) {
        let direction = &mut self.links[usize::from(link)];
        match direction.send(self.now, handle, &mut self.packets) {
            Ok(arrival) => {
                if arrival != Time::NEVER {
                    self.calendar.schedule(arrival, Event::Arrival(link));
                }
                if self.taps.any_wire() {
                    self.watch_departure(link, handle);
                }
            }
            Err(cause) => self.drop_at(self.network.end_of(link ^ 1), handle, Why::Queue(cause)),
        }
    }

    #[inline(never)]
    fn send_by_radio(&mut self, interface: u16, handle: u32) {
        let receiver = self.receiver(interface, handle);
        let bytes = self.packets.get(handle).ip_bytes;
        let Some(radios) = &mut self.radios else {
            return;
        };
        match radios.enqueue(self.now, interface, receiver, handle, bytes) {
            Entry::Taken => {}
            Entry::Refused => self.drop_at(interface, handle, Why::Queue(Cause::Full)),
            Entry::Elsewhere => self.line_up(interface, handle),
        }
    }

    /// The packet's codepoint decides which access function takes it.
    #[cold]
    #[inline(never)]
    fn send_by_function(&mut self, interface: u16, handle: u32) {
        let receiver = self.receiver(interface, handle);
        let packet = self.packets.get(handle);
        let (bytes, category) = (packet.ip_bytes, Category::of_dscp(packet.dscp));
        let Some(radios) = &mut self.radios else {
            return;
        };
        let radio = radios.function_of(interface, category);
        if radios.enqueue(self.now, radio, receiver, handle, bytes) != Entry::Taken {
            self.drop_at(interface, handle, Why::Queue(Cause::Full));
        }
    }

    /// A frame of a station goes to its access point, whoever it is for (IEEE 802.11-2007
    /// §7.2.2); one of an access point to the station, or to all.
    #[inline]
    fn receiver(&self, interface: u16, handle: u32) -> Address {
        match self.network.interface(interface).access_point {
            Some(radio) => Address(radio),
            None => match address_of(self.packets.get(handle).hop.destination) {
                Address::UNSAID => self.address_behind(handle),
                known => known,
            },
        }
    }

    /// The station behind which the machine from outside was heard that a frame is for.
    #[cold]
    fn address_behind(&self, handle: u32) -> Address {
        let destination = self.packets.get(handle).hop.destination;
        let station = self.network.station_for(self.now, destination);
        station.map_or(Address::UNSAID, Address)
    }

    /// A packet waits in a radio's own queue.
    #[cold]
    fn line_up(&mut self, interface: u16, handle: u32) {
        let Some(radios) = &mut self.radios else {
            return;
        };
        match radios.line_up(self.now, interface, handle, &mut self.packets) {
            Ok(()) => self.call_up(interface),
            Err(cause) => self.drop_at(interface, handle, Why::Queue(cause)),
        }
        self.note_queue_drops(self.network.interface(interface).node);
    }

    /// Hands the MAC of a radio with a queue of its own the next packet, if it has none.
    #[cold]
    pub(super) fn call_up(&mut self, interface: u16) {
        if let Egress::Held | Egress::Nowhere = self.network.interface(interface).egress {
            return;
        }
        while let Some(handle) = (self.radios.as_mut())
            .and_then(|radios| radios.next_in_line(self.now, interface, &mut self.packets))
        {
            self.note_queue_drops(self.network.interface(interface).node);
            if !self.has_left(interface, handle) {
                return self.send_by_radio(interface, handle);
            }
            self.drop_stray(self.network.interface(interface).node, handle);
        }
    }

    /// A packet is at the far end of a link.
    pub(super) fn arrive(&mut self, link: u16) {
        let direction = &mut self.links[usize::from(link)];
        let arrival = direction.arrive(self.now, &mut self.packets);
        if arrival.next_at != Time::NEVER {
            self.calendar
                .schedule(arrival.next_at, Event::Arrival(link));
        }
        match direction.impair(self.now, arrival.packet, &mut self.packets) {
            Passage::Through => self.deliver(link, arrival.packet),
            Passage::Damaged(damage) => self.deliver_damaged(link, arrival.packet, damage),
            Passage::Lost => {
                self.drop_at(self.network.end_of(link), arrival.packet, Why::Impaired);
            }
            Passage::Taken => {
                if direction.has_news() {
                    self.take_from_chain(link);
                }
            }
        }
    }

    /// Takes what the impairments at the far end of a link have held and let go on now.
    #[inline(never)]
    pub(super) fn take_from_chain(&mut self, link: u16) {
        while let Some(leaving) = self.links[usize::from(link)].leaving(self.now, &mut self.packets)
        {
            match leaving {
                Leaving::Through(packet) => self.deliver(link, packet),
                Leaving::Damaged(packet, damage) => self.deliver_damaged(link, packet, damage),
                Leaving::Lost(packet) => {
                    self.drop_at(self.network.end_of(link), packet, Why::Impaired);
                }
            }
        }
        let wake_at = self.links[usize::from(link)].next_chain_wake(self.now);
        if wake_at != Time::NEVER {
            self.calendar.schedule(wake_at, Event::Impaired(link));
        }
    }

    /// A packet leaves a link at its far end.
    #[inline(always)]
    pub(super) fn deliver(&mut self, link: u16, handle: u32) {
        if self.taps.any_wire() {
            self.watch_arrival(link, handle);
        }
        self.take_frame(self.network.end_of(link), handle);
    }

    /// A frame has reached an interface.
    #[inline(always)]
    pub(super) fn take_frame(&mut self, interface: u16, handle: u32) {
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
    fn hand_out(&mut self, interface: u16, handle: u32) {
        if let Some(observed) = &mut self.observed {
            let (node, packet) = (
                self.network.interface(interface).node,
                self.packets.get(handle),
            );
            observed.leaves(self.now, node, packet, &mut self.flows);
        }
        self.ports.emit(self.now, interface, handle);
    }

    /// A frame goes from an interface into its machine, whose processor has done with it.
    pub(super) fn hand_on(&mut self, interface: u16, handle: u32) {
        let here = self.network.interface(interface);
        match here.role {
            Role::Switch | Role::Ap => self.bridge(here.node, interface, handle),
            Role::Router => self.admit_translated(interface, handle),
            _ => self.admit(interface, handle),
        }
    }

    /// A frame has come to an interface of a machine that is no bridge.
    #[inline(never)]
    pub(super) fn admit(&mut self, interface: u16, handle: u32) {
        if self.is_for_machine(interface, handle) {
            self.take_packet(interface, handle);
        }
        self.packets.release(handle);
    }

    /// Whether a frame is for the machine whose interface it has come to.
    #[inline(always)]
    pub(super) fn is_for_machine(&self, interface: u16, handle: u32) -> bool {
        let here = self.network.interface(interface);
        let hop = &self.packets.get(handle).hop;
        // An access point sends its stations' broadcasts to all, their senders included.
        let is_for_all = || hop.destination.is_group() && hop.source != here.mac;
        hop.destination == here.mac || is_for_all()
    }

    /// A frame has come to an access point through one of its interfaces.
    #[inline(never)]
    fn bridge(&mut self, node: u16, from: u16, handle: u32) {
        let hop = &self.packets.get(handle).hop;
        let bridge = &mut self.network.machines[usize::from(node)].bridge;
        bridge.learn(self.now, hop.source, from);
        match bridge.decide(self.now, from, hop.destination) {
            Decision::Port(port) if hop.destination.node() != Some(port) => {
                self.send_frame(port, handle);
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
            Decision::Discard if self.ports.any && self.is_between_stations(from, handle) => {
                self.send_frame(from, handle);
            }
            Decision::Discard => self.packets.release(handle),
        }
    }

    /// Whether a frame that has come by radio is for a machine behind another station.
    #[cold]
    fn is_between_stations(&self, from: u16, handle: u32) -> bool {
        let hop = self.packets.get(handle).hop;
        let [source, destination] = [hop.source, hop.destination]
            .map(|address| self.network.station_for(self.now, address));
        let is_radio = matches!(
            self.network.interface(from).egress,
            Egress::Radio | Egress::Functions
        );
        is_radio && destination.is_some() && source != destination
    }

    /// A frame is for the access point itself, or for all.
    #[inline(never)]
    fn take_from_bridge(&mut self, interface: u16, handle: u32) {
        self.take_packet(interface, handle);
    }

    /// Sends a frame that an access point itself has made.
    #[inline(never)]
    pub(super) fn send_from_bridge(&mut self, node: u16, handle: u32) {
        let destination = self.packets.get(handle).hop.destination;
        let bridge = &self.network.machines[usize::from(node)].bridge;
        match bridge.decide(self.now, u16::MAX, destination) {
            Decision::Port(port) => self.send_frame(port, handle),
            Decision::Discard => self.packets.release(handle),
            Decision::Flood => self.flood(node, None, handle),
        }
    }

    /// Passes a frame on through all interfaces of a bridge but the one it came through. A radio
    /// that it came through repeats it if it is for all; one for a single receiver goes over
    /// wires only, as an access point knows its stations.
    fn flood(&mut self, node: u16, from: Option<u16>, handle: u32) {
        let is_for_all = self.packets.get(handle).hop.destination.is_group();
        let mut goes_nowhere = true;
        for at in 0..self.network.machines[usize::from(node)].interfaces.len() {
            let port = self.network.machines[usize::from(node)].interfaces[at];
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
            self.strays.note(node);
            self.note_drop(node, handle, Why::NoStation);
        }
        self.packets.release(handle);
    }

    /// A packet leaves for a link: a tap at a wire's first end sees it.
    #[inline(never)]
    fn watch_departure(&mut self, link: u16, handle: u32) {
        if link % 2 == 0 {
            self.tap_wire(link, handle);
        }
        self.note_queue_drops(self.network.interface(self.network.end_of(link ^ 1)).node);
    }

    /// A packet has come over a link: a tap at a wire's first end sees what comes to that.
    #[inline(never)]
    fn watch_arrival(&mut self, link: u16, handle: u32) {
        if link % 2 == 1 {
            self.tap_wire(link, handle);
        }
        self.note_queue_drops(self.network.interface(self.network.end_of(link ^ 1)).node);
    }

    fn tap_wire(&mut self, link: u16, handle: u32) {
        let wire = usize::from(link / 2);
        let packet = self.packets.get(handle);
        self.taps.on_wire(&self.packets, wire, packet, self.now);
    }
}

/// The address on the air of a link address: all stations' for a group; one that nobody answers
/// to for a machine from outside.
#[inline]
fn address_of(destination: MacAddress) -> Address {
    match destination.node() {
        Some(number) => Address(number),
        None if destination.is_group() => Address::BROADCAST,
        None => Address::UNSAID,
    }
}
