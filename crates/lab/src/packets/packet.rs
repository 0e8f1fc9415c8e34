//! A packet: headers that mean something, a payload that is a length.

use std::net::Ipv4Addr;

use dot11::association::Management;
use net::Datagram;
use net::arp::Arp;
use net::icmp::{self, Echo};
use net::impairment::Damage;
use net::mobile_ip::Message;
use tcp::{Ecn, Segment};
use units::MacAddress;
use wire::ethernet::EtherType;
use wire::protocol;

use super::load::Load;

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// The link addresses of the hop it is on.
    pub hop: InterfaceHop,
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
pub struct InterfaceHop {
    /// Who sends it on.
    pub source: MacAddress,
    /// Who takes it.
    pub destination: MacAddress,
}

impl InterfaceHop {
    /// That of a packet whose next neighbour's link address is not known yet.
    pub const UNKNOWN: InterfaceHop = InterfaceHop {
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
    Tcp(SegmentPorts, Segment),
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
    Foreign(ForeignPacket),
}

/// What is asked of packets on their way, of one that no machine here takes part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignPacket {
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

impl ForeignPacket {
    /// Bytes of which nothing is known but what their frame says.
    pub const fn of_kind(kind: EtherType) -> ForeignPacket {
        ForeignPacket {
            kind,
            protocol: u8::MAX,
            flags: 0,
            payload: 0,
            flow: 0,
        }
    }

    /// Returns whether it is a message of ICMP.
    pub const fn is_icmp(&self) -> bool {
        matches!(self.protocol, protocol::ICMP | protocol::ICMP_V6)
    }
}

/// The ports of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentPorts {
    /// The sender's.
    pub source: u16,
    /// The receiver's.
    pub destination: u16,
}

impl Packet {
    /// One that stays on its link and has no IP header, of so many bytes; what it carries is to be
    /// filled in.
    pub const fn of_link(bytes: u16) -> Packet {
        Packet {
            hop: InterfaceHop::UNKNOWN,
            source: Ipv4Addr::UNSPECIFIED,
            destination: Ipv4Addr::UNSPECIFIED,
            identification: 0,
            ttl: 0,
            dscp: 0,
            ecn: Ecn::NotCapable,
            ip_bytes: bytes,
            damage: Damage::NONE,
            load: None,
            body: Body::Foreign(ForeignPacket::of_kind(EtherType::IPV4)),
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

    /// Returns what tells the packets of one conversation and direction from others.
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

    /// Returns what tells the packets of one conversation and direction from all others in the
    /// world.
    pub(super) fn conversation(&self) -> u32 {
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
