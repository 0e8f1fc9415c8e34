//! Packets: headers that mean something, payloads that are lengths, and the slab they live in.

use std::net::Ipv4Addr;

use dot11::association::Management;
use net::Datagram;
use net::arp::Arp;
use net::icmp::{self, Echo};
use net::impairment::Damage;
use net::mobile_ip::Message;
use net::queue::{Cause, Class, Owner};
use tcp::{Ecn, Segment};
use units::MacAddress;
use wire::ethernet::EtherType;
use wire::protocol;

use crate::load::{Load, Store};

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// The link addresses of the hop it is on.
    pub hop: Hop,
    /// The IP address of who sent it.
    pub source: Ipv4Addr,
    /// The IP address of who it is for.
    pub destination: Ipv4Addr,
    /// IP identification, counted by its sender.
    pub identification: u16,
    /// How many more routers may pass it on.
    pub ttl: u8,
    /// Its differentiated services codepoint (RFC 2474), six bits.
    pub dscp: u8,
    /// The ECN field of its IP header (RFC 3168), where it carries no segment, which has its own.
    pub ecn: Ecn,
    /// Length of the IP packet, header included; of ARP, its own.
    pub ip_bytes: u16,
    /// What has happened to it on the way.
    pub damage: Damage,
    /// The bytes of a real packet, of which this one says what has changed since; of a tunnel the
    /// packet in it.
    pub load: Option<Load>,
    /// What it carries.
    pub body: Body,
}

/// From which interface to which a packet goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Who sends it on.
    pub source: MacAddress,
    /// Who takes it.
    pub destination: MacAddress,
}

impl Hop {
    /// That of a packet whose next neighbour's link address is not known yet.
    pub const UNKNOWN: Hop = Hop {
        source: MacAddress([0; 6]),
        destination: MacAddress([0; 6]),
    };
}

/// What a packet carries.
///
/// The tag has a place of its own, and not one within a segment's options: it is asked for at
/// every step of a packet.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Body {
    /// A TCP segment.
    Tcp(Ports, Segment),
    /// A UDP datagram.
    Udp(Datagram),
    /// An ICMP echo request or reply, and whose it is.
    Echo(u16, Echo),
    /// An ICMP error, whose bytes quote the beginning of what it is about.
    Error(icmp::Error),
    /// A question for a link address, or an answer.
    Arp(Arp),
    /// What mobile nodes and their agents say to each other.
    MobileIp(Message),
    /// Another packet (RFC 2003).
    Tunnel,
    /// What stations and access points say of associations; in a management frame.
    Management(Management),
    /// Anything else, which only its bytes say wholly.
    Foreign(Foreign),
}

/// What is asked of packets on their way, of one that no machine here takes part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// What its frame carries.
    pub kind: EtherType,
    /// The protocol in its IP packet, as numbered by IANA; 255, which is reserved, without one.
    pub protocol: u8,
    /// The control bits of a TCP segment.
    pub flags: u8,
    /// Bytes of its payload.
    pub payload: u16,
    /// What tells the packets of its conversation and direction from others.
    pub flow: u32,
}

impl Foreign {
    /// Bytes of which nothing is known but what their frame says.
    pub const fn of_kind(kind: EtherType) -> Foreign {
        Foreign {
            kind,
            protocol: u8::MAX,
            flags: 0,
            payload: 0,
            flow: 0,
        }
    }

    /// Whether it is a message of ICMP.
    pub const fn is_icmp(&self) -> bool {
        matches!(self.protocol, protocol::ICMP | protocol::ICMP_V6)
    }
}

/// The ports of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// The sender's.
    pub source: u16,
    /// The receiver's.
    pub destination: u16,
}

impl Packet {
    /// One that stays on its link and has no IP header, of so many bytes; what it carries is to be
    /// filled in.
    pub fn of_link(bytes: u16) -> Packet {
        Packet {
            hop: Hop::UNKNOWN,
            source: Ipv4Addr::UNSPECIFIED,
            destination: Ipv4Addr::UNSPECIFIED,
            identification: 0,
            ttl: 0,
            dscp: 0,
            ecn: Ecn::NotCapable,
            ip_bytes: bytes,
            damage: Damage::NONE,
            load: None,
            body: Body::Foreign(Foreign::of_kind(EtherType::IPV4)),
        }
    }

