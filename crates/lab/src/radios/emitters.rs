//! Emitters, and when each turns on and off.

use air::Emitter;
use units::{Duration, Time};

use super::{Listening, Radios};
use crate::plan::AirPlan;

/// An emitter and its script.
#[derive(Debug)]
pub struct Scripted {
    emitter: Emitter,
    /// When it turns on, off, on and so on.
    edges: Vec<Duration>,
    /// The edge that comes next.
    next: usize,
}

impl Scripted {
    /// The emitters of a plan, which reach radios of these nodes.
    pub fn all(air: &AirPlan, nodes: &[usize]) -> Vec<Scripted> {
        let scripted = air.emitters.iter().map(|plan| {
            let received = nodes.iter().map(|&node| plan.received_dbm[node]);
            Scripted {
                emitter: Emitter::new(received, air.energy_detection_dbm),
                edges: plan.bursts_ns.as_flattened().to_vec(),
                next: 0,
            }
        });
        scripted.collect()
    }

    fn next_at(&self) -> Option<Time> {
        let edge = self.edges.get(self.next);
        edge.map(|&edge| Time::ZERO + edge)
    }
}

impl Radios {
    /// When each emitter turns on for the first time, if ever.
    pub fn first_emissions(&self) -> impl Iterator<Item = Option<Time>> {
        self.emitters.iter().map(Scripted::next_at)
    }

    /// Turns an emitter on or off, whichever is due; answers when the other is.
    pub fn turn_emitter(&mut self, now: Time, emitter: usize) -> Option<Time> {
        let turned = &mut self.emitters[emitter];
        if turned.next % 2 == 0 {
            self.ledger.on_emission(now);
            self.medium.radiate(now, &turned.emitter);
        } else {
            self.ledger.on_emission_end(now);
            let mut listening = Listening {
                now,
                each: &mut self.each,
                heard: &mut self.heard,
                delivered: &mut self.delivered,
                duplicate: false,
                to_settle: &mut self.to_settle,
            };
            self.medium.cease(now, &turned.emitter, &mut listening);
        }
        turned.next += 1;
        turned.next_at()
    }
}
