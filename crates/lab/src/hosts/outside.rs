//! Flows between real nodes: what they achieve, seen where their packets enter and leave the world.
//!
//! Programs outside open the connections, so nothing here knows which flow of the plan one belongs
//! to but by its ends: connections of the same two nodes go to the flows between these in turn.

use std::collections::{BTreeMap, VecDeque};
use std::net::Ipv4Addr;

use tcp::{Flags, Segment, Seq};
use traffic::Transport;
use units::Time;

use super::WorldFlow;
use crate::ids::{InterfaceId, NodeId, Side};
use crate::network::Network;
use crate::packets::{Body, Packet, SegmentPorts};
use crate::plan::Plan;

/// The flows of a plan that real nodes take part in.
#[derive(Debug)]
pub struct OutsideFlows {
    flows: Vec<RealFlow>,
    connections: BTreeMap<OutsideAddresses, OutsideConnection>,
    /// Which of them are there, the first one met first.
    met: VecDeque<OutsideAddresses>,
    /// When echo requests entered, by their sender, identifier and number.
    echoes: BTreeMap<(Ipv4Addr, u16, u32), Time>,
}

#[derive(Clone, Copy, Debug)]
struct RealFlow {
    index: usize,
    transport: Transport,
    /// The nodes that data comes from and goes to.
    nodes: [NodeId; 2],
    /// Their addresses as packets have them at each of the two: whom a translator stands before is
    /// seen under another address from outside.
    addresses_at: [[Ipv4Addr; 2]; 2],
    /// Whether the second is real, too: it is asked what it has.
    has_real_receiver: bool,
    /// How many connections are taken for its own, at each of the two.
    connections: [u32; 2],
}

/// Addresses and ports of a connection, those of the flow's first node first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OutsideAddresses {
    addresses: [Ipv4Addr; 2],
    ports: [u16; 2],
}

#[derive(Debug)]
struct OutsideConnection {
    flow: usize,
    /// What the receiver has acknowledged last.
    acknowledged: Option<Seq>,
    /// The end of what the sender has sent.
    sent: Option<Seq>,
    /// The ends of segments that are not acknowledged, and when each entered.
    outstanding: VecDeque<(Seq, Time)>,
}

/// More connections than this are forgotten, the first ones first.
const MOST_CONNECTIONS: usize = 4096;

/// More requests than this that nobody answers are forgotten.
const MOST_ECHOES: usize = 4096;

impl OutsideFlows {
    /// The flows of a plan with a real node; none where there is no such flow.
    pub fn new(plan: &Plan, network: &Network) -> Option<Box<OutsideFlows>> {
        let outside = plan.flows.iter().enumerate();
        let outside = outside.filter(|(_, flow)| plan.is_outside(flow));
        let flows: Vec<RealFlow> = outside
            .map(|(index, flow)| RealFlow {
                index,
                transport: flow.app.about().transport,
                nodes: [flow.from, flow.to].map(NodeId::at),
                addresses_at: addresses_at(
                    network,
                    [flow.from, flow.to].map(|node| plan.nodes[node].address()),
                ),
                has_real_receiver: plan.is_port(flow.to),
                connections: [0; 2],
            })
            .collect();
        (!flows.is_empty()).then(|| {
            Box::new(OutsideFlows {
                flows,
                connections: BTreeMap::new(),
                met: VecDeque::new(),
                echoes: BTreeMap::new(),
            })
        })
    }

    /// A packet enters the world from a real node.
    pub fn enters(
        &mut self,
        now: Time,
        node: NodeId,
        packet: &mut Packet,
        flows: &mut [WorldFlow],
    ) {
        match &mut packet.body {
            Body::Tcp(ports, segment) => {
                let forth = OutsideAddresses::of([packet.source, packet.destination], *ports);
                self.segment_enters(now, node, forth, segment, flows);
            }
            Body::Udp(datagram) => {
                let way = [packet.source, packet.destination];
                if let Some(flow) = self.flow_of(Transport::Udp, way, 0) {
                    let meters = &mut flows[flow].account.meter.datagrams;
                    datagram.number = meters[0].on_sent();
                }
            }
            Body::Echo(identifier, echo) if !echo.reply => {
                let way = [packet.source, packet.destination];
                let (key, room) = (
                    (packet.source, *identifier, echo.sequence),
                    self.echoes.len() < MOST_ECHOES,
                );
                if let Some(flow) = self.flow_of(Transport::Icmp, way, 0).filter(|_| room) {
                    let account = &mut flows[flow].account;
                    account.meter.requests += 1;
                    account.outside_echoes.get_or_insert_default()[0] += 1;
                    self.echoes.insert(key, now);
                }
            }
            _ => {}
        }
    }

