//! Interfaces, and the machines that they join to media.

use std::net::Ipv4Addr;

use net::Prefix;
use net::arp::Resolver;
use net::bridge::Bridge;
use net::nat::Nat;
use net::queue;
use net::route::{Route, Routes};
use tcp::QueueBelow;
use units::{Duration, MacAddress};

use crate::ids::{InterfaceId, LinkId, MemberId, NodeId, SegmentId};
use crate::plan::{EndPlan, NodePlan, NodeRole, Plan, RadioPlan};

/// How long a neighbour's address is believed (Linux: half to one and a half times 30 s; RFC 1122
/// §2.3.2.1: of the order of a minute).
const ARP_LIFETIME: Duration = Duration::from_secs(60);

/// Where an interface leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Egress {
    /// Over a link.
    Link(LinkId),
    /// Over a segment, as one of those who share it.
    Segment(SegmentId, MemberId),
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
            NodeRole::Port => Entrance::Port,
            _ if node.cost.is_some() => Entrance::Processor,
            NodeRole::Switch | NodeRole::Ap => Entrance::Bridge,
            NodeRole::Host | NodeRole::Router | NodeRole::Sta => Entrance::Machine,
        }
    }
}

/// What joins a machine to a medium. Its number is its link address.
#[derive(Debug)]
pub struct Interface {
    /// Whose it is.
    pub node: NodeId,
    /// What its node is.
    pub role: NodeRole,
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
    pub access_point: Option<InterfaceId>,
    /// The queue of a radio that tells the machine's TCP what has left it, as Linux's does. What waits
    /// for a wire is the path's, and not the machine's. [inferred: wires stand for paths, queue and all]
    pub queue_below: Option<QueueBelow>,
}

/// A machine's part in passing packets on.
#[derive(Debug)]
pub struct MachineForwarding {
    /// The numbers of its interfaces.
    pub interfaces: Vec<InterfaceId>,
    /// Its ways to other machines; the interfaces in it are numbers of all.
    pub routes: Routes,
    /// What a bridge has learnt.
    pub bridge: Bridge,
    /// The identification of the last packet it sent.
    pub identification: u16,
    /// The interface through which it translates, and the mappings.
    pub nat: Option<(InterfaceId, Nat)>,
}

pub(super) fn interfaces(plan: &Plan, numbers: &[Vec<InterfaceId>]) -> Vec<Interface> {
    let mut all: Vec<(InterfaceId, Interface)> = Vec::new();
    for (node, own) in plan.nodes.iter().enumerate() {
        for (interface, &number) in own.interfaces.iter().zip(&numbers[node]) {
            let (mac, ip) = (MacAddress::of_node(u32::from(number.0)), interface.address);
            let radio = interface.radio.as_ref();
            let access_point = radio.and_then(|radio| radio.access_point);
            let made = Interface {
                node: NodeId::at(node),
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
                queue_below: radio.and_then(queue_below),
            };
            all.push((number, made));
        }
    }
    all.sort_by_key(|&(number, _)| number);
    all.into_iter().map(|(_, made)| made).collect()
}

/// Returns what the queue of a radio is to the TCP above it: the stack's own, from 802.11n on.
fn queue_below(radio: &RadioPlan) -> Option<QueueBelow> {
    match &radio.queue {
        Some(queue::Config::Mac80211(config)) if radio.mac.aggregation.is_some() => {
            Some(QueueBelow {
                pacing_shift: Some(config.pacing_shift),
            })
        }
        _ => None,
    }
}

pub(super) fn senders(plan: &Plan, numbers: &[Vec<InterfaceId>]) -> Vec<InterfaceId> {
    let ends = plan.wires.iter().flat_map(|wire| wire.ends);
    ends.map(|end| numbers[end.node][end.interface]).collect()
}

pub(super) fn members(plan: &Plan, numbers: &[Vec<InterfaceId>]) -> Vec<Vec<InterfaceId>> {
    let number_of = |end: &EndPlan| numbers[end.node][end.interface];
    (plan.segments.iter())
        .map(|segment| segment.members.iter().map(number_of).collect())
        .collect()
}

pub(super) fn machine(node: &NodePlan, numbers: &[InterfaceId]) -> MachineForwarding {
    let mut routes = Routes::default();
    for (interface, &number) in node.interfaces.iter().zip(numbers) {
        routes.add(Route {
            to: Prefix::new(interface.address, interface.prefix_length),
            interface: number.0,
            gateway: None,
        });
    }
    for route in &node.routes {
        routes.add(Route {
            to: Prefix::new(route.to, route.prefix_length),
            interface: numbers[route.interface].0,
            gateway: Some(route.gateway),
        });
    }
    MachineForwarding {
        interfaces: numbers.to_vec(),
        routes,
        bridge: Bridge::default(),
        identification: 0,
        nat: (node.nat).map(|outside| (numbers[outside], Nat::default())),
    }
}
