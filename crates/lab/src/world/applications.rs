//! Applications: each has its turn when something concerns it, and then its requests.

use dot11::Category;
use net::Datagram;
use net::icmp::Echo;

use super::{World, WorldEvent};
use crate::hosts::{AppEvent, AppRequest, Processor};
use crate::ids::{FlowEnd, FlowId, InterfaceId, Side};
use crate::network::Egress;
use crate::packets::Body;
use crate::radios::Radios;
use crate::rows::DatagramKey;

/// A station that is never out of datagrams has one in service and one behind it.
const ENOUGH: u32 = 2;

impl World {
    /// Begins a flow.
    pub(super) fn start(&mut self, flow: FlowId) {
        let opener = self.opener_of_datagrams(flow);
        for side in Side::BOTH
            .into_iter()
            .filter(|&side| opener.is_none_or(|opener| opener == side))
        {
            self.notify(flow.end(side), AppEvent::Start);
        }
        if opener == Some(Side::Responder) {
            self.send_binding_request(flow);
        }
    }

    /// Ends a flow: who has opened connections closes them, and nothing new is begun.
    pub(super) fn stop(&mut self, flow: FlowId) {
        self.hosts.flows[flow.index()].account.is_stopped = true;
        for owners in &mut self.hosts.saturating {
            owners.retain(|owner| owner.flow != flow);
        }
        for side in Side::BOTH {
            for number in self.hosts.sockets.numbers_of(flow.end(side)) {
                if let Some(end) = self.hosts.sockets.get_mut(number)
                    && end.history.is_opener
                {
                    end.connection.close(self.now);
                    self.pump(number);
                }
            }
        }
    }

    /// The time has come that an application has asked for.
    pub(super) fn wake(&mut self, owner: FlowEnd) {
        if !self.hosts.flows[owner.flow.index()].account.is_stopped {
            self.notify(owner, AppEvent::Wake);
        }
    }

    /// Tells the application at an end of a flow of an event, and does what it asks for.
    #[inline]
    pub(super) fn notify(&mut self, owner: FlowEnd, event: AppEvent) {
        let around = (&self.plan, &self.network);
        self.hosts.notify(self.now, owner, event, around);
        if !self.hosts.requests.is_empty() {
            self.carry_out(owner);
        }
    }

    fn carry_out(&mut self, owner: FlowEnd) {
        let mut requests = std::mem::take(&mut self.hosts.requests);
        for request in requests.drain(..) {
            match request {
                AppRequest::Pump(socket) => self.pump(socket),
                AppRequest::Send(payload, tag) => self.send_datagram(owner, payload, tag),
                AppRequest::Ping(sequence, payload) => self.send_request(owner, sequence, payload),
                AppRequest::Wake(at) => self.calendar.schedule(at, WorldEvent::Wake(owner)),
                AppRequest::QueueSpace => self.offer_queue_space(owner),
            }
        }
        // The storage is used again.
        self.hosts.requests = requests;
    }

    fn send_datagram(&mut self, owner: FlowEnd, payload: u32, tag: u64) {
        let flow = &mut self.hosts.flows[owner.flow.index()];
        let here = owner.side;
        let number = flow.account.meter.datagrams[here as usize].on_sent();
        let (from, peer) = (flow.node(here), flow.node(here.other()));
        let account = &self.hosts.flows[owner.flow.index()].account;
        let (to, destination_port) = account.seen_at[here as usize].unwrap_or((
            self.network.address(peer),
            account.ports[here.other() as usize],
        ));
        let datagram = Datagram {
            source_port: account.ports[here as usize].0,
            destination_port: destination_port.0,
            payload,
            number,
            sent: self.now,
            tag,
        };
        let dscp = self.plan.flows[owner.flow.index()].dscp;
        self.originate(from, to, dscp, datagram.ip_bytes(), Body::Udp(datagram));
        if let Some(datagrams) = &mut self.observers.datagrams {
            let identification = self.network.machines[from.index()].identification;
            let key = DatagramKey::Datagram(owner, identification);
            datagrams.on_sent(self.now, owner.flow, key, payload);
        }
    }

