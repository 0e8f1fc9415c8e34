//! What of a plan is real, where it runs on the wall clock.

use serde::{Deserialize, Serialize};
use units::Duration;

use super::{NodeRole, Plan};

/// The real nodes of a plan, and what runs in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmulationPlan {
    /// The real nodes.
    pub real: Vec<RealPlan>,
    /// The programs that run in them.
    pub programs: Vec<ProgramPlan>,
    /// What a valid run keeps to.
    pub limits: EmulationLimits,
}

/// What a valid run on the wall clock keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmulationLimits {
    /// The lateness that 99 % of the frames out stay below.
    pub lateness_p99_ns: Duration,
    /// The longest time that the loop may be kept from running.
    pub stall_ns: Duration,
    /// The largest share of the frames by which flows may differ without lateness.
    pub changed_share: f64,
    /// The largest share of the time for which a program may wait for a processor.
    pub starved_share: f64,
}

/// A real node, or an access point of which what has its own address is real.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RealPlan {
    /// Its index in the plan.
    pub node: usize,
    /// The congestion control of its connections; the kernel's usual one without it.
    pub congestion_control: Option<String>,
    /// Whether it passes packets on between its interfaces.
    pub forwards: bool,
    /// The interface of this machine that it is behind; without one it is a namespace.
    pub interface: Option<String>,
}

/// A program of a real node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramPlan {
    /// The node, by its index in the plan.
    pub node: usize,
    /// A line for the shell.
    pub command: String,
    /// When it is started.
    pub start_ns: Duration,
}

impl EmulationPlan {
    pub(super) fn check(&self, plan: &Plan) -> Result<(), String> {
        let role = |node: usize| plan.nodes.get(node).map(|node| node.role);
        let has_kernel = |node: usize| matches!(role(node), Some(NodeRole::Port | NodeRole::Ap));
        let real = |node: usize| {
            let mut all = self.real.iter();
            all.any(|each| each.node == node && each.interface.is_none())
        };
        if !self.real.iter().all(|each| has_kernel(each.node)) {
            return Err("real: a real node is a port or an access point".into());
        }
        let is_behind =
            |each: &RealPlan| each.interface.is_some() && role(each.node) == Some(NodeRole::Ap);
        if self.real.iter().any(is_behind) {
            return Err("real: an access point is behind no interface of this machine".into());
        }
        let one = |each: &RealPlan| plan.nodes[each.node].interfaces.len() == 1;
        if !(self.real.iter()).all(|each| each.interface.is_none() || one(each)) {
            return Err("real: a node behind an interface has one".into());
        }
        if !self.programs.iter().all(|each| real(each.node)) {
            return Err("programs: they run in the namespaces of real nodes".into());
        }
        Ok(())
    }
}
