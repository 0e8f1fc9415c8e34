//! Links that fade, and where each process's draws come from.

use air::LinkBudget;
use engine::Purpose;

use crate::plan::{FadingPlan, PlacedRadio, ProcessPlan, RadioPlan};
use crate::streams::{NamedStream, name_hash};

/// Lets the links of a plan fade, those between all radios of their nodes.
///
/// A link's streams are named by its two radios and by the process: so nothing else of the plan
/// matters.
pub fn fade(budget: &mut LinkBudget, links: &[FadingPlan], radios: &[PlacedRadio<'_>], seed: u64) {
    let of = |node: usize| {
        let all = (0..).zip(radios);
        all.filter(move |(_, at)| at.node == node)
            .map(|(radio, _)| radio)
    };
    for plan in links {
        for &[first, second] in &plan.between {
            for one in of(first) {
                for other in of(second) {
                    let [low, high] = [one.min(other), one.max(other)];
                    let link = link_hash(radios[low].radio, radios[high].radio);
                    for ProcessPlan { name, process } in &plan.by {
                        let stream =
                            NamedStream::new(seed, link ^ name_hash(name), Purpose::Fading);
                        budget.vary([low, high], process.process(stream));
                    }
                }
            }
        }
    }
}

/// Returns what names a link between two radios, whichever of them comes first.
fn link_hash(one: &RadioPlan, other: &RadioPlan) -> u64 {
    let [one, other] = [one, other].map(|radio| name_hash(&radio.name));
    one.max(other).rotate_left(32) ^ one.min(other)
}
