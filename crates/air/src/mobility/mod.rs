//! Movement: where a radio is at each time.
//!
//! A new kind of movement is a file with a declared `Config` that implements [`Movement`], its
//! `mod` line, and a line in the list below. A [`Path`] is found once, from the place where a radio
//! begins, from seed and node; from then on it is a function of the time alone.

pub mod circular;
mod path;
pub mod random_waypoint;
pub mod recorded;
pub mod waypoints;

use units::{Place, Time};

use crate::stations::ReceptionRandom;

pub use path::{Circle, Leg, Path, seconds};

/// What a kind of movement makes of a place to begin at.
pub trait Movement {
    /// The way from `start` on, as far as it is needed, until `end`.
    fn path(&self, start: Place, end: Time, random: &mut dyn ReceptionRandom) -> Path;
}

units::kinds! {
    /// How something moves, and its parameters, as a plan has them.
    pub enum Config with each;

    /// From place to place.
    Waypoints in waypoints;
    /// Round in a circle.
    Circular in circular;
    /// To places drawn at random.
    RandomWaypoint in random_waypoint;
    /// As a file tells.
    Recorded in recorded;
}

impl Config {
    /// The way from a place on until the end of a run, as seed and node decide.
    pub fn path(&self, start: Place, end: Time, random: &mut dyn ReceptionRandom) -> Path {
        each!(match self {
            Config(config) => config.path(start, end, random),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// What needs no random numbers.
    pub struct Never;

    impl ReceptionRandom for Never {
        fn unit(&mut self) -> f64 {
            panic!("nothing is drawn")
        }
    }

    /// SplitMix64 of a count, from a seed on.
    pub struct CountedRandom(pub u64);

    impl ReceptionRandom for CountedRandom {
        fn unit(&mut self) -> f64 {
            let mut mixed = self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            self.0 += 1;
            ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }
    }
}
