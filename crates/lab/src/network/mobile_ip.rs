//! Agents and mobile nodes of a network (Mobile IP).

use std::net::Ipv4Addr;

use engine::Purpose;
use net::mobile_ip::{Agent, AgentConfig, Mobile, MobileConfig};
use net::route::Routes;
use units::{Duration, MacAddress, Time};

use super::Network;
use crate::ids::{AgentId, InterfaceId, NodeId};
use crate::plan::{MobilePlan, Plan};
use crate::streams::{NamedStream, name_hash};

/// Agents and mobile nodes of a world.
#[derive(Debug)]
pub struct MobileIp {
    agents: Vec<AgentState>,
    mobiles: Vec<MobileState>,
    /// Of each node, which of them it is.
    agent_at: Vec<Option<usize>>,
    mobile_at: Vec<Option<usize>>,
}

/// An agent, and the interface over which it is one.
#[derive(Debug)]
pub struct AgentState {
    /// The protocol machine.
    pub agent: Agent,
    /// Where it is one.
    pub interface: InterfaceId,
    /// Between two advertisements.
    pub interval: Duration,
    first: Duration,
}

/// A mobile node, and what it knows of those whom it may ask.
#[derive(Debug)]
pub struct MobileState {
    /// The protocol machine.
    pub mobile: Mobile,
    /// Where it is one.
    pub interface: InterfaceId,
    /// Its ways at home.
    pub at_home: Routes,
    /// By agent: its link address, and the access point that it was heard through.
    pub heard: Vec<(Ipv4Addr, MacAddress, Option<InterfaceId>)>,
}

impl MobileIp {
    /// Those of a plan; none where nobody is mobile.
    pub fn new(plan: &Plan, network: &Network, seed: u64) -> Option<Box<MobileIp>> {
        let told = plan.mobile_ip.as_ref()?;
        let numbers = plan.interface_numbers();
        let agents = told.agents.iter().map(|agent| {
            let interface = numbers[agent.at.node][agent.at.interface];
            let name = name_hash(&plan.nodes[agent.at.node].name);
            let mut stream = NamedStream::new(seed, name, Purpose::Advertisement);
            let share = net::Chance::unit(&mut stream);
            let first = share * agent.interval_ns.as_nanos() as f64;
            let mut serves = Agent::new(AgentConfig {
                address: network.interface(interface).ip,
                lifetime_s: agent.lifetime_s,
                registration_lifetime_s: agent.registration_lifetime_s,
            });
            let own = |mobile: &&MobilePlan| mobile.home_agent == serves.address();
            for mobile in told.mobiles.iter().filter(own).collect::<Vec<_>>() {
                let interface = numbers[mobile.at.node][mobile.at.interface];
                serves.share(network.interface(interface).ip, mobile.key);
            }
            AgentState {
                agent: serves,
                interface,
                interval: agent.interval_ns,
                first: Duration::from_nanos(first as u64),
            }
        });
        let mobiles = told.mobiles.iter().map(|mobile| {
            let interface = numbers[mobile.at.node][mobile.at.interface];
            MobileState {
                mobile: Mobile::new(MobileConfig {
                    key: mobile.key,
                    home: network.interface(interface).ip,
                    home_agent: mobile.home_agent,
                    detection: mobile.detection,
                    memory: mobile.memory_ns,
                    lifetime_s: mobile.lifetime_s,
                    retry: mobile.retry_ns,
                }),
                interface,
                at_home: network.machines[mobile.at.node].routes.clone(),
                heard: Vec::new(),
            }
        });
        let place = |nodes: &[usize], node| nodes.iter().position(|&each| each == node);
        let by_node = |nodes: Vec<usize>| {
            let all = 0..plan.nodes.len();
            all.map(|node| place(&nodes, node)).collect()
        };
        Some(Box::new(MobileIp {
            agents: agents.collect(),
            mobiles: mobiles.collect(),
            agent_at: by_node(told.agents.iter().map(|agent| agent.at.node).collect()),
            mobile_at: by_node(told.mobiles.iter().map(|mobile| mobile.at.node).collect()),
        }))
    }

    /// Returns when each agent is heard of for the first time.
    pub fn first_advertisements(&self) -> impl Iterator<Item = Duration> {
        self.agents.iter().map(|serving| serving.first)
    }

    /// Returns when each mobile node wants to be woken for the first time, though it has heard of
    /// nothing.
    pub fn first_wakes(&self) -> impl Iterator<Item = (NodeId, Time)> {
        let nodes = (0..).map(NodeId).zip(&self.mobile_at);
        nodes.filter_map(|(node, &at)| {
            let moving = self.mobiles.get(at?)?;
            Some((node, moving.mobile.wake_at()))
        })
    }

    /// An agent.
    pub fn agent(&self, id: AgentId) -> Option<&AgentState> {
        self.agents.get(id.index())
    }

    /// The agent of a node.
    pub fn agent_of(&mut self, node: NodeId) -> Option<&mut AgentState> {
        let at = self.agent_at[node.index()]?;
        self.agents.get_mut(at)
    }

    /// The mobile node that a node is.
    pub fn mobile_of(&mut self, node: NodeId) -> Option<&mut MobileState> {
        let at = self.mobile_at[node.index()]?;
        self.mobiles.get_mut(at)
    }
}
