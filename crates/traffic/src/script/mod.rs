//! Scripts in the verbs of IxChariot's script language.
//!
//! A script is written once, as its endpoint 1 goes through it, at the node that the traffic is from;
//! endpoint 2 does its part of each step. Whoever has nothing to do at a step waits at the next one
//! for bytes, room or the connection.

mod endpoint;
mod verbs;

use units::declaration::{Field, Measure};
use units::serde::{Deserialize, Serialize};

use crate::{About, Transport};

pub use endpoint::{Initiator, Responder};
pub use verbs::*;

units::declare! {
    /// A script of IxChariot's verbs: what two endpoints do in turn, and what of it is timed.
    pub struct Config = "script" {
        /// its steps, in their order
        steps: ScriptSteps = Field::of(Quantity::Script),
    }
}

/// Applications that run as a script.
pub trait Scripted {
    /// Its steps.
    fn steps(&self) -> Vec<ScriptStep>;
}

impl Scripted for Config {
    fn steps(&self) -> Vec<ScriptStep> {
        self.steps.0.clone()
    }
}

/// The steps of a script.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent, crate = "units::serde")]
pub struct ScriptSteps(pub Vec<ScriptStep>);

pub const ABOUT: About = About {
    transport: Transport::Tcp,
    answers: true,
    records: true,
    metrics: &[],
};

impl Measure for ScriptSteps {
    fn measure(&self) -> Option<f64> {
        None
    }

    fn check(&self, field: &Field) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("{}: {what}", field.name));
        let mut loops: Vec<bool> = Vec::new();
        for step in &self.0 {
            step.check()?;
            match step {
                ScriptStep::Loop(_) => loops.push(false),
                ScriptStep::EndLoop(_) => match loops.pop() {
                    None => return wrong("a loop ends that has not begun"),
                    Some(false) => return wrong("a loop in which nothing takes time"),
                    Some(true) => {}
                },
                ScriptStep::StartTimer(_)
                | ScriptStep::Transaction(_)
                | ScriptStep::EndTimer(_) => {}
                _ => loops.iter_mut().for_each(|takes_time| *takes_time = true),
            }
        }
        match loops.is_empty() {
            true => Ok(()),
            false => wrong("a loop does not end"),
        }
    }
}
