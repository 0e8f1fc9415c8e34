//! Mobile IP in a world: agents that advertise and tunnel, stations that register.

use std::net::Ipv4Addr;

use dot11::Address;
use engine::Purpose;
use net::mobile_ip::{
    Agent, AgentConfig, Answer, Change, Forward, Message, Mobile, MobileConfig, Reply,
};
use net::route::{Route, Routes};
use net::{IPV4_HEADER, Prefix};
use tcp::Ecn;
use units::table::Node;
use units::{Duration, MacAddress, Time};

use super::internet::Carried;
use super::{Event, World};
use crate::handovers::Handover;
use crate::load::Load;
use crate::luck::{Lot, name_hash};
use crate::network::Network;
use crate::packet::{Body, Hop, Packet};
use crate::plan::{MobilePlan, Plan};

/// Agents and mobile nodes of a world.
#[derive(Debug)]
pub struct MobileIp {
    agents: Vec<Serving>,
    mobiles: Vec<Moving>,
    /// Of each node, which of them it is.
    agent_at: Vec<Option<u16>>,
    mobile_at: Vec<Option<u16>>,
    /// Every change of an agent so far.
    pub handovers: Vec<Handover>,
}

/// An agent, and the interface over which it is one.
#[derive(Debug)]
struct Serving {
    agent: Agent,
    interface: u16,
    interval: Duration,
    first: Duration,
}

/// A mobile node, and what it knows of those whom it may ask.
#[derive(Debug)]
struct Moving {
    mobile: Mobile,
    interface: u16,
    /// Its ways at home.
    at_home: Routes,
    /// By agent: its link address, and the access point that it was heard through.
    heard: Vec<(Ipv4Addr, MacAddress, Option<u16>)>,
}

impl MobileIp {
    /// Those of a plan; none where nobody is mobile.
    pub fn new(plan: &Plan, network: &Network, seed: u64) -> Option<Box<MobileIp>> {
        let told = plan.mobile_ip.as_ref()?;
        let numbers = plan.interface_numbers();
        let agents = told.agents.iter().map(|agent| {
            let interface = numbers[agent.at.node][agent.at.interface];
            let name = name_hash(&plan.nodes[agent.at.node].name);
            let mut luck = Lot::new(seed, name, Purpose::Advertisement);
            let share = net::Chance::unit(&mut luck);
            let first = share * agent.interval_ns.as_nanos() as f64;
            let mut serves = Agent::new(AgentConfig {
                address: network.interface(interface).ip,
                lifetime_s: agent.lifetime_s,
                registration_lifetime_s: agent.registration_lifetime_s,
            });
            let own = |mobile: &&MobilePlan| mobile.home_agent == serves.address();
            for mobile in told.mobiles.iter().filter(own).collect::<Vec<_>>() {
                let interface = numbers[mobile.at.node][mobile.at.interface];
                serves.share(network.interface(interface).ip, mobile.key);
            }
            Serving {
                agent: serves,
                interface,
                interval: agent.interval_ns,
                first: Duration::from_nanos(first as u64),
            }
        });
        let mobiles = told.mobiles.iter().map(|mobile| {
            let interface = numbers[mobile.at.node][mobile.at.interface];
            Moving {
                mobile: Mobile::new(MobileConfig {
                    key: mobile.key,
                    home: network.interface(interface).ip,
                    home_agent: mobile.home_agent,
                    detection: mobile.detection,
                    memory: mobile.memory_ns,
                    lifetime_s: mobile.lifetime_s,
                    retry: mobile.retry_ns,
                }),
                interface,
                at_home: network.machines[mobile.at.node].routes.clone(),
                heard: Vec::new(),
            }
        });
        let place = |nodes: &[usize], node| nodes.iter().position(|&each| each == node);
        let by_node = |nodes: Vec<usize>| {
            let all = 0..plan.nodes.len();
            all.map(|node| place(&nodes, node).map(|at| at as u16))
                .collect()
        };
        Some(Box::new(MobileIp {
            agents: agents.collect(),
            mobiles: mobiles.collect(),
            agent_at: by_node(told.agents.iter().map(|agent| agent.at.node).collect()),
            mobile_at: by_node(told.mobiles.iter().map(|mobile| mobile.at.node).collect()),
            handovers: Vec::new(),
        }))
    }

