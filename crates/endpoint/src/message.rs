//! What console and endpoint say to each other. No message holds an address, a path or a command.

use serde::{Deserialize, Serialize};

/// Flows of a test, at most; each has a port of its own behind the endpoint's.
pub const FLOWS: u8 = 250;

/// An end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndOfFlow {
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
    pub end: EndOfFlow,
    /// The key of the endpoint at the other end, or `iperf3:` or `stamp:` and the name of a server.
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
    /// The codepoint of its packets (RFC 2474).
    pub dscp: u8,
    /// Whether to tell when each datagram was sent and received.
    pub is_stamped: bool,
}

/// What a console asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Ask {
    /// To be an end of a flow.
    Join(Join),
    /// To begin at an instant of the endpoint's CLOCK_MONOTONIC.
    Start {
        /// The instant.
        at_ns: u64,
    },
    /// Whether it goes on; without it, an endpoint stops within a second.
    Tick {},
    /// To end, and to tell what was measured.
    Finish {},
    /// To tell, of a test that has ended, what its radio was like.
    Radio {},
}

/// What an endpoint answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// Done.
    Yes {},
    /// Standing of the endpoint.
    Running {
        /// How many flows go on.
        flows: u32,
        /// Reading of its CLOCK_MONOTONIC.
        clock_ns: u64,
    },
    /// What was measured.
    Measured(Vec<Measured>),
    /// What the radio was like.
    Radio(MeasuredRadio),
    /// Not done, and why.
    Refused {
        /// Why.
        why: String,
    },
}

impl Answer {
    /// Its tables, in the order in which they follow.
    pub fn tables(&mut self) -> Vec<&mut RowTable> {
        match self {
            Answer::Measured(measured) => {
                let tables = measured.iter_mut();
                tables
                    .flat_map(|each| [&mut each.samples, &mut each.stamps])
                    .collect()
            }
            Answer::Radio(radio) => {
                vec![&mut radio.stations, &mut radio.surveys, &mut radio.events]
            }
            Answer::Yes {} | Answer::Running { .. } | Answer::Refused { .. } => Vec::new(),
        }
    }
}

/// What an end of a flow measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// The number of the flow.
    pub flow: u8,
    /// Which end.
    pub end: EndOfFlow,
    /// The common start by its CLOCK_MONOTONIC.
    pub began_ns: u64,
    /// What it has seen at regular instants.
    pub samples: RowTable,
    /// When each datagram was sent or received.
    pub stamps: RowTable,
    /// Round trips: when they ended, and how long they took, in microseconds.
    pub round_trips: Vec<(u64, f64)>,
    /// Its timing records.
    pub records: Vec<TimedTransactions>,
    /// How many more it had no room for.
    pub records_lost: u64,
    /// For how long the owner's ceiling held back what the application wanted to send.
    pub held_us: u64,
    /// Application bytes that it has sent and received.
    pub moved: u64,
    /// What an iperf3 server at the other end has counted.
    pub counted: Option<StreamCounts>,
    /// Why it ended early.
    pub failed: Option<String>,
}

/// What the radio was like by which a machine took part in a test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredRadio {
    /// True if its kernel tells of events.
    pub hears_events: bool,
    /// What was told of the stations at the other end.
    pub stations: RowTable,
    /// What was told of the channel.
    pub surveys: RowTable,
    /// When it joined and left somebody.
    pub events: RowTable,
}

/// Transactions that were timed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedTransactions {
    /// When the first began, nanoseconds behind the common start.
    pub start_ns: u64,
    /// How long they took together.
    pub elapsed_ns: u64,
    /// Bytes that they transferred.
    pub bytes: u64,
    /// How many they were.
    pub transactions: u32,
}

/// What an iperf3 server has counted of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamCounts {
    /// Bytes that it received or sent.
    pub bytes: u64,
    /// Datagrams that it knows of, or sent.
    pub packets: Option<u64>,
    /// Those of them that did not arrive, less those that came out of order.
    pub lost: Option<i64>,
    /// How unevenly they arrived at last (RFC 1889).
    pub jitter_ms: Option<f64>,
}

/// Rows of one length, which follow a message as bytes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowTable {
    /// Bytes of a row.
    pub row: u32,
    /// Rows for which there was no room.
    pub lost: u64,
    /// The rows: compressed while they travel.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

impl RowTable {
    /// One without rows, which would have so many bytes.
    pub fn without_rows(row: usize) -> RowTable {
        RowTable {
            row: row as u32,
            ..RowTable::default()
        }
    }
}
