//! The network as its machines know it: interfaces, who is beyond them, and the ways there.
//!
//! All of it is state that may change while a world runs. It begins as the plan says, and, where
//! the plan says so, with every address known to those who will need it.

use std::net::Ipv4Addr;

use net::addresses::Addresses;
use net::arp::Resolver;
use net::bridge::Bridge;
use net::nat::Nat;
use net::route::{Hop, Route, Routes};
use net::{IPV4_HEADER, Prefix};
use units::{Duration, MacAddress, Time};

use crate::demux::{Demux, key};
use crate::plan::{EndPlan, NodePlan, Plan, Role};

/// How long a neighbour's address is believed (Linux: half to one and a half times 30 s; RFC 1122
/// §2.3.2.1: of the order of a minute).
const ARP_LIFETIME: Duration = Duration::from_secs(60);

/// Where an interface leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Egress {
    /// Over a link, named by twice its wire's index plus its direction.
    Link(u16),
    /// Over a segment, by its index, as one of its stations.
    Segment(u16, u16),
    /// Through its radio.
    Radio,
    /// Through the access function of its radio that contends for the packet's category.
    Functions,
    /// Nowhere for now: what is sent waits for its radio.
    Held,
    /// No wire is plugged in.
    Nowhere,
}

/// What takes the frames that come to an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrance {
    /// A machine that does its work at once.
    Machine,
    /// A bridge that does.
    Bridge,
    /// The processor of a machine or a bridge that takes time.
    Processor,
    /// A router that translates what comes from outside.
    Translator,
    /// The way out of the world.
    Port,
}

impl Entrance {
    fn of(node: &NodePlan) -> Entrance {
        match node.role {
            Role::Port => Entrance::Port,
            _ if node.cost.is_some() => Entrance::Processor,
            Role::Switch | Role::Ap => Entrance::Bridge,
            Role::Host | Role::Router | Role::Sta => Entrance::Machine,
        }
    }
}

/// What joins a machine to a medium. Its number is its link address.
#[derive(Debug)]
pub struct Interface {
    /// Whose it is.
    pub node: u16,
    /// What its node is.
    pub role: Role,
    /// Its link address.
    pub mac: MacAddress,
    /// Its IP address.
    pub ip: Ipv4Addr,
    /// Bytes of the longest IP packet that it carries.
    pub mtu: u16,
    /// Where it leads.
    pub egress: Egress,
    /// What it knows of its neighbours.
    pub resolver: Resolver,
    /// Where frames that come to it go.
    pub entrance: Entrance,
    /// A station's access point, by the number of its radio's interface.
    pub access_point: Option<u16>,
}

/// A machine's part in passing packets on.
#[derive(Debug)]
pub struct Machine {
    /// The numbers of its interfaces.
    pub interfaces: Vec<u16>,
    /// Its ways to other machines; the interfaces in it are numbers of all.
    pub routes: Routes,
    /// What a bridge has learnt.
    pub bridge: Bridge,
    /// The identification of the last packet it sent.
    pub identification: u16,
    /// The interface through which it translates, and the mappings.
    pub nat: Option<(u16, Nat)>,
}

/// All machines and interfaces of a world.
#[derive(Debug)]
pub struct Network {
    /// By number.
    pub interfaces: Vec<Interface>,
    /// By node.
    pub machines: Vec<Machine>,
    /// Whose interface has an address.
    by_address: Demux,
    /// By link: the interface that sends over it.
    senders: Vec<u16>,
    /// By segment: the interfaces that share it.
    members: Vec<Vec<u16>>,
    /// Machines from outside that were heard behind stations, by the interface of the station.
    pub behind: Addresses,
}

