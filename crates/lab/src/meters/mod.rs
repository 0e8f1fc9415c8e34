//! What is counted while a world runs: meters, histograms, ledgers of airtime.

pub mod absent_stations;
mod accesses;
mod content;
mod datagram;
mod discards;
mod drop_reason;
mod flow;
mod histograms;
mod ledger;
mod level;
mod meter;
mod queue;
mod reordering;
mod stopwatch;

pub use absent_stations::AbsentStations;
pub use accesses::Accesses;
pub use content::Content;
pub use datagram::DatagramMeter;
pub use discards::{AllDiscards, Discards};
pub use drop_reason::DropReason;
pub use flow::FlowMeter;
pub use histograms::{FlowDistributions, FlowHistograms, TimedQuantity};
pub use ledger::{AirtimeUse, DataOverhead, FrameReception, Ledger, Mark, Spent};
pub use level::LevelMeter;
pub use meter::Meter;
pub use queue::QueueMeter;
pub use reordering::Reordering;
pub use stopwatch::Stopwatch;
