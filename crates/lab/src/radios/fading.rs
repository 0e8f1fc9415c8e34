//! Links that fade, and where each process's draws come from.

use air::LinkBudget;
use engine::Purpose;

use crate::luck::{Lot, name_hash};
use crate::plan::{FadingPlan, PlacedRadio, ProcessPlan};

/// Lets the links of a plan fade, those between all radios of their nodes.
///
/// A link's streams are named by the numbers of its two interfaces, the lower one first, and by
/// the name of the process: so nothing else of the plan matters.
pub fn fade(budget: &mut LinkBudget, links: &[FadingPlan], radios: &[PlacedRadio<'_>], seed: u64) {
    let of = |node: usize| {
        let all = (0..).zip(radios);
        all.filter(move |(_, at)| at.node == node)
            .map(|(radio, at)| (u64::from(at.interface), radio))
    };
    for plan in links {
        for &[first, second] in &plan.between {
            for one in of(first) {
                for other in of(second) {
                    let [low, high] = [one.min(other), one.max(other)];
                    for ProcessPlan { name, process } in &plan.by {
                        let entity = (low.0 << 48 | high.0 << 32) ^ name_hash(name);
                        let luck = Lot::new(seed, entity, Purpose::Fading);
                        budget.vary([low.1, high.1], process.process(luck));
                    }
                }
            }
        }
    }
}
