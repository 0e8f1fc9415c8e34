//! What a plan says of Mobile IP.

use std::net::Ipv4Addr;

use net::mobile_ip::{Detection, RegistrationKey};
use serde::{Deserialize, Serialize};
use units::Duration;

use super::{EndPlan, NodeRole, Plan};

/// Who serves mobile nodes, and who is one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MobileIpPlan {
    /// Routers that are mobility agents.
    pub agents: Vec<AgentPlan>,
    /// Stations that keep their address in other networks.
    pub mobiles: Vec<MobilePlan>,
}

/// A mobility agent: home agent and foreign agent of the network of its interface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentPlan {
    /// Its router, and the interface over which it advertises.
    pub at: EndPlan,
    /// Time between two advertisements.
    pub interval_ns: Duration,
    /// For how long each holds.
    pub lifetime_s: u16,
    /// The longest registration.
    pub registration_lifetime_s: u16,
}

/// A mobile node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MobilePlan {
    /// The station, and the interface of its radio.
    pub at: EndPlan,
    /// Its home agent, by its address.
    pub home_agent: Ipv4Addr,
    /// What it shares with that.
    pub key: RegistrationKey,
    /// When it leaves an agent for another one.
    pub detection: Detection,
    /// For how long it knows an agent that it hears no more; `None`: as long as that said.
    pub memory_ns: Option<Duration>,
    /// For how long it registers.
    pub lifetime_s: u16,
    /// When it asks again that nobody has answered.
    pub retry_ns: Duration,
}

impl MobileIpPlan {
    pub(super) fn check(&self, plan: &Plan) -> Result<(), String> {
        let role = |at: EndPlan| {
            let node = plan.nodes.get(at.node)?;
            node.interfaces.get(at.interface).map(|_| node.role)
        };
        for agent in &self.agents {
            if role(agent.at) != Some(NodeRole::Router) {
                return Err("agents: no such router or interface".into());
            }
            if agent.interval_ns == Duration::ZERO || agent.lifetime_s == 0 {
                return Err("agents: interval and lifetime must be above zero".into());
            }
        }
        for mobile in &self.mobiles {
            if role(mobile.at) != Some(NodeRole::Sta) {
                return Err("mobiles: no such station or interface".into());
            }
            let is_nothing = |span| span == Duration::ZERO;
            if is_nothing(mobile.retry_ns)
                || mobile.memory_ns.is_some_and(is_nothing)
                || mobile.lifetime_s == 0
            {
                return Err("mobiles: retry, memory and lifetime must be above zero".into());
            }
        }
        Ok(())
    }
}
