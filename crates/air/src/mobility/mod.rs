//! Movement: where a radio is at each time.
//!
//! A new kind of movement is a file with a declared `Config` that implements [`Movement`], and a
//! line in the list at the end of this file. A [`Path`] is found once, from the place where a radio
//! begins, from seed and node; from then on it is a function of the time alone.

mod path;

use units::declaration::Kind;
use units::serde::{Deserialize, Serialize};
use units::{Place, Time};

use crate::stations::Chance;

pub use path::{Circle, Leg, Path, seconds};

/// What a kind of movement makes of a place to begin at.
pub trait Movement {
    /// The way from `start` on, as far as it is needed, until `end`.
    fn path(&self, start: Place, end: Time, luck: &mut dyn Chance) -> Path;
}

macro_rules! movements {
    ($($(#[$doc:meta])* $name:ident in $module:ident;)*) => {
        $(pub mod $module;)*

        /// How something moves, and its parameters, as a plan has them.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case", crate = "units::serde")]
        pub enum Config {
            $($(#[$doc])* $name($module::Config),)*
        }

        /// Every kind of movement, and what may be said of it.
        pub const KINDS: &[Kind] = &[$($module::Config::KIND),*];

        impl Config {
            /// Whether every value is within its limits; else the first that is not.
            pub fn check(&self) -> Result<(), String> {
                match self {
                    $(Config::$name(config) => config.check(),)*
                }
            }

            /// The way from a place on until the end of a run, as seed and node decide.
            pub fn path(&self, start: Place, end: Time, luck: &mut dyn Chance) -> Path {
                match self {
                    $(Config::$name(config) => config.path(start, end, luck),)*
                }
            }
        }
    };
}

movements! {
    /// From place to place.
    Waypoints in waypoints;
    /// Round in a circle.
    Circular in circular;
    /// To places drawn at random.
    RandomWaypoint in random_waypoint;
    /// As a file tells.
    Recorded in recorded;
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// What needs no luck.
    pub struct Never;

    impl Chance for Never {
        fn unit(&mut self) -> f64 {
            panic!("nothing is drawn")
        }
    }

    /// SplitMix64 of a count, from a seed on.
    pub struct Counted(pub u64);

    impl Chance for Counted {
        fn unit(&mut self) -> f64 {
            let mut mixed = self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            self.0 += 1;
            ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }
    }
}
