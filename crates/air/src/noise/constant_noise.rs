//! Noise without end.

use units::Time;

use super::Radiation;
use crate::stations::ReceptionRandom;

units::declare! {
    /// Noise all the time, as strong in every channel.
    pub struct Config = "constant-noise" {}
}

/// A single burst.
#[derive(Clone, Copy, Debug)]
pub struct ConstantNoise;

impl ConstantNoise {
    /// Noise from the first instant on.
    pub fn new(_config: &Config, _random: &mut impl ReceptionRandom) -> ConstantNoise {
        ConstantNoise
    }
}

impl Radiation for ConstantNoise {
    fn burst_after(&self, _at: Time) -> Option<[Time; 2]> {
        Some([Time::ZERO, Time::NEVER])
    }
}
