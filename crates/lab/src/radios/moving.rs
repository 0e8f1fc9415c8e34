//! Links whose loss changes because radios move.

use std::sync::Arc;

use air::mobility::Path;
use air::{LinkBudget, Process, propagation};
use engine::Purpose;
use units::{Db, Time};

use crate::luck::Lot;
use crate::plan::{MotionPlan, PlacedRadio, Plan};

/// What the places of two radios do to the loss that they had in the beginning.
#[derive(Debug)]
struct Moving {
    model: Arc<propagation::Config>,
    frequency_hz: f64,
    ends: [Arc<Path>; 2],
    first: Db,
}

impl Moving {
    fn loss(&self, at: Time) -> Db {
        let ends = self.ends.each_ref().map(|path| path.place(at));
        self.model.loss(ends, self.frequency_hz)
    }
}

impl Process for Moving {
    fn gain(&mut self, at: Time) -> f64 {
        libm::pow(10.0, (self.first.0 - self.loss(at).0) / 10.0)
    }
}

/// Lets the losses of a plan follow the distances between those who move and all others that they
/// are told of.
///
/// Where a radio goes by chance is decided by the number of its node alone.
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
            let mut luck = Lot::new(seed, node as u64, Purpose::Movement);
            Arc::new(match placed {
                Some(placed) => match &placed.movement {
                    Some(movement) => movement.path(placed.place, end, &mut luck),
                    None => Path::still(placed.place),
                },
                None => Path::still(units::Place::default()),
            })
        })
        .collect();
    let model = Arc::new(motion.propagation.clone());
    let of = |node: usize| (0..).zip(radios).filter(move |(_, at)| at.node == node);
    for &[one, other] in &motion.pairs {
        let moving = || {
            let mut made = Moving {
                model: Arc::clone(&model),
                frequency_hz: f64::from(motion.frequency_mhz) * 1e6,
                ends: [one, other].map(|node| Arc::clone(&paths[node])),
                first: Db(0.0),
            };
            made.first = made.loss(Time::ZERO);
            Box::new(made)
        };
        for (first, _) in of(one) {
            for (second, _) in of(other) {
                budget.vary([first, second], moving());
            }
        }
    }
}
