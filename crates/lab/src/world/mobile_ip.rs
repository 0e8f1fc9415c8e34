//! Mobile IP in a world: agents that advertise and tunnel, stations that register.

use std::net::Ipv4Addr;

use net::mobile_ip::{AgentDecision, Forward, Message, RegistrationChange, RegistrationReply};
use net::route::{Route, Routes};
use net::{IPV4_HEADER, Prefix};
use tcp::Ecn;
use units::{MacAddress, Time};

use super::ip::IpPayload;
use super::{World, WorldEvent};
use crate::ids::{AgentId, InterfaceId, NodeId};
use crate::packets::{Body, InterfaceHop, Load, Packet};

impl World {
    /// It is time for an agent to say that it is there.
    pub(super) fn advertise(&mut self, agent: AgentId) {
        let Some(serving) =
            (self.network.mobile_ip.as_ref()).and_then(|mobile_ip| mobile_ip.agent(agent))
        else {
            return;
        };
        let next = self.now + serving.interval;
        self.calendar
            .schedule(next, WorldEvent::Advertisement(agent));
        self.say_who_serves(serving.interface);
    }

    /// The agent of an interface says that it is there, if there is one.
    fn say_who_serves(&mut self, interface: InterfaceId) {
        let node = self.network.interface(interface).node;
        let serving = (self.network.mobile_ip.as_mut()).and_then(|each| each.agent_of(node));
        let Some(serving) = serving.filter(|serving| serving.interface == interface) else {
            return;
        };
        let told = Message::Advertisement(serving.agent.advertise());
        let source = serving.agent.address();
        self.tell_link(interface, source, told);
    }

    /// Sends a message to everybody on a link.
    fn tell_link(&mut self, interface: InterfaceId, source: Ipv4Addr, message: Message) {
        let mac = MacAddress::BROADCAST;
        self.send_message(interface, source, Ipv4Addr::BROADCAST, mac, message);
    }

    /// A message has come that is for everybody on the link.
    pub(super) fn hear_message(
        &mut self,
        interface: InterfaceId,
        packet: &Packet,
        message: Message,
    ) {
        let told = match message {
            Message::Advertisement(told) => told,
            Message::Solicitation => return self.say_who_serves(interface),
            Message::Request(_) | Message::Reply(_) => return,
        };
        let node = self.network.interface(interface).node;
        let interface_of = |radio| Some(self.air.radios.as_ref()?.interface_of(radio));
        let (now, from) = (self.now, self.air.heard_from.and_then(interface_of));
        let Some(moving) = (self.network.mobile_ip.as_mut()).and_then(|each| each.mobile_of(node))
        else {
            return;
        };
        moving.heard.retain(|&(agent, ..)| agent != told.agent);
        moving.heard.push((told.agent, packet.hop.source, from));
        let change = moving.mobile.on_advertisement(now, &told);
        let resolver = &mut self.network.interfaces[interface.index()].resolver;
        resolver.learn(told.agent, packet.hop.source);
        self.follow(node, change);
    }

    /// A message has come that is for this machine.
    pub(super) fn take_message(&mut self, node: NodeId, packet: &Packet, message: Message) {
        let now = self.now;
        let Some(mobile_ip) = &mut self.network.mobile_ip else {
            return;
        };
        let answer = match message {
            Message::Advertisement(_) | Message::Solicitation => return,
            Message::Request(told) => match mobile_ip.agent_of(node) {
                Some(serving) => serving.agent.on_request(now, &told, packet.hop.source),
                None => return,
            },
            Message::Reply(told) => match mobile_ip.agent_of(node) {
                Some(serving) => serving.agent.on_reply(now, &told),
                None => return self.take_reply(node, &told),
            },
        };
        match answer {
            AgentDecision::Relay(told) => {
                self.inform(node, told.home_agent, Message::Request(told));
            }
            AgentDecision::Reply(told) => self.inform(node, packet.source, Message::Reply(told)),
            AgentDecision::HandOn(told, mac) => self.hand_reply_on(node, told, mac),
            AgentDecision::Nothing => {}
        }
    }

