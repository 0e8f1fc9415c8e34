//! Packets that go no further: taps are told why, and their slots are freed.

use super::World;
use crate::drops::Why;
use crate::packet::Packet;

impl World {
    /// A machine drops a packet that it holds.
    #[cold]
    #[inline(never)]
    pub(super) fn drop_packet(&mut self, node: u16, handle: u32, why: Why) {
        self.note_drop(node, handle, why);
        self.packets.release(handle);
    }

    /// The same of one that was to leave, or has come, through an interface.
    #[cold]
    #[inline(never)]
    pub(super) fn drop_at(&mut self, interface: u16, handle: u32, why: Why) {
        let node = self.network.interface(interface).node;
        self.drop_packet(node, handle, why);
    }

    /// A machine has no use for a packet, which the caller lets go.
    #[cold]
    #[inline(never)]
    pub(super) fn note_drop(&mut self, node: u16, handle: u32, why: Why) {
        let packet = *self.packets.get(handle);
        if packet.load.is_some() {
            self.ports.note_drop(why);
        }
        if self.taps.any_drops() {
            (self.taps).on_drop(&self.packets, node, &packet, why, self.now);
        }
    }

    /// The same of one that is in no slot.
    #[cold]
    #[inline(never)]
    pub(super) fn note_dropped(&mut self, node: u16, packet: &Packet, why: Why) {
        if packet.load.is_some() {
            self.ports.note_drop(why);
        }
        (self.taps).on_drop(&self.packets, node, packet, why, self.now);
    }

    /// Notes what a queue of a machine has dropped of what it had accepted.
    #[cold]
    #[inline(never)]
    pub(super) fn note_queue_drops(&mut self, node: u16) {
        while let Some((handle, cause)) = self.packets.take_dropped() {
            let packet = self.packets.get(handle);
            (self.taps).on_drop(&self.packets, node, packet, Why::Queue(cause), self.now);
            self.packets.release(handle);
        }
    }

    /// Notes a packet that a MAC has done with, if it has given it up.
    pub(super) fn note_given_up(&mut self, interface: u16, handle: u32) {
        let Some(radios) = &self.radios else { return };
        let counts = radios.given_up_by_cause(interface);
        let node = self.network.interface(interface).node;
        let tapped = self.taps.newly_given_up(node, interface, counts);
        let noted = self.ports.given_up.newly(interface, counts);
        let Some(why) = tapped.or(noted).map(Why::GivenUp) else {
            return;
        };
        if self.packets.has_passed(handle, interface) {
            let packet = self.packets.get(handle);
            (self.taps).on_drop(&self.packets, node, packet, why, self.now);
        } else {
            self.note_drop(node, handle, why);
        }
    }
}
