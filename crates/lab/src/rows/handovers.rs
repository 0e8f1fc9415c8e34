//! Handovers as a table: from which agent to which, and what registering took.

use std::collections::BTreeMap;

use units::Time;
use units::table::Node;

use super::log::{LogPiece, RowLog};
use crate::ids::NodeId;

units::row! {
    /// Each change of a mobile node's agent, in the order of time.
    pub struct Handover = "handovers" {
        /// the station
        station: Node, "";
        /// the agent that it is with from then on
        agent: Node, "";
        /// when it found out, and sent its request
        found_s: Time, "s";
        /// when the reply to a request had come; NaN if none did before the next change
        registered_s: Option<Time>, "s";
    }
}

/// Handovers so far.
#[derive(Debug, Default)]
pub struct Handovers {
    rows: RowLog<Handover>,
    /// By station, the last one: only that may still change.
    last: BTreeMap<NodeId, usize>,
}

impl Handovers {
    /// A station is with another agent from now on.
    pub fn on_change(&mut self, now: Time, station: NodeId, agent: NodeId) {
        let row = self.rows.push(Handover {
            station: station.into(),
            agent: agent.into(),
            found_s: now,
            registered_s: None,
        });
        self.last.insert(station, row);
    }

    /// A station is registered.
    pub fn on_registration(&mut self, now: Time, station: NodeId) {
        if let Some(&row) = self.last.get(&station) {
            (self.rows).change(row, |handover| _ = handover.registered_s.get_or_insert(now));
        }
    }

    /// Hands over those of which anything is new.
    pub fn take(&mut self) -> LogPiece<Handover> {
        let last = &self.last;
        self.rows.take(|row| last.values().any(|&each| each == row))
    }
}
