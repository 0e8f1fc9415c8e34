//! Ports: where frames are handed in and out, for machines outside the world.

use std::collections::VecDeque;
use std::fmt;
use std::net::Ipv4Addr;

use capture::packet::{ParseError, ethernet, parse_ipv4};
use units::{MacAddress, Time};

use crate::bytes::write_packet;
use crate::foreign::Foreign;
use crate::packet::{Body, Packet};
use crate::plan::{Plan, Role};

/// The ports of a world and the frames that have left at them.
#[derive(Debug, Default)]
pub struct Ports {
    is_port: Vec<bool>,
    addresses: Vec<Ipv4Addr>,
    egress: VecDeque<(Time, u16, Vec<u8>)>,
}

/// Why a frame was not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The node is no port.
    NoPort,
    /// It is no Ethernet frame with an IPv4 packet.
    NotIpv4,
    /// The IPv4 packet is damaged.
    Unreadable(ParseError),
    /// No node has the destination's address.
    NoSuchAddress(Ipv4Addr),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::NoPort => f.write_str("the node is no port"),
            Refused::NotIpv4 => f.write_str("not an Ethernet frame with an IPv4 packet"),
            Refused::Unreadable(error) => write!(f, "unreadable IPv4 packet: {error}"),
            Refused::NoSuchAddress(address) => write!(f, "no node has the address {address}"),
        }
    }
}

impl std::error::Error for Refused {}

const ETHERNET_HEADER: usize = 14;
const IPV4: [u8; 2] = [0x08, 0x00];

impl Ports {
    /// The ports of a plan.
    pub fn new(plan: &Plan) -> Self {
        Ports {
            is_port: plan
                .nodes
                .iter()
                .map(|node| node.role == Role::Port)
                .collect(),
            addresses: plan.nodes.iter().map(|node| node.address).collect(),
            ..Ports::default()
        }
    }

    /// Whether a node is a port.
    #[inline]
    pub fn is_port(&self, node: u16) -> bool {
        self.is_port[usize::from(node)]
    }

    /// The packet in a frame that comes in at `port`.
    pub fn admit(&self, port: u16, frame: &[u8], foreign: &mut Foreign) -> Result<Packet, Refused> {
        if !self
            .is_port
            .get(usize::from(port))
            .copied()
            .unwrap_or(false)
        {
            return Err(Refused::NoPort);
        }
        if frame.get(12..ETHERNET_HEADER) != Some(&IPV4[..]) {
            return Err(Refused::NotIpv4);
        }
        let ip = parse_ipv4(&frame[ETHERNET_HEADER..]).map_err(Refused::Unreadable)?;
        let to = self
            .addresses
            .iter()
            .position(|&address| address == ip.destination);
        let to = to.ok_or(Refused::NoSuchAddress(ip.destination))? as u16;
        let end = ETHERNET_HEADER + usize::from(ip.total_len);
        let Some(bytes) = frame.get(ETHERNET_HEADER..end) else {
            return Err(Refused::NotIpv4);
        };
        let number = foreign.keep(bytes);
        Ok(Packet {
            from: port,
            to,
            identification: ip.identification,
            ip_bytes: ip.total_len,
            body: Body::Foreign(number),
        })
    }

    /// A packet has reached a port: it leaves the world.
    pub fn emit(&mut self, plan: &Plan, foreign: &Foreign, now: Time, port: u16, packet: &Packet) {
        let from = MacAddress::of_node(u32::from(packet.from));
        let mut frame = ethernet(from, MacAddress::of_node(u32::from(port))).to_vec();
        write_packet(plan, foreign, packet, usize::MAX, &mut frame);
        self.egress.push_back((now, port, frame));
    }

    /// The next frame that has left.
    pub fn poll(&mut self) -> Option<(Time, u16, Vec<u8>)> {
        self.egress.pop_front()
    }
}
