//! Metrics that are computed rather than counted, and where all of them go.

use units::declaration::{CountedMetric, Declared, Metric};
use units::histogram::Distribution;

use super::distributions::DistributedQuantity;

/// What metrics are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MetricScope {
    /// All of a run.
    Run,
    /// The radio channel.
    Channel,
    /// A flow.
    Flow,
    /// A machine, and its radio if it has one.
    Node,
    /// A wire, one end of it and maybe a stage there.
    Wire,
    /// A segment, and one who shares it.
    Segment,
}

impl MetricScope {
    /// Returns what stands before the name of what is measured; nothing where there is but one.
    pub fn prefix(self) -> &'static str {
        match self {
            MetricScope::Run | MetricScope::Channel => "",
            MetricScope::Flow => "flow",
            MetricScope::Node => "node",
            MetricScope::Wire => "wire",
            MetricScope::Segment => "segment",
        }
    }
}

/// Takes values as they are computed.
pub trait Taker {
    /// A value of what is called `of`, if there is one.
    fn take(&mut self, scope: MetricScope, of: &str, metric: String, value: Option<f64>);

    /// A distribution of what is called `of`, under its own name there.
    fn keep(
        &mut self,
        _: MetricScope,
        _of: &str,
        _name: String,
        _: &DistributedQuantity,
        _: &Distribution,
    ) {
    }
}

/// Takes what nobody saw as known by name alone.
#[derive(Debug)]
pub struct Unseen<'a, T>(pub &'a mut T);

impl<T: Taker> Taker for Unseen<'_, T> {
    fn take(&mut self, scope: MetricScope, of: &str, metric: String, _value: Option<f64>) {
        self.0.take(scope, of, metric, None);
    }
}

/// A place to put metrics: whose they are, and what their names begin and end with.
#[derive(Clone, Copy, Debug)]
pub struct MetricPlace<'a> {
    /// What they are of.
    pub scope: MetricScope,
    /// What that is called; empty where there is but one.
    pub of: &'a str,
    /// What their names begin with.
    pub before: &'a str,
    /// What their names end with.
    pub after: &'a str,
}

impl<'a> MetricPlace<'a> {
    /// The whole run.
    pub const RUN: MetricPlace<'static> = MetricPlace::of(MetricScope::Run, "");
    /// The radio channel.
    pub const CHANNEL: MetricPlace<'static> = MetricPlace::of(MetricScope::Channel, "");

    /// Whatever is called `of` there.
    pub const fn of(scope: MetricScope, of: &'a str) -> MetricPlace<'a> {
        MetricPlace {
            scope,
            of,
            before: "",
            after: "",
        }
    }

    /// Where names begin with `before`.
    pub const fn before(self, before: &'a str) -> MetricPlace<'a> {
        MetricPlace { before, ..self }
    }

    /// The name of a metric here.
    pub fn name(&self, metric: &Metric) -> String {
        format!("{}{}{}", self.before, metric.name, self.after)
    }

    /// Computes metrics of `of`.
    pub fn declared<Of>(&self, all: &[Declared<Of>], of: &Of, into: &mut impl Taker) {
        for each in all {
            let value = (each.value)(of);
            into.take(self.scope, self.of, self.name(&each.metric), value);
        }
    }

    /// Computes the percentiles of a distribution, and hands it on.
    pub fn distribution(
        &self,
        of: &DistributedQuantity,
        values: &Distribution,
        into: &mut impl Taker,
    ) {
        self.declared(of.percentiles, values, into);
        into.keep(self.scope, self.of, self.name(&of.metric), of, values);
    }

    /// Takes counts as `count` tells them.
    pub fn counted<C>(
        &self,
        all: &[CountedMetric<C>],
        count: impl Fn(fn(&C) -> u64) -> f64,
        into: &mut impl Taker,
    ) {
        for each in all {
            let value = Some(count(each.count));
            into.take(self.scope, self.of, self.name(&each.metric), value);
        }
    }
}
