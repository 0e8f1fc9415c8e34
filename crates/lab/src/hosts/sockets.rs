//! The sockets of all machines: TCP connections, and what they belong to.

use std::collections::{BTreeMap, VecDeque};
use std::net::Ipv4Addr;

use tcp::{Connection, Counters, Failure};
use units::Time;

use crate::ids::{FlowEnd, FlowId, NodeId, PortNumber, Side, SocketId};
use crate::meters::{FlowMeter, Reordering};
use crate::network::{Demux, key, port_key};

/// Where a connection goes from and to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionPath {
    /// The node it stands on.
    pub node: NodeId,
    /// The peer's address.
    pub peer: Ipv4Addr,
    /// The port here.
    pub local_port: PortNumber,
    /// The peer's port.
    pub remote_port: PortNumber,
}

/// One end of a connection.
#[derive(Debug)]
pub struct SocketEnd {
    /// The protocol machine.
    pub connection: Connection,
    /// Where it goes.
    pub way: ConnectionPath,
    /// The differentiated services codepoint of its packets.
    pub dscp: u8,
    /// Whose it is.
    pub owner: FlowEnd,
    /// When the calendar will next look at its timers.
    pub alarm_at: Time,
    /// Whether the application has heard that the handshake is over.
    pub established: bool,
    /// What has become of it.
    pub history: History,
    /// The order in which data have come.
    pub reordering: Reordering,
}

/// What has become of an end of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct History {
    /// Whether it opened the connection.
    pub is_opener: bool,
    /// When it was opened.
    pub opened: Time,
    /// When the end that opened it did so.
    pub begun: Time,
    /// When the handshake was over.
    pub established: Option<Time>,
    /// When it had all that its peer sent.
    pub completed: Option<Time>,
    /// When the application last read anything.
    pub last_read: Option<Time>,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// Whether nothing comes any more: the peer has sent everything, or it failed.
    pub is_over: bool,
    /// Whether the application could not write all it had.
    pub is_blocked: bool,
    /// How much was acknowledged when the timer expired, as long as no more is.
    pub stalled_at: Option<u64>,
}

/// The connections of all machines, by number, and the ports that are taken.
#[derive(Debug, Default)]
pub struct Sockets {
    endpoints: Vec<Option<SocketEnd>>,
    free: Vec<SocketId>,
    machines: Vec<MachineSockets>,
    /// By flow and side: the connections there are, the oldest first, and what those that have
    /// ended had counted.
    flows: Vec<[SocketEnds; 2]>,
}

#[derive(Clone, Debug, Default)]
struct MachineSockets {
    connections: Demux,
    /// Who takes connections, and datagrams, at a port: twice the flow, plus the side.
    bindings: Demux,
    ports_used: u16,
    /// The slow start thresholds remembered of peers.
    thresholds: BTreeMap<Ipv4Addr, u64>,
}

#[derive(Clone, Debug, Default)]
struct SocketEnds {
    open: Vec<SocketId>,
    /// Those that the other end of the flow is to open, the oldest first.
    expected: VecDeque<SocketId>,
    ended: Counters,
}

const DYNAMIC_PORTS: u16 = u16::MAX - PortNumber::FIRST_DYNAMIC;

impl Sockets {
    /// No sockets on so many machines, for so many flows.
    pub fn new(machines: usize, flows: usize) -> Self {
        Sockets {
            machines: vec![MachineSockets::default(); machines],
            flows: vec![Default::default(); flows],
            ..Sockets::default()
        }
    }

    /// Takes whatever comes to a port of a node for `owner`.
    pub fn bind(&mut self, node: NodeId, port: PortNumber, owner: FlowEnd) {
        let number = 2 * u32::from(owner.flow.0) + owner.side as u32;
        self.machines[node.index()]
            .bindings
            .insert(port_key(port), number);
    }

    /// Who takes what comes to a port of a node.
    #[inline]
    pub fn bound(&self, node: NodeId, port: PortNumber) -> Option<FlowEnd> {
        let number = self.machines[node.index()].bindings.get(port_key(port))?;
        let side = Side::BOTH[number as usize % 2];
        Some(FlowId((number / 2) as u16).end(side))
    }

    /// The way of a new connection from a node to a port of a peer, from a port that nothing else
    /// uses for it.
    pub fn way_to(
        &mut self,
        node: NodeId,
        peer: Ipv4Addr,
        remote_port: PortNumber,
    ) -> ConnectionPath {
        let machine = &mut self.machines[node.index()];
        loop {
            let way = ConnectionPath {
                node,
                peer,
                local_port: PortNumber(
                    PortNumber::FIRST_DYNAMIC + machine.ports_used % DYNAMIC_PORTS,
                ),
                remote_port,
            };
            machine.ports_used = machine.ports_used.wrapping_add(1);
            let is_bound = machine.bindings.get(port_key(way.local_port)).is_some();
            if !is_bound && machine.connections.get(way.key()).is_none() {
                return way;
            }
        }
    }

