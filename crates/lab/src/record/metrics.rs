//! The metrics of a run, by name.

use std::collections::BTreeMap;
use std::ops::Index;

use units::table::{Column, Type};

use super::declared::{Scope, Taker};
use crate::tables::{Table, Values};

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
pub struct Metrics {
    readings: BTreeMap<String, Reading>,
    /// Names of metrics that the run has no value of.
    without: Vec<String>,
}

/// Takes the metrics of a window, or of the whole measured time.
pub(super) struct OfWindow<'a> {
    metrics: &'a mut Metrics,
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
            about: "the name of the flow, node or wire; empty for a run and a channel",
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

    pub(super) fn of_window<'a>(&'a mut self, window: Option<&'a str>) -> OfWindow<'a> {
        OfWindow {
            metrics: self,
            window: window.unwrap_or_default(),
        }
    }

    /// Every name and value, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        (self.readings.iter()).map(|(name, reading)| (name.as_str(), reading.value))
    }

    /// Every name, also of those without a value.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let all = self.readings.keys().chain(&self.without);
        all.map(String::as_str)
    }

    /// The value of a metric, if the run has one.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.readings.get(name).map(|reading| reading.value)
    }

    /// The metrics as a table.
    pub fn table(&self) -> Table {
        let texts = |of: fn(&Reading) -> &str| Values::texts(self.readings.values().map(of));
        let columns = [
            texts(|reading| Scope::WORDS[reading.scope as usize]),
            texts(|reading| &reading.of),
            texts(|reading| &reading.metric),
            texts(|reading| &reading.window),
            Values::Real(self.readings.values().map(|each| each.value).collect()),
        ];
        let names = Metrics::COLUMNS.iter().map(|column| column.name.to_owned());
        Table {
            name: "metrics",
            columns: names.zip(columns).collect(),
        }
    }
}

impl Taker for OfWindow<'_> {
    fn take(&mut self, scope: Scope, of: &str, metric: String, value: Option<f64>) {
        let mut name = match scope.prefix() {
            "" => metric.clone(),
            prefix => format!("{prefix}.{of}.{metric}"),
        };
        if !self.window.is_empty() {
            name = format!("{name}@{}", self.window);
        }
        let Some(value) = value else {
            return self.metrics.without.push(name);
        };
        let reading = Reading {
            scope,
            of: of.to_owned(),
            metric,
            window: self.window.to_owned(),
            value,
        };
        self.metrics.readings.insert(name, reading);
    }
}

impl<S: AsRef<str>> Index<S> for Metrics {
    type Output = f64;

    fn index(&self, name: S) -> &f64 {
        let name = name.as_ref();
        match self.readings.get(name) {
            Some(reading) => &reading.value,
            None => panic!("the run has no {name}"),
        }
    }
}
