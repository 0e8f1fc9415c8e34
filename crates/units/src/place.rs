//! Where things are.

use serde::{Deserialize, Serialize};

use crate::declaration::{Field, Measure};

/// A place on the plane, in metres; in a plan a list of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Place(pub f64, pub f64);

impl Place {
    /// Returns how far another place is, in metres.
    pub fn distance(self, other: Place) -> f64 {
        libm::hypot(other.0 - self.0, other.1 - self.1)
    }

    /// The place after a part of the way to another one: 0 is here, 1 is there.
    pub fn towards(self, other: Place, part: f64) -> Place {
        let along = |here: f64, there: f64| here + (there - here) * part;
        Place(along(self.0, other.0), along(self.1, other.1))
    }
}

impl Measure for Place {
    fn measure(&self) -> Option<f64> {
        None
    }

    fn check(&self, field: &Field) -> Result<(), String> {
        match self.0.is_finite() && self.1.is_finite() {
            true => Ok(()),
            false => Err(format!("{}: not two finite numbers", field.name)),
        }
    }
}
