//! What is told of a distribution: percentiles, and its buckets as a table.

use units::declaration::{Declared, Metric};
use units::histogram::Distribution;

use super::cut::RunPart;
use super::declared::{MetricScope, Taker};
use crate::plan::Plan;
use crate::rows::{Table, TableValues};

/// What a distribution is of.
#[derive(Clone, Copy, Debug)]
pub struct DistributedQuantity {
    /// What each value of it is.
    pub metric: Metric,
    /// Its unit in seconds.
    pub unit_s: f64,
    /// Its percentiles.
    pub percentiles: &'static [Declared<Distribution>],
}

/// Declares a quantity: its name without the unit, its label, unit, and meaning.
macro_rules! quantity {
    ($name:literal, $label:literal, ms, $about:literal) => {
        $crate::record::distributions::quantity!($name, $label, "ms", 1e-3, $about)
    };
    ($name:literal, $label:literal, s, $about:literal) => {
        $crate::record::distributions::quantity!($name, $label, "s", 1.0, $about)
    };
    ($name:literal, $label:literal, $unit:literal, $unit_s:literal, $about:literal) => {
        $crate::record::distributions::DistributedQuantity {
            metric: units::declaration::Metric {
                name: concat!($name, "_", $unit),
                label: $label,
                unit: $unit,
                about: $about,
            },
            unit_s: $unit_s,
            percentiles: &[
                $crate::record::distributions::quantity!(
                    @at 0.5, "50", "_p50", $name, $label, $unit, $unit_s, $about
                ),
                $crate::record::distributions::quantity!(
                    @at 0.95, "95", "_p95", $name, $label, $unit, $unit_s, $about
                ),
                $crate::record::distributions::quantity!(
                    @at 0.99, "99", "_p99", $name, $label, $unit, $unit_s, $about
                ),
                $crate::record::distributions::quantity!(
                    @at 0.999, "99.9", "_p999", $name, $label, $unit, $unit_s, $about
                ),
            ],
        }
    };
    (
        @at $share:literal, $percent:literal, $end:literal,
        $name:literal, $label:literal, $unit:literal, $unit_s:literal, $about:literal
    ) => {
        units::declaration::Declared {
            metric: units::declaration::Metric {
                name: concat!($name, "_", $unit, $end),
                label: concat!($label, ", ", $percent, " %"),
                unit: $unit,
                about: concat!($percent, " % are at most that long, within 0.4 %: ", $about),
            },
            value: |of| of.quantile_s($share).map(|seconds| seconds / $unit_s),
        }
    };
}

pub(super) use quantity;

/// A distribution, its full name, and its unit.
#[derive(Clone, Debug, PartialEq)]
struct Kept {
    name: String,
    unit_s: f64,
    distribution: Distribution,
}

/// The distributions of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distributions(Vec<Kept>);

impl Distributions {
    /// Columns of the table, each with its meaning.
    pub const COLUMNS: [(&str, &str); 4] = [
        (
            "distribution",
            "what was measured, and whose: `flow.up-1.rtt_ms`, whose percentiles are metrics",
        ),
        (
            "from",
            "the least value of the bucket, in the unit of the name",
        ),
        ("to", "the least value above the bucket"),
        ("count", "how many values were in it"),
    ];

    /// What stands above the table.
    pub const ABOUT: &str = "How often each value was measured, in buckets of which 128 make a \
                             doubling: those that are not empty, for the whole measured time.";

    /// Those of a part of a run.
    pub fn read(part: &RunPart<'_>, plan: &Plan) -> Distributions {
        let mut all = Distributions::default();
        if plan.tables.distributions {
            super::give(part, plan, &mut all);
        }
        all
    }

    /// Each bucket as a row.
    pub fn table(&self) -> Table {
        let (mut from, mut to, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        let mut codes = Vec::new();
        for (code, kept) in (0..).zip(&self.0) {
            for bucket in kept.distribution.buckets() {
                let [low, high] = bucket.bounds.map(|bound| bound.as_secs_f64() / kept.unit_s);
                codes.push(code);
                from.push(low);
                to.push(high);
                counts.push(bucket.count as i64);
            }
        }
        let dictionary = self.0.iter().map(|kept| kept.name.clone()).collect();
        let columns = [
            TableValues::Text { codes, dictionary },
            TableValues::Real(from),
            TableValues::Real(to),
            TableValues::Whole(counts),
        ];
        let names = Self::COLUMNS.iter().map(|(name, _)| (*name).to_owned());
        Table {
            name: "distributions",
            columns: names.zip(columns).collect(),
        }
    }
}

impl Taker for Distributions {
    fn take(&mut self, _: MetricScope, _: &str, _: String, _: Option<f64>) {}

    fn keep(
        &mut self,
        scope: MetricScope,
        of: &str,
        name: String,
        quantity: &DistributedQuantity,
        distribution: &Distribution,
    ) {
        if !distribution.is_empty() {
            self.0.push(Kept {
                name: match scope.prefix() {
                    "" => name,
                    prefix => format!("{prefix}.{of}.{name}"),
                },
                unit_s: quantity.unit_s,
                distribution: distribution.clone(),
            });
        }
    }
}
