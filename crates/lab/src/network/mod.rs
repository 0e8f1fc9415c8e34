//! The network as its machines know it: interfaces, who is beyond them, and the ways there; and
//! what carries packets between machines, wires and segments.
//!
//! All of it is state that may change while a world runs. It begins as the plan says, and, where
//! the plan says so, with every address known to those who will need it.

mod addressing;
mod demux;
mod interface;
mod mobile_ip;
mod ports;
mod segments;
mod translation;
mod wires;

use std::net::Ipv4Addr;

use net::IPV4_HEADER;
use net::addresses::Addresses;
use tcp::ConnectionOptions;
use units::{MacAddress, Time};

use crate::ids::{InterfaceId, LinkId, MemberId, NodeId, SegmentId};
use crate::plan::{EndPlan, MTU_MIN, Plan};

pub use demux::{Demux, key, port_key};
pub use interface::{Egress, Entrance, Interface, MachineForwarding};
pub use ports::{FrameTally, PortCounts, PortRefusal, Ports};
pub use segments::SharedCable;
pub use wires::WireDirection;

use demux::address_key;
use interface::{interfaces, machine, members, senders};
use mobile_ip::MobileIp;

/// The next step of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextHop {
    /// The interface that it leaves through.
    pub interface: InterfaceId,
    /// The neighbour that it goes to.
    pub neighbour: Ipv4Addr,
}

/// All machines and interfaces of a world.
#[derive(Debug)]
pub struct Network {
    /// By number.
    pub interfaces: Vec<Interface>,
    /// By node.
    pub machines: Vec<MachineForwarding>,
    /// Whose interface has an address.
    by_address: Demux,
    /// By link: the interface that sends over it.
    senders: Vec<InterfaceId>,
    /// By segment: the interfaces that share it.
    members: Vec<Vec<InterfaceId>>,
    /// Machines from outside that were heard behind stations, by the interface of the station.
    pub behind: Addresses,
    /// Both directions of each wire.
    pub links: Vec<WireDirection>,
    /// By number.
    pub segments: Vec<SharedCable>,
    /// Where frames enter and leave the world.
    pub ports: Ports,
    /// Agents and mobile nodes, if anybody is mobile.
    pub mobile_ip: Option<Box<MobileIp>>,
}

impl Network {
    /// The network of a plan.
    pub fn new(plan: &Plan, seed: u64) -> Self {
        let numbers = plan.interface_numbers();
        let mut network = Network {
            interfaces: interfaces(plan, &numbers),
            machines: (plan.nodes.iter().zip(&numbers))
                .map(|(node, numbers)| machine(node, numbers))
                .collect(),
            by_address: Demux::default(),
            senders: senders(plan, &numbers),
            members: members(plan, &numbers),
            behind: Addresses::default(),
            links: wires::directions(plan, seed),
            segments: segments::segments(plan, seed),
            ports: Ports::default(),
            mobile_ip: None,
        };
        network.ports = Ports::new(plan, &network.interfaces);
        network.plug_in();
        network.translate();
        for (number, interface) in network.interfaces.iter().enumerate() {
            let address = address_key(interface.ip);
            if network.by_address.get(address).is_none() {
                network.by_address.insert(address, number as u32);
            }
        }
        network.fix_bridges();
        if plan.caches_filled {
            network.fill_bridges();
            network.fill_neighbours(plan);
        }
        network.mobile_ip = MobileIp::new(plan, &network, seed);
        network
    }

    /// Lets the interfaces lead over their cables.
    fn plug_in(&mut self) {
        for (link, &number) in self.senders.iter().enumerate() {
            self.interfaces[number.index()].egress = Egress::Link(LinkId::at(link));
        }
        for (segment, members) in self.members.iter().enumerate() {
            for (station, &number) in members.iter().enumerate() {
                let egress = Egress::Segment(SegmentId::at(segment), MemberId::at(station));
                self.interfaces[number.index()].egress = egress;
            }
        }
    }