    /// Application bytes it carries.
    #[inline]
    pub fn payload(&self) -> u32 {
        match self.body {
            Body::Tcp(_, segment) => segment.payload,
            Body::Udp(datagram) => datagram.payload,
            _ => self.payload_of_others(),
        }
    }

    #[inline(never)]
    fn payload_of_others(&self) -> u32 {
        match self.body {
            Body::Echo(_, echo) => echo.payload,
            Body::Foreign(foreign) => foreign.payload.into(),
            _ => 0,
        }
    }

    /// What tells the packets of one conversation and direction from others.
    #[inline]
    pub fn flow(&self) -> u32 {
        let both = |source, destination| u32::from(source) << 16 | u32::from(destination);
        match self.body {
            Body::Tcp(ports, _) => both(ports.source, ports.destination),
            Body::Udp(datagram) => both(datagram.source_port, datagram.destination_port),
            Body::Echo(identifier, _) => u32::from(identifier),
            Body::Foreign(foreign) => foreign.flow,
            Body::Error(_) | Body::Arp(_) => 0,
            Body::MobileIp(_) | Body::Tunnel | Body::Management(_) => 0,
        }
    }

    /// What tells the packets of one conversation and direction from all others in the world.
    fn conversation(&self) -> u32 {
        mixed([self.source, self.destination].map(u32::from)) ^ self.flow()
    }

    /// The ECN field of its IP header.
    pub fn ecn(&self) -> Ecn {
        match self.body {
            Body::Tcp(_, segment) => segment.ecn,
            _ => self.ecn,
        }
    }

    /// Bytes of its MSDU that are not the application's: LLC, IP and transport headers.
    #[inline]
    pub fn headers_in_msdu(&self) -> u16 {
        dot11::LLC_SNAP_BYTES + self.ip_bytes - self.payload() as u16
    }
}

/// One number of two, which tells most pairs apart: the multipliers are those of MurmurHash3.
pub fn mixed([source, destination]: [u32; 2]) -> u32 {
    source.wrapping_mul(0x85EB_CA6B) ^ destination.wrapping_mul(0xC2B2_AE35)
}

/// Where packets live. A packet travels as a handle; whoever keeps it holds a reference.
///
/// A MAC keeps its MSDU until it knows the outcome, while the receiver may
/// already have passed it on, so two holders of one packet are possible.
#[derive(Debug, Default)]
pub struct Packets {
    slots: Vec<Slot>,
    free: Vec<u32>,
    store: Store,
    /// Copies of real packets made so far.
    pub copied: u64,
    /// Real packets that queues have dropped so far of what they had accepted, by cause.
    real_dropped: [u64; Cause::ALL.len()],
    /// What queues have dropped of what they had accepted, if that is kept; held.
    dropped: Option<Vec<(u32, Cause)>>,
}

#[derive(Debug)]
struct Slot {
    packet: Packet,
    holders: u8,
    /// The radios, by their interfaces, from which a real packet has come through: a MAC that gives
    /// it up all the same, for want of an acknowledgment, drops nothing. From a station and on to
    /// another one there are two.
    passed_from: [u16; 2],
}

/// A slot that nothing has been in yet.
const EMPTY: Slot = Slot {
    packet: Packet {
        hop: Hop::UNKNOWN,
        source: Ipv4Addr::UNSPECIFIED,
        destination: Ipv4Addr::UNSPECIFIED,
        identification: 0,
        ttl: 0,
        dscp: 0,
        ecn: Ecn::NotCapable,
        ip_bytes: 0,
        damage: Damage::NONE,
        load: None,
        body: Body::Tunnel,
    },
    holders: 0,
    passed_from: [u16::MAX; 2],
};

impl Packets {
    /// Stores a packet for one holder.
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> u32 {
        let handle = self.free.pop().unwrap_or_else(|| self.add_slot());
        // Field by field: a slot made first would be copied.
        let slot = &mut self.slots[handle as usize];
        slot.packet = packet;
        slot.holders = 1;
        if let Some(load) = packet.load {
            self.slots[handle as usize].passed_from = [u16::MAX; 2];
            self.hold_load(&packet, load);
        }
        handle
    }

    /// A real packet has come through from the radio of an interface.
    #[cold]
    pub fn note_passed(&mut self, handle: u32, interface: u16) {
        let from = &mut self.slots[handle as usize].passed_from;
        *from = [interface, from[0]];
    }

