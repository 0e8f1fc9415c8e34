//! Path loss: what distance takes from a signal.
//!
//! A new model is a file with a declared `Config` that implements [`PathLoss`], its `mod` line,
//! and a line in the list below. None knows of time or chance; what varies around the loss of a
//! model is [`shadowing`](crate::shadowing).

pub mod free_space;
pub mod itu_indoor;
pub mod log_distance;
pub mod multi_wall;
pub mod two_ray;

use units::{Db, Place};

/// What a model says of a distance.
pub trait PathLoss {
    /// The loss over `distance_m` metres at a frequency. It may be below zero where the model does
    /// not hold, near the antenna.
    fn loss_db(&self, distance_m: f64, frequency_hz: f64) -> f64;

    /// Returns what ten times a distance takes more than the distance itself, at most; none where
    /// more than the distance counts.
    fn decade_db(&self) -> Option<f64> {
        None
    }

    /// Returns what stands between two places takes besides, in decibels.
    fn obstacles_db(&self, _ends: [Place; 2]) -> f64 {
        0.0
    }
}

/// The speed of light, exact by the definition of the metre.
pub(crate) const SPEED_OF_LIGHT: f64 = 299_792_458.0;

/// Friis' loss between isotropic antennas (H. T. Friis, "A Note on a Simple Transmission Formula",
/// Proc. IRE 34, 1946): (4πd/λ)².
pub(crate) fn friis_db(distance_m: f64, frequency_hz: f64) -> f64 {
    let wavelength = SPEED_OF_LIGHT / frequency_hz;
    20.0 * libm::log10(4.0 * core::f64::consts::PI * distance_m / wavelength)
}

/// What ten times a distance takes more in free space.
const FREE_SPACE_DECADE_DB: f64 = 20.0;

units::kinds! {
    /// Which model, and its parameters, as a plan has them.
    pub enum Config with each;

    /// Nothing but distance.
    FreeSpace in free_space;
    /// A power of the distance.
    LogDistance in log_distance;
    /// A ray along the ground.
    TwoRay in two_ray;
    /// Within a building.
    ItuIndoor in itu_indoor;
    /// Rooms by their floor plan.
    MultiWall in multi_wall;
}

impl Config {
    /// The loss between two places. Nothing passive gives out more than it takes in: it is never
    /// below zero.
    pub fn loss(&self, ends: [Place; 2], frequency_hz: f64) -> Db {
        let distance_m = ends[0].distance(ends[1]);
        let [model, obstacles] = each!(match self {
            Config(config) => [
                config.loss_db(distance_m, frequency_hz),
                config.obstacles_db(ends)
            ],
        });
        Db((model + obstacles).max(0.0))
    }

