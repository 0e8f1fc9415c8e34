//! Why an emulation did not come about.

use std::fmt;
use std::io;

/// Why an emulation did not come about.
#[derive(Debug)]
pub enum Failure {
    /// Refused: what cannot be done here, and the remedy.
    Refused(String),
    /// The system failed on the way.
    Failed(io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(what) => f.write_str(what),
            Failure::Failed(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Failed(error)
    }
}

impl Failure {
    /// The same, of a node of the plan.
    pub(crate) fn of(self, node: &str) -> Failure {
        match self {
            Failure::Refused(what) => Failure::Refused(format!("{node}: {what}")),
            Failure::Failed(error) => {
                Failure::Failed(io::Error::new(error.kind(), format!("{node}: {error}")))
            }
        }
    }
}
