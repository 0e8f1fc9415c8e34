//! Plan in, world built and run, record out: the only crate that knows all the others.
//!
//! [`run`] is the border to whoever decides what is run. It holds no global
//! state; the same plan and seed give the same record, bit for bit, on every
//! machine and for any number of threads.

// The plans of the integration tests serve unit tests too; they call the crate by its name.
#[cfg(test)]
extern crate self as lab;

mod accesses;
mod aether;
mod attempts;
mod beacon;
mod bytes;
mod content;
mod datagram_meter;
mod datagrams;
mod demux;
mod discards;
mod drop_taps;
mod drops;
mod emissions;
mod events;
mod flows;
mod handovers;
mod histograms;
mod kinds;
mod ledger;
mod levels;
mod load;
mod luck;
mod meter;
mod meters;
mod network;
mod observed;
mod output;
mod packet;
mod plan;
mod port;
mod processor;
mod radios;
mod real;
mod record;
mod reordering;
mod roams;
mod segments;
mod series;
mod sockets;
mod strays;
mod tables;
mod taps;
mod tcp_samples;
pub mod timing;
mod transfers;
mod vantages;
mod wanted;
mod windows;
mod wires;
mod world;

use std::path::Path;

/// The stack profiles, for whoever compiles scenarios.
pub mod stacks {
    pub use tcp::{Field, ParameterDoc, Profile, describe, profile, profile_fields, profile_names};
}

pub use attempts::{Attempt, Kind as AttemptKind, Outcome as AttemptOutcome};
pub use datagrams::SentDatagram;
pub use emissions::{Emission, emission};
pub use handovers::Handover;
pub use kinds::{Kinds, kinds};
pub use output::Sink;
pub use plan::{
    AdmittingPlan, AgentPlan, AirPlan, AssociationPlan, CostPlan, EmitterPlan, EmulationPlan,
    EndPlan, FadingPlan, FlowPlan, InterfacePlan, Limits, LossPlan, MobileIpPlan, MobilePlan,
    MotionPlan, NodePlan, PlacedPlan, Plan, PlanError, ProcessPlan, ProgramPlan, RadioPlan,
    RealPlan, Role, RoutePlan, SeekingPlan, SegmentPlan, TapPlan, TapPoint, ThresholdPlan,
    WirePlan,
};
pub use port::{FrameFates, PortCounts, Refused};
pub use radios::noise_of;
pub use record::{Catalogue, Metrics, Record, TimedRecord, catalogue};
pub use roams::{Roam, Why};
pub use tables::{Table, Values};
pub use tcp_samples::TcpSample;
pub use transfers::{End, Outcome, Transfer};
pub use wanted::{LongTables, Moment, WindowPlan};
pub use world::{World, metric_names};

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
