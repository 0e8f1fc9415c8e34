//! Damaged packets: who discards them, and for what.

use net::impairment::Damage;
use wire::Headers;
use wire::ethernet::EtherType;

use super::World;
use crate::ids::{InterfaceId, LinkId, NodeId, PacketId};
use crate::meters::DropReason;
use crate::plan::NodeRole;

impl World {
    /// A frame leaves the far end of a link damaged: the device there drops it, unless the damage
    /// is such as only those can notice who look into it.
    #[cold]
    #[inline(never)]
    pub(super) fn deliver_damaged(&mut self, link: LinkId, handle: PacketId, damage: Damage) {
        let interface = self.network.end_of(link);
        let node = self.network.interface(interface).node;
        let discards = self.observers.discards.of(node);
        if damage.any_of(Damage::FCS) {
            discards.fcs += 1;
            return self.drop_packet(node, handle, DropReason::CheckSequence);
        }
        if damage.any_of(Damage::ADDRESS) {
            discards.header += 1;
            return self.drop_packet(node, handle, DropReason::Header);
        }
        let handle = self.packets.damage(handle, damage);
        self.deliver(link, handle);
    }

    /// Returns whether the checksum over what a real packet carries holds; else the machine that it
    /// has come to, which the packet is for, discards it.
    #[cold]
    pub(super) fn is_sound(&mut self, node: NodeId, handle: PacketId) -> bool {
        let bytes = self.packets.bytes(self.packets.get(handle));
        let is_sound = bytes.is_none_or(|bytes| {
            let headers = Headers::read(EtherType::IPV4, bytes);
            headers.is_sound(bytes)
        });
        if !is_sound {
            self.observers.discards.of(node).checksum += 1;
            self.note_drop(node, handle, DropReason::Checksum);
        }
        is_sound
    }

    /// A damaged packet has come to a machine that speaks IP, in a frame that is for it. The
    /// caller keeps its hold on it.
    #[cold]
    #[inline(never)]
    pub(super) fn take_damaged(&mut self, interface: InterfaceId, handle: PacketId) {
        let packet = *self.packets.get(handle);
        let here = self.network.interface(interface);
        let node = here.node;
        let is_on_its_way =
            here.role == NodeRole::Router && !self.network.is_for(interface, &packet);
        let discards = self.observers.discards.of(node);
        if packet.damage.any_of(Damage::TYPE) {
            discards.header += 1;
            self.note_drop(node, handle, DropReason::Header);
        } else if is_on_its_way && !packet.damage.any_of(Damage::IP_HEADER) {
            // A router looks at the header alone.
            self.route(node, packet);
        } else {
            discards.checksum += 1;
            self.note_drop(node, handle, DropReason::Checksum);
        }
    }
}