    /// When each agent is heard of for the first time.
    pub fn first_advertisements(&self) -> impl Iterator<Item = Duration> {
        self.agents.iter().map(|serving| serving.first)
    }

    /// When each mobile node wants to be woken for the first time, though it has heard of nothing.
    pub fn first_wakes(&self) -> impl Iterator<Item = (u16, Time)> {
        let nodes = (0..).zip(&self.mobile_at);
        nodes.filter_map(|(node, &at)| {
            let moving = self.mobiles.get(usize::from(at?))?;
            Some((node, moving.mobile.wake_at()))
        })
    }

    fn agent(&mut self, node: u16) -> Option<&mut Serving> {
        let at = self.agent_at[usize::from(node)]?;
        self.agents.get_mut(usize::from(at))
    }

    fn mobile(&mut self, node: u16) -> Option<&mut Moving> {
        let at = self.mobile_at[usize::from(node)]?;
        self.mobiles.get_mut(usize::from(at))
    }
}

impl World {
    /// It is time for an agent to say that it is there.
    pub(super) fn advertise(&mut self, agent: u16) {
        let Some(serving) = (self.mobile_ip.as_ref())
            .and_then(|mobile_ip| mobile_ip.agents.get(usize::from(agent)))
        else {
            return;
        };
        let next = self.now + serving.interval;
        self.calendar.schedule(next, Event::Advertisement(agent));
        self.say_who_serves(serving.interface);
    }

    /// The agent of an interface says that it is there, if there is one.
    fn say_who_serves(&mut self, interface: u16) {
        let node = self.network.interface(interface).node;
        let serving = (self.mobile_ip.as_mut()).and_then(|each| each.agent(node));
        let Some(serving) = serving.filter(|serving| serving.interface == interface) else {
            return;
        };
        let told = Message::Advertisement(serving.agent.advertise());
        let source = serving.agent.address();
        self.tell_link(interface, source, told);
    }

    /// Sends a message to everybody on a link.
    fn tell_link(&mut self, interface: u16, source: Ipv4Addr, message: Message) {
        let mac = MacAddress::BROADCAST;
        self.send_message(interface, source, Ipv4Addr::BROADCAST, mac, message);
    }

    /// A message has come that is for everybody on the link.
    pub(super) fn hear_message(&mut self, interface: u16, packet: &Packet, message: Message) {
        let told = match message {
            Message::Advertisement(told) => told,
            Message::Solicitation => return self.say_who_serves(interface),
            Message::Request(_) | Message::Reply(_) => return,
        };
        let node = self.network.interface(interface).node;
        let interface_of = |radio| Some(self.radios.as_ref()?.interface_of(Address(radio)));
        let (now, from) = (self.now, self.heard_from.and_then(interface_of));
        let Some(moving) = (self.mobile_ip.as_mut()).and_then(|each| each.mobile(node)) else {
            return;
        };
        moving.heard.retain(|&(agent, ..)| agent != told.agent);
        moving.heard.push((told.agent, packet.hop.source, from));
        let change = moving.mobile.on_advertisement(now, &told);
        let resolver = &mut self.network.interfaces[usize::from(interface)].resolver;
        resolver.learn(told.agent, packet.hop.source);
        self.follow(node, change);
    }

