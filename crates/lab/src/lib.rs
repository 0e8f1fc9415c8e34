//! Plan in, world built and run, record out: the only crate that knows all the others.
//!
//! [`run`] is the border to whoever decides what is run. It holds no global
//! state; the same plan and seed give the same record, bit for bit, on every
//! machine and for any number of threads.

// The plans of the integration tests serve unit tests too; they call the crate by its name.
#[cfg(test)]
extern crate self as lab;

mod emissions;
mod hosts;
mod ids;
mod kinds;
mod meters;
mod network;
mod packets;
mod plan;
mod radios;
mod record;
mod rows;
mod streams;
mod taps;
pub mod timing;
mod world;

use std::path::Path;

/// The stack profiles, for whoever compiles scenarios.
pub mod stacks {
    pub use tcp::{
        ParameterDoc, Profile, ProfileField, describe, profile, profile_fields, profile_names,
    };
}

pub use dot11::Setting;
pub use emissions::{Emission, emission};
pub use ids::{FlowId, InterfaceId, NodeId};
pub use kinds::{Kinds, kinds};
pub use network::{FrameTally, PortCounts, PortRefusal};
pub use plan::{
    AdmittingPlan, AgentPlan, AirPlan, AssociationPlan, CostPlan, EmitterPlan, EmulationLimits,
    EmulationPlan, EndPlan, FadingPlan, FlowPlan, InterfacePlan, LongTables, LossPlan,
    MobileIpPlan, MobilePlan, Moment, MotionPlan, NodePlan, NodeRole, PlacedPlan, Plan, PlanError,
    ProcessPlan, ProgramPlan, RadioPlan, RealPlan, RoutePlan, SeekingPlan, SegmentPlan, TapPlan,
    TapPoint, ThresholdPlan, WindowPlan, WirePlan,
};
pub use radios::noise_of;
pub use record::{Catalogue, Gathered, Metrics, Record, TimedRecord, catalogue};
pub use rows::{
    Attempt, AttemptKind, AttemptOutcome, CellRows, Handover, LogPiece, Names, Roam,
    RoamReason as Why, SentDatagram, Table, TableValues, TcpSample, TransferEnd,
    TransferOutcome as Outcome, TransferRow,
};
pub use taps::Sink;
pub use world::{FlowStanding, LiveCounts, RadioStanding, World, metric_names};

/// The loss that a model of propagation, as a plan has it, gives between two places, in metres, at a
/// frequency in Hz.
///
/// # Errors
/// When it is no model.
pub fn path_loss(
    model_json: &str,
    ends: [(f64, f64); 2],
    frequency_hz: f64,
) -> Result<units::Db, serde_json::Error> {
    let model: air::propagation::Config = serde_json::from_str(model_json)?;
    let places = ends.map(|(x, y)| units::Place(x, y));
    Ok(model.loss(places, frequency_hz))
}

/// Runs `plan` with `seed`; taps write their files to `captures`, if given.
///
/// # Errors
/// When a capture file cannot be written.
pub fn run(plan: &Plan, seed: u64, captures: Option<&Path>) -> std::io::Result<Record> {
    let mut world = World::new(plan.clone(), seed);
    if let Some(directory) = captures {
        world.capture_to(directory)?;
    }
    world.run()
}

/// Runs `plan` with `seed` and keeps what passes at its taps in memory: of each its name and the
/// bytes of a pcapng file.
pub fn run_captured(plan: &Plan, seed: u64) -> (Record, Vec<(String, Vec<u8>)>) {
    World::new(plan.clone(), seed).run_captured()
}
