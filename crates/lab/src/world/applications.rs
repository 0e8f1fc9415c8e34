//! Applications: each has its turn when something concerns it, and then its wishes.

use dot11::Category;
use net::Datagram;
use net::icmp::Echo;

use super::{Event, World};
use crate::datagrams::Key;
use crate::flows::{Room, Turn, Wish, give_turn};
use crate::network::Egress;
use crate::packet::Body;
use crate::processor::Processor;
use crate::radios::Radios;
use crate::sockets::{Owner, Side};

/// A station that is never out of datagrams has one in service and one behind it.
const ENOUGH: u32 = 2;

impl World {
    /// Begins a flow.
    pub(super) fn start(&mut self, flow: u16) {
        let opener = self.opener_of_datagrams(flow);
        for side in Side::BOTH
            .into_iter()
            .filter(|&side| opener.is_none_or(|opener| opener == side))
        {
            self.give_turn(Owner { flow, side }, Turn::Start);
        }
        if opener == Some(Side::Responder) {
            self.knock(flow);
        }
    }

    /// Ends a flow: who has opened connections closes them, and nothing new is begun.
    pub(super) fn stop(&mut self, flow: u16) {
        self.flows[usize::from(flow)].account.is_stopped = true;
        for owners in &mut self.greedy {
            owners.retain(|owner| owner.flow != flow);
        }
        for side in Side::BOTH {
            for number in self.sockets.numbers_of(Owner { flow, side }) {
                if let Some(end) = self.sockets.get_mut(number)
                    && end.history.is_opener
                {
                    end.connection.close(self.now);
                    self.pump(number);
                }
            }
        }
    }

    /// The time has come that an application has asked for.
    pub(super) fn wake(&mut self, owner: Owner) {
        if !self.flows[usize::from(owner.flow)].account.is_stopped {
            self.give_turn(owner, Turn::Wake);
        }
    }

    /// Gives the application at an end of a flow its turn, and what it wishes.
    #[inline]
    pub(super) fn give_turn(&mut self, owner: Owner, turn: Turn) {
        let room = Room {
            now: self.now,
            plan: &self.plan,
            network: &self.network,
            sockets: &mut self.sockets,
            processors: &mut self.processors,
            wishes: &mut self.wishes,
        };
        give_turn(&mut self.flows[usize::from(owner.flow)], owner, turn, room);
        if !self.wishes.is_empty() {
            self.grant(owner);
        }
    }

    fn grant(&mut self, owner: Owner) {
        let mut wishes = std::mem::take(&mut self.wishes);
        for wish in wishes.drain(..) {
            match wish {
                Wish::Pump(socket) => self.pump(socket),
                Wish::Send(payload, tag) => self.send_datagram(owner, payload, tag),
                Wish::Ping(sequence, payload) => self.send_request(owner, sequence, payload),
                Wish::Wake(at) => self.calendar.schedule(at, Event::Wake(owner)),
                Wish::Room => self.provide_room(owner),
            }
        }
        // The storage is used again.
        self.wishes = wishes;
    }

    fn send_datagram(&mut self, owner: Owner, payload: u32, tag: u64) {
        let flow = &mut self.flows[usize::from(owner.flow)];
        let here = owner.side;
        let number = flow.account.meter.datagrams[here as usize].on_sent();
        let (from, peer) = (flow.node(here), flow.node(here.other()));
        let account = &self.flows[usize::from(owner.flow)].account;
        let (to, destination_port) = account.seen_at[here as usize]
            .unwrap_or((self.address(peer), account.ports[here.other() as usize]));
        let datagram = Datagram {
            source_port: account.ports[here as usize],
            destination_port,
            payload,
            number,
            sent: self.now,
            tag,
        };
        let dscp = self.plan.flows[usize::from(owner.flow)].dscp;
        self.originate(from, to, dscp, datagram.ip_bytes(), Body::Udp(datagram));
        if let Some(datagrams) = &mut self.datagrams {
            let identification = self.network.machines[usize::from(from)].identification;
            let key = Key::Datagram(owner, identification);
            datagrams.on_sent(self.now, owner.flow, key, payload);
        }
    }

