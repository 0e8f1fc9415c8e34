//! Captures read: the packets of a file, and the TCP segments and 802.11 frames in them.
//!
//! [`read`] gives the packets of anybody's capture files; nothing in these makes it panic.
//! [`Dissector::take`] goes through link, network and transport headers
//! where they stand; nothing is copied but the numbers of a [`TcpSegment`]. Packets
//! that the snap length cut are as good as whole ones as long as the first 20
//! bytes of the TCP header were kept, because every length stands in a header.
//! What is no TCP is counted by its reason in [`Tally`].

mod checksum;
mod dot11;
mod doubled;
mod fragments;
mod icmp;
mod ip;
mod link;
mod media;
pub mod mix;
mod phy;
pub mod prefetch;
mod radio;
pub mod read;
mod table;
mod tally;
mod tcp;
mod tunnel;
mod unopened;
mod wireless_tunnel;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::read::CapturedPacket;

use dot11::{Retries, Sequences};
use doubled::{Doubled, EarlierCapture};
use fragments::Fragments;
use tally::Nothing;
use unopened::Met;

pub use checksum::Checksum;
pub use dot11::{Dot11Frame, kind};
pub use doubled::digest;
pub use icmp::{Complaint, IcmpReport};
pub use radio::{Phy, RadioReception, frequency_of};
pub use table::ConnectionTable;
pub use tally::Tally;
pub use tcp::{CongestionMarks, ControlBits, ETHERNET_MSS, HeaderOptions, JUMBO_MSS, SackRange};
pub use unopened::{Layer, Unopened};

/// An IP address; those of version 4 in their mapped form (RFC 4291 §2.5.5.2), so that
/// comparing two is one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IpAddress(pub u128);

impl IpAddress {
    const fn v4(bytes: [u8; 4]) -> Self {
        IpAddress(0xFFFF_0000_0000 | u32::from_be_bytes(bytes) as u128)
    }
}

impl From<IpAddr> for IpAddress {
    fn from(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(v4) => IpAddress::v4(v4.octets()),
            IpAddr::V6(v6) => IpAddress(v6.to_bits()),
        }
    }
}

impl From<IpAddress> for IpAddr {
    fn from(address: IpAddress) -> Self {
        Ipv6Addr::from_bits(address.0).to_canonical()
    }
}

impl From<Ipv4Addr> for IpAddress {
    fn from(address: Ipv4Addr) -> Self {
        IpAddress::v4(address.octets())
    }
}

impl fmt::Display for IpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        IpAddr::from(*self).fmt(f)
    }
}

/// One end of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionEnd {
    /// The host.
    pub address: IpAddress,
    /// The port.
    pub port: u16,
}

impl ConnectionEnd {
    const BLANK: ConnectionEnd = ConnectionEnd {
        address: IpAddress(0),
        port: 0,
    };

    /// The bits in which it differs from another.
    #[inline]
    pub fn differs_from(&self, other: &ConnectionEnd) -> u128 {
        (self.address.0 ^ other.address.0) | u128::from(self.port ^ other.port)
    }
}

/// The numbers of a TCP segment and of the packet that carried it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpSegment {
    /// Time when it was captured, in nanoseconds since 1970.
    pub time_ns: u64,
    /// Number of its packet in the file, from 1.
    pub number: u64,
    /// Who sent it.
    pub source: ConnectionEnd,
    /// Who is to get it.
    pub destination: ConnectionEnd,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number, meaningful with the ACK flag.
    pub ack: u32,
    /// Payload bytes on the medium, kept or not.
    pub payload: u32,
    /// Window field, as it stands in the header.
    pub window: u16,
    /// The IPv4 identification; none in a packet that has none.
    pub ip_id: Option<u16>,
    /// Time to live or hop limit.
    pub ttl: u8,
    /// Control bits.
    pub flags: ControlBits,
    /// Signs of congestion in the IP header and the last of the flags.
    pub marks: CongestionMarks,
    /// Verdict on its checksum.
    pub checksum: Checksum,
    /// Options.
    pub options: HeaderOptions,
}

