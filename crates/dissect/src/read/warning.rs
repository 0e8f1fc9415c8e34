//! What a reader met that makes its results worth a second look.

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
        /// What is wrong with it.
        what: &'static str,
    },
    /// A record that cannot be one in a file that says where the next begins.
    Skipped {
        /// Where the record begins, in bytes of the uncompressed file.
        at: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The source failed, or its compression is damaged; what came before was read.
    Source {
        /// How far the reader came, in bytes of the uncompressed file.
        at: u64,
        /// What the source says.
        what: String,
    },
    /// Behind a record that cannot be one, the compression of the file is damaged.
    Damaged {
        /// What its unpacking says.
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
