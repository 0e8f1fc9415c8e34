//! What is measured of each list of frames that get lost on the air.

use units::declaration::{Declared, Metric};

use super::cut::RunPart;
use super::declared::{MetricPlace, Taker};
use crate::plan::Plan;
use crate::radios::LossCounts;

/// What is given of a list besides its counts.
pub const LIST: &[Declared<LossCounts>] = &[Declared {
    metric: Metric {
        name: "never_came",
        label: "Listed, never came",
        unit: "",
        about: "numbers of the list (of MSDUs, fragments, attempts, frames) that no frame it has \
                lost had, since the run began; 1 for a list without numbers that has lost none",
    },
    value: |of| Some(of.outstanding as f64),
}];

/// Returns what the names of a list's metrics begin with.
pub fn before(list: &str) -> String {
    format!("lose.{list}.")
}

/// Gives what is measured of every list.
pub fn give(part: &RunPart<'_>, plan: &Plan, into: &mut impl Taker) {
    let lists = plan.air.iter().flat_map(|air| &air.lose);
    let counts = part.first().losses.iter().zip(&part.last().losses);
    for (list, (first, last)) in lists.zip(counts) {
        let before = before(&list.name);
        let place = MetricPlace::CHANNEL.before(&before);
        let count = |count: fn(&LossCounts) -> u64| (count(last) - count(first)) as f64;
        place.counted(LossCounts::METRICS, count, into);
        place.declared(LIST, last, into);
    }
}
