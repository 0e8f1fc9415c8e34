//! The slab that packets live in.

use net::impairment::Damage;
use net::queue::{Class, Owner, QueueDropCause};
use tcp::Ecn;

use super::charges::{Charges, DepartedSegment};
use super::load::{Load, PayloadStore};
use super::packet::{Body, InterfaceHop, Packet};
use crate::ids::{InterfaceId, PacketId, SocketId};

/// Where packets live. A packet travels as a handle; whoever keeps it holds a reference.
///
/// A MAC keeps its MSDU until it knows the outcome, while the receiver may
/// already have passed it on, so two holders of one packet are possible.
#[derive(Debug, Default)]
pub struct Packets {
    slots: Vec<SlabSlot>,
    free: Vec<PacketId>,
    store: PayloadStore,
    /// Copies of real packets made so far.
    pub copied: u64,
    /// Real packets that queues have dropped so far of what they had accepted, by cause.
    real_dropped: [u64; QueueDropCause::ALL.len()],
    /// Whether what queues drop of what they had accepted is kept.
    keeps_dropped: bool,
    /// That; held.
    dropped: Vec<(PacketId, QueueDropCause)>,
    charges: Charges,
}

#[derive(Debug)]
struct SlabSlot {
    packet: Packet,
    holders: u8,
    /// The radios, by their interfaces, from which a real packet has come through while their MACs
    /// wait for the acknowledgment, and hold it: one that gives it up all the same drops nothing.
    /// From a station and on to another one there are two.
    passed_from: [InterfaceId; 2],
}

/// Where a packet has passed from that has passed from nowhere.
const NOWHERE: InterfaceId = InterfaceId(u16::MAX);

impl SlabSlot {
    /// MACs that hold a packet which goes on elsewhere.
    fn waiting_macs(&self) -> u8 {
        let waiting = self.passed_from.iter().filter(|&&from| from != NOWHERE);
        waiting.count() as u8
    }
}

/// A slot that nothing has been in yet.
const EMPTY: SlabSlot = SlabSlot {
    packet: Packet::of_link(0),
    holders: 0,
    passed_from: [NOWHERE; 2],
};

