//! Ports: where frames are handed in and out, for machines outside the world.

use std::collections::VecDeque;
use std::fmt;
use std::net::Ipv4Addr;

use capture::packet::{EtherType, ethernet, parse_ipv4};
use net::impairment::Damage;
use units::{MacAddress, Time};

use crate::bytes::{ether_type, read_arp, write_packet};
use crate::foreign::Foreign;
use crate::packet::{Body, Hop, Packet};
use crate::plan::{Plan, Role};

/// The ports of a world and the frames that have left at them.
#[derive(Debug, Default)]
pub struct Ports {
    is_port: Vec<bool>,
    egress: VecDeque<(Time, u16, Vec<u8>)>,
}

/// Why a frame was not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The node is no port.
    NoPort,
    /// It is shorter than an Ethernet header or longer than a frame may be.
    NoFrame,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::NoPort => f.write_str("the node is no port"),
            Refused::NoFrame => f.write_str("not an Ethernet frame of 14 to 1514 bytes"),
        }
    }
}

impl std::error::Error for Refused {}

const HEADER: usize = 14;

/// Where the time to live stands in an IPv4 header (RFC 791 §3.1).
const TOS: usize = 1;
const TTL: usize = 8;

/// The longest frame, without its check sequence (IEEE 802.3-2018 clause 4A.4.2).
const LONGEST: usize = 1514;

impl Ports {
    /// The ports of a plan.
    pub fn new(plan: &Plan) -> Self {
        let is_port = plan.nodes.iter().map(|node| node.role == Role::Port);
        Ports {
            is_port: is_port.collect(),
            ..Ports::default()
        }
    }

    /// The packet in a frame that comes in at `port`.
    pub fn admit(&self, port: u16, frame: &[u8], foreign: &mut Foreign) -> Result<Packet, Refused> {
        if self.is_port.get(usize::from(port)) != Some(&true) {
            return Err(Refused::NoPort);
        }
        let Some((header, data)) = frame.split_first_chunk::<HEADER>() else {
            return Err(Refused::NoFrame);
        };
        if frame.len() > LONGEST {
            return Err(Refused::NoFrame);
        }
        let [d0, d1, d2, d3, d4, d5, s0, s1, s2, s3, s4, s5, high, low] = *header;
        let hop = Hop {
            source: MacAddress([s0, s1, s2, s3, s4, s5]),
            destination: MacAddress([d0, d1, d2, d3, d4, d5]),
        };
        Ok(packet(
            hop,
            EtherType(u16::from_be_bytes([high, low])),
            data,
            foreign,
        ))
    }

    /// A packet has reached a port: it leaves the world.
    pub fn emit(&mut self, foreign: &Foreign, now: Time, port: u16, packet: &Packet) {
        let Hop {
            source,
            destination,
        } = packet.hop;
        let mut frame = ethernet(source, destination, ether_type(packet)).to_vec();
        write_packet(foreign, packet, usize::MAX, &mut frame);
        self.egress.push_back((now, port, frame));
    }

    /// The next frame that has left.
    pub fn poll(&mut self) -> Option<(Time, u16, Vec<u8>)> {
        self.egress.pop_front()
    }
}

/// What a foreign frame carries: an ARP packet as such, anything else as its bytes, without the
/// padding behind an IPv4 packet.
fn packet(hop: Hop, kind: EtherType, data: &[u8], foreign: &mut Foreign) -> Packet {
    let arp = (kind == EtherType::ARP).then(|| read_arp(data)).flatten();
    let ip = (kind == EtherType::IPV4)
        .then(|| parse_ipv4(data).ok())
        .flatten();
    let length = ip
        .as_ref()
        .map_or(data.len(), |ip| usize::from(ip.total_len));
    let data = &data[..length.min(data.len())];
    Packet {
        hop,
        source: ip.as_ref().map_or(Ipv4Addr::UNSPECIFIED, |ip| ip.source),
        destination: ip
            .as_ref()
            .map_or(Ipv4Addr::UNSPECIFIED, |ip| ip.destination),
        identification: ip.as_ref().map_or(0, |ip| ip.identification),
        dscp: ip.as_ref().map_or(0, |_| data[TOS] >> 2),
        ttl: ip.as_ref().map_or(0, |_| data[TTL]),
        ip_bytes: data.len() as u16,
        damage: Damage::NONE,
        body: match arp {
            Some(arp) => Body::Arp(arp),
            None => Body::Foreign(kind, foreign.keep(data)),
        },
    }
}
