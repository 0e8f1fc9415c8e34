//! Why an emulation did not come about.

use std::fmt;
use std::io;

/// Why an emulation did not come about.
#[derive(Debug)]
pub enum EmulationFailure {
    /// Refused: what cannot be done here, and the remedy.
    Refused(String),
    /// The system failed on the way.
    Failed(io::Error),
}

impl fmt::Display for EmulationFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmulationFailure::Refused(what) => f.write_str(what),
            EmulationFailure::Failed(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for EmulationFailure {
    fn from(error: io::Error) -> EmulationFailure {
        EmulationFailure::Failed(error)
    }
}

impl EmulationFailure {
    /// The same, of a node of the plan.
    pub(crate) fn of(self, node: &str) -> EmulationFailure {
        match self {
            EmulationFailure::Refused(what) => EmulationFailure::Refused(format!("{node}: {what}")),
            EmulationFailure::Failed(error) => {
                EmulationFailure::Failed(io::Error::new(error.kind(), format!("{node}: {error}")))
            }
        }
    }
}
