//! What fades a link, and how: processes over the loss of its place, one file each.
//!
//! A new one is a file with a declared `Config` and a type that is a [`Process`], made by
//! `new(&Config, random)`, its `mod` line, and a line in the list below. Each takes its draws from
//! a stream of its own, in an order that who asks, and when, does not change.

pub mod attenuator;
pub mod blockage;
pub mod fades;
pub mod level_trace;
mod levels;
pub mod nakagami;
mod paths;
pub mod per_frame;
pub mod rayleigh;
pub mod rician;
pub mod shadowing;
pub mod steady_shadow;
#[cfg(test)]
pub(crate) mod trial;

use std::fmt::Debug;

use crate::stations::ReceptionRandom;
use crate::varying::Process;

units::kinds! {
    /// Which process fades a link, and its parameters, as a plan has them.
    pub enum Config with each;

    /// The level changes between two, as of a shadow that comes and goes.
    Fades in fades;
    /// Something stands in the way at times.
    Blockage in blockage;
    /// Many paths and none that stands out.
    Rayleigh in rayleigh;
    /// Many paths and one that stands out.
    Rician in rician;
    /// Less or more fading than Rayleigh's.
    Nakagami in nakagami;
    /// What stands around, at another place from time to time.
    Shadowing in shadowing;
    /// What stands around and stays.
    SteadyShadow in steady_shadow;
    /// Another level for each frame.
    PerFrame in per_frame;
    /// A programmable attenuator.
    Attenuator in attenuator;
    /// As a file tells.
    LevelTrace in level_trace;
}

impl Config {
    /// The levels that it has from a file.
    pub fn levels_mut(&mut self) -> Option<&mut level_trace::LevelTraces> {
        match self {
            Config::LevelTrace(config) => Some(&mut config.file),
            _ => None,
        }
    }

    /// The process of a link, which draws from a stream of its own.
    pub fn process(
        &self,
        random: impl ReceptionRandom + Debug + Send + 'static,
    ) -> Box<dyn Process> {
        each!(
            Kind,
            match self {
                Config(config) => Box::new(Kind::new(config, random)),
            }
        )
    }
}
