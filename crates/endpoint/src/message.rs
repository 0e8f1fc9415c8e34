//! What console and endpoint say to each other. No message holds an address, a path or a command.

use serde::{Deserialize, Serialize};

/// Flows of a test, at most; each has a port of its own behind the endpoint's.
pub const FLOWS: u8 = 64;

/// An end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The one that begins.
    Initiator,
    /// The one that answers.
    Responder,
}

/// What an endpoint is to be in a flow.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Join {
    /// The number of the flow in the test.
    pub flow: u8,
    /// Which end.
    pub end: End,
    /// The key of the endpoint at the other end.
    pub peer: String,
    /// What opens the flow's connection: 32 hexadecimal digits, used once.
    pub ticket: String,
    /// The application, as a plan has it.
    pub app: serde_json::Value,
    /// When the flow begins, behind the common start.
    pub start_ms: u32,
    /// When it ends at the latest, behind the common start.
    pub end_ms: u32,
    /// The time between samples.
    pub sample_ms: u32,
}

/// What a console asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Ask {
    /// To be an end of a flow.
    Join(Join),
    /// To begin in so many microseconds.
    Start {
        /// How many.
        in_us: u32,
    },
    /// Whether it goes on; without it, an endpoint stops within a second.
    Tick {},
    /// To end, and to tell what was measured.
    Finish {},
}

/// What an endpoint answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// Done.
    Yes {},
    /// How many flows go on.
    Running {
        /// How many.
        flows: u32,
    },
    /// What was measured.
    Measured(Vec<Measured>),
    /// Not done, and why.
    Refused {
        /// Why.
        why: String,
    },
}

/// The state of a connection, where the kernel tells it (tcp(7), TCP_INFO).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// Congestion window, bytes.
    pub cwnd_bytes: u64,
    /// Slow-start threshold, bytes; `None` while there is none.
    pub ssthresh_bytes: Option<u64>,
    /// Smoothed round-trip time.
    pub srtt_us: u32,
    /// Retransmission timeout.
    pub rto_us: u32,
    /// Segments retransmitted so far.
    pub retransmissions: u32,
}

/// What a flow's end has seen up to an instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Microseconds behind the common start.
    pub at_us: u64,
    /// Application bytes that have arrived here.
    pub delivered: u64,
    /// The state of the connection that this end opened.
    pub tcp: Option<Tcp>,
}

/// What an end of a flow measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// The number of the flow.
    pub flow: u8,
    /// Which end.
    pub end: End,
    /// What it has seen.
    pub samples: Vec<Sample>,
    /// Round trips: when they ended, and how long they took, in microseconds.
    pub round_trips: Vec<(u64, f64)>,
    /// Why it ended early.
    pub failed: Option<String>,
}
