//! What is told of a distribution: percentiles, and its buckets as a table.

use units::declaration::{Declared, Metric};
use units::histogram::Distribution;
use units::table::{Column, Type};

use super::declared::{Scope, Taker};
use crate::plan::Plan;
use crate::record::Part;
use crate::tables::{self, Table};

/// What a distribution is of.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
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
        $crate::record::distributions::Quantity {
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

/// A distribution, and what it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    scope: Scope,
    of: String,
    quantity: String,
    unit_s: f64,
    distribution: Distribution,
}

/// The distributions of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distributions(Vec<Kept>);

impl Distributions {
    /// Columns of the table.
    pub const COLUMNS: [Column; 6] = [
        Column {
            name: "scope",
            unit: "",
            about: "what the distribution is of",
            of: Type::Word(&Scope::WORDS),
        },
        Column {
            name: "of",
            unit: "",
            about: "the name of the flow, node, wire or segment; empty for a run and a channel",
            of: Type::Name,
        },
        Column {
            name: "quantity",
            unit: "",
            about: "what was measured, with its unit: that of its percentiles' names",
            of: Type::Name,
        },
        Column {
            name: "from",
            unit: "",
            about: "the least value of the bucket, in that unit",
            of: Type::Real,
        },
        Column {
            name: "to",
            unit: "",
            about: "the first value above the bucket",
            of: Type::Real,
        },
        Column {
            name: "count",
            unit: "",
            about: "how many values were in it",
            of: Type::Whole,
        },
    ];

    /// What stands above the table.
    pub const ABOUT: &str = "How often each value was measured, in buckets of which 128 make a \
                             doubling: those that are not empty, for the whole measured time.";

    /// Those of a part of a run.
    pub fn read(part: &Part<'_>, plan: &Plan) -> Distributions {
        let mut all = Distributions::default();
        if plan.tables.distributions {
            super::give(part, plan, &mut all);
        }
        all
    }

    /// Each bucket as a row.
    pub fn table(&self) -> Table {
        let (mut from, mut to, mut count) = (Vec::new(), Vec::new(), Vec::new());
        let mut of_row: Vec<&Kept> = Vec::new();
        for kept in &self.0 {
            for bucket in kept.distribution.buckets() {
                let [low, high] = bucket.bounds.map(|bound| bound.as_secs_f64() / kept.unit_s);
                from.push(low);
                to.push(high);
                count.push(bucket.count as i64);
                of_row.push(kept);
            }
        }
        let texts =
            |of: fn(&Kept) -> &str| tables::Values::texts(of_row.iter().map(|kept| of(kept)));
        let columns = [
            texts(|kept| Scope::WORDS[kept.scope as usize]),
            texts(|kept| &kept.of),
            texts(|kept| &kept.quantity),
            tables::Values::Real(from),
            tables::Values::Real(to),
            tables::Values::Whole(count),
        ];
        let names = Self::COLUMNS.iter().map(|column| column.name.to_owned());
        Table {
            name: "distributions",
            columns: names.zip(columns).collect(),
        }
    }
}

impl Taker for Distributions {
    fn take(&mut self, _: Scope, _: &str, _: String, _: Option<f64>) {}

    fn keep(
        &mut self,
        scope: Scope,
        of: &str,
        name: String,
        quantity: &Quantity,
        distribution: &Distribution,
    ) {
        if !distribution.is_empty() {
            self.0.push(Kept {
                scope,
                of: of.to_owned(),
                quantity: name,
                unit_s: quantity.unit_s,
                distribution: distribution.clone(),
            });
        }
    }
}
