//! Windows: parts of the measured time that a plan wants metrics of.

use serde::{Deserialize, Serialize};
use units::Duration;

/// A part of the measured time that has metrics of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowPlan {
    /// Unique name; its metrics bear it behind an `@`.
    pub name: String,
    /// When it begins; not before the end of the warm-up.
    pub from: Moment,
    /// When it ends; with the run at the latest.
    pub until: Moment,
}

/// A moment of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// So long after the start of the run.
    AtNs(Duration),
    /// When the first of these flows starts.
    Start(Vec<usize>),
    /// When the last of these flows is over: every connection that it opened has sent and
    /// received everything, or has failed.
    End(Vec<usize>),
}

impl WindowPlan {
    /// Returns what is wrong with it in a plan of so many flows.
    pub fn check(&self, flows: usize) -> Result<(), String> {
        for (field, moment) in [("from", &self.from), ("until", &self.until)] {
            if let Moment::Start(named) | Moment::End(named) = moment
                && (named.is_empty() || named.iter().any(|&flow| flow >= flows))
            {
                return Err(format!(
                    "{field}: {named:?} are not some of the {flows} flows"
                ));
            }
        }
        Ok(())
    }
}
