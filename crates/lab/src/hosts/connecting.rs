//! Segments that come to hosts: connections take them, and are opened by them.

use tcp::{Connection, Flags, Segment};
use units::Time;

use super::{Account, ConnectionPath, History, Hosts};
use crate::ids::{FlowEnd, Side, SocketId};
use crate::meters::TimedQuantity;
use crate::network::Network;
use crate::plan::Plan;

impl Hosts {
    /// Hands a connection its segment, and notes what that tells.
    #[inline(always)]
    pub fn take_segment(&mut self, now: Time, number: SocketId, segment: &Segment) {
        let Some(end) = self.sockets.get_mut(number) else {
            return;
        };
        let Account {
            meter, histograms, ..
        } = &mut self.flows[end.owner.flow.index()].account;
        let seen_before = end.connection.counters().duplicate_segments_received;
        end.connection.on_segment(now, segment);
        if let Some(rtt) = end.connection.take_rtt_sample() {
            meter.rtt.add_duration(rtt);
            if let Some(histograms) = histograms {
                histograms.add(TimedQuantity::RoundTrip, rtt);
            }
        }
        if end.owner.side == Side::Initiator {
            (meter.congestion_window).add(end.connection.congestion_window());
            meter.advertised_window.add(end.connection.send_window());
        }
        if segment.payload > 0 {
            if let Some(extent) = end.reordering.on_data(segment) {
                meter.reordering.add(extent);
            }
            if segment.kind.is_again() {
                let seen = end.connection.counters().duplicate_segments_received;
                meter.spurious += seen - seen_before;
            }
        }
        if end.history.stalled_at.is_some() {
            end.look_at_stall(now, meter);
        }
    }

    /// Opens the passive end of a connection for a SYN to a port that is bound.
    pub fn accept(
        &mut self,
        now: Time,
        way: ConnectionPath,
        segment: &Segment,
        (plan, network): (&Plan, &Network),
    ) -> Option<SocketId> {
        let Flags(flags) = segment.flags;
        if flags & (Flags::SYN | Flags::ACK | Flags::RST).0 != Flags::SYN.0 {
            return None;
        }
        let owner = self.sockets.bound(way.node, way.local_port)?;
        if let Some(number) = self.sockets.take_expected(owner) {
            self.admit_expected(now, number, way, (owner, network));
            return Some(number);
        }
        let told = &plan.flows[owner.flow.index()];
        let stack = plan.stacks(told)[owner.side as usize]?;
        let dscp = told.dscp;
        let isn = self.flows[owner.flow.index()].draw_isn();
        self.processors.open_connection(way.node, now);
        let options = network.options_towards(way.node, way.peer);
        let connection = Connection::listen(stack, &options, isn);
        let history = History {
            opened: now,
            begun: self.begun(now, way, (owner, network)),
            ..History::default()
        };
        Some(self.sockets.open(connection, way, dscp, owner, history))
    }

    /// The other end of a flow opens a connection that this one has waited for.
    fn admit_expected(
        &mut self,
        now: Time,
        number: SocketId,
        way: ConnectionPath,
        (owner, network): (FlowEnd, &Network),
    ) {
        self.processors.open_connection(way.node, now);
        let begun = self.begun(now, way, (owner, network));
        self.sockets.join(number, way);
        if let Some(end) = self.sockets.get_mut(number) {
            (end.history.opened, end.history.begun) = (now, begun);
        }
    }

    /// Returns when the other end opened the connection that comes in now; now, if nothing tells
    /// that.
    fn begun(&self, now: Time, way: ConnectionPath, (owner, network): (FlowEnd, &Network)) -> Time {
        let opener = self.flows[owner.flow.index()].node(owner.side.other());
        let from_there = ConnectionPath {
            node: opener,
            peer: network.address(way.node),
            local_port: way.remote_port,
            remote_port: way.local_port,
        };
        let number = self.sockets.find(from_there);
        let opener = number.and_then(|number| self.sockets.get(number));
        opener.map_or(now, |end| end.history.begun)
    }
}
