//! Metrics that are computed rather than counted, and where all of them go.

use units::declaration::{Counted, Metric};

/// A metric, and how it is computed.
pub struct Declared<Of: 'static> {
    /// What it is called and means.
    pub metric: Metric,
    /// Its value; none where there is nothing to compute it from.
    pub value: fn(&Of) -> Option<f64>,
}

/// What metrics are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// All of a run.
    Run,
    /// The radio channel.
    Channel,
    /// A flow.
    Flow,
    /// An access point or a station.
    Node,
    /// A wire, one end of it and maybe a stage there.
    Wire,
}

impl Scope {
    /// What stands before the name of what is measured; nothing where there is but one.
    pub fn prefix(self) -> &'static str {
        match self {
            Scope::Run | Scope::Channel => "",
            Scope::Flow => "flow",
            Scope::Node => "node",
            Scope::Wire => "wire",
        }
    }

    /// A word of Scope::WORDS.
    pub const WORDS: [&'static str; 5] = ["run", "channel", "flow", "node", "wire"];
}

/// Takes values as they are computed.
pub trait Taker {
    /// A value of what is called `of`, if there is one.
    fn take(&mut self, scope: Scope, of: &str, metric: String, value: Option<f64>);
}

/// A place to put metrics: whose they are, and what their names begin and end with.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub scope: Scope,
    pub of: &'a str,
    pub before: &'a str,
    pub after: &'a str,
}

impl<'a> Place<'a> {
    pub const RUN: Place<'static> = Place::of(Scope::Run, "");
    pub const CHANNEL: Place<'static> = Place::of(Scope::Channel, "");

    pub const fn of(scope: Scope, of: &'a str) -> Place<'a> {
        Place {
            scope,
            of,
            before: "",
            after: "",
        }
    }

    /// Where names begin with `before`.
    pub const fn before(self, before: &'a str) -> Place<'a> {
        Place { before, ..self }
    }

    /// The name of a metric here.
    pub fn name(&self, metric: &Metric) -> String {
        format!("{}{}{}", self.before, metric.name, self.after)
    }

    pub fn declared<Of>(&self, all: &[Declared<Of>], of: &Of, into: &mut impl Taker) {
        for each in all {
            let value = (each.value)(of);
            into.take(self.scope, self.of, self.name(&each.metric), value);
        }
    }

    pub fn counted<C>(
        &self,
        all: &[Counted<C>],
        count: impl Fn(fn(&C) -> u64) -> f64,
        into: &mut impl Taker,
    ) {
        for each in all {
            let value = Some(count(each.count));
            into.take(self.scope, self.of, self.name(&each.metric), value);
        }
    }
}
