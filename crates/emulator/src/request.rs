//! Request for an emulation.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// An emulation of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmulationRequest {
    /// Name of the scenario, by which others find the emulation.
    pub name: String,
    /// File of the plan, JSON.
    pub plan: PathBuf,
    /// Seed of everything in the world that chance decides.
    pub seed: u64,
    /// Folder that taps write to, if any do.
    pub captures: Option<PathBuf>,
    /// File that what comes in is logged to, for a replay.
    pub log: Option<PathBuf>,
}

impl EmulationRequest {
    /// The folder that the run has for itself.
    pub fn folder(&self) -> &Path {
        self.plan.parent().unwrap_or_else(|| Path::new("."))
    }
}