impl TcpSegment {
    /// One before it is filled in; copied as a whole, which is less work than field by field.
    const BLANK: TcpSegment = TcpSegment {
        time_ns: 0,
        number: 0,
        source: ConnectionEnd::BLANK,
        destination: ConnectionEnd::BLANK,
        seq: 0,
        ack: 0,
        payload: 0,
        window: 0,
        ip_id: None,
        ttl: 0,
        flags: ControlBits(0),
        marks: CongestionMarks(0),
        checksum: Checksum::Unknown,
        options: HeaderOptions::BLANK,
    };

    /// Returns whether it goes between the same ends as another, in either direction.
    #[inline]
    pub fn is_between_the_ends_of(&self, other: &TcpSegment) -> bool {
        self.is_between(&other.source, &other.destination)
    }

    /// Returns whether it goes between two ends, in either direction. Without a branch, because
    /// nobody foresees which way a segment goes.
    #[inline]
    pub fn is_between(&self, one: &ConnectionEnd, other: &ConnectionEnd) -> bool {
        let forth = self.source.differs_from(one) | self.destination.differs_from(other);
        let back = self.source.differs_from(other) | self.destination.differs_from(one);
        (forth == 0) | (back == 0)
    }
}

/// A part of a packet: the bytes that were kept, and how many were not.
#[derive(Clone, Copy, Debug)]
struct PacketPart<'a> {
    bytes: &'a [u8],
    missing: u32,
}

impl<'a> PacketPart<'a> {
    /// Returns what stands behind the first `count` bytes.
    #[inline]
    fn behind(self, count: usize) -> Result<PacketPart<'a>, Nothing> {
        match self.bytes.get(count..) {
            Some(bytes) => Ok(PacketPart {
                bytes,
                missing: self.missing,
            }),
            None => Err(Nothing::Cut),
        }
    }

    #[inline]
    fn first<const N: usize>(self) -> Result<&'a [u8; N], Nothing> {
        self.bytes.first_chunk().ok_or(Nothing::Cut)
    }

    /// Bytes on the medium.
    #[inline]
    const fn original_len(self) -> u32 {
        (self.bytes.len() as u32).saturating_add(self.missing)
    }
}

/// Contents of packets, in their order.
#[derive(Clone, Debug, Default)]
pub struct Dissected {
    /// TCP segments.
    pub segments: Vec<TcpSegment>,
    /// TCP segments that were captured before, and stand among the others already.
    pub copies: Vec<TcpSegment>,
    /// 802.11 frames. Of a frame with a wrong check sequence, or cut off within its header, nothing
    /// is known but what the radio says.
    pub frames: Vec<Dot11Frame>,
    /// ICMP messages of routers and hosts about TCP segments.
    pub reports: Vec<IcmpReport>,
}

impl Dissected {
    /// Forgets all of it, and keeps the room.
    pub fn clear(&mut self) {
        self.segments.clear();
        self.copies.clear();
        self.frames.clear();
        self.reports.clear();
    }
}

/// Flag of the number of a network in a tunnel. A VLAN has 12 bits for its own (IEEE 802.1Q
/// §9.6).
const VIRTUAL: u16 = 1 << 12;

/// 2³² by the golden ratio: what differs in a bit differs in many (Knuth, TAOCP 3, §6.4).
const SCATTERING: u32 = 0x9E37_79B1;

/// Finds TCP segments and 802.11 frames.
#[derive(Debug, Default)]
pub struct Dissector {
    fragments: Fragments,
    sequences: Sequences,
    retries: Retries,
    doubled: Doubled,
    /// True if a packet that was captured twice at one place is given twice.
    keeps_copies: bool,
    /// Direction that the last packet went at its interface, or at which interface of several,
    /// where the link layer says so, and in which networks within networks it was.
    place: u32,
    latest_ns: u64,
    /// Tunnels around what is looked at.
    depth: u8,
    radiotap: radio::Layouts,
    met: Met,
    tally: Tally,
}

impl Dissector {
    /// One that gives a packet as often as it was captured at one place: who doubled it is told
    /// otherwise.
    pub fn keeping_copies() -> Self {
        Dissector {
            keeps_copies: true,
            ..Dissector::default()
        }
    }

