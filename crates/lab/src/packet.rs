//! Packets: headers that mean something, payloads that are lengths, and the slab they live in.

use std::net::Ipv4Addr;

use capture::packet::EtherType;
use dot11::association::Management;
use net::arp::Arp;
use net::icmp::{self, Echo};
use net::impairment::Damage;
use net::mobile_ip::Message;
use net::queue::{Cause, Class, Owner};
use net::{Datagram, IPV4_HEADER};
use tcp::{Ecn, Segment};
use units::MacAddress;

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
    /// Length of the IP packet, header included; of ARP, its own.
    pub ip_bytes: u16,
    /// What has happened to it on the way.
    pub damage: Damage,
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
    /// An ICMP error about a packet whose beginning has this number among foreign bytes.
    Error(icmp::Error, u32),
    /// A question for a link address, or an answer.
    Arp(Arp),
    /// What mobile nodes and their agents say to each other.
    MobileIp(Message),
    /// Another packet, by its number among foreign ones (RFC 2003).
    Tunnel(u32),
    /// What stations and access points say of associations; in a management frame.
    Management(Management),
    /// Bytes from outside the world, by their number, and what they are.
    Foreign(EtherType, u32),
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
            ip_bytes: bytes,
            damage: Damage::NONE,
            body: Body::Foreign(EtherType::IPV4, 0),
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
            Body::Foreign(EtherType::IPV4, _) => u32::from(self.ip_bytes) - IPV4_HEADER,
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
            Body::Error(..) | Body::Arp(_) | Body::Foreign(..) => 0,
            Body::MobileIp(_) | Body::Tunnel(_) | Body::Management(_) => 0,
        }
    }

    /// What tells the packets of one conversation and direction from all others in the world.
    fn conversation(&self) -> u32 {
        let mix = |address: Ipv4Addr, by| u32::from(address).wrapping_mul(by);
        let between = mix(self.source, 0x85EB_CA6B) ^ mix(self.destination, 0xC2B2_AE35);
        between ^ self.flow()
    }

    /// The ECN field of its IP header.
    pub fn ecn(&self) -> Ecn {
        match self.body {
            Body::Tcp(_, segment) => segment.ecn,
            _ => Ecn::NotCapable,
        }
    }

    /// Bytes of its MSDU that are not the application's: LLC, IP and transport headers.
    #[inline]
    pub fn headers_in_msdu(&self) -> u16 {
        dot11::LLC_SNAP_BYTES + self.ip_bytes - self.payload() as u16
    }
}

/// Where packets live. A packet travels as a handle; whoever keeps it holds a reference.
///
/// A MAC keeps its MSDU until it knows the outcome, while the receiver may
/// already have passed it on, so two holders of one packet are possible.
#[derive(Debug, Default)]
pub struct Packets {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// What queues have dropped of what they had accepted, if that is kept.
    dropped: Option<Vec<(Packet, Cause)>>,
}

#[derive(Debug)]
struct Slot {
    packet: Packet,
    holders: u8,
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
        ip_bytes: 0,
        damage: Damage::NONE,
        body: Body::Foreign(EtherType::IPV4, 0),
    },
    holders: 0,
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
        handle
    }

    /// Stores a packet like another one, for one holder. From then on each goes its own way.
    pub fn copy(&mut self, handle: u32) -> u32 {
        let packet = *self.get(handle);
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
        let holders = &mut self.slots[handle as usize].holders;
        debug_assert!(*holders > 0, "a packet is released by those who hold it");
        *holders -= 1;
        if *holders == 0 {
            self.free.push(handle);
        }
    }

    /// Keeps from now on what queues drop of what they had accepted, or no more.
    pub fn keep_dropped(&mut self, keep: bool) {
        self.dropped = keep.then(Vec::new);
    }

    /// A packet that a queue has dropped, and why, if that is kept.
    pub fn take_dropped(&mut self) -> Option<(Packet, Cause)> {
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
        let packet = *self.get(handle);
        if let Some(dropped) = &mut self.dropped {
            dropped.push((packet, cause));
        }
        self.release(handle);
    }

    fn mark(&mut self, handle: u32) -> Option<u32> {
        if self.get(handle).ecn() == Ecn::NotCapable {
            return None;
        }
        Some(self.change(handle, |packet| {
            if let Body::Tcp(_, segment) = &mut packet.body {
                segment.ecn = Ecn::Congestion;
            }
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
            identification: 0,
            ip_bytes: 84,
            damage: Damage::NONE,
            body: Body::Echo(0, echo),
        }
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