impl Packets {
    /// Stores a packet for one holder.
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        let handle = self.free.pop().unwrap_or_else(|| self.add_slot());
        // Field by field: a slot made first would be copied.
        let slot = &mut self.slots[handle.index()];
        slot.packet = packet;
        slot.holders = 1;
        if let Some(load) = packet.load {
            self.slots[handle.index()].passed_from = [NOWHERE; 2];
            self.hold_load(&packet, load);
        }
        if self.charges.sender.is_some() {
            self.charges.begin(handle, &packet);
        }
        handle
    }

    /// Lets segments that are made from now on count against a connection until they have left the
    /// queue below it, or no more.
    #[inline]
    pub fn charge_to(&mut self, sender: Option<SocketId>) {
        self.charges.sender = sender;
    }

    /// The queue below its sender has done with a packet.
    #[inline]
    pub fn leave(&mut self, handle: PacketId) {
        if self.charges.count > 0 {
            let packet = &self.slots[handle.index()].packet;
            self.charges.end(handle, packet);
        }
    }

    /// Returns whether any segment has left the queue below its sender that did not know it.
    #[inline]
    pub fn have_left(&self) -> bool {
        !self.charges.left.is_empty()
    }

    /// One of those.
    pub fn take_left(&mut self) -> Option<DepartedSegment> {
        self.charges.left.pop()
    }

    /// A real packet has come through from the radio of an interface, and goes on. Its MAC may have
    /// done with it already, where the packet has waited for others before it.
    #[cold]
    pub fn note_passed(&mut self, handle: PacketId, interface: InterfaceId) {
        let slot = &mut self.slots[handle.index()];
        let is_held_by_its_mac = slot.holders > 1 + slot.waiting_macs();
        if is_held_by_its_mac && !slot.passed_from.contains(&interface) {
            slot.passed_from = [interface, slot.passed_from[0]];
        }
    }

    /// The MAC of an interface has done with a real packet.
    #[cold]
    pub fn note_done(&mut self, handle: PacketId, interface: InterfaceId) {
        let from = &mut self.slots[handle.index()].passed_from;
        *from = match *from {
            [first, second] if first == interface => [second, NOWHERE],
            [first, second] if second == interface => [first, NOWHERE],
            others => others,
        };
    }

    /// Returns whether a real packet has come through from the radio of an interface.
    pub fn has_passed(&self, handle: PacketId, interface: InterfaceId) -> bool {
        let slot = &self.slots[handle.index()];
        slot.packet.load.is_some() && slot.passed_from.contains(&interface)
    }

    /// Returns how many real packets queues have dropped of what they had accepted, by cause.
    pub fn real_dropped(&self) -> impl Iterator<Item = (QueueDropCause, u64)> {
        QueueDropCause::ALL.into_iter().zip(self.real_dropped)
    }

    /// Real packets that anybody holds, besides MACs that wait for the acknowledgment of one which
    /// has come through.
    pub fn real(&self) -> usize {
        let held = (self.slots.iter()).filter(|slot| slot.holders > slot.waiting_macs());
        held.filter(|slot| slot.packet.load.is_some()).count()
    }

    /// Keeps bytes for packets that are made now, until [`Packets::release_bytes`].
    pub fn keep(&mut self, bytes: &[u8]) -> Load {
        self.store.keep(bytes)
    }

    /// Gives up one's own hold on bytes: they stay with the packets that carry them.
    pub fn release_bytes(&mut self, load: Load) {
        self.store.release(load);
    }

    /// The bytes of a packet as they came, if it has any.
    pub fn bytes(&self, packet: &Packet) -> Option<&[u8]> {
        let load = packet.load.filter(|_| !matches!(packet.body, Body::Tunnel));
        load.map(|load| self.store.bytes(load))
    }

    #[cold]
    fn hold_load(&mut self, packet: &Packet, load: Load) {
        match packet.body {
            Body::Tunnel => self.hold(load.packet()),
            _ => self.store.hold(load),
        }
    }

    #[cold]
    fn release_load(&mut self, is_tunnel: bool, load: Load) {
        match is_tunnel {
            true => self.release(load.packet()),
            false => self.store.release(load),
        }
    }

    /// Stores a packet like another one, for one holder. From then on each goes its own way.
    pub fn copy(&mut self, handle: PacketId) -> PacketId {
        let packet = *self.get(handle);
        self.copied += u64::from(packet.load.is_some());
        self.insert(packet)
    }

    #[cold]
    fn add_slot(&mut self) -> PacketId {
        self.slots.push(EMPTY);
        PacketId::at(self.slots.len() - 1)
    }

    /// The packet behind a handle.
    #[inline]
    pub fn get(&self, handle: PacketId) -> &Packet {
        &self.slots[handle.index()].packet
    }

    /// Tells a packet where it goes next.
    #[inline]
    pub fn direct(&mut self, handle: PacketId, hop: InterfaceHop) {
        self.slots[handle.index()].packet.hop = hop;
    }

    /// Damages a holder's packet, which for others stays what it was; answers its handle.
    pub fn damage(&mut self, handle: PacketId, damage: Damage) -> PacketId {
        self.change(handle, |packet| packet.damage |= damage)
    }

    /// Changes a holder's packet, which for others stays what it was; answers its handle.
    fn change(&mut self, handle: PacketId, change: impl FnOnce(&mut Packet)) -> PacketId {
        let slot = &mut self.slots[handle.index()];
        if slot.holders == 1 {
            change(&mut slot.packet);
            return handle;
        }
        let mut copy = slot.packet;
        change(&mut copy);
        self.release(handle);
        self.insert(copy)
    }

    /// One more holder.
    #[inline]
    pub fn hold(&mut self, handle: PacketId) {
        self.slots[handle.index()].holders += 1;
    }

    /// One holder less; the last one frees the slot.
    #[inline]
    pub fn release(&mut self, handle: PacketId) {
        let slot = &mut self.slots[handle.index()];
        debug_assert!(
            slot.holders > 0,
            "a packet is released by those who hold it"
        );
        slot.holders -= 1;
        if slot.holders == 0 {
            self.free.push(handle);
            if self.charges.count > 0 {
                self.charges.end(handle, &slot.packet);
            }
            if let Some(load) = slot.packet.load {
                let is_tunnel = matches!(slot.packet.body, Body::Tunnel);
                self.release_load(is_tunnel, load);
            }
        }
    }

    /// Keeps from now on what queues drop of what they had accepted, or no more.
    pub fn keep_dropped(&mut self, keep: bool) {
        self.keeps_dropped = keep;
    }

    /// A packet that a queue has dropped, and why, if that is kept; the caller has the queue's hold
    /// on it.
    #[inline]
    pub fn take_dropped(&mut self) -> Option<(PacketId, QueueDropCause)> {
        self.dropped.pop()
    }

    /// Packets alive.
    #[cfg(test)]
    pub fn alive(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

/// Packets that wait in a queue are theirs whose queue it is.
impl Owner for Packets {
    fn class(&self, handle: u32) -> Class {
        let packet = self.get(PacketId(handle));
        Class {
            flow: packet.conversation(),
            to: packet.hop.destination.node().unwrap_or(u16::MAX),
            dscp: packet.dscp,
            ip_bytes: u32::from(packet.ip_bytes),
        }
    }

    fn drop(&mut self, handle: u32, cause: QueueDropCause) {
        let handle = PacketId(handle);
        if self.get(handle).load.is_some() {
            self.real_dropped[cause as usize] += 1;
        }
        match self.keeps_dropped {
            true => self.dropped.push((handle, cause)),
            false => self.release(handle),
        }
    }

    fn mark(&mut self, handle: u32) -> Option<u32> {
        let handle = PacketId(handle);
        if self.get(handle).ecn() == Ecn::NotCapable {
            return None;
        }
        let marked = self.change(handle, |packet| match &mut packet.body {
            Body::Tcp(_, segment) => segment.ecn = Ecn::Congestion,
            _ => packet.ecn = Ecn::Congestion,
        });
        Some(marked.0)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use net::icmp::Echo;
    use units::MacAddress;

    use super::*;

    fn ping() -> Packet {
        let echo = Echo {
            reply: false,
            sequence: 1,
            payload: 56,
        };
        Packet {
            hop: InterfaceHop {
                source: MacAddress::of_node(0),
                destination: MacAddress::of_node(1),
            },
            source: Ipv4Addr::new(10, 0, 0, 1),
            destination: Ipv4Addr::new(10, 0, 0, 2),
            ttl: 128,
            dscp: 0,
            ecn: Ecn::NotCapable,
            identification: 0,
            ip_bytes: 84,
            damage: Damage::NONE,
            load: None,
            body: Body::Echo(0, echo),
        }
    }

    #[test]
    fn a_packet_of_either_kind_fits_the_room_of_a_segment_and_an_ip_header() {
        assert!(size_of::<Packet>() <= 120, "{}", size_of::<Packet>());
    }

    #[test]
    fn bytes_live_as_long_as_any_packet_that_carries_them_and_leave_their_room() {
        let mut packets = Packets::default();
        let bytes = packets.keep(&[1, 2, 3]);
        let handle = packets.insert(Packet {
            load: Some(bytes),
            ..ping()
        });
        packets.release_bytes(bytes);
        let copy = packets.copy(handle);
        packets.release(handle);
        assert_eq!(packets.bytes(packets.get(copy)), Some(&[1, 2, 3][..]));
        let tunnel = packets.insert(Packet {
            load: Some(Load::of_packet(copy)),
            body: Body::Tunnel,
            ..ping()
        });
        packets.release(copy);
        assert_eq!((packets.alive(), packets.store.alive()), (2, 1));
        packets.release(tunnel);
        assert_eq!((packets.alive(), packets.store.alive()), (0, 0));
        assert_eq!(packets.keep(&[4]), bytes, "its room is used again");
    }

    #[test]
    fn a_slot_is_used_again_when_its_last_holder_lets_go() {
        let mut packets = Packets::default();
        let handle = packets.insert(ping());
        packets.hold(handle);
        packets.release(handle);
        assert_eq!(packets.alive(), 1, "the MAC still holds it");
        packets.release(handle);
        assert_eq!(packets.alive(), 0);
        assert_eq!(packets.insert(ping()), handle);
    }

    #[test]
    fn a_packet_is_damaged_for_one_holder_alone() {
        let mut packets = Packets::default();
        let sent = packets.insert(ping());
        packets.hold(sent);
        let damaged = packets.damage(sent, Damage::SEGMENT);
        let damages = [sent, damaged].map(|handle| packets.get(handle).damage);
        assert_eq!(damages, [Damage::NONE, Damage::SEGMENT]);
        assert_eq!(
            packets.damage(damaged, Damage::TYPE),
            damaged,
            "it has no other holder"
        );
        let both = packets.get(damaged).damage;
        let are_there = [Damage::SEGMENT, Damage::TYPE].map(|what| both.any_of(what));
        assert_eq!(are_there, [true; 2]);
        packets.release(sent);
        packets.release(damaged);
        assert_eq!(packets.alive(), 0);
    }
}
