//! What fades a link, and how: processes over the loss of its place, one file each.
//!
//! A new one is a file with a declared `Config` and a type that is a [`Process`], made by
//! `new(&Config, luck)`, and a line in the list at the end of this file. Each takes its draws from
//! a stream of its own, in an order that who asks, and when, does not change.

mod levels;
mod paths;
#[cfg(test)]
pub(crate) mod trial;

use std::fmt::Debug;

use units::declaration::Kind;
use units::serde::{Deserialize, Serialize};

use crate::stations::Chance;
use crate::varying::Process;

macro_rules! fadings {
    ($($(#[$doc:meta])* $name:ident in $module:ident;)*) => {
        $(pub mod $module;)*

        /// Which process fades a link, and its parameters, as a plan has them.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case", crate = "units::serde")]
        pub enum Config {
            $($(#[$doc])* $name($module::Config),)*
        }

        /// Every process, and what may be said of it.
        pub const KINDS: &[Kind] = &[$($module::Config::KIND),*];

        impl Config {
            /// Whether every value is within its limits; else the first that is not.
            pub fn check(&self) -> Result<(), String> {
                match self {
                    $(Config::$name(config) => config.check(),)*
                }
            }

            /// The levels that it has from a file.
            pub fn levels_mut(&mut self) -> Option<&mut level_trace::Levels> {
                match self {
                    Config::LevelTrace(config) => Some(&mut config.file),
                    _ => None,
                }
            }

            /// The process of a link, which draws from a stream of its own.
            pub fn process(&self, luck: impl Chance + Debug + Send + 'static) -> Box<dyn Process> {
                match self {
                    $(Config::$name(config) => Box::new($module::$name::new(config, luck)),)*
                }
            }
        }

        $(impl From<$module::Config> for Config {
            fn from(config: $module::Config) -> Config {
                Config::$name(config)
            }
        })*
    };
}

fadings! {
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