    /// Lets routers translate what comes to their interfaces outside.
    fn translate(&mut self) {
        for machine in &self.machines {
            if let Some((outside, _)) = machine.nat {
                let entrance = &mut self.interfaces[outside.index()].entrance;
                if *entrance == Entrance::Machine {
                    *entrance = Entrance::Translator;
                }
            }
        }
    }

    /// The interface that has an address.
    #[inline]
    pub fn owner(&self, address: Ipv4Addr) -> Option<InterfaceId> {
        let number = self.by_address.get(address_key(address))?;
        Some(InterfaceId(number as u16))
    }

    /// The next step of a packet from a node.
    #[inline]
    pub fn next_hop(&self, node: NodeId, destination: Ipv4Addr) -> Option<NextHop> {
        let hop = self.machines[node.index()].routes.next_hop(destination)?;
        Some(NextHop {
            interface: InterfaceId(hop.interface),
            neighbour: hop.neighbour,
        })
    }

    /// What an end of a connection from a node to an address is told of the way: the longest payload
    /// without options that leaves in one packet, and whether a radio's queue tells what has left it;
    /// of no way, nothing.
    pub fn options_towards(&self, node: NodeId, destination: Ipv4Addr) -> ConnectionOptions {
        let out = (self.next_hop(node, destination)).map(|hop| self.interface(hop.interface));
        ConnectionOptions {
            mss_limit_bytes: out.map(|out| mss_of(out.mtu)),
            queue_below: out.and_then(|out| out.queue_below),
            ..OF_LINKS
        }
    }

    /// An interface by its number.
    #[inline]
    pub fn interface(&self, number: InterfaceId) -> &Interface {
        &self.interfaces[number.index()]
    }

    /// Where in a plan an interface stands.
    pub fn place_of(&self, number: InterfaceId) -> EndPlan {
        let node = self.interface(number).node.index();
        let mut own = self.machines[node].interfaces.iter();
        let interface = own.position(|&each| each == number);
        EndPlan {
            node,
            interface: interface.expect("a machine lists its interfaces"),
        }
    }

    /// The number of an interface by its place in a plan.
    pub fn interface_at(&self, at: EndPlan) -> InterfaceId {
        self.machines[at.node].interfaces[at.interface]
    }

    /// The interface that a link leads to.
    #[inline]
    pub fn end_of(&self, link: LinkId) -> InterfaceId {
        self.senders[link.reverse().index()]
    }

    /// The interface that a link comes from.
    #[inline]
    pub fn start_of(&self, link: LinkId) -> InterfaceId {
        self.senders[link.index()]
    }

    /// The interface of one of those who share a segment.
    #[inline]
    pub fn member(&self, segment: SegmentId, member: MemberId) -> InterfaceId {
        self.members_of(segment)[member.index()]
    }

    /// The interfaces that share a segment.
    #[inline]
    pub fn members_of(&self, segment: SegmentId) -> &[InterfaceId] {
        &self.members[segment.index()]
    }

    /// The interfaces at the other ends of the cable that an interface leads to.
    fn far_ends(&self, number: InterfaceId) -> Vec<InterfaceId> {
        match self.interface(number).egress {
            Egress::Link(link) => vec![self.end_of(link)],
            Egress::Segment(segment, _) => (self.members_of(segment).iter().copied())
                .filter(|&member| member != number)
                .collect(),
            Egress::Radio | Egress::Functions | Egress::Held | Egress::Nowhere => Vec::new(),
        }
    }

    /// Tells every bridge of itself, and an access point of the stations associated with it.
    fn fix_bridges(&mut self) {
        for number in (0..self.interfaces.len()).map(InterfaceId::at) {
            let here = self.interface(number);
            let (port, node) = match here.access_point {
                Some(radio) => (radio, self.interface(radio).node),
                None => (number, here.node),
            };
            if self.interface(port).role.bridges() {
                self.machines[node.index()].bridge.fix(number.0, port.0);
            }
        }
    }

