//! Two rays, one of them reflected by the ground (Rappaport 2002 §4.6, as in ns-2's
//! `Propagation/TwoRayGround`: free space up to the distance at which both models agree).

use super::{PathLoss, SPEED_OF_LIGHT, friis_db};

units::declare! {
    /// Free space near by, and beyond that the fourth power of the distance.
    pub struct Config = "two-ray" {
        /// height of every antenna above the ground
        antenna_height: f64 = Field::distance()
            .or(Default::Text("1.5 m"))
            .from("ns-2's Antenna/OmniAntenna, Z_"),
    }
}

const BEYOND_CROSSOVER_DECADE_DB: f64 = 40.0;

impl PathLoss for Config {
    fn loss_db(&self, distance_m: f64, frequency_hz: f64) -> f64 {
        let heights = self.antenna_height * self.antenna_height;
        let crossover = 4.0 * core::f64::consts::PI * heights * frequency_hz / SPEED_OF_LIGHT;
        if distance_m < crossover {
            return friis_db(distance_m, frequency_hz);
        }
        BEYOND_CROSSOVER_DECADE_DB * libm::log10(distance_m) - 20.0 * libm::log10(heights)
    }

    fn decade_db(&self) -> Option<f64> {
        Some(BEYOND_CROSSOVER_DECADE_DB)
    }
}
