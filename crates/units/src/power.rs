//! Powers and ratios of powers.

use core::ops::{Add, Neg, Sub};

use serde::{Deserialize, Serialize};

/// A power in dBm (decibels over one milliwatt).
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Dbm(pub f64);

/// A ratio of powers in dB.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Db(pub f64);

/// A power in milliwatts, the form in which powers add.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Milliwatts(pub f64);

impl Db {
    /// The ratio itself.
    pub fn ratio(self) -> f64 {
        libm::exp(self.0 * (core::f64::consts::LN_10 / 10.0))
    }
}

impl Dbm {
    /// The same power in milliwatts.
    pub fn to_milliwatts(self) -> Milliwatts {
        Milliwatts(libm::pow(10.0, self.0 / 10.0))
    }
}

impl Milliwatts {
    /// No power.
    pub const ZERO: Milliwatts = Milliwatts(0.0);

    /// The same power in dBm; minus infinity for no power.
    pub fn to_dbm(self) -> Dbm {
        Dbm(10.0 * libm::log10(self.0))
    }
}

impl Add for Milliwatts {
    type Output = Milliwatts;
    fn add(self, other: Milliwatts) -> Milliwatts {
        Milliwatts(self.0 + other.0)
    }
}

impl Sub for Milliwatts {
    type Output = Milliwatts;
    fn sub(self, other: Milliwatts) -> Milliwatts {
        Milliwatts(self.0 - other.0)
    }
}

impl Sub<Db> for Dbm {
    type Output = Dbm;
    fn sub(self, loss: Db) -> Dbm {
        Dbm(self.0 - loss.0)
    }
}

impl Add<Db> for Dbm {
    type Output = Dbm;
    fn add(self, gain: Db) -> Dbm {
        Dbm(self.0 + gain.0)
    }
}

impl Neg for Db {
    type Output = Db;
    fn neg(self) -> Db {
        Db(-self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_decibels_are_a_factor_of_two_and_twenty_one_of_a_hundred() {
        assert!((Db(3.0103).ratio() - 2.0).abs() < 1e-6);
        assert!((Db(-20.0).ratio() - 0.01).abs() < 1e-15);
    }

    #[test]
    fn fifteen_dbm_behind_48_db_of_cable_is_half_a_microwatt() {
        let received = (Dbm(15.0) - Db(48.0)).to_milliwatts();
        assert!((received.0 - 5.012e-4).abs() < 1e-7);
    }
}
