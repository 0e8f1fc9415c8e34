//! The metrics of a run, by name.

use std::collections::BTreeMap;
use std::ops::Index;

use super::cut::RunPart;
use super::declared::{MetricScope, Taker};
use crate::plan::Plan;

/// Metrics by their full names, such as `flow.up.goodput_mbps` or `tcp.timeouts@before`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics(BTreeMap<String, f64>);

/// Takes the values of a window, or of the whole measured time.
struct WindowValues<'a> {
    metrics: &'a mut Metrics,
    window: &'a str,
}

/// Takes the names of all metrics, of which a run may have a value.
struct NamesOf<'a> {
    names: &'a mut Vec<String>,
    window: &'a str,
}

impl Metrics {
    /// Every name and value, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        (self.0.iter()).map(|(name, &value)| (name.as_str(), value))
    }

    /// The value of a metric, if the run has one.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// Adds those of a part of a run, which has a name unless it is the whole measured time.
    pub fn read(&mut self, part: &RunPart<'_>, plan: &Plan, window: Option<&str>) {
        let mut values = WindowValues {
            metrics: self,
            window: window.unwrap_or_default(),
        };
        super::give(part, plan, &mut values);
    }

    /// The names of all metrics that a part of a run can have, in the order of their declaration.
    pub fn names(part: &RunPart<'_>, plan: &Plan, window: Option<&str>) -> Vec<String> {
        let mut names = Vec::new();
        let mut taker = NamesOf {
            names: &mut names,
            window: window.unwrap_or_default(),
        };
        super::give(part, plan, &mut taker);
        names
    }
}

/// The full name of a metric.
fn name_of(scope: MetricScope, of: &str, metric: &str, window: &str) -> String {
    let name = match scope.prefix() {
        "" => metric.to_owned(),
        prefix => format!("{prefix}.{of}.{metric}"),
    };
    match window {
        "" => name,
        _ => format!("{name}@{window}"),
    }
}

impl Taker for WindowValues<'_> {
    fn take(&mut self, scope: MetricScope, of: &str, metric: String, value: Option<f64>) {
        if let Some(value) = value {
            let name = name_of(scope, of, &metric, self.window);
            self.metrics.0.insert(name, value);
        }
    }
}

impl Taker for NamesOf<'_> {
    fn take(&mut self, scope: MetricScope, of: &str, metric: String, _value: Option<f64>) {
        self.names.push(name_of(scope, of, &metric, self.window));
    }
}

impl<S: AsRef<str>> Index<S> for Metrics {
    type Output = f64;

    fn index(&self, name: S) -> &f64 {
        let name = name.as_ref();
        match self.0.get(name) {
            Some(value) => value,
            None => panic!("the run has no {name}"),
        }
    }
}