    /// A packet leaves the world to a real node.
    pub fn leaves(&mut self, now: Time, node: NodeId, packet: &Packet, flows: &mut [WorldFlow]) {
        match packet.body {
            Body::Tcp(ports, segment) => {
                let back = OutsideAddresses::of([packet.source, packet.destination], ports);
                self.segment_leaves(now, node, back, &segment, flows);
            }
            Body::Udp(datagram) => {
                let way = [packet.source, packet.destination];
                if let Some(flow) = self.flow_of(Transport::Udp, way, 1) {
                    flows[flow].account.meter.bytes += u64::from(datagram.payload);
                    flows[flow].take_datagram(now, Side::Responder, &datagram);
                }
            }
            Body::Echo(identifier, echo) if echo.reply => {
                let key = (packet.destination, identifier, echo.sequence);
                let way = [packet.destination, packet.source];
                let asked = self.echoes.remove(&key);
                if let (Some(asked), Some(flow)) = (asked, self.flow_of(Transport::Icmp, way, 0)) {
                    let account = &mut flows[flow].account;
                    account.meter.bytes += u64::from(echo.payload);
                    account.outside_echoes.get_or_insert_default()[1] += 1;
                    flows[flow].note_round_trip(now - asked);
                }
            }
            _ => {}
        }
    }

    /// The flow whose packets have these addresses at its end of this number.
    fn flow_of(&self, transport: Transport, way: [Ipv4Addr; 2], end: usize) -> Option<usize> {
        let of = |flow: &&RealFlow| flow.transport == transport && flow.addresses_at[end] == way;
        self.flows.iter().find(of).map(|flow| flow.index)
    }

    fn segment_enters(
        &mut self,
        now: Time,
        node: NodeId,
        forth: OutsideAddresses,
        segment: &Segment,
        flows: &mut [WorldFlow],
    ) {
        if let Some((_, connection)) = self.connection(forth, node, 0) {
            connection.send(now, segment);
        }
        let real = |flow: &RealFlow| flow.has_real_receiver;
        if let Some((flow, connection)) = self.connection(forth.reversed(), node, 1)
            && real(&flow)
        {
            flows[flow.index].account.meter.bytes += connection.acknowledge(segment);
        }
    }

    fn segment_leaves(
        &mut self,
        now: Time,
        node: NodeId,
        back: OutsideAddresses,
        segment: &Segment,
        flows: &mut [WorldFlow],
    ) {
        let Some((flow, connection)) = self.connection(back.reversed(), node, 0) else {
            return;
        };
        let entered = connection.oldest_acknowledged(segment);
        if !flow.has_real_receiver {
            flows[flow.index].account.meter.bytes += connection.acknowledge(segment);
        }
        if let Some(entered) = entered {
            flows[flow.index].note_round_trip(now - entered);
        }
    }

    /// The connection of a way, if a flow goes this way and `node` is its end of this number; with
    /// that flow.
    fn connection(
        &mut self,
        way: OutsideAddresses,
        node: NodeId,
        end: usize,
    ) -> Option<(RealFlow, &mut OutsideConnection)> {
        let flows = &mut self.flows;
        let fits = |flow: &RealFlow| {
            let is_tcp = flow.transport == Transport::Tcp;
            is_tcp && flow.addresses_at[end] == way.addresses && flow.nodes[end] == node
        };
        if !flows.iter().any(fits) {
            return None;
        }
        if self.met.len() > MOST_CONNECTIONS
            && let Some(first) = self.met.pop_front()
        {
            self.connections.remove(&first);
        }
        let connection = self.connections.entry(way).or_insert_with(|| {
            self.met.push_back(way);
            let own = flows.iter_mut().enumerate().filter(|(_, flow)| fits(flow));
            let next = own.min_by_key(|(_, flow)| flow.connections[end]);
            let (flow, next) = next.expect("one fits");
            next.claim(end);
            OutsideConnection::of(flow)
        });
        Some((flows[connection.flow], connection))
    }
}

/// The addresses of two nodes as packets from the first to the second have them at each of them.
fn addresses_at(network: &Network, [from, to]: [Ipv4Addr; 2]) -> [[Ipv4Addr; 2]; 2] {
    [
        [from, seen(network, to, from)],
        [seen(network, from, to), to],
    ]
}

/// The address under which a node is seen by another one: that of the translator between them, if
/// it is behind one.
fn seen(network: &Network, node: Ipv4Addr, by: Ipv4Addr) -> Ipv4Addr {
    let mut translators = network.machines.iter().filter_map(|machine| {
        let (outside, _) = machine.nat.as_ref()?;
        let leads_outside = |to| {
            let hop = machine.routes.next_hop(to)?;
            Some(InterfaceId(hop.interface) == *outside)
        };
        let stands_between = leads_outside(by)? && !leads_outside(node)?;
        stands_between.then(|| network.interface(*outside).ip)
    });
    translators.next().unwrap_or(node)
}