    /// A mobile node does what is due.
    pub(super) fn wake_mobile(&mut self, node: NodeId) {
        let now = self.now;
        let Some(moving) = (self.network.mobile_ip.as_mut()).and_then(|each| each.mobile_of(node))
        else {
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
    pub(super) fn forward_to_mobile(&mut self, node: NodeId, packet: &Packet) -> bool {
        let now = self.now;
        let Some(serving) = (self.network.mobile_ip.as_mut()).and_then(|each| each.agent_of(node))
        else {
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
    fn tunnel(&mut self, node: NodeId, from: Ipv4Addr, to: Ipv4Addr, packet: Packet) {
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
        let carried = IpPayload {
            load: Some(Load::of_packet(wrapped)),
            body: Body::Tunnel,
        };
        self.originate_over(hop, node, [from, to], packet.dscp, bytes, carried);
        self.packets.release(wrapped);
    }

    /// A tunnel has ended here: what came through it goes on.
    pub(super) fn unwrap(&mut self, node: NodeId, tunnel: &Packet) {
        if let Some(wrapped) = tunnel.load {
            let packet = *self.packets.get(wrapped.packet());
            self.route(node, packet);
        }
    }

    fn take_reply(&mut self, node: NodeId, told: &RegistrationReply) {
        let now = self.now;
        let Some(moving) = (self.network.mobile_ip.as_mut()).and_then(|each| each.mobile_of(node))
        else {
            return;
        };
        let change = moving.mobile.on_reply(now, told);
        self.follow(node, change);
    }

    /// Does what follows from a change, sends a request if there is one, and looks when the mobile
    /// node wants to be woken.
    fn follow(&mut self, node: NodeId, change: Option<RegistrationChange>) {
        match change {
            Some(RegistrationChange::With(agent)) => self.go_with(node, agent),
            Some(RegistrationChange::Registered { .. }) => self.note_registration(node),
            None => {}
        }
        let Some(moving) = (self.network.mobile_ip.as_mut()).and_then(|each| each.mobile_of(node))
        else {
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
            self.calendar.schedule(wake_at, WorldEvent::Mobile(node));
        }
    }

    /// A mobile node is with another agent: behind its access point, and on its ways.
    fn go_with(&mut self, node: NodeId, agent: Option<Ipv4Addr>) {
        let Some(moving) = (self.network.mobile_ip.as_mut()).and_then(|each| each.mobile_of(node))
        else {
            return;
        };
        let interface = moving.interface;
        let routes = match agent.filter(|_| !moving.mobile.is_at_home()) {
            None => moving.at_home.clone(),
            Some(agent) => {
                let mut routes = Routes::default();
                routes.add(Route {
                    to: Prefix::ALL,
                    interface: interface.0,
                    gateway: Some(agent),
                });
                routes
            }
        };
        let heard = moving.heard.iter().find(|&&(each, ..)| Some(each) == agent);
        let access_point = heard.and_then(|&(_, _, access_point)| access_point);
        self.network.machines[node.index()].routes = routes;
        if let Some(access_point) = access_point
            && !self.looks_for_access_points(interface)
        {
            self.network.associate(interface, access_point);
        }
        let at = agent.and_then(|agent| self.network.owner(agent));
        if let Some(at) = at {
            let agent = self.network.interface(at).node;
            (self.observers.handovers).on_change(self.now, node, agent);
        }
    }

    fn note_registration(&mut self, node: NodeId) {
        let now = self.now;
        self.observers.handovers.on_registration(now, node);
        self.observers.roams.change_last(node, |roam| {
            roam.registered_s.get_or_insert(now);
        });
    }

    /// Hands a reply on to a visitor, whose link address it has asked from.
    fn hand_reply_on(&mut self, node: NodeId, told: RegistrationReply, mac: MacAddress) {
        let Some(serving) = (self.network.mobile_ip.as_mut()).and_then(|each| each.agent_of(node))
        else {
            return;
        };
        let (interface, source) = (serving.interface, serving.agent.address());
        self.send_message(interface, source, told.home, mac, Message::Reply(told));
    }

    fn inform(&mut self, node: NodeId, to: Ipv4Addr, message: Message) {
        self.originate(node, to, 0, message.ip_bytes(), Body::MobileIp(message));
    }

    /// Sends a message to a neighbour whose link address is known.
    fn send_message(
        &mut self,
        interface: InterfaceId,
        source: Ipv4Addr,
        destination: Ipv4Addr,
        mac: MacAddress,
        message: Message,
    ) {
        // One that is to stay on the link is not to be passed on (RFC 5944 §2.3).
        const ONE_HOP: u8 = 1;
        let node = self.network.interface(interface).node;
        let packet = Packet {
            hop: InterfaceHop::UNKNOWN,
            source,
            destination,
            identification: self.network.identify(node),
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
