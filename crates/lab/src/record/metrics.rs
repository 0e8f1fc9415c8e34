//! The metrics of a run, by name.

use std::collections::BTreeMap;
use std::ops::Index;

use units::table::{Column, Type};

use super::cut::Part;
use super::declared::{Scope, Taker};
use crate::plan::Plan;
use crate::tables::{self, Table};

/// The value of a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What it is of.
    pub scope: Scope,
    /// What that is called; empty where there is but one.
    pub of: String,
    /// What it is called there.
    pub metric: String,
    /// The window; empty for the whole measured time.
    pub window: String,
    /// The number; what the run has no value of is not among the metrics.
    pub value: f64,
}

/// Metrics by their full names, such as `flow.up.goodput_mbps` or `tcp.timeouts@before`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics(BTreeMap<String, Reading>);

/// Takes the values of a window, or of the whole measured time.
struct Values<'a> {
    metrics: &'a mut Metrics,
    window: &'a str,
}

/// Takes the names of all metrics, of which a run may have a value.
struct NamesOf<'a> {
    names: &'a mut Vec<String>,
    window: &'a str,
}

impl Metrics {
    /// Columns of the table.
    pub const COLUMNS: [Column; 5] = [
        Column {
            name: "scope",
            unit: "",
            about: "what the metric is of",
            of: Type::Word(&Scope::WORDS),
        },
        Column {
            name: "of",
            unit: "",
            about: "the name of the flow, node, wire or segment; empty for a run and a channel",
            of: Type::Name,
        },
        Column {
            name: "metric",
            unit: "",
            about: "its name there",
            of: Type::Name,
        },
        Column {
            name: "window",
            unit: "",
            about: "the name of the window; empty for the whole measured time",
            of: Type::Name,
        },
        Column {
            name: "value",
            unit: "",
            about: "the number, in the unit that the name ends with",
            of: Type::Real,
        },
    ];

    /// Every name and value, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        (self.0.iter()).map(|(name, reading)| (name.as_str(), reading.value))
    }

    /// The value of a metric, if the run has one.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).map(|reading| reading.value)
    }

    /// Adds those of a part of a run, which has a name unless it is the whole measured time.
    pub fn read(&mut self, part: &Part<'_>, plan: &Plan, window: Option<&str>) {
        let mut values = Values {
            metrics: self,
            window: window.unwrap_or_default(),
        };
        super::give(part, plan, &mut values);
    }

    /// The names of all metrics that a part of a run can have, in the order of their declaration.
    pub fn names(part: &Part<'_>, plan: &Plan, window: Option<&str>) -> Vec<String> {
        let mut names = Vec::new();
        let mut taker = NamesOf {
            names: &mut names,
            window: window.unwrap_or_default(),
        };
        super::give(part, plan, &mut taker);
        names
    }

    /// The metrics as a table.
    pub fn table(&self) -> Table {
        let texts = |of: fn(&Reading) -> &str| tables::Values::texts(self.0.values().map(of));
        let columns = [
            texts(|reading| Scope::WORDS[reading.scope as usize]),
            texts(|reading| &reading.of),
            texts(|reading| &reading.metric),
            texts(|reading| &reading.window),
            tables::Values::Real(self.0.values().map(|each| each.value).collect()),
        ];
        let names = Metrics::COLUMNS.iter().map(|column| column.name.to_owned());
        Table {
            name: "metrics",
            columns: names.zip(columns).collect(),
        }
    }
}

/// The full name of a metric.
fn name_of(scope: Scope, of: &str, metric: &str, window: &str) -> String {
    let name = match scope.prefix() {
        "" => metric.to_owned(),
        prefix => format!("{prefix}.{of}.{metric}"),
    };
    match window {
        "" => name,
        _ => format!("{name}@{window}"),
    }
}

impl Taker for Values<'_> {
    fn take(&mut self, scope: Scope, of: &str, metric: String, value: Option<f64>) {
        if let Some(value) = value {
            let name = name_of(scope, of, &metric, self.window);
            let reading = Reading {
                scope,
                of: of.to_owned(),
                metric,
                window: self.window.to_owned(),
                value,
            };
            self.metrics.0.insert(name, reading);
        }
    }
}

impl Taker for NamesOf<'_> {
    fn take(&mut self, scope: Scope, of: &str, metric: String, _value: Option<f64>) {
        self.names.push(name_of(scope, of, &metric, self.window));
    }
}

impl<S: AsRef<str>> Index<S> for Metrics {
    type Output = f64;

    fn index(&self, name: S) -> &f64 {
        let name = name.as_ref();
        match self.0.get(name) {
            Some(reading) => &reading.value,
            None => panic!("the run has no {name}"),
        }
    }
}