    /// Lets a station be associated with another access point, by the numbers of their radios.
    pub fn associate(&mut self, station: InterfaceId, access_point: InterfaceId) {
        let before = self.interface(station).access_point;
        if before == Some(access_point) {
            return;
        }
        if let Some(before) = before {
            let node = self.interface(before).node;
            self.forget_station(node, station);
        }
        self.interfaces[station.index()].access_point = Some(access_point);
        let node = self.interface(access_point).node;
        (self.machines[node.index()].bridge).fix(station.0, access_point.0);
    }

    /// Lets a bridge forget a station that has left, and who is behind it.
    pub fn forget_station(&mut self, node: NodeId, station: InterfaceId) {
        let bridge = &mut self.machines[node.index()].bridge;
        bridge.forget(station.0);
        (self.behind.at(station.0)).for_each(|address| bridge.forget_foreign(address));
    }

    /// The interface of this world whose address it is, heard or not.
    pub fn ours(&self, address: MacAddress) -> Option<InterfaceId> {
        let number = InterfaceId(address.node()?);
        (number.index() < self.interfaces.len()).then_some(number)
    }

    /// The station that a frame is for, or behind which its receiver was heard; none of a group.
    pub fn station_for(&self, now: Time, destination: MacAddress) -> Option<InterfaceId> {
        let known = destination.node();
        known
            .or_else(|| self.behind.port_of(now, destination))
            .map(InterfaceId)
    }

    /// Lets every bridge know where every interface is, as if each had sent a broadcast.
    fn fill_bridges(&mut self) {
        for number in (0..self.interfaces.len()).map(InterfaceId::at) {
            let source = self.interface(number).mac;
            let mut entered: Vec<InterfaceId> = Vec::new();
            match self.interface(number).access_point {
                Some(radio) => entered.push(radio),
                None => entered.extend(self.far_ends(number)),
            }
            while let Some(at) = entered.pop() {
                if !self.interface(at).role.bridges() {
                    continue;
                }
                let node = self.interface(at).node.index();
                self.machines[node].bridge.learn(Time::ZERO, source, at.0);
                let onwards = (self.machines[node].interfaces.iter()).filter(|&&port| port != at);
                entered.extend(onwards.flat_map(|&port| self.far_ends(port)));
            }
        }
    }

    /// Lets the machines on the ways of all flows know their next neighbours' addresses.
    fn fill_neighbours(&mut self, plan: &Plan) {
        for flow in &plan.flows {
            let [from, to] = [flow.from, flow.to];
            self.fill_way(from, plan.nodes[to].address());
            self.fill_way(to, plan.nodes[from].address());
        }
    }

    fn fill_way(&mut self, from: usize, destination: Ipv4Addr) {
        let mut node = NodeId::at(from);
        // A way is no longer than there are machines, unless routes lead round in circles.
        for _ in 0..self.machines.len() {
            let Some(NextHop {
                interface,
                neighbour,
            }) = self.next_hop(node, destination)
            else {
                return;
            };
            let Some(next) = self.owner(neighbour) else {
                return;
            };
            let (mac, next_node) = (self.interface(next).mac, self.interface(next).node);
            let resolver = &mut self.interfaces[interface.index()].resolver;
            resolver.learn(neighbour, mac);
            if next_node == node || neighbour == destination {
                return;
            }
            node = next_node;
        }
    }
}

/// What an end is told of the links here, none of which is asked for more than it carries. Linux
/// would answer a peer on a link of 68 bytes, the least of IPv4, in packets of 88.
const OF_LINKS: ConnectionOptions = ConnectionOptions {
    no_delay: false,
    mss_limit_bytes: None,
    least_mss_bytes: Some(mss_of(MTU_MIN)),
    receive_window_bytes: None,
    send_buffer_bytes: None,
    keep_alive: false,
    queue_below: None,
};

/// A TCP header without options (RFC 9293 §3.1).
const TCP_HEADER: u32 = 20;

/// Returns what an MTU leaves of a segment without options for its payload (RFC 6691).
pub const fn mss_of(mtu: u16) -> u32 {
    mtu as u32 - IPV4_HEADER - TCP_HEADER
}