    /// Adds one end of a connection, which recalls what its machine remembers of the peer; answers
    /// its number.
    pub fn open(
        &mut self,
        connection: Connection,
        way: ConnectionPath,
        dscp: u8,
        owner: FlowEnd,
        history: History,
    ) -> SocketId {
        let number = self.add(connection, way, dscp, owner, history);
        self.join(number, way);
        number
    }

    /// Adds one end of a connection that the other end of the flow is to open, whose peer and ports
    /// are known when it does; answers its number.
    pub fn expect(
        &mut self,
        connection: Connection,
        node: NodeId,
        dscp: u8,
        owner: FlowEnd,
    ) -> SocketId {
        let nowhere = ConnectionPath {
            node,
            peer: Ipv4Addr::UNSPECIFIED,
            local_port: PortNumber(0),
            remote_port: PortNumber(0),
        };
        let number = self.add(connection, nowhere, dscp, owner, History::default());
        self.ends(owner).expected.push_back(number);
        number
    }

    /// The connection that an end of a flow has waited for longest, if it waits for any.
    pub fn take_expected(&mut self, owner: FlowEnd) -> Option<SocketId> {
        loop {
            let number = self.ends(owner).expected.pop_front()?;
            let is_his =
                |end: &SocketEnd| end.owner == owner && end.way.remote_port == PortNumber(0);
            if self.get(number).is_some_and(is_his) {
                return Some(number);
            }
        }
    }

    fn add(
        &mut self,
        connection: Connection,
        way: ConnectionPath,
        dscp: u8,
        owner: FlowEnd,
        history: History,
    ) -> SocketId {
        let endpoint = Some(SocketEnd {
            connection,
            way,
            dscp,
            owner,
            alarm_at: Time::NEVER,
            established: false,
            history,
            reordering: Reordering::default(),
        });
        let number = match self.free.pop() {
            Some(number) => {
                self.endpoints[number.index()] = endpoint;
                number
            }
            None => {
                self.endpoints.push(endpoint);
                SocketId::at(self.endpoints.len() - 1)
            }
        };
        self.ends(owner).open.push(number);
        number
    }

    /// Has segments that come this way reach a connection.
    pub fn join(&mut self, number: SocketId, way: ConnectionPath) {
        let machine = &mut self.machines[way.node.index()];
        if let Some(end) = &mut self.endpoints[number.index()] {
            end.way = way;
            if let Some(&threshold) = machine.thresholds.get(&way.peer) {
                end.connection.recall_ssthresh(threshold);
            }
            machine.connections.insert(way.key(), number.0);
        }
    }

    /// A machine remembers what a finished connection has learned of its peer.
    pub fn remember(&mut self, number: SocketId) {
        let Some(end) = &self.endpoints[number.index()] else {
            return;
        };
        let thresholds = &mut self.machines[end.way.node.index()].thresholds;
        let known = thresholds.get(&end.way.peer).copied();
        if let Some(learned) = end.connection.ssthresh_to_remember(known) {
            thresholds.insert(end.way.peer, learned);
        }
    }

    /// Forgets a connection that has ended, except what it has counted.
    pub fn forget(&mut self, number: SocketId) {
        let Some(gone) = self.endpoints[number.index()].take() else {
            return;
        };
        self.machines[gone.way.node.index()]
            .connections
            .remove(gone.way.key());
        let ends = self.ends(gone.owner);
        ends.open.retain(|&other| other != number);
        ends.ended += *gone.connection.counters();
        self.free.push(number);
    }

    /// The connection that a segment is for.
    #[inline]
    pub fn find(&self, way: ConnectionPath) -> Option<SocketId> {
        self.machines[way.node.index()]
            .connections
            .get(way.key())
            .map(SocketId)
    }

    /// One end of a connection, unless it has ended.
    #[inline]
    pub fn get(&self, number: SocketId) -> Option<&SocketEnd> {
        self.endpoints.get(number.index())?.as_ref()
    }

    /// One end of a connection, unless it has ended.
    #[inline]
    pub fn get_mut(&mut self, number: SocketId) -> Option<&mut SocketEnd> {
        self.endpoints.get_mut(number.index())?.as_mut()
    }

    /// The connections of an end of a flow, the oldest first.
    pub fn of(&self, owner: FlowEnd) -> impl Iterator<Item = &SocketEnd> {
        let ends = &self.flows[owner.flow.index()][owner.side as usize];
        ends.open.iter().filter_map(|&number| self.get(number))
    }

    /// The numbers of the connections of an end of a flow, the oldest first.
    pub fn numbers_of(&self, owner: FlowEnd) -> Vec<SocketId> {
        self.flows[owner.flow.index()][owner.side as usize]
            .open
            .clone()
    }

