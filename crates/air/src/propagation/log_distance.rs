//! A power of the distance from a reference on (T. S. Rappaport, "Wireless Communications", 2nd
//! ed., 2002, §4.9.1). With a shadowing per frame it is ns-2's `Propagation/Shadowing`.

use super::{PathLoss, friis_db};

units::declare! {
    /// A loss that grows with a power of the distance, from a reference distance on.
    pub struct Config = "log-distance" {
        /// the power: 2 in free space, 2.7 to 3.5 in cities
        exponent: f64 = Field::of(Quantity::Number).within(1.0, 10.0),
        /// distance from which on it grows; below it too, which holds in no room
        reference_distance: f64 = Field::distance()
            .or(Default::Text("1 m"))
            .from("Rappaport 2002 §4.9.1: 1 m indoors and for small cells"),
        /// loss at that distance; absent: that of free space
        reference_loss: Option<f64> = Field::of(Quantity::Ratio).optional(),
    }
}

impl PathLoss for Config {
    fn loss_db(&self, distance_m: f64, frequency_hz: f64) -> f64 {
        let at_reference = self
            .reference_loss
            .unwrap_or_else(|| friis_db(self.reference_distance, frequency_hz));
        at_reference + 10.0 * self.exponent * libm::log10(distance_m / self.reference_distance)
    }

    fn decade_db(&self) -> Option<f64> {
        Some(10.0 * self.exponent)
    }
}
