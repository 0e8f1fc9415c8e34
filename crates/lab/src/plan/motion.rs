//! What a plan says of radios that move.

use air::{mobility, propagation};
use serde::{Deserialize, Serialize};
use units::Place;

use super::Plan;

/// Who moves, and what distance does to losses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionPlan {
    /// What distance takes from a signal.
    pub propagation: propagation::Config,
    /// The frequency that its losses are of.
    pub frequency_mhz: u16,
    /// By node: where it is at the beginning, if that is known.
    pub places: Vec<Option<PlacedPlan>>,
    /// Pairs of nodes whose loss follows from their distance, because either of them moves.
    pub pairs: Vec<[usize; 2]>,
}

/// Where a node is at the beginning, and how it moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacedPlan {
    /// Its place.
    pub place: Place,
    /// Its movement; it stays without.
    pub movement: Option<mobility::Config>,
}

impl MotionPlan {
    pub(super) fn check(&self, plan: &Plan) -> Result<(), String> {
        self.propagation.check()?;
        if self.places.len() != plan.nodes.len() {
            return Err(format!("places: must be {}", plan.nodes.len()));
        }
        for placed in self.places.iter().flatten() {
            if let Some(movement) = &placed.movement {
                movement.check()?;
            }
        }
        let has_place = |&node: &usize| self.places.get(node).is_some_and(Option::is_some);
        match self.pairs.iter().flatten().all(has_place) {
            true => Ok(()),
            false => Err("pairs: no such node with a place".into()),
        }
    }
}
