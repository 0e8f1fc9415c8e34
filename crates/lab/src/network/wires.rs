//! The wires of a world: both directions of each, with their queues and impairments.

use engine::Purpose;
use net::impairment::{
    Awaited, CarriedProtocol, Chain, ChainOutcome, Facts, Leaving, SegmentFlags, Stage, StageCounts,
};
use net::queue::{self, Queue, QueueDropCause};
use net::{Arrival, Link, wire_bytes};
use units::Time;
use units::histogram::Distribution;
use wire::protocol;

use crate::ids::{FlowId, LinkId, PacketId, PortNumber, WireId};
use crate::packets::{Body, Packet, Packets};
use crate::plan::{Plan, WirePlan};
use crate::streams::{NamedStream, name_hash};

/// One direction of a wire.
#[derive(Debug)]
pub struct WireDirection {
    link: Link,
    /// For disciplines that drop or mark by chance.
    stream: NamedStream,
    /// What stands at the far end and lets through what it will, when it will.
    chain: Option<Chain<NamedStream>>,
    /// When the chain will be woken next; [`Time::NEVER`] when it will not.
    chain_wakes_at: Time,
}

/// Both directions of every wire, in the order of their numbers.
pub fn directions(plan: &Plan, seed: u64) -> Vec<WireDirection> {
    let both = |(index, wire)| {
        let wire_id = WireId::at(index);
        [false, true].map(|back| WireDirection::new(wire, LinkId::of(wire_id, back), seed))
    };
    let mut all: Vec<WireDirection> = plan.wires.iter().enumerate().flat_map(both).collect();
    if plan.tables.distributions {
        (all.iter_mut()).for_each(|each| each.link.keep_sojourns());
    }
    all
}

impl WireDirection {
    fn new(wire: &WirePlan, id: LinkId, seed: u64) -> Self {
        let (number, way) = (u64::from(id.0), usize::from(id.is_towards_first()));
        let stages = &wire.impair[way];
        let stream = |stage: &Stage| {
            let entity = number << 48 ^ name_hash(&stage.name);
            NamedStream::new(seed, entity, Purpose::Impairment)
        };
        WireDirection {
            link: Link::new(wire.rate_bps, wire.delay_ns, Queue::new(&wire.queue[way])),
            stream: NamedStream::new(seed, number, Purpose::Queue),
            chain: (!stages.is_empty()).then(|| Chain::new(stages, stream)),
            chain_wakes_at: Time::NEVER,
        }
    }

    /// Sends a packet; answers the next arrival, if it is to be scheduled. A packet that the
    /// queue refuses is its owner's again.
    #[inline]
    pub fn send(
        &mut self,
        now: Time,
        handle: PacketId,
        packets: &mut Packets,
    ) -> Result<Time, QueueDropCause> {
        let bytes = wire_bytes(u32::from(packets.get(handle).ip_bytes));
        (self.link).send(now, handle.0, bytes, packets, &mut self.stream)
    }

    /// The packet that arrives now, and when the next one does.
    #[inline]
    pub fn arrive(&mut self, now: Time, packets: &mut Packets) -> Arrival {
        self.link.arrive(now, packets)
    }

    /// Returns what has become of the packets at the queue. The longest sojourn is that since the
    /// last call.
    pub fn take_queue_counts(&mut self) -> queue::QueueCounts {
        self.link.take_counts()
    }

    /// Returns how long the packets waited that have left the queue, if that is kept.
    pub fn sojourns(&self) -> Option<Distribution> {
        self.link.sojourns()
    }

    /// A packet has come to the far end. What a chain takes leaves by [`WireDirection::leaving`].
    #[inline]
    pub fn impair(&mut self, now: Time, handle: PacketId, packets: &mut Packets) -> ChainOutcome {
        match &mut self.chain {
            None => ChainOutcome::Through,
            Some(chain) => pass(chain, now, handle, packets),
        }
    }

    /// Returns whether a packet leaves the chain now, or it is to be woken earlier than was asked
    /// for.
    #[inline]
    pub fn has_news(&self) -> bool {
        let chain = self.chain.as_ref();
        chain.is_some_and(|chain| chain.has_left() || chain.next_wake() < self.chain_wakes_at)
    }