impl Network {
    /// The network of a plan.
    pub fn new(plan: &Plan) -> Self {
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
        };
        network.plug_in();
        network.translate();
        for (number, interface) in network.interfaces.iter().enumerate() {
            let address = key(u32::from(interface.ip), 0, 0);
            if network.by_address.get(address).is_none() {
                network.by_address.insert(address, number as u32);
            }
        }
        network.fix_bridges();
        if plan.caches_filled {
            network.fill_bridges();
            network.fill_neighbours(plan);
        }
        network
    }

    /// Lets the interfaces lead over their cables.
    fn plug_in(&mut self) {
        for (link, &number) in self.senders.iter().enumerate() {
            self.interfaces[usize::from(number)].egress = Egress::Link(link as u16);
        }
        for (segment, members) in self.members.iter().enumerate() {
            for (station, &number) in members.iter().enumerate() {
                let egress = Egress::Segment(segment as u16, station as u16);
                self.interfaces[usize::from(number)].egress = egress;
            }
        }
    }

    /// Lets routers translate what comes to their interfaces outside.
    fn translate(&mut self) {
        for machine in &self.machines {
            if let Some((outside, _)) = machine.nat {
                let entrance = &mut self.interfaces[usize::from(outside)].entrance;
                if *entrance == Entrance::Machine {
                    *entrance = Entrance::Translator;
                }
            }
        }
    }

    /// The interface that has an address.
    #[inline]
    pub fn owner(&self, address: Ipv4Addr) -> Option<u16> {
        let number = self.by_address.get(key(u32::from(address), 0, 0))?;
        Some(number as u16)
    }

    /// The next step of a packet from a node.
    #[inline]
    pub fn next_hop(&self, node: u16, destination: Ipv4Addr) -> Option<Hop> {
        self.machines[usize::from(node)]
            .routes
            .next_hop(destination)
    }

    /// The longest payload of a TCP segment without options that leaves a node in one packet for
    /// an address; without a way there, none is too long.
    pub fn mss_towards(&self, node: u16, destination: Ipv4Addr) -> Option<u32> {
        let hop = self.next_hop(node, destination)?;
        Some(mss_of(self.interface(hop.interface).mtu))
    }

    /// An interface by its number.
    #[inline]
    pub fn interface(&self, number: u16) -> &Interface {
        &self.interfaces[usize::from(number)]
    }

    /// Where in a plan an interface stands.
    pub fn place_of(&self, number: u16) -> EndPlan {
        let node = usize::from(self.interface(number).node);
        let mut own = self.machines[node].interfaces.iter();
        let interface = own.position(|&each| each == number);
        EndPlan {
            node,
            interface: interface.expect("a machine lists its interfaces"),
        }
    }

    /// The number of an interface by its place in a plan.
    pub fn interface_at(&self, at: EndPlan) -> u16 {
        self.machines[at.node].interfaces[at.interface]
    }

    /// The interface that a link leads to.
    #[inline]
    pub fn end_of(&self, link: u16) -> u16 {
        self.senders[usize::from(link ^ 1)]
    }

    /// The interfaces that share a segment.
    #[inline]
    pub fn members_of(&self, segment: u16) -> &[u16] {
        &self.members[usize::from(segment)]
    }

    /// The interfaces at the other ends of the cable that an interface leads to.
    fn far_ends(&self, number: u16) -> Vec<u16> {
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
        for number in 0..self.interfaces.len() as u16 {
            let here = self.interface(number);
            let (port, node) = match here.access_point {
                Some(radio) => (radio, self.interface(radio).node),
                None => (number, here.node),
            };
            if self.interface(port).role.bridges() {
                self.machines[usize::from(node)].bridge.fix(number, port);
            }
        }
    }

    /// Lets a station be associated with another access point, by the numbers of their radios.
    pub fn associate(&mut self, station: u16, access_point: u16) {
        let before = self.interface(station).access_point;
        if before == Some(access_point) {
            return;
        }
        if let Some(before) = before {
            let node = usize::from(self.interface(before).node);
            self.forget_station(node, station);
        }
        self.interfaces[usize::from(station)].access_point = Some(access_point);
        let node = usize::from(self.interface(access_point).node);
        self.machines[node].bridge.fix(station, access_point);
    }

    /// Lets a bridge forget a station that has left, and who is behind it.
    pub fn forget_station(&mut self, node: usize, station: u16) {
        let bridge = &mut self.machines[node].bridge;
        bridge.forget(station);
        (self.behind.at(station)).for_each(|address| bridge.forget_foreign(address));
    }

    /// The interface of this world whose address it is, heard or not.
    pub fn ours(&self, address: MacAddress) -> Option<u16> {
        let number = address.node()?;
        (usize::from(number) < self.interfaces.len()).then_some(number)
    }

    /// The station that a frame is for, or behind which its receiver was heard; none of a group.
    pub fn station_for(&self, now: Time, destination: MacAddress) -> Option<u16> {
        match destination.node() {
            Some(number) => Some(number),
            None => self.behind.port_of(now, destination),
        }
    }

    /// Lets every bridge know where every interface is, as if each had sent a broadcast.
    fn fill_bridges(&mut self) {
        for number in 0..self.interfaces.len() as u16 {
            let source = self.interface(number).mac;
            let mut entered: Vec<u16> = Vec::new();
            match self.interface(number).access_point {
                Some(radio) => entered.push(radio),
                None => entered.extend(self.far_ends(number)),
            }
            while let Some(at) = entered.pop() {
                if !self.interface(at).role.bridges() {
                    continue;
                }
                let node = usize::from(self.interface(at).node);
                self.machines[node].bridge.learn(Time::ZERO, source, at);
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
        let mut node = from as u16;
        // A way is no longer than there are machines, unless routes lead round in circles.
        for _ in 0..self.machines.len() {
            let Some(Hop {
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
            let resolver = &mut self.interfaces[usize::from(interface)].resolver;
            resolver.learn(neighbour, mac);
            if next_node == node || neighbour == destination {
                return;
            }
            node = next_node;
        }
    }
}

/// A TCP header without options (RFC 9293 §3.1).
const TCP_HEADER: u32 = 20;

/// What an MTU leaves of a segment without options for its payload (RFC 6691).
pub const fn mss_of(mtu: u16) -> u32 {
    mtu as u32 - IPV4_HEADER - TCP_HEADER
}

fn interfaces(plan: &Plan, numbers: &[Vec<u16>]) -> Vec<Interface> {
    let mut all: Vec<(u16, Interface)> = Vec::new();
    for (node, own) in plan.nodes.iter().enumerate() {
        for (interface, &number) in own.interfaces.iter().zip(&numbers[node]) {
            let (mac, ip) = (MacAddress::of_node(u32::from(number)), interface.address);
            let radio = interface.radio.as_ref();
            let access_point = radio.and_then(|radio| radio.access_point);
            let made = Interface {
                node: node as u16,
                role: own.role,
                mac,
                ip,
                mtu: interface.mtu,
                egress: match radio {
                    Some(radio) if radio.categories.is_empty() => Egress::Radio,
                    Some(_) => Egress::Functions,
                    None => Egress::Nowhere,
                },
                resolver: Resolver::new(ip, mac, ARP_LIFETIME),
                entrance: Entrance::of(own),
                access_point: access_point.map(|ap| numbers[ap.node][ap.interface]),
            };
            all.push((number, made));
        }
    }
    all.sort_by_key(|&(number, _)| number);
    all.into_iter().map(|(_, made)| made).collect()
}

fn senders(plan: &Plan, numbers: &[Vec<u16>]) -> Vec<u16> {
    let ends = plan.wires.iter().flat_map(|wire| wire.ends);
    ends.map(|end| numbers[end.node][end.interface]).collect()
}

fn members(plan: &Plan, numbers: &[Vec<u16>]) -> Vec<Vec<u16>> {
    let number_of = |end: &EndPlan| numbers[end.node][end.interface];
    (plan.segments.iter())
        .map(|segment| segment.members.iter().map(number_of).collect())
        .collect()
}

fn machine(node: &NodePlan, numbers: &[u16]) -> Machine {
    let mut routes = Routes::default();
    for (interface, &number) in node.interfaces.iter().zip(numbers) {
        routes.add(Route {
            to: Prefix::new(interface.address, interface.prefix_length),
            interface: number,
            gateway: None,
        });
    }
    for route in &node.routes {
        routes.add(Route {
            to: Prefix::new(route.to, route.prefix_length),
            interface: numbers[route.interface],
            gateway: Some(route.gateway),
        });
    }
    Machine {
        interfaces: numbers.to_vec(),
        routes,
        bridge: Bridge::default(),
        identification: 0,
        nat: (node.nat).map(|outside| (numbers[outside], Nat::default())),
    }
}
