//! Spans of time, one behind the other.

use serde::{Deserialize, Serialize};

use crate::declaration::{Field, Measure};
use crate::{Duration, Time};

/// Spans of a run, each from a time to a later one, and the next one later still; in a plan a list
/// of pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Spans(pub Vec<[Duration; 2]>);

impl Spans {
    /// The spans, in order.
    pub fn iter(&self) -> impl Iterator<Item = [Time; 2]> {
        self.0.iter().map(|span| span.map(|at| Time::ZERO + at))
    }
}

impl Measure for Spans {
    fn measure(&self) -> Option<f64> {
        None
    }

    fn check(&self, field: &Field) -> Result<(), String> {
        if !self.0.as_flattened().is_sorted_by(|a, b| a < b) {
            let name = field.name;
            return Err(format!(
                "{name}: each must end after it begins, before the next one"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_do_not_touch() {
        let check = |spans: &[[u64; 2]]| {
            let spans = spans.iter().map(|span| span.map(Duration::from_secs));
            Spans(spans.collect()).check(&Field::duration()).is_ok()
        };
        assert!(check(&[[1, 2], [3, 4]]));
        assert!(!check(&[[1, 2], [2, 4]]));
        assert!(!check(&[[2, 1]]));
    }
}