    /// A message has come that is for this machine.
    pub(super) fn take_message(&mut self, node: u16, packet: &Packet, message: Message) {
        let now = self.now;
        let Some(mobile_ip) = &mut self.mobile_ip else {
            return;
        };
        let answer = match message {
            Message::Advertisement(_) | Message::Solicitation => return,
            Message::Request(told) => match mobile_ip.agent(node) {
                Some(serving) => serving.agent.on_request(now, &told, packet.hop.source),
                None => return,
            },
            Message::Reply(told) => match mobile_ip.agent(node) {
                Some(serving) => serving.agent.on_reply(now, &told),
                None => return self.take_reply(node, &told),
            },
        };
        match answer {
            Answer::Relay(told) => self.inform(node, told.home_agent, Message::Request(told)),
            Answer::Reply(told) => self.inform(node, packet.source, Message::Reply(told)),
            Answer::HandOn(told, mac) => self.hand_reply_on(node, told, mac),
            Answer::Nothing => {}
        }
    }

    /// A mobile node does what is due.
    pub(super) fn wake_mobile(&mut self, node: u16) {
        let now = self.now;
        let Some(moving) = (self.mobile_ip.as_mut()).and_then(|each| each.mobile(node)) else {
            return;
        };
        if moving.mobile.wake_at() <= now {
            let change = moving.mobile.on_timer(now);
            self.follow(node, change);
        }
    }

    /// Sends a packet on to a mobile node, if it is for one that this router has to do with;
    /// answers whether it was.
    #[cold]
    pub(super) fn forward_to_mobile(&mut self, node: u16, packet: &Packet) -> bool {
        let now = self.now;
        let Some(serving) = (self.mobile_ip.as_mut()).and_then(|each| each.agent(node)) else {
            return false;
        };
        let Some(forward) = serving.agent.forward(now, packet.destination) else {
            return false;
        };
        let (interface, address) = (serving.interface, serving.agent.address());
        let mut packet = *packet;
        packet.ttl -= 1;
        match forward {
            Forward::Visitor(mac) => {
                let handle = self.packets.insert(packet);
                self.send_to(interface, mac, handle);
            }
            Forward::Tunnel(care_of) => self.tunnel(node, address, care_of, packet),
        }
        true
    }

    /// Sends a packet in another one (RFC 2003).
    fn tunnel(&mut self, node: u16, from: Ipv4Addr, to: Ipv4Addr, packet: Packet) {
        let Some(hop) = self.network.next_hop(node, to) else {
            return;
        };
        let mtu = self.network.interface(hop.interface).mtu - IPV4_HEADER as u16;
        if packet.ip_bytes > mtu {
            let error = net::icmp::Error::FragmentationNeeded { next_hop_mtu: mtu };
            return self.send_error(node, error, &packet);
        }
        let wrapped = self.packets.insert(packet);
        let bytes = u32::from(packet.ip_bytes) + IPV4_HEADER;
        let carried = Carried {
            load: Some(Load::new(wrapped)),
            body: Body::Tunnel,
        };
        self.originate_over(hop, node, [from, to], packet.dscp, bytes, carried);
        self.packets.release(wrapped);
    }

    /// A tunnel has ended here: what came through it goes on.
    pub(super) fn unwrap(&mut self, node: u16, tunnel: &Packet) {
        if let Some(wrapped) = tunnel.load {
            let packet = *self.packets.get(wrapped.number());
            self.route(node, packet);
        }
    }

    fn take_reply(&mut self, node: u16, told: &Reply) {
        let now = self.now;
        let Some(moving) = (self.mobile_ip.as_mut()).and_then(|each| each.mobile(node)) else {
            return;
        };
        let change = moving.mobile.on_reply(now, told);
        self.follow(node, change);
    }