    /// The next packet that leaves the chain now.
    #[inline]
    pub fn leaving(&mut self, now: Time, packets: &mut Packets) -> Option<Leaving> {
        let chain = self.chain.as_mut()?;
        chain.poll(now, |original| packets.copy(PacketId(original)).0)
    }

    /// Returns when to wake the chain, if that is not already to be done earlier: [`Time::NEVER`].
    #[inline]
    pub fn next_chain_wake(&mut self, now: Time) -> Time {
        if self.chain_wakes_at <= now {
            self.chain_wakes_at = Time::NEVER;
        }
        let wanted = self.chain.as_ref().map_or(Time::NEVER, Chain::next_wake);
        if wanted >= self.chain_wakes_at {
            return Time::NEVER;
        }
        self.chain_wakes_at = wanted;
        wanted
    }

    /// Returns when what has been accepted so far will have left the sender.
    pub fn free_at(&self) -> Time {
        self.link.free_at()
    }

    /// Packets waiting or being sent.
    pub fn backlog(&mut self, now: Time, packets: &mut Packets) -> usize {
        self.link.backlog(now, packets)
    }

    /// Packets waiting, being sent, on the way or held by the chain.
    #[cfg(test)]
    pub fn under_way(&self) -> usize {
        self.link.under_way() + self.chain.as_ref().map_or(0, Chain::held)
    }

    /// Returns what each stage has done, by its name.
    pub fn counts(&self) -> impl Iterator<Item = (&str, StageCounts)> {
        self.chain.iter().flat_map(Chain::counts)
    }

    /// Returns what each stage waits for and that has not come.
    pub fn awaited(&self) -> impl Iterator<Item = Awaited> {
        self.chain.iter().flat_map(Chain::awaited)
    }
}

/// Apart from wires without a chain, which shall not know that there are any.
#[inline(never)]
fn pass(
    chain: &mut Chain<NamedStream>,
    now: Time,
    handle: PacketId,
    packets: &mut Packets,
) -> ChainOutcome {
    let packet = packets.get(handle);
    let mut facts = facts(packet);
    if chain.asks_whose() {
        facts.traffic = flow_of(packet).map(|flow| flow.0);
    }
    let copy = |original| packets.copy(PacketId(original)).0;
    chain.on_packet(now, handle.0, facts, copy)
}

/// All but whose the packet is, which few chains ask for.
fn facts(packet: &Packet) -> Facts {
    Facts {
        flow: packet.flow(),
        traffic: None,
        ip_bytes: u32::from(packet.ip_bytes),
        protocol: match packet.body {
            Body::Tcp(_, segment) => CarriedProtocol::Tcp {
                payload: segment.payload,
                flags: SegmentFlags(segment.flags.0),
            },
            Body::Udp(_) => CarriedProtocol::Udp,
            Body::Echo(..) | Body::Error(_) => CarriedProtocol::Icmp,
            Body::Arp(_) => CarriedProtocol::Arp,
            Body::MobileIp(message) if message.is_icmp() => CarriedProtocol::Icmp,
            Body::MobileIp(_) => CarriedProtocol::Udp,
            Body::Foreign(foreign) => match foreign.protocol {
                protocol::TCP => CarriedProtocol::Tcp {
                    payload: foreign.payload.into(),
                    flags: SegmentFlags(foreign.flags),
                },
                protocol::UDP => CarriedProtocol::Udp,
                _ if foreign.is_icmp() => CarriedProtocol::Icmp,
                _ => CarriedProtocol::Other,
            },
            Body::Tunnel | Body::Management(_) => CarriedProtocol::Other,
        },
    }
}

/// The flow of the plan that a packet belongs to, told by the port of its responder.
#[inline(never)]
fn flow_of(packet: &Packet) -> Option<FlowId> {
    let of_ports = |ports: [u16; 2]| ports.map(PortNumber).into_iter().find_map(PortNumber::flow);
    match packet.body {
        Body::Tcp(ports, _) => of_ports([ports.source, ports.destination]),
        Body::Udp(datagram) => of_ports([datagram.source_port, datagram.destination_port]),
        Body::Echo(flow, _) => Some(FlowId(flow)),
        Body::Error(_) | Body::Arp(_) | Body::Foreign(_) => None,
        Body::MobileIp(_) | Body::Tunnel | Body::Management(_) => None,
    }
}
