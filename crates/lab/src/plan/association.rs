//! What a plan says of stations that look for their access points themselves.

use dot11::association;
use serde::{Deserialize, Serialize};

use super::{EndPlan, NodeRole, PlacedRadio, Plan};

/// Who is associated by frames on the air; all others are so for ever.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssociationPlan {
    /// Access points.
    pub access_points: Vec<AdmittingPlan>,
    /// Stations.
    pub stations: Vec<SeekingPlan>,
}

/// An access point that admits stations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdmittingPlan {
    /// It, and the interface of its radio.
    pub at: EndPlan,
    /// MSDUs given up one after the other that have it send a station away.
    pub lost_packets: Option<u32>,
    /// Whether it keeps what waits for a station that has left, until that is back.
    pub keeps_queue: bool,
}

/// A station that looks for an access point, associated with that of its radio in the beginning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeekingPlan {
    /// It, and the interface of its radio.
    pub at: EndPlan,
    /// How it does so.
    pub by: association::AssociationConfig,
}

impl Plan {
    /// Returns whether a radio is one of a station that looks for its access point.
    pub(crate) fn manages(&self, radio: &PlacedRadio<'_>) -> bool {
        let numbers = || self.interface_numbers();
        self.associations.as_ref().is_some_and(|associations| {
            let numbers = numbers();
            let mut seeking = associations.stations.iter();
            seeking.any(|station| numbers[station.at.node][station.at.interface] == radio.interface)
        })
    }
}

impl AssociationPlan {
    pub(super) fn check(&self, plan: &Plan) -> Result<(), String> {
        let has_role = |at: EndPlan, role: &dyn Fn(NodeRole) -> bool| {
            plan.radio_at(at).is_some() && role(plan.nodes[at.node].role)
        };
        let is_access_point = |role| role == NodeRole::Ap;
        if !(self.access_points.iter()).all(|each| has_role(each.at, &is_access_point)) {
            return Err("access_points: no such access point's radio".into());
        }
        if !(self.stations.iter()).all(|each| has_role(each.at, &|role| !is_access_point(role))) {
            return Err("stations: no such station's radio".into());
        }
        let admits = |at: EndPlan| self.access_points.iter().any(|each| each.at == at);
        for station in &self.stations {
            let radio = plan
                .radio_at(station.at)
                .and_then(|radio| radio.access_point);
            if !radio.is_some_and(admits) {
                return Err("stations: its access point is not among access_points".into());
            }
            if station.by.channels.is_empty() || station.by.tries == 0 {
                return Err("stations: no channels to scan, or no tries".into());
            }
        }
        Ok(())
    }
}