    /// Does what follows from a change, sends a request if there is one, and looks when the mobile
    /// node wants to be woken.
    fn follow(&mut self, node: u16, change: Option<Change>) {
        match change {
            Some(Change::With(agent)) => self.go_with(node, agent),
            Some(Change::Registered { .. }) => self.note_registration(node),
            None => {}
        }
        let Some(moving) = (self.mobile_ip.as_mut()).and_then(|each| each.mobile(node)) else {
            return;
        };
        let (request, agent) = (moving.mobile.take_request(), moving.mobile.agent());
        let (solicits, interface) = (moving.mobile.take_solicitation(), moving.interface);
        let wake_at = moving.mobile.wake_at();
        if solicits {
            let source = self.network.interface(interface).ip;
            self.tell_link(interface, source, Message::Solicitation);
        }
        if let (Some(request), Some(agent)) = (request, agent) {
            self.inform(node, agent, Message::Request(request));
        }
        if wake_at != Time::NEVER {
            self.calendar.schedule(wake_at, Event::Mobile(node));
        }
    }

    /// A mobile node is with another agent: behind its access point, and on its ways.
    fn go_with(&mut self, node: u16, agent: Option<Ipv4Addr>) {
        let Some(moving) = (self.mobile_ip.as_mut()).and_then(|each| each.mobile(node)) else {
            return;
        };
        let interface = moving.interface;
        let routes = match agent.filter(|_| !moving.mobile.is_at_home()) {
            None => moving.at_home.clone(),
            Some(agent) => {
                let mut routes = Routes::default();
                routes.add(Route {
                    to: Prefix::ALL,
                    interface,
                    gateway: Some(agent),
                });
                routes
            }
        };
        let heard = moving.heard.iter().find(|&&(each, ..)| Some(each) == agent);
        let access_point = heard.and_then(|&(_, _, access_point)| access_point);
        self.network.machines[usize::from(node)].routes = routes;
        if let Some(access_point) = access_point
            && !self.looks_for_access_points(interface)
        {
            self.network.associate(interface, access_point);
        }
        let at = agent.and_then(|agent| self.network.owner(agent));
        if let (Some(at), Some(mobile_ip)) = (at, &mut self.mobile_ip) {
            mobile_ip.handovers.push(Handover {
                station: Node(node),
                agent: Node(self.network.interface(at).node),
                found_s: self.now,
                registered_s: None,
            });
        }
    }

    fn note_registration(&mut self, node: u16) {
        let now = self.now;
        let Some(mobile_ip) = &mut self.mobile_ip else {
            return;
        };
        let mut all = mobile_ip.handovers.iter_mut().rev();
        if let Some(last) = all.find(|handover| handover.station == Node(node)) {
            last.registered_s.get_or_insert(now);
        }
        if let Some(associations) = &mut self.associations {
            associations.note_registration(now, node);
        }
    }

    /// Hands a reply on to a visitor, whose link address it has asked from.
    fn hand_reply_on(&mut self, node: u16, told: Reply, mac: MacAddress) {
        let Some(serving) = (self.mobile_ip.as_mut()).and_then(|each| each.agent(node)) else {
            return;
        };
        let (interface, source) = (serving.interface, serving.agent.address());
        self.send_message(interface, source, told.home, mac, Message::Reply(told));
    }

    fn inform(&mut self, node: u16, to: Ipv4Addr, message: Message) {
        self.originate(node, to, 0, message.ip_bytes(), Body::MobileIp(message));
    }

    /// Sends a message to a neighbour whose link address is known.
    fn send_message(
        &mut self,
        interface: u16,
        source: Ipv4Addr,
        destination: Ipv4Addr,
        mac: MacAddress,
        message: Message,
    ) {
        // One that is to stay on the link is not to be passed on (RFC 5944 §2.3).
        const ONE_HOP: u8 = 1;
        let node = self.network.interface(interface).node;
        let packet = Packet {
            hop: Hop::UNKNOWN,
            source,
            destination,
            identification: self.identify(node),
            ttl: ONE_HOP,
            dscp: 0,
            ecn: Ecn::NotCapable,
            ip_bytes: message.ip_bytes() as u16,
            damage: net::impairment::Damage::NONE,
            load: None,
            body: Body::MobileIp(message),
        };
        let handle = self.packets.insert(packet);
        self.send_to(interface, mac, handle);
    }
}
