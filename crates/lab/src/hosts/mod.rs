//! Hosts: applications at the ends of flows, their sockets, and the processors of machines.

mod application;
mod connecting;
mod flow;
mod outside;
mod processor;
mod sockets;

use units::Time;

use crate::ids::{FlowEnd, FlowId, InterfaceId, NodeId, Side};
use crate::network::Network;
use crate::plan::Plan;

pub use application::{AppEvent, AppRequest};
pub use flow::{Account, WorldFlow, draw_starts};
pub use outside::OutsideFlows;
pub use processor::{Processor, ProcessorFull, ProcessorIntake, Processors, Task, TaskKind};
pub use sockets::{ConnectionPath, History, SocketEnd, Sockets};

use application::{AppContext, notify};

/// What the machines of a world do for themselves, above IP.
#[derive(Debug)]
pub struct Hosts {
    /// By number.
    pub flows: Vec<WorldFlow>,
    /// The ends of all connections.
    pub sockets: Sockets,
    /// Of machines whose work takes time.
    pub processors: Processors,
    /// What the application asks for that was notified last.
    pub requests: Vec<AppRequest>,
    /// By interface, the applications that send whenever it has room.
    pub saturating: Vec<Vec<FlowEnd>>,
}

impl Hosts {
    /// Those of a plan, at time zero.
    pub fn new(plan: &Plan, network: &Network, seed: u64) -> Hosts {
        let mut sockets = Sockets::new(plan.nodes.len(), plan.flows.len());
        let mut flows = Vec::with_capacity(plan.flows.len());
        for (number, told) in plan.flows.iter().enumerate() {
            let id = FlowId::at(number);
            let flow = WorldFlow::new(told, id, seed, plan.tables.distributions);
            for side in Side::BOTH {
                sockets.bind(flow.node(side), id.port(), id.end(side));
            }
            flows.push(flow);
        }
        Hosts {
            flows,
            sockets,
            processors: Processors::new(plan),
            requests: Vec::new(),
            saturating: vec![Vec::new(); network.interfaces.len()],
        }
    }

    /// A flow.
    #[inline(always)]
    pub fn flow(&self, id: FlowId) -> &WorldFlow {
        &self.flows[id.index()]
    }

    /// Tells the application at an end of a flow of an event; what it asks for is in
    /// [`Hosts::requests`].
    #[inline]
    pub fn notify(
        &mut self,
        now: Time,
        owner: FlowEnd,
        event: AppEvent,
        (plan, network): (&Plan, &Network),
    ) {
        let context = AppContext {
            now,
            plan,
            network,
            sockets: &mut self.sockets,
            processors: &mut self.processors,
            requests: &mut self.requests,
        };
        notify(&mut self.flows[owner.flow.index()], owner, event, context);
    }

    /// Returns whether an application sends whenever an interface has room.
    #[inline]
    pub fn saturates(&self, interface: InterfaceId) -> bool {
        !self.saturating[interface.index()].is_empty()
    }

    /// Returns whether an application of a machine asks for echoes as this flow.
    pub fn asks(&self, node: NodeId, flow: FlowId) -> bool {
        let flow = self.flows.get(flow.index());
        flow.is_some_and(|flow| flow.node(Side::Initiator) == node)
    }

    /// The number of the next datagram of a real host's, which counts none: as if all had come.
    pub fn number_of_real(&self, owner: FlowEnd) -> u32 {
        let meters = &self.flow(owner.flow).account.meter.datagrams;
        meters[owner.side.other() as usize].received as u32
    }
}
