//! Warnings of a reader whose results are worth a second look.

use std::fmt;

use serde::Serialize;

/// Something about a capture file that its reader could not take as it stood.
/// What stands before it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// The file ends within a record: a capture that was killed, or a copy cut short.
    Truncated {
        /// Where the record begins, in bytes of the uncompressed file.
        at: u64,
    },
    /// A record that cannot be one; the rest of the file is not read.
    Corrupt {
        /// Where the record begins, in bytes of the uncompressed file.
        at: u64,
        /// Its fault.
        what: &'static str,
    },
    /// A record that cannot be one in a file that says where the next begins.
    Skipped {
        /// Where the record begins, in bytes of the uncompressed file.
        at: u64,
        /// Its fault.
        what: &'static str,
    },
    /// The source failed, or its compression is damaged; what came before was read.
    Source {
        /// Place that the reader reached, in bytes of the uncompressed file.
        at: u64,
        /// Message of the source.
        what: String,
    },
    /// Behind a record that cannot be one, the compression of the file is damaged.
    Damaged {
        /// Message of the unpacking.
        what: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Truncated { at } => {
                write!(f, "the file ends within the record at byte {at}")
            }
            Warning::Corrupt { at, what } => {
                write!(f, "nothing is read from byte {at} on: {what}")
            }
            Warning::Skipped { at, what } => {
                write!(f, "the record at byte {at} is passed over: {what}")
            }
            Warning::Source { at, what } => write!(f, "reading stopped at byte {at}: {what}"),
            Warning::Damaged { what } => write!(f, "its compression is damaged: {what}"),
        }
    }
}