    /// Returns how much longer or shorter a distance may become so that its loss changes by no more
    /// than `by`; none where more than the distance counts.
    pub fn distance_within(&self, distance_m: f64, by: Db) -> Option<f64> {
        let decade_db = each!(match self {
            Config(config) => config.decade_db(),
        })?;
        let decades = by.0 / decade_db;
        Some(distance_m * (1.0 - Db(-10.0 * decades).ratio()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(config: &impl PathLoss, distance_m: f64, frequency_hz: f64) -> f64 {
        config.loss_db(distance_m, frequency_hz)
    }

    /// ITU-R P.525-4 (4): 32.45 + 20 log f(MHz) + 20 log d(km), rounded there to 32.4.
    #[test]
    fn free_space_takes_80_db_over_100_metres_at_2437_mhz() {
        let lost = loss(&free_space::Config {}, 100.0, 2.437e9);
        assert!((lost - (32.4478 + 20.0 * libm::log10(2437.0) - 20.0)).abs() < 1e-3);
        assert!((lost - 80.184).abs() < 1e-3, "{lost}");
    }

    /// From 8.19 to 60.8 m with an exponent of 2.7 the mean falls by 23.5 dB.
    #[test]
    fn ten_times_the_distance_takes_ten_times_the_exponent() {
        let config = || log_distance::Config {
            exponent: 2.7,
            reference_distance: 1.0,
            reference_loss: None,
        };
        let [near, far, further] = [8.19, 60.8, 81.9].map(|d| loss(&config(), d, 2.437e9));
        assert!((far - near - 23.5).abs() < 0.01);
        assert!((further - near - 27.0).abs() < 1e-9);
        let at_reference = loss(&config(), 1.0, 2.437e9);
        assert_eq!(at_reference, friis_db(1.0, 2.437e9));
    }

    /// ns-2's shadowing model without its deviation: at 914 MHz, 1 m of free space takes 31.67 dB.
    #[test]
    fn a_stated_reference_loss_needs_no_frequency() {
        let config = log_distance::Config {
            exponent: 2.7,
            reference_distance: 1.0,
            reference_loss: Some(31.67),
        };
        assert!((loss(&config, 100.0, 2.437e9) - (31.67 + 54.0)).abs() < 1e-9);
        assert!((friis_db(1.0, 914e6) - 31.67).abs() < 0.005);
    }

    /// T. S. Rappaport, "Wireless Communications", 2nd ed., on the ground reflection: h²h²/d⁴ beyond the crossover at
    /// 4πhh/λ, where both are the same; ns-2's 250 m at 914 MHz and 0.28183815 W are −64.37 dBm.
    #[test]
    fn a_ground_ray_takes_40_db_a_decade_beyond_the_crossover() {
        let config = || two_ray::Config {
            antenna_height: 1.5,
        };
        let crossover = 4.0 * core::f64::consts::PI * 1.5 * 1.5 * 914e6 / SPEED_OF_LIGHT;
        let [before, after] = [0.999_999, 1.000_001].map(|x| loss(&config(), crossover * x, 914e6));
        assert!((after - before).abs() < 1e-4, "{before} and {after}");
        let [far, further] = [250.0, 2500.0].map(|d| loss(&config(), d, 914e6));
        assert!((further - far - 40.0).abs() < 1e-9);
        let transmit_dbm = 10.0 * libm::log10(281.83815);
        assert!(
            (transmit_dbm - far - -64.374).abs() < 2e-3,
            "{}",
            transmit_dbm - far
        );
        assert_eq!(loss(&config(), 10.0, 914e6), friis_db(10.0, 914e6));
    }

    /// ITU-R P.1238-10 (1): 20 log 2437 + 30 log 10 − 28 = 69.74 dB; two floors of an office more.
    #[test]
    fn a_building_takes_more_with_each_floor() {
        let within = |floors| itu_indoor::Config {
            power_loss_coefficient: 30.0,
            floors,
        };
        assert!((loss(&within(0), 10.0, 2.437e9) - 69.737).abs() < 1e-3);
        let floors = loss(&within(2), 10.0, 2.437e9) - loss(&within(0), 10.0, 2.437e9);
        assert!((floors - 19.0).abs() < 1e-9);
    }

    #[test]
    fn within_a_distance_the_loss_changes_by_no_more_than_said() {
        let models = [
            Config::FreeSpace(free_space::Config {}),
            Config::LogDistance(log_distance::Config {
                exponent: 3.5,
                reference_distance: 10.0,
                reference_loss: None,
            }),
            Config::TwoRay(two_ray::Config {
                antenna_height: 1.5,
            }),
            Config::ItuIndoor(itu_indoor::Config {
                power_loss_coefficient: 30.0,
                floors: 1,
            }),
        ];
        for (model, distance) in models.iter().flat_map(|model| {
            let distances = [0.0, 0.001, 1.0, 9.9, 10.0, 225.0, 230.0, 5000.0];
            distances.map(|distance| (model, distance))
        }) {
            let loss = |distance| {
                model
                    .loss([Place(0.0, 0.0), Place(distance, 0.0)], 2.437e9)
                    .0
            };
            for by in [0.01, 0.5, 3.0] {
                let within = model
                    .distance_within(distance, Db(by))
                    .expect("no obstacles");
                assert!(within > 0.0 || distance == 0.0);
                let changes = [distance - within, distance + within]
                    .map(|to| (loss(to) - loss(distance)).abs());
                assert!(
                    changes.iter().all(|&change| change <= by + 1e-9),
                    "{model:?}: {changes:?}"
                );
            }
        }
    }

    #[test]
    fn no_loss_is_below_zero() {
        let config = Config::FreeSpace(free_space::Config {});
        let over = |metres| config.loss([Place(3.0, 4.0), Place(3.0, 4.0 + metres)], 2.437e9);
        assert_eq!(over(0.0), Db(0.0));
        assert_eq!(over(0.001), Db(0.0));
        assert!((over(100.0).0 - 80.184).abs() < 1e-3);
    }
}
