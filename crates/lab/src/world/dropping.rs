//! Packets that go no further: taps are told why, and their slots are freed.

use dot11::DropCause;

use super::World;
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::meters::DropReason;
use crate::packets::Packet;
use crate::radios::Finished;

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

    /// Notes a packet that a MAC has given up.
    #[inline(never)]
    pub(super) fn note_given_up(&mut self, given_up: Finished, cause: DropCause) {
        let Finished {
            interface, packet, ..
        } = given_up;
        (self.observers.taps).on_given_up(&self.network, interface, self.now);
        let node = self.network.interface(interface).node;
        let reason = DropReason::GivenUp(cause);
        if self.packets.has_passed(packet, interface) {
            let packet = self.packets.get(packet);
            (self.observers.taps).on_drop(&self.packets, node, packet, reason, self.now);
        } else {
            self.note_drop(node, packet, reason);
        }
    }
}
