//! Values that change at certain times.

use serde::{Deserialize, Serialize};

use crate::declaration::{Field, Measure};
use crate::{Duration, Time};

/// Values, each from a time of the run on; in a plan a list of pairs, the earliest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Steps<T>(pub Vec<(Duration, T)>);

impl<T: Copy> Steps<T> {
    /// The times and the values from then on.
    pub fn iter(&self) -> impl Iterator<Item = (Time, T)> {
        self.0
            .iter()
            .map(|&(since, value)| (Time::ZERO + since, value))
    }
}

impl<T: Measure> Measure for Steps<T> {
    fn measure(&self) -> Option<f64> {
        None
    }

    fn check(&self, field: &Field) -> Result<(), String> {
        if self.0.is_empty() {
            return Err(format!("{}: there are no values", field.name));
        }
        if !self.0.is_sorted_by(|(one, _), (next, _)| one < next) {
            return Err(format!(
                "{}: a time is not after the one before",
                field.name
            ));
        }
        self.0.iter().try_for_each(|(_, value)| value.check(field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rate;

    #[test]
    fn steps_go_forward_in_time() {
        let rate = |mbps| Rate::from_mbps(mbps);
        let check = |steps: &[(u64, Rate)]| {
            let at = |&(secs, rate): &(u64, Rate)| (Duration::from_secs(secs), rate);
            Steps(steps.iter().map(at).collect()).check(&Field::rate())
        };
        assert_eq!(check(&[(1, rate(2.0)), (2, rate(1.0))]), Ok(()));
        let again = check(&[(2, rate(2.0)), (2, rate(1.0))]);
        assert_eq!(
            again,
            Err(": a time is not after the one before".to_owned())
        );
        assert_eq!(check(&[]), Err(": there are no values".to_owned()));
        assert_eq!(
            check(&[(1, rate(0.0))]),
            Err(": 0 is out of range".to_owned())
        );
    }
}
