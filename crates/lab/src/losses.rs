//! Random losses on wires.

use engine::{Purpose, Stream};

use crate::plan::Plan;

/// For each direction of a wire, whether its packets get lost.
#[derive(Debug)]
pub struct Losses {
    /// Link `2 w` from a wire's first end, `2 w + 1` to it; none where nothing is ever lost.
    links: Vec<Option<Link>>,
    /// Packets lost on each.
    pub counts: Vec<u64>,
}

#[derive(Debug)]
struct Link {
    probability: f64,
    luck: Stream,
}

impl Losses {
    /// The losses of a replication with `seed`.
    pub fn new(plan: &Plan, seed: u64) -> Self {
        let link = |number: usize| {
            let probability = plan.wires[number / 2].loss_probability;
            let luck = Stream::new(seed, number as u64, Purpose::WireLoss);
            (probability > 0.0).then_some(Link { probability, luck })
        };
        let links: Vec<Option<Link>> = (0..2 * plan.wires.len()).map(link).collect();
        Losses {
            counts: vec![0; links.len()],
            links,
        }
    }

    /// Whether the packet that is due at the end of `link` has got lost.
    #[inline]
    pub fn strikes(&mut self, link: u16) -> bool {
        let Some(lossy) = &mut self.links[usize::from(link)] else {
            return false;
        };
        let is_lost = lossy.luck.unit() < lossy.probability;
        self.counts[usize::from(link)] += u64::from(is_lost);
        is_lost
    }
}
