//! What an emulation is asked for.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use units::Duration;

/// An emulation of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
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
    /// What a valid run keeps to.
    pub limits: Limits,
    /// The processor that the loop stays on; any without it.
    pub processor: Option<usize>,
}

/// What a valid run keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The lateness that 99 % of the frames out stay below.
    pub lateness_p99_ns: Duration,
    /// The longest time that the loop may be kept from running.
    pub stall_ns: Duration,
    /// The largest share of the frames by which flows may differ without lateness.
    pub changed_share: f64,
    /// The largest share of the time for which a program may wait for a processor.
    pub starved_share: f64,
}
