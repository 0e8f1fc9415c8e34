//! What radios keep account of, station by station.

use dot11::Category;
use dot11::rate_control::KnownRates;
use net::queue::StationCounts;

use super::{Radio, Radios};
use crate::ids::NodeId;

/// From a radio to another, in one access category.
#[derive(Clone, Copy, Debug)]
pub struct AccessPath {
    /// Whose radio sends.
    pub from: NodeId,
    /// Whose receives.
    pub to: NodeId,
    /// The category; best effort without EDCA.
    pub category: Category,
}

impl AccessPath {
    fn between(from: &Radio, to: &Radio) -> AccessPath {
        let function = from.mac.config().edca;
        AccessPath {
            from: from.node,
            to: to.node,
            category: function.map_or(Category::BestEffort, |function| function.category),
        }
    }
}

impl Radios {
    /// What rate controls know of those that they have sent to.
    pub fn known_rates(&self) -> impl Iterator<Item = (AccessPath, KnownRates)> {
        self.pairs().filter_map(|(from, to)| {
            let known = from.mac.known_rates(to.mac.address())?;
            Some((AccessPath::between(from, to), known))
        })
    }

    /// Work of queues in front of radios for each station.
    pub fn station_counts(&self) -> impl Iterator<Item = (AccessPath, StationCounts)> {
        self.pairs().filter_map(|(from, to)| {
            let queue = from.interface_queue.as_ref()?;
            Some((
                AccessPath::between(from, to),
                queue.counts_of(to.mac.address())?,
            ))
        })
    }

    fn pairs(&self) -> impl Iterator<Item = (&Radio, &Radio)> {
        let each = self.each.iter();
        each.flat_map(|from| self.each.iter().map(move |to| (from, to)))
    }
}
