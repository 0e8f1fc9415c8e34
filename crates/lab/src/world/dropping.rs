//! Packets that go no further: taps are told why, and their slots are freed.

use super::World;
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::meters::DropReason;
use crate::packets::Packet;

impl World {
    /// A machine drops a packet that it holds.
    #[cold]
    #[inline(never)]
    pub(super) fn drop_packet(&mut self, node: NodeId, handle: PacketId, reason: DropReason) {
        self.note_drop(node, handle, reason);
        self.packets.release(handle);
    }

    /// The same of one that was to leave, or has come, through an interface.
    #[cold]
    #[inline(never)]
    pub(super) fn drop_at(&mut self, interface: InterfaceId, handle: PacketId, reason: DropReason) {
        let node = self.network.interface(interface).node;
        self.drop_packet(node, handle, reason);
    }

    /// A machine has no use for a packet, which the caller lets go.
    #[cold]
    #[inline(never)]
    pub(super) fn note_drop(&mut self, node: NodeId, handle: PacketId, reason: DropReason) {
        let packet = *self.packets.get(handle);
        if packet.load.is_some() {
            self.network.ports.note_drop(reason);
        }
        if self.observers.taps.keep_drops() {
            (self.observers.taps).on_drop(&self.packets, node, &packet, reason, self.now);
        }
    }

    /// The same of one that is in no slot.
    #[cold]
    #[inline(never)]
    pub(super) fn note_dropped(&mut self, node: NodeId, packet: &Packet, reason: DropReason) {
        if packet.load.is_some() {
            self.network.ports.note_drop(reason);
        }
        (self.observers.taps).on_drop(&self.packets, node, packet, reason, self.now);
    }

    /// Notes what the queue of an interface has dropped of what it had accepted.
    #[inline(always)]
    pub(super) fn note_queue_drops(&mut self, interface: InterfaceId) {
        while let Some((handle, cause)) = self.packets.take_dropped() {
            let node = self.network.interface(interface).node;
            let packet = self.packets.get(handle);
            (self.observers.taps).on_drop(
                &self.packets,
                node,
                packet,
                DropReason::Queue(cause),
                self.now,
            );
            self.packets.release(handle);
        }
    }

    /// Notes a packet that a MAC has done with, if it has given it up.
    pub(super) fn note_given_up(&mut self, interface: InterfaceId, handle: PacketId) {
        let Some(radios) = &self.air.radios else {
            return;
        };
        let counts = radios.given_up_by_cause(interface);
        let node = self.network.interface(interface).node;
        let tapped = self.observers.taps.newly_given_up(node, interface, counts);
        let noted = self.network.ports.given_up.newly(interface, counts);
        let Some(reason) = tapped.or(noted).map(DropReason::GivenUp) else {
            return;
        };
        if self.packets.has_passed(handle, interface) {
            let packet = self.packets.get(handle);
            (self.observers.taps).on_drop(&self.packets, node, packet, reason, self.now);
        } else {
            self.note_drop(node, handle, reason);
        }
    }
}
