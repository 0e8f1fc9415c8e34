//! Results of an emulation beside its record.

use std::collections::BTreeMap;

use lab::{EmulationLimits, World};
use serde::Serialize;

use crate::consequences::Consequences;
use crate::lateness::{LoopStall, Spread};

/// Course of an emulation, so far or in all.
#[derive(Clone, Debug, Serialize)]
pub struct EmulationCourse {
    /// Time that it has run.
    pub ran_ns: u64,
    /// Frames written to ports behind the time at which they left the world.
    pub lateness_out: Spread,
    /// Frames let into the world behind the time at which they came.
    pub lateness_in: Spread,
    /// Times that the loop was kept from running longer than the limit.
    pub stalls: Vec<LoopStall>,
    /// Counts of each port.
    pub ports: Vec<PortOutcome>,
    /// True if the loop runs before ordinary programs.
    pub is_real_time: bool,
    /// Limits that a valid run keeps to.
    pub limits: EmulationLimits,
}

/// Outcome of an emulation.
#[derive(Clone, Debug, Serialize)]
pub struct EmulationOutcome {
    /// Its course to the end.
    #[serde(flatten)]
    pub course: EmulationCourse,
    /// Fate of the frames that came in, besides those that went out.
    pub fates: FrameOutcomes,
    /// Changes by lateness of arrivals.
    pub consequences: Consequences,
    /// The share of the time for which the program that had to wait longest waited for a processor.
    pub starved_share: f64,
    /// Programs that were still there at the end, and had to be ended.
    pub ended_by_force: Vec<String>,
    /// Hash of all that left the world: times, ports and bytes.
    pub egress: String,
    /// Version of the kernels.
    pub kernel: String,
    /// Verdict on its limits.
    pub verdict: RunVerdict,
}

/// Verdict on a run's limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunVerdict {
    /// Why it did not, the first cause to remove first; empty for a valid run.
    pub reasons: Vec<String>,
}

impl RunVerdict {
    /// Returns whether the run is valid.
    pub fn is_valid(&self) -> bool {
        self.reasons.is_empty()
    }
}

/// Fate of frames in the world, besides those that went out at its ports.
///
/// Where every frame goes to a port, those in, cut and copied are those out, dropped and under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FrameOutcomes {
    /// Number dropped or lost, by cause.
    pub dropped: BTreeMap<&'static str, u64>,
    /// Number of fragments beyond the packets that were cut.
    pub cut: u64,
    /// Number of copies that impairments made.
    pub copied: u64,
    /// Number in the world at the end.
    pub under_way: u64,
}

impl FrameOutcomes {
    /// The fates of a world so far.
    pub fn of(world: &World) -> FrameOutcomes {
        let fates = world.frame_tally();
        FrameOutcomes {
            dropped: fates.dropped.iter().copied().collect(),
            cut: fates.cut,
            copied: fates.copied,
            under_way: world.frames_under_way() as u64,
        }
    }
}

/// Counts of one port.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PortOutcome {
    /// Its node.
    pub node: String,
    /// Its name in the node.
    pub interface: String,
    /// Frames that were let into the world.
    pub frames_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Frames that were no frames or too long.
    pub refused: u64,
    /// Frames that left the world.
    pub frames_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Frames that left the world and that the interface did not take.
    pub not_taken: u64,
    /// Frames that the kernel dropped in front of the world.
    pub lost_in_ring: u64,
}