    /// Returns how many packets were what, so far.
    pub const fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The link types, of those packets of which none is known here, so far.
    pub fn unknown_links(&self) -> Vec<Unopened> {
        self.met.told(|layer| layer == Layer::Link)
    }

    /// Returns what else was met and is not opened here, so far.
    pub fn unopened(&self) -> Vec<Unopened> {
        self.met.told(|layer| layer != Layer::Link)
    }

    /// Appends what is in `packet` to what was found: of segments none, one, or several where
    /// 802.11 has aggregated packets in a frame.
    #[inline]
    pub fn take(&mut self, packet: &CapturedPacket<'_>, found: &mut Dissected) {
        self.tally.packets += 1;
        self.place = 0;
        self.depth = 0;
        self.tally.back_in_time += u64::from(packet.time_ns < self.latest_ns);
        self.latest_ns = packet.time_ns;
        let part = PacketPart {
            bytes: packet.data,
            missing: packet.original_len.saturating_sub(packet.data.len() as u32),
        };
        self.tally.snapped += u64::from(part.missing > 0);
        if let Err(nothing) = link::enter(self, packet, part, found) {
            self.tally.count(nothing);
        }
    }

    /// Goes a step deeper into packets in packets, unless that is deep enough.
    fn descend(&mut self) -> Result<(), Nothing> {
        if self.depth == tunnel::DEEPEST {
            return Err(Nothing::OtherIp);
        }
        self.depth += 1;
        self.move_into(VIRTUAL);
        Ok(())
    }

    /// Moves into another network, by its number: one packet in two of them was
    /// captured at two places.
    #[inline]
    fn move_into(&mut self, network: u16) {
        self.place = (self.place ^ u32::from(network)).wrapping_mul(SCATTERING);
    }

    /// Takes an IP packet. Each version goes its own way, so that what is read of the header stays
    /// in registers.
    #[inline]
    fn take_ip(
        &mut self,
        packet: &CapturedPacket<'_>,
        part: PacketPart<'_>,
        found: &mut Dissected,
    ) -> Result<(), Nothing> {
        match part.bytes.first().map(|first| first >> 4) {
            Some(4) => self.take_datagram(packet, &ip::v4(part)?, found),
            Some(6) => self.take_v6(packet, part, found),
            Some(_) => Err(Nothing::Malformed),
            None => Err(Nothing::Cut),
        }
    }

    #[inline(never)]
    fn take_v6(
        &mut self,
        packet: &CapturedPacket<'_>,
        part: PacketPart<'_>,
        found: &mut Dissected,
    ) -> Result<(), Nothing> {
        self.take_datagram(packet, &ip::v6(part)?, found)
    }

    #[inline(always)]
    fn take_datagram(
        &mut self,
        packet: &CapturedPacket<'_>,
        datagram: &ip::IpPacket<'_>,
        found: &mut Dissected,
    ) -> Result<(), Nothing> {
        if datagram.protocol != ip::TCP {
            return tunnel::enter(self, packet, *datagram, found);
        }
        if datagram.fragment.is_some() {
            let left = &mut self.tally.fragments;
            let whole = self.fragments.add(*datagram, packet.time_ns, left);
            found.segments.push(whole.ok_or(Nothing::Fragment)??);
        } else {
            found.segments.push(TcpSegment::BLANK);
            let segment = found.segments.last_mut().expect("it was just put there");
            if let Err(nothing) = tcp::parse(datagram, segment) {
                found.segments.pop();
                return Err(nothing);
            }
        }
        let segment = found.segments.last_mut().expect("it was just put there");
        segment.time_ns = packet.time_ns;
        segment.number = self.tally.packets;
        let place = u64::from(packet.interface) << 32 | u64::from(self.place);
        if let Some(before) = self.doubled.find(segment, place) {
            if before == EarlierCapture::Elsewhere || !self.keeps_copies {
                found.copies.extend(found.segments.pop());
                return Err(Nothing::Doubled);
            }
        }
        self.tally.tcp += 1;
        self.tally.options_cut += u64::from(segment.options.is_cut);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tunnel_tests;
