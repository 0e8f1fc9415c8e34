//! Links whose loss changes because radios move.

use std::sync::Arc;

use air::mobility::{Path, seconds};
use air::{LinkBudget, Process, propagation};
use engine::Purpose;
use units::{Db, Time};

use crate::plan::{MotionPlan, PlacedRadio, Plan};
use crate::streams::{NamedStream, name_hash};

/// What the places of two radios do to the loss that they had in the beginning.
#[derive(Debug)]
struct Moving {
    model: Arc<propagation::Config>,
    frequency_hz: f64,
    ends: [Arc<Path>; 2],
    /// How fast they come closer or part, at most, in m/s.
    speed: f64,
    first: Db,
    asked: LastLookup,
}

/// What has been asked last.
#[derive(Clone, Copy, Debug)]
struct LastLookup {
    at: Time,
    distance_m: f64,
}

/// The part of a stretch that is taken as safe where floats are compared.
const SAFE: f64 = 0.999;

impl Moving {
    fn new(model: Arc<propagation::Config>, frequency_hz: f64, ends: [Arc<Path>; 2]) -> Moving {
        let mut moving = Moving {
            model,
            frequency_hz,
            speed: ends.iter().map(|path| path.fastest()).sum(),
            ends,
            first: Db(0.0),
            asked: LastLookup {
                at: Time::ZERO,
                distance_m: 0.0,
            },
        };
        moving.first = moving.loss(Time::ZERO);
        moving
    }

    fn loss(&mut self, at: Time) -> Db {
        let ends = self.ends.each_ref().map(|path| path.place(at));
        let distance_m = ends[0].distance(ends[1]);
        self.asked = LastLookup { at, distance_m };
        self.model.loss(ends, self.frequency_hz)
    }
}

impl Process for Moving {
    fn gain(&mut self, at: Time) -> f64 {
        Db(self.first.0 - self.loss(at).0).ratio()
    }

    fn deviates_until(&self, by: Db) -> Option<Time> {
        let LastLookup { at, distance_m } = self.asked;
        let within = SAFE * self.model.distance_within(distance_m, by)?;
        Some(at + seconds(within / self.speed))
    }
}

/// Lets the losses of a plan follow the distances between those who move and all others that they
/// are told of.
///
/// Where a radio goes by chance is decided by the name of its node alone.
pub fn set_moving(
    budget: &mut LinkBudget,
    motion: &MotionPlan,
    plan: &Plan,
    radios: &[PlacedRadio<'_>],
    seed: u64,
) {
    let end = Time::ZERO + plan.duration_ns;
    let paths: Vec<Arc<Path>> = (motion.places.iter().enumerate())
        .map(|(node, placed)| {
            let name = name_hash(&plan.nodes[node].name);
            let mut stream = NamedStream::new(seed, name, Purpose::Movement);
            Arc::new(match placed {
                Some(placed) => match &placed.movement {
                    Some(movement) => movement.path(placed.place, end, &mut stream),
                    None => Path::still(placed.place),
                },
                None => Path::still(units::Place::default()),
            })
        })
        .collect();
    let model = Arc::new(motion.propagation.clone());
    let frequency_hz = f64::from(motion.frequency_mhz) * 1e6;
    let of = |node: usize| (0..).zip(radios).filter(move |(_, at)| at.node == node);
    for &[one, other] in &motion.pairs {
        let ends = || [one, other].map(|node| Arc::clone(&paths[node]));
        for (first, _) in of(one) {
            for (second, _) in of(other) {
                let moving = Moving::new(Arc::clone(&model), frequency_hz, ends());
                budget.vary([first, second], Box::new(moving));
            }
        }
    }
}
