//! Free space: nothing but distance.

use super::{FREE_SPACE_DECADE_DB, PathLoss, friis_db};

units::declare! {
    /// The loss of free space between isotropic antennas (Friis).
    pub struct Config = "free-space" {}
}

impl PathLoss for Config {
    fn loss_db(&self, distance_m: f64, frequency_hz: f64) -> f64 {
        friis_db(distance_m, frequency_hz)
    }

    fn decade_db(&self) -> Option<f64> {
        Some(FREE_SPACE_DECADE_DB)
    }
}