    fn send_request(&mut self, owner: FlowEnd, sequence: u32, payload: u32) {
        let flow = &self.hosts.flows[owner.flow.index()];
        let (from, to) = (flow.node(owner.side), flow.node(owner.side.other()));
        let echo = Echo {
            reply: false,
            sequence,
            payload,
        };
        self.hosts.flows[owner.flow.index()].account.meter.requests += 1;
        if let Some(datagrams) = &mut self.observers.datagrams {
            let key = DatagramKey::Request(owner.flow, sequence as u16);
            datagrams.on_sent(self.now, owner.flow, key, payload);
        }
        let (to, body) = (self.network.address(to), Body::Echo(owner.flow.0, echo));
        let dscp = self.plan.flows[owner.flow.index()].dscp;
        self.originate(from, to, dscp, echo.ip_bytes(), body);
    }

    /// Gives an application a turn as long as its interface has room, and sees to it that more
    /// follow.
    pub(super) fn offer_queue_space(&mut self, owner: FlowEnd) {
        let flow = &self.hosts.flows[owner.flow.index()];
        if flow.account.is_stopped {
            return;
        }
        let (from, to) = (flow.node(owner.side), flow.node(owner.side.other()));
        let Some(hop) = self.network.next_hop(from, self.network.address(to)) else {
            return;
        };
        match self.network.interface(hop.interface).egress {
            Egress::Radio | Egress::Functions | Egress::Segment(..) => {
                self.hosts.saturating[hop.interface.index()].push(owner);
                self.fill(hop.interface);
            }
            Egress::Link(link) => {
                self.notify(owner, AppEvent::QueueSpace);
                let link_free_at = self.network.links[link.index()].free_at();
                let free_at = link_free_at.max(self.hosts.processors.free_at(from));
                self.calendar
                    .schedule(free_at, WorldEvent::QueueSpace(owner));
            }
            Egress::Held | Egress::Nowhere => {
                self.hosts.saturating[hop.interface.index()].push(owner);
            }
        }
    }

    /// Keeps one datagram in service and one behind it, or as many as two aggregates have: a station
    /// that is never out of frames. The flows that leave through a radio, or over a segment, take turns.
    pub(super) fn fill(&mut self, interface: InterfaceId) {
        let of_radio = |radios: &Radios| radios.enough(interface.address());
        let enough = match self.network.interface(interface).egress {
            Egress::Functions => return self.fill_functions(interface),
            Egress::Radio => self.air.radios.as_ref().map_or(0, of_radio),
            _ => ENOUGH,
        };
        let mut backlog = self.backlog(interface);
        while backlog < enough {
            let owners = &mut self.hosts.saturating[interface.index()];
            if owners.is_empty() {
                break;
            }
            owners.rotate_left(1);
            let owner = owners[owners.len() - 1];
            self.notify(owner, AppEvent::QueueSpace);
            let before = std::mem::replace(&mut backlog, self.backlog(interface));
            if backlog == before {
                break;
            }
        }
    }

    /// The same for each access function: what is urgent does not wait for room among what is not.
    fn fill_functions(&mut self, interface: InterfaceId) {
        let mut turns = self.hosts.saturating[interface.index()].len();
        while turns > 0 {
            let owners = &mut self.hosts.saturating[interface.index()];
            let Some(&owner) = owners.first() else { return };
            owners.rotate_left(1);
            turns -= 1;
            let dscp = self.plan.flows[owner.flow.index()].dscp;
            let backlog = |world: &World| {
                world.air.radios.as_ref().map_or((u32::MAX, 0), |radios| {
                    let function = radios.function_of(interface, Category::of_dscp(dscp));
                    (radios.backlog(function), radios.enough(function))
                })
            };
            let (before, enough) = backlog(self);
            if before < enough {
                self.notify(owner, AppEvent::QueueSpace);
                if backlog(self).0 > before {
                    turns = self.hosts.saturating[interface.index()].len();
                }
            }
        }
    }

    /// Packets that a machine has for its radio or a segment, with those that its processor has not
    /// done with.
    #[inline]
    fn backlog(&self, interface: InterfaceId) -> u32 {
        let here = self.network.interface(interface);
        let waiting = match (here.egress, &self.air.radios) {
            (Egress::Radio, Some(radios)) => radios.backlog(interface.address()),
            (Egress::Segment(segment, station), _) => {
                self.network.segments[segment.index()].backlog(station)
            }
            _ => return u32::MAX,
        };
        waiting
            + self
                .hosts
                .processors
                .get(here.node)
                .map_or(0, Processor::made)
    }
}
