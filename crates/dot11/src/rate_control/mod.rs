//! Rate control: in which mode the next attempt goes.
//!
//! A new algorithm is a file with a parameter struct `Config` and a type that implements
//! [`RateControl`], and a line in the list at the end of this file.

use serde::{Deserialize, Serialize};
use units::Time;

use crate::frame::Address;
use crate::mode::Mode;

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

        /// Which rate control a station runs, and its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "algorithm", rename_all = "kebab-case")]
        pub enum RateControlConfig {
            $($(#[$doc])* $name($module::Config),)*
        }

        /// The rate control of one station, dispatched without indirection.
        #[derive(Clone, Debug)]
        pub(crate) enum Controller {
            $($name($module::$name),)*
        }

        impl Controller {
            pub(crate) fn new(config: &RateControlConfig) -> Controller {
                match config {
                    $(RateControlConfig::$name(config) => {
                        Controller::$name($module::$name::new(config))
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
    fn a_plan_names_the_algorithm_and_its_parameters() {
        let plan = r#"{"algorithm":"fallback","highest":"cck-11","attempts_per_rate":2}"#;
        let config: RateControlConfig = serde_json::from_str(plan).unwrap();
        let expected = fallback::Config {
            highest: Mode::Cck11,
            attempts_per_rate: 2,
        };
        assert_eq!(config, RateControlConfig::Fallback(expected));
    }

    #[test]
    fn a_parameter_of_another_algorithm_is_refused() {
        let plan = r#"{"algorithm":"fixed","mode":"cck-11","attempts_per_rate":2}"#;
        assert!(serde_json::from_str::<RateControlConfig>(plan).is_err());
    }
}
