//! Which radios a plan has, and whose they are.

use crate::plan::{Plan, RadioPlan};

/// A radio of a plan.
pub struct Placed<'a> {
    pub node: usize,
    pub interface: u16,
    pub radio: &'a RadioPlan,
}

/// The radios of a plan in the order of their interfaces' numbers.
pub fn with_radio(plan: &Plan) -> Vec<Placed<'_>> {
    let mut all = Vec::new();
    for (node, numbers) in plan.interface_numbers().into_iter().enumerate() {
        for (each, interface) in plan.nodes[node].interfaces.iter().zip(numbers) {
            if let Some(radio) = &each.radio {
                all.push(Placed {
                    node,
                    interface,
                    radio,
                });
            }
        }
    }
    all.sort_by_key(|at| at.interface);
    all
}
