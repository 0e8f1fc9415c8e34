//! What a plan says of the air besides its radios: what fades, who radiates, and which frames get
//! lost.

use dot11::FrameKind;
use serde::{Deserialize, Serialize};
use units::{Db, Dbm};

use super::{AirPlan, Plan};

/// Links that fade, each by processes of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FadingPlan {
    /// The pairs of nodes, by index, between which the links are.
    pub between: Vec<[usize; 2]>,
    /// What fades each, one process over the other.
    pub by: Vec<ProcessPlan>,
}

/// A process that fades a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessPlan {
    /// What scenarios call it.
    pub name: String,
    /// What it does.
    #[serde(flatten)]
    pub process: air::fading::Config,
}

/// Powers that decide what is decoded, instead of an error model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThresholdPlan {
    /// What a frame needs.
    pub receive_dbm: Dbm,
    /// How much more than each that lies over it.
    pub capture_db: Db,
}

/// Something that radiates and is no station.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmitterPlan {
    /// Unique name.
    pub name: String,
    /// Its power at each node; entries of nodes without radio are not read.
    pub received_dbm: Vec<Dbm>,
    /// What it is.
    #[serde(flatten)]
    pub noise: air::noise::Config,
}

/// Frames that get lost: those that have all that is listed. An empty list says nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossPlan {
    /// Unique name.
    pub name: String,
    /// Who sends them, by node index.
    pub senders: Vec<usize>,
    /// Whom they are for, by node index.
    pub receivers: Vec<usize>,
    /// What they are.
    pub frames: Vec<FrameKind>,
    /// Which MSDU of its sender they carry, announce or answer, from 1 on.
    pub msdu: Vec<u64>,
    /// Which of its fragments, from 1 on.
    pub fragment: Vec<u64>,
    /// At which attempt, from 1 on.
    pub attempt: Vec<u64>,
    /// Which of the frames that have all else, from 1 on.
    pub number: Vec<u64>,
}

impl AirPlan {
    /// Gives the processes that have their levels from a file what is in it; one whose file is
    /// missing has none.
    pub(super) fn hand_out_levels(&mut self) {
        let AirPlan { fading, levels, .. } = self;
        for process in fading.iter_mut().flat_map(|links| &mut links.by) {
            if let Some(named) = process.process.levels_mut()
                && let Some(readings) = levels.get(named.name())
            {
                named.fill(readings);
            }
        }
    }
}

impl FadingPlan {
    pub(super) fn check(&self, plan: &Plan) -> Result<(), String> {
        let is_link = |&[one, other]: &[usize; 2]| {
            one != other && [one, other].iter().all(|&node| has_radio(plan, node))
        };
        if !self.between.iter().all(is_link) {
            return Err("between: not two nodes with a radio each".into());
        }
        let check = |each: &ProcessPlan| each.process.check();
        self.by.iter().try_for_each(check)
    }
}

fn has_radio(plan: &Plan, node: usize) -> bool {
    let node = plan.nodes.get(node);
    node.is_some_and(|node| node.radios().next().is_some())
}

impl EmitterPlan {
    pub(super) fn check(&self, plan: &Plan) -> Result<(), String> {
        if self.received_dbm.len() != plan.nodes.len() {
            return Err(format!("received_dbm: must be {} powers", plan.nodes.len()));
        }
        if self.received_dbm.iter().any(|power| !power.0.is_finite()) {
            return Err("received_dbm: every power must be a finite number".into());
        }
        self.noise.check()
    }
}

impl LossPlan {
    pub(super) fn check(&self, plan: &Plan) -> Result<(), String> {
        let mut named = self.senders.iter().chain(&self.receivers);
        if !named.all(|&node| has_radio(plan, node)) {
            return Err("senders, receivers: no such node with a radio".into());
        }
        let numbers = [&self.msdu, &self.fragment, &self.attempt, &self.number];
        if numbers.into_iter().flatten().any(|&number| number == 0) {
            return Err("msdu, fragment, attempt, number: they count from 1 on".into());
        }
        Ok(())
    }
}
