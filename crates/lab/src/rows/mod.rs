//! What a record has row by row: each kind of row with what fills it, and tables as they are handed
//! out.

mod attempts;
mod datagrams;
mod debugfs;
mod handovers;
mod log;
mod roams;
mod tables;
mod tcp_samples;
mod transfers;

pub use attempts::{Attempt, AttemptKind, AttemptOutcome};
pub use datagrams::{DatagramKey, Datagrams, SentDatagram};
pub use debugfs::{KnownRateRow, StationQueueRow};
pub use handovers::{Handover, Handovers};
pub use log::LogPiece;
pub use roams::{Roam, RoamParts, RoamReason, Roams};
pub use tables::{CellRows, Names, Table, TableValues};
pub use tcp_samples::{TcpSample, TcpSamples};
pub use transfers::{TransferEnd, TransferOutcome, TransferRow};