    /// Whether a real packet has come through from the radio of an interface.
    pub fn has_passed(&self, handle: u32, interface: u16) -> bool {
        let slot = &self.slots[handle as usize];
        slot.packet.load.is_some() && slot.passed_from.contains(&interface)
    }

    /// How many real packets queues have dropped of what they had accepted, by cause.
    pub fn real_dropped(&self) -> impl Iterator<Item = (Cause, u64)> {
        Cause::ALL.into_iter().zip(self.real_dropped)
    }

    /// Real packets that anybody holds.
    pub fn real(&self) -> usize {
        let held = self.slots.iter().filter(|slot| slot.holders > 0);
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
            Body::Tunnel => self.hold(load.number()),
            _ => self.store.hold(load),
        }
    }

    #[cold]
    fn release_load(&mut self, is_tunnel: bool, load: Load) {
        match is_tunnel {
            true => self.release(load.number()),
            false => self.store.release(load),
        }
    }

    /// Stores a packet like another one, for one holder. From then on each goes its own way.
    pub fn copy(&mut self, handle: u32) -> u32 {
        let packet = *self.get(handle);
        self.copied += u64::from(packet.load.is_some());
        self.insert(packet)
    }

    #[cold]
    fn add_slot(&mut self) -> u32 {
        self.slots.push(EMPTY);
        self.slots.len() as u32 - 1
    }

    /// The packet behind a handle.
    #[inline]
    pub fn get(&self, handle: u32) -> &Packet {
        &self.slots[handle as usize].packet
    }

    /// Tells a packet where it goes next.
    #[inline]
    pub fn direct(&mut self, handle: u32, hop: Hop) {
        self.slots[handle as usize].packet.hop = hop;
    }

    /// Damages a holder's packet, which for others stays what it was; answers its handle.
    pub fn damage(&mut self, handle: u32, damage: Damage) -> u32 {
        self.change(handle, |packet| packet.damage |= damage)
    }

    /// Changes a holder's packet, which for others stays what it was; answers its handle.
    fn change(&mut self, handle: u32, change: impl FnOnce(&mut Packet)) -> u32 {
        let slot = &mut self.slots[handle as usize];
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
    pub fn hold(&mut self, handle: u32) {
        self.slots[handle as usize].holders += 1;
    }

    /// One holder less; the last one frees the slot.
    #[inline]
    pub fn release(&mut self, handle: u32) {
        let slot = &mut self.slots[handle as usize];
        debug_assert!(
            slot.holders > 0,
            "a packet is released by those who hold it"
        );
        slot.holders -= 1;
        if slot.holders == 0 {
            self.free.push(handle);
            if let Some(load) = slot.packet.load {
                let is_tunnel = matches!(slot.packet.body, Body::Tunnel);
                self.release_load(is_tunnel, load);
            }
        }
    }

    /// Keeps from now on what queues drop of what they had accepted, or no more.
    pub fn keep_dropped(&mut self, keep: bool) {
        self.dropped = keep.then(Vec::new);
    }

    /// A packet that a queue has dropped, and why, if that is kept; the caller has the queue's hold
    /// on it.
    pub fn take_dropped(&mut self) -> Option<(u32, Cause)> {
        self.dropped.as_mut()?.pop()
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
        let packet = self.get(handle);
        Class {
            flow: packet.conversation(),
            to: packet.hop.destination.node().unwrap_or(u16::MAX),
            dscp: packet.dscp,
            ip_bytes: u32::from(packet.ip_bytes),
        }
    }

    fn drop(&mut self, handle: u32, cause: Cause) {
        if self.get(handle).load.is_some() {
            self.real_dropped[cause as usize] += 1;
        }
        match &mut self.dropped {
            Some(dropped) => dropped.push((handle, cause)),
            None => self.release(handle),
        }
    }

    fn mark(&mut self, handle: u32) -> Option<u32> {
        if self.get(handle).ecn() == Ecn::NotCapable {
            return None;
        }
        Some(self.change(handle, |packet| match &mut packet.body {
            Body::Tcp(_, segment) => segment.ecn = Ecn::Congestion,
            _ => packet.ecn = Ecn::Congestion,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ping() -> Packet {
        let echo = Echo {
            reply: false,
            sequence: 1,
            payload: 56,
        };
        Packet {
            hop: Hop {
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
            load: Some(Load::new(copy)),
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
