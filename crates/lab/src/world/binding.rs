//! Flows of datagrams that a laid down end opens, as who is behind a router that translates does.
//!
//! Where the one that opens sends nothing of itself, it knocks: with what STUN calls a binding
//! request (RFC 8489), which nobody measures. The other end begins once the first datagram has come,
//! and sends where that came from.

use std::net::Ipv4Addr;

use net::Datagram;
use traffic::Transport;
use units::Duration;

use super::{World, WorldEvent};
use crate::hosts::AppEvent;
use crate::ids::{FlowEnd, FlowId, PortNumber, Side};
use crate::packets::Body;

/// The number in a datagram that only opens a flow; no application writes it.
const BINDING_REQUEST: u64 = u64::MAX;

/// The header of STUN, all that a binding request is (RFC 8489 §5).
const BINDING_REQUEST_BYTES: u32 = 20;

/// When it is retransmitted while nothing has come back (RFC 8489 §6.2.1, the initial RTO).
const AGAIN: Duration = Duration::from_millis(500);

/// When it is retransmitted so that translators keep what they know (RFC 8445 §11, Tr).
const KEEP_ALIVE: Duration = Duration::from_secs(15);

impl World {
    /// The end that opens a flow of datagrams, where that is laid down.
    pub(super) fn opener_of_datagrams(&self, flow: FlowId) -> Option<Side> {
        let plan = &self.plan.flows[flow.index()];
        let is_udp = plan.app.about().transport == Transport::Udp;
        plan.opener.filter(|_| is_udp)
    }

    /// The responder sends a datagram so that the initiator can answer, now and until the flow ends.
    pub(super) fn send_binding_request(&mut self, flow: FlowId) {
        let account = &self.hosts.flows[flow.index()].account;
        if account.is_stopped {
            return;
        }
        let [to, from] = account.nodes;
        let [destination_port, source_port] = account.ports;
        let datagram = Datagram {
            source_port: source_port.0,
            destination_port: destination_port.0,
            payload: BINDING_REQUEST_BYTES,
            number: 0,
            sent: self.now,
            tag: BINDING_REQUEST,
        };
        let is_answered = account.meter.datagrams[Side::Initiator as usize].received > 0;
        let dscp = self.plan.flows[flow.index()].dscp;
        let to = self.network.address(to);
        self.originate(from, to, dscp, datagram.ip_bytes(), Body::Udp(datagram));
        let pause = if is_answered { KEEP_ALIVE } else { AGAIN };
        self.calendar
            .schedule(self.now + pause, WorldEvent::BindingRequest(flow));
    }

    /// Notes where a datagram of the end that opens a flow has come from, which lets the other one
    /// begin; answers whether that is all it was sent for.
    pub(super) fn is_binding_request(
        &mut self,
        owner: FlowEnd,
        datagram: &Datagram,
        from: Ipv4Addr,
    ) -> bool {
        let opener = self.opener_of_datagrams(owner.flow);
        if opener == Some(owner.side.other()) {
            let seen_at = &mut self.hosts.flows[owner.flow.index()].account.seen_at;
            let before =
                seen_at[owner.side as usize].replace((from, PortNumber(datagram.source_port)));
            if before.is_none() {
                self.notify(owner, AppEvent::Start);
            }
        }
        opener.is_some() && datagram.tag == BINDING_REQUEST
    }
}
