//! What radiates and is no station: when, and with which spectrum, one file for each kind.
//!
//! A new one is a file with a declared `Config` and a type that is a [`Radiation`], made by
//! `new(&Config)`, and a line in the list at the end of this file. How much of it arrives where is
//! said of each; it is a function of time alone, and costs nothing until somebody asks.

use std::fmt::Debug;
use std::sync::Arc;

use dot11::Spectrum;
use units::Time;
use units::declaration::Kind;
use units::serde::{Deserialize, Serialize};

/// When something radiates, and where in the band.
pub trait Radiation: Debug + Send + Sync {
    /// The first burst that ends after a time: from when until when it radiates.
    fn burst_after(&self, at: Time) -> Option<[Time; 2]>;

    /// The mask of its spectrum; without, it is as strong in all channels.
    fn spectrum(&self) -> Option<Spectrum> {
        None
    }

    /// The centre of its spectrum; without, that of whoever receives it.
    fn frequency_mhz(&self) -> Option<u16> {
        None
    }

    /// Whether it sends frames whose preamble stations of DSSS detect.
    fn has_preamble(&self) -> bool {
        false
    }
}

macro_rules! noises {
    ($($(#[$doc:meta])* $name:ident in $module:ident;)*) => {
        $(pub mod $module;)*

        /// What radiates, and its parameters, as a plan has them.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case", crate = "units::serde")]
        pub enum Config {
            $($(#[$doc])* $name($module::Config),)*
        }

        /// Everything that radiates, and what may be said of it.
        pub const KINDS: &[Kind] = &[$($module::Config::KIND),*];

        impl Config {
            /// Whether every value is within its limits; else the first that is not.
            pub fn check(&self) -> Result<(), String> {
                match self {
                    $(Config::$name(config) => config.check(),)*
                }
            }

            /// When it radiates.
            pub fn radiation(&self) -> Arc<dyn Radiation> {
                match self {
                    $(Config::$name(config) => Arc::new($module::$name::new(config)),)*
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

noises! {
    /// Bursts at stated times.
    Bursts in bursts;
    /// Noise all the time.
    ConstantNoise in constant_noise;
    /// A vector signal generator.
    SignalGenerator in signal_generator;
}
