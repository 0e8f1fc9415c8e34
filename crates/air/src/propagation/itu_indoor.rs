//! Inside a building: ITU-R P.1238-10, "Propagation data and prediction methods for the planning of
//! indoor radiocommunication systems", §3.1.

use super::PathLoss;

units::declare! {
    /// The loss within a building by its kind and the floors between (ITU-R P.1238).
    pub struct Config = "itu-indoor" {
        /// N, the distance power loss coefficient
        power_loss_coefficient: f64 = Field::of(Quantity::Number)
            .within(10.0, 60.0)
            .or(Default::Number(30.0))
            .from("ITU-R P.1238-10 Table 2: an office at 1.8 to 2.4 GHz"),
        /// floors between the two, of an office: 15 dB for one and 4 dB for each one more
        floors: u16 = Field::count("floors")
            .within(0.0, 100.0)
            .or(Default::Count(0))
            .from("inferred: one floor; what floors take is ITU-R P.1238-10 Table 3"),
    }
}

impl PathLoss for Config {
    fn loss_db(&self, distance_m: f64, frequency_hz: f64) -> f64 {
        let floors = match self.floors {
            0 => 0.0,
            floors => 15.0 + 4.0 * f64::from(floors - 1),
        };
        let coefficient = self.power_loss_coefficient;
        20.0 * libm::log10(frequency_hz / 1e6) + coefficient * libm::log10(distance_m) + floors
            - 28.0
    }

    fn decade_db(&self) -> Option<f64> {
        Some(self.power_loss_coefficient)
    }
}