impl RealFlow {
    /// A connection that was met at an end is one of its own; met at both, it has two names where a
    /// translator stands between them, and is counted at each.
    fn claim(&mut self, end: usize) {
        let [at_first, at_second] = self.addresses_at;
        match at_first == at_second {
            true => self.connections = self.connections.map(|count| count + 1),
            false => self.connections[end] += 1,
        }
    }
}

impl OutsideAddresses {
    fn of(addresses: [Ipv4Addr; 2], ports: SegmentPorts) -> OutsideAddresses {
        OutsideAddresses {
            addresses,
            ports: [ports.source, ports.destination],
        }
    }

    fn reversed(self) -> OutsideAddresses {
        let OutsideAddresses {
            addresses: [a, b],
            ports: [c, d],
        } = self;
        OutsideAddresses {
            addresses: [b, a],
            ports: [d, c],
        }
    }
}

impl OutsideConnection {
    fn of(flow: usize) -> OutsideConnection {
        OutsideConnection {
            flow,
            acknowledged: None,
            sent: None,
            outstanding: VecDeque::new(),
        }
    }

    /// Its sender sends a segment. What was sent before is timed no more (RFC 6298 §3, Karn).
    fn send(&mut self, now: Time, segment: &Segment) {
        if segment.payload == 0 {
            return;
        }
        let end = segment.seq + segment.payload;
        match self.sent {
            Some(sent) if ahead(end, sent) <= 0 => self.outstanding.clear(),
            _ => {
                self.sent = Some(end);
                self.outstanding.push_back((end, now));
            }
        }
    }

    /// Returns when the oldest segment entered that a segment acknowledges for the first time.
    fn oldest_acknowledged(&mut self, segment: &Segment) -> Option<Time> {
        let mut oldest = None;
        while let Some(&(end, entered)) = self.outstanding.front()
            && segment.flags.contains(Flags::ACK)
            && ahead(segment.ack, end) >= 0
        {
            oldest.get_or_insert(entered);
            self.outstanding.pop_front();
        }
        oldest
    }

    /// Returns how many bytes the receiver acknowledges by a segment for the first time.
    fn acknowledge(&mut self, segment: &Segment) -> u64 {
        if !segment.flags.contains(Flags::ACK) {
            return 0;
        }
        let new = ahead(segment.ack, *self.acknowledged.get_or_insert(segment.ack));
        if new <= 0 {
            return 0;
        }
        self.acknowledged = Some(segment.ack);
        new as u64
    }
}

/// Returns how far a sequence number lies ahead of another one, below zero where it lies behind.
fn ahead(one: Seq, other: Seq) -> i32 {
    one.since(other) as i32
}

#[cfg(test)]
mod tests {
    use tcp::{Options, SendCause};
    use units::Duration;

    use super::*;

    fn segment(seq: u32, payload: u32, ack: u32) -> Segment {
        Segment {
            seq: Seq(seq),
            ack: Seq(ack),
            payload,
            window: 1000,
            flags: Flags::ACK,
            kind: SendCause::default(),
            ecn: tcp::Ecn::NotCapable,
            options: Options::default(),
        }
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn a_round_trip_is_that_of_the_oldest_segment_acknowledged() {
        let mut connection = OutsideConnection::of(0);
        connection.send(at(0), &segment(100, 50, 1));
        connection.send(at(3), &segment(150, 50, 1));
        assert_eq!(connection.oldest_acknowledged(&segment(1, 0, 149)), None);
        assert_eq!(
            connection.oldest_acknowledged(&segment(1, 0, 200)),
            Some(at(0))
        );
        assert_eq!(connection.oldest_acknowledged(&segment(1, 0, 200)), None);
    }

    #[test]
    fn what_was_sent_before_a_retransmission_is_not_timed() {
        let mut connection = OutsideConnection::of(0);
        connection.send(at(0), &segment(u32::MAX - 9, 50, 1));
        connection.send(at(200), &segment(u32::MAX - 9, 50, 1));
        assert_eq!(connection.oldest_acknowledged(&segment(1, 0, 40)), None);
    }

    #[test]
    fn bytes_count_once_they_are_acknowledged_for_the_first_time() {
        let mut connection = OutsideConnection::of(0);
        let acknowledgments = [u32::MAX - 9, u32::MAX - 9, 90, 40, 90, 190];
        let counted = acknowledgments.map(|ack| connection.acknowledge(&segment(1, 0, ack)));
        assert_eq!(counted, [0, 0, 100, 0, 0, 100]);
    }
}