    fn send_request(&mut self, owner: Owner, sequence: u32, payload: u32) {
        let flow = &self.flows[usize::from(owner.flow)];
        let (from, to) = (flow.node(owner.side), flow.node(owner.side.other()));
        let echo = Echo {
            reply: false,
            sequence,
            payload,
        };
        self.flows[usize::from(owner.flow)].account.meter.requests += 1;
        if let Some(datagrams) = &mut self.datagrams {
            let key = Key::Request(owner.flow, sequence);
            datagrams.on_sent(self.now, owner.flow, key, payload);
        }
        let (to, body) = (self.address(to), Body::Echo(owner.flow, echo));
        let dscp = self.plan.flows[usize::from(owner.flow)].dscp;
        self.originate(from, to, dscp, echo.ip_bytes(), body);
    }

    /// Gives an application a turn as long as its interface has room, and sees to it that more
    /// follow.
    pub(super) fn provide_room(&mut self, owner: Owner) {
        let flow = &self.flows[usize::from(owner.flow)];
        if flow.account.is_stopped {
            return;
        }
        let (from, to) = (flow.node(owner.side), flow.node(owner.side.other()));
        let Some(hop) = self.network.next_hop(from, self.address(to)) else {
            return;
        };
        match self.network.interface(hop.interface).egress {
            Egress::Radio | Egress::Functions | Egress::Segment(..) => {
                self.greedy[usize::from(hop.interface)].push(owner);
                self.fill(hop.interface);
            }
            Egress::Link(link) => {
                self.give_turn(owner, Turn::Room);
                let link_free_at = self.links[usize::from(link)].free_at();
                let free_at = link_free_at.max(self.processors.free_at(from));
                self.calendar.schedule(free_at, Event::Room(owner));
            }
            Egress::Held | Egress::Nowhere => self.greedy[usize::from(hop.interface)].push(owner),
        }
    }

    /// Keeps one datagram in service and one behind it: a station that is never out of
    /// frames. The flows that leave through a radio, or over a segment, take turns.
    pub(super) fn fill(&mut self, interface: u16) {
        let limit = |radios: &Radios| radios.queue_limit(interface).min(ENOUGH);
        let enough = match self.network.interface(interface).egress {
            Egress::Functions => return self.fill_functions(interface),
            Egress::Radio => self.radios.as_ref().map_or(0, limit),
            _ => ENOUGH,
        };
        let mut backlog = self.backlog(interface);
        while backlog < enough {
            let owners = &mut self.greedy[usize::from(interface)];
            if owners.is_empty() {
                break;
            }
            owners.rotate_left(1);
            let owner = owners[owners.len() - 1];
            self.give_turn(owner, Turn::Room);
            let before = std::mem::replace(&mut backlog, self.backlog(interface));
            if backlog == before {
                break;
            }
        }
    }

    /// The same for each access function: what is urgent does not wait for room among what is not.
    fn fill_functions(&mut self, interface: u16) {
        let mut turns = self.greedy[usize::from(interface)].len();
        while turns > 0 {
            let owners = &mut self.greedy[usize::from(interface)];
            let Some(&owner) = owners.first() else { return };
            owners.rotate_left(1);
            turns -= 1;
            let dscp = self.plan.flows[usize::from(owner.flow)].dscp;
            let backlog = |world: &World| {
                world.radios.as_ref().map_or(u32::MAX, |radios| {
                    radios.backlog(radios.function_of(interface, Category::of_dscp(dscp)))
                })
            };
            let before = backlog(self);
            if before < ENOUGH {
                self.give_turn(owner, Turn::Room);
                if backlog(self) > before {
                    turns = self.greedy[usize::from(interface)].len();
                }
            }
        }
    }

    /// Packets that a machine has for its radio or a segment, with those that its processor has not
    /// done with.
    #[inline]
    fn backlog(&self, interface: u16) -> u32 {
        let here = self.network.interface(interface);
        let waiting = match (here.egress, &self.radios) {
            (Egress::Radio, Some(radios)) => radios.backlog(interface),
            (Egress::Segment(segment, station), _) => {
                self.segments[usize::from(segment)].backlog(station)
            }
            _ => return u32::MAX,
        };
        waiting + self.processors.get(here.node).map_or(0, Processor::made)
    }
}
