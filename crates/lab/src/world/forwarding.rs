//! A packet's way through the world: its next step, links, and arrivals.

use net::queue::Full;
use units::Time;

use super::{Event, World};
use crate::routing::Egress;

impl World {
    pub(super) fn arrive(&mut self, link: u16) {
        let direction = &mut self.links[usize::from(link)];
        let arrival = direction.arrive(self.now);
        if arrival.next_at != Time::NEVER {
            self.calendar
                .schedule(arrival.next_at, Event::Arrival(link));
        }
        if !direction.lets_through(self.now, self.packets.get(arrival.packet)) {
            self.packets.release(arrival.packet);
            return;
        }
        let wire = &self.plan.wires[usize::from(link / 2)];
        let at = wire.ends[usize::from(1 - link % 2)] as u16;
        if self.taps.any_wire() && link % 2 == 1 {
            self.tap_wire(link, arrival.packet);
        }
        self.forward(at, arrival.packet);
    }

    /// Gives a packet its next step from `node`. The caller's hold on it passes on.
    pub(super) fn forward(&mut self, node: u16, handle: u32) {
        let packet = self.packets.get(handle);
        match self.routes.next(node, packet.to) {
            Egress::Local => {
                self.receive(node, handle);
                self.packets.release(handle);
            }
            Egress::Link(link) => self.send_over(link, handle),
            Egress::Radio(to) => {
                let ip_bytes = packet.ip_bytes;
                let Some(radios) = &mut self.radios else {
                    return;
                };
                if !radios.enqueue(self.now, node, to, handle, ip_bytes) {
                    self.packets.release(handle);
                }
            }
            Egress::Nowhere => self.packets.release(handle),
        }
    }

    fn send_over(&mut self, link: u16, handle: u32) {
        let direction = &mut self.links[usize::from(link)];
        match direction.send(self.now, handle, self.packets.get(handle)) {
            Ok(arrival) => {
                if arrival != Time::NEVER {
                    self.calendar.schedule(arrival, Event::Arrival(link));
                }
                if self.taps.any_wire() && link % 2 == 0 {
                    self.tap_wire(link, handle);
                }
            }
            Err(Full) => self.packets.release(handle),
        }
        while let Some(dropped) = self.links[usize::from(link)].dropped() {
            self.packets.release(dropped);
        }
    }

    fn tap_wire(&mut self, link: u16, handle: u32) {
        let wire = usize::from(link / 2);
        let packet = self.packets.get(handle);
        (self.taps).on_wire(&self.plan, &self.foreign, wire, packet, self.now);
    }
}
