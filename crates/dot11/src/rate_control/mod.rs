//! Rate control: in which mode the next attempt goes.
//!
//! A new algorithm is a file with a declared `Config` and a type that implements [`RateControl`],
//! made by `new(&Config, Ladder)` from its parameters and the modes that it may choose, and a line in
//! the list at the end of this file.

use units::Time;
use units::declaration::Kind;
use units::serde::{Deserialize, Serialize};

use crate::frame::Address;
use crate::mode::Mode;

/// The modes that a rate control may choose, from the slowest to the radio's rate; never empty.
pub type Ladder = &'static [Mode];

/// Chooses the mode of data frames to each receiver.
pub trait RateControl {
    /// The mode of the next attempt, after `failures` failed ones inside the same MSDU.
    fn mode(&mut self, now: Time, to: Address, failures: u8) -> Mode;

    /// A data frame has been acknowledged or not. A failed RTS says nothing about the rate of the
    /// data and is not reported.
    fn on_attempt(&mut self, now: Time, to: Address, mode: Mode, acknowledged: bool);
}

macro_rules! rate_controls {
    ($($(#[$doc:meta])* $name:ident in $module:ident;)*) => {
        $(pub mod $module;)*

        /// Which rate control a station runs, and its parameters, as a plan has them.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case", crate = "units::serde")]
        pub enum RateControlConfig {
            $($(#[$doc])* $name($module::Config),)*
        }

        /// Every rate control, and what may be said of it.
        pub const KINDS: &[Kind] = &[$($module::Config::KIND),*];

        impl RateControlConfig {
            /// Whether every value is within its limits; else the first that is not.
            pub fn check(&self) -> Result<(), String> {
                match self {
                    $(RateControlConfig::$name(config) => config.check(),)*
                }
            }
        }

        /// The rate control of one station, dispatched without indirection.
        #[derive(Clone, Debug)]
        pub(crate) enum Controller {
            $($name($module::$name),)*
        }

        impl Controller {
            pub(crate) fn new(config: &RateControlConfig, ladder: Ladder) -> Controller {
                match config {
                    $(RateControlConfig::$name(config) => {
                        Controller::$name($module::$name::new(config, ladder))
                    })*
                }
            }
        }

        impl RateControl for Controller {
            #[inline]
            fn mode(&mut self, now: Time, to: Address, failures: u8) -> Mode {
                match self {
                    $(Controller::$name(control) => control.mode(now, to, failures),)*
                }
            }

            #[inline]
            fn on_attempt(&mut self, now: Time, to: Address, mode: Mode, acknowledged: bool) {
                match self {
                    $(Controller::$name(control) => {
                        control.on_attempt(now, to, mode, acknowledged);
                    })*
                }
            }
        }
    };
}

rate_controls! {
    /// One mode for everything.
    Fixed in fixed;
    /// Step down inside one MSDU's retries.
    Fallback in fallback;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_the_algorithm_as_its_declaration_does() {
        let plan = r#"{"kind":"fallback","attempts_per_rate":2}"#;
        let config: RateControlConfig = serde_json::from_str(plan).unwrap();
        let expected = fallback::Config {
            attempts_per_rate: 2,
        };
        assert_eq!(config, RateControlConfig::Fallback(expected));
        assert!(KINDS.iter().any(|kind| kind.name == "fallback"));
    }

    #[test]
    fn a_parameter_of_another_algorithm_is_refused() {
        let plan = r#"{"kind":"fixed","attempts_per_rate":2}"#;
        assert!(serde_json::from_str::<RateControlConfig>(plan).is_err());
    }
}