    /// The numbers of the connections that stand on a node.
    pub fn numbers_on(&self, node: NodeId) -> Vec<SocketId> {
        let stands_there = |end: &SocketEnd| end.way.node == node;
        let all = self.endpoints.iter().zip((0..).map(SocketId));
        all.filter_map(|(end, number)| end.as_ref().filter(|end| stands_there(end)).map(|_| number))
            .collect()
    }

    /// Every end of a connection there is, by flow, the starting end's first.
    pub fn all(&self) -> impl Iterator<Item = &SocketEnd> {
        let owners = self
            .flows()
            .flat_map(|flow| Side::BOTH.map(|side| flow.end(side)));
        owners.flat_map(|owner| self.of(owner))
    }

    /// The flows that there are.
    fn flows(&self) -> impl Iterator<Item = FlowId> + use<> {
        (0..self.flows.len()).map(FlowId::at)
    }

    /// Returns what all connections of an end of a flow have counted so far.
    pub fn counters(&self, owner: FlowEnd) -> Counters {
        let mut sum = self.flows[owner.flow.index()][owner.side as usize].ended;
        for end in self.of(owner) {
            sum += *end.connection.counters();
        }
        sum
    }

    fn ends(&mut self, owner: FlowEnd) -> &mut SocketEnds {
        &mut self.flows[owner.flow.index()][owner.side as usize]
    }
}

impl ConnectionPath {
    #[inline]
    fn key(self) -> u64 {
        key(self.peer, self.remote_port, self.local_port)
    }
}

impl SocketEnd {
    /// Returns whether it has received more than the other end acknowledged.
    pub fn has_mostly_received(&self) -> bool {
        let counters = self.connection.counters();
        counters.bytes_received > counters.bytes_acknowledged
    }

    /// The application cannot write all it has any more, or can again.
    pub fn turn_blocked(&mut self, now: Time, meter: &mut FlowMeter) {
        self.history.is_blocked = !self.history.is_blocked;
        if self.history.is_blocked {
            meter.blocked.start(now, now);
        } else {
            meter.blocked.stop(now);
        }
    }

    /// The retransmission timer, started `since` then, has expired.
    pub fn stall(&mut self, now: Time, since: Time, meter: &mut FlowMeter) {
        if self.history.stalled_at.is_none() {
            let acknowledged = self.connection.counters().bytes_acknowledged;
            self.history.stalled_at = Some(acknowledged);
            meter.stalled.start(since, now);
        }
    }

    /// A segment has come while nothing went on.
    #[cold]
    pub fn look_at_stall(&mut self, now: Time, meter: &mut FlowMeter) {
        let acknowledged = self.connection.counters().bytes_acknowledged;
        if (self.history.stalled_at).is_some_and(|before| acknowledged > before) {
            self.history.stalled_at = None;
            meter.stalled.stop(now);
        }
    }

    /// The connection is over.
    pub fn stop_watches(&mut self, now: Time, meter: &mut FlowMeter) {
        if self.history.is_blocked {
            self.turn_blocked(now, meter);
        }
        if self.history.stalled_at.take().is_some() {
            meter.stalled.stop(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use tcp::ConnectionOptions;

    use super::*;

    const PEER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
    const OWNER: FlowEnd = FlowId(0).end(Side::Initiator);

    fn opened(sockets: &mut Sockets) -> (SocketId, ConnectionPath) {
        let profile = tcp::profile("rfc").expect("it exists");
        let options = ConnectionOptions::default();
        let way = sockets.way_to(NodeId(0), PEER, PortNumber(5001));
        let connection = Connection::connect(Time::ZERO, &profile, &options, 1);
        (
            sockets.open(connection, way, 0, OWNER, History::default()),
            way,
        )
    }

    #[test]
    fn each_connection_of_many_is_found_by_its_ports() {
        let mut sockets = Sockets::new(1, 1);
        let all: Vec<(SocketId, ConnectionPath)> = (0..100).map(|_| opened(&mut sockets)).collect();
        for &(number, way) in &all {
            assert_eq!(sockets.find(way), Some(number));
        }
        assert_eq!(sockets.of(OWNER).count(), 100);
        let stranger = ConnectionPath {
            remote_port: PortNumber(5002),
            ..all[0].1
        };
        assert_eq!(sockets.find(stranger), None);
    }

    #[test]
    fn what_has_ended_is_forgotten_but_for_its_counts() {
        let mut sockets = Sockets::new(1, 1);
        let (first, way) = opened(&mut sockets);
        let end = sockets.get_mut(first).expect("it was opened");
        assert!(end.connection.poll_segment(Time::ZERO).is_some(), "the SYN");
        sockets.forget(first);
        assert_eq!(sockets.find(way), None);
        assert_eq!(sockets.counters(OWNER).segments_sent, 1);
        let (second, other) = opened(&mut sockets);
        assert_eq!(second, first, "its place is taken");
        assert_ne!(other, way, "its port is not, while there are others");
    }
}
