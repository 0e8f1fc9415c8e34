//! Traffic: flows start, datagrams and requests are due.

use engine::{Purpose, Stream};
use net::Datagram;

use super::{Event, World};
use crate::flows::{App, Side};
use crate::packet::Body;
use crate::routing::Egress;

impl World {
    /// Starts a flow, or sends its next datagram or request.
    pub(super) fn drive(&mut self, index: u16) {
        let now = self.now;
        let flow = &mut self.flows[usize::from(index)];
        let (from, to) = (flow.from, flow.to);
        match &mut flow.app {
            App::Stream(stream) => {
                let mut luck = Stream::new(self.seed, u64::from(index), Purpose::Flow);
                let isn = [luck.up_to(u32::MAX), luck.up_to(u32::MAX)];
                stream.open(now, &self.plan, &self.plan.flows[usize::from(index)], isn);
                self.pump(index, Side::Initiator);
            }
            App::Ping(ping) => {
                let (sequence, payload) = ping.request(now);
                self.calendar
                    .schedule(ping.next_at(), Event::Traffic(index));
                let echo = net::Echo {
                    reply: false,
                    sequence,
                    payload,
                };
                self.originate(index, from, to, Body::Echo(echo));
            }
            App::Datagrams(source) if source.is_saturating() => self.saturate(index),
            App::Datagrams(source) => {
                let datagram = Datagram {
                    payload: source.payload(),
                };
                source.on_sent();
                self.calendar
                    .schedule(source.next_at(), Event::Traffic(index));
                self.originate(index, from, to, Body::Udp(datagram));
            }
        }
    }

    /// Sends datagrams as long as the interface has room, and sees to it that more follow.
    fn saturate(&mut self, index: u16) {
        let flow = &self.flows[usize::from(index)];
        let (from, to) = (flow.from, flow.to);
        match self.routes.next(from, to) {
            Egress::Radio(_) => {
                self.greedy[usize::from(from)].push(index);
                self.fill_radio(from);
            }
            Egress::Link(link) => {
                self.send_datagram(index);
                let free_at = self.links[usize::from(link)].free_at();
                self.calendar.schedule(free_at, Event::Traffic(index));
            }
            Egress::Local | Egress::Nowhere => {}
        }
    }

    /// Keeps one datagram in service and one behind it: a station that is never out of
    /// frames. The flows of a node take turns.
    pub(super) fn fill_radio(&mut self, node: u16) {
        const ENOUGH: u32 = 2;
        let room = self.plan.nodes[usize::from(node)].radio.as_ref();
        let enough = room.map_or(0, |radio| radio.mac.queue_packets.min(ENOUGH));
        while self
            .radios
            .as_ref()
            .is_some_and(|radios| radios.backlog(node) < enough)
        {
            let flows = &mut self.greedy[usize::from(node)];
            flows.rotate_left(1);
            let index = flows[flows.len() - 1];
            self.send_datagram(index);
        }
    }

    fn send_datagram(&mut self, index: u16) {
        let flow = &self.flows[usize::from(index)];
        let App::Datagrams(source) = &flow.app else {
            return;
        };
        let datagram = Datagram {
            payload: source.payload(),
        };
        self.originate(index, flow.from, flow.to, Body::Udp(datagram));
    }
}
