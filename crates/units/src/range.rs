//! Ranges, both ends included.

use serde::{Deserialize, Serialize};

use crate::declaration::{Field, Measure};

/// From a lowest to a highest value, both included; in a plan a list of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[T; 2]", into = "[T; 2]")]
pub struct Range<T: Copy> {
    /// The smallest value.
    pub lowest: T,
    /// The largest.
    pub highest: T,
}

impl<T: Copy> From<[T; 2]> for Range<T> {
    fn from([lowest, highest]: [T; 2]) -> Self {
        Range { lowest, highest }
    }
}

impl<T: Copy> From<Range<T>> for [T; 2] {
    fn from(range: Range<T>) -> Self {
        [range.lowest, range.highest]
    }
}

impl<T: Copy + Measure> Measure for Range<T> {
    fn measure(&self) -> Option<f64> {
        None
    }

    fn check(&self, field: &Field) -> Result<(), String> {
        self.lowest.check(field)?;
        self.highest.check(field)?;
        if self.lowest.measure() > self.highest.measure() {
            return Err(format!("{}: the lowest is above the highest", field.name));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_its_ends_in_order_and_within_the_limits() {
        let field = Field::count("packets").within(1.0, 7.0);
        let check = |ends: [u32; 2]| Range::from(ends).check(&field);
        assert_eq!([check([1, 7]), check([3, 3])], [Ok(()), Ok(())]);
        assert_eq!(check([0, 7]), Err(": 0 is out of range".to_owned()));
        assert_eq!(check([1, 8]), Err(": 8 is out of range".to_owned()));
        assert_eq!(
            check([5, 4]),
            Err(": the lowest is above the highest".to_owned())
        );
    }
}
