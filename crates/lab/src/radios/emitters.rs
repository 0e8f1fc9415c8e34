//! Emitters, and when each turns on and off.

use air::Emitter;
use units::Time;

use super::{Listening, Radios};
use crate::plan::AirPlan;

/// What is due next of an emitter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Script {
    /// Its turns on and off that have been.
    turns: usize,
}

/// The emitters of a plan, which reach radios of these nodes.
pub fn emitters(air: &AirPlan, nodes: &[usize]) -> Vec<Emitter> {
    let emitters = air.emitters.iter().map(|plan| {
        let received = nodes.iter().map(|&node| plan.received_dbm[node]);
        let bursts = plan.bursts_ns.iter();
        let bursts = bursts.map(|burst| burst.map(|at| Time::ZERO + at));
        Emitter::new(received, air.energy_detection_dbm, bursts.collect())
    });
    emitters.collect()
}

impl Script {
    fn next_at(self, emitter: &Emitter) -> Option<Time> {
        let edges = emitter.bursts().as_flattened();
        // What nobody senses is noise to frames, which is worked out when they end.
        edges
            .get(self.turns)
            .copied()
            .filter(|_| emitter.is_sensed())
    }
}

impl Radios {
    /// When each emitter turns on for the first time, if ever and if anybody notices.
    pub fn first_emissions(&self) -> impl Iterator<Item = Option<Time>> {
        let emitters = self.medium.emitters().iter().zip(&self.scripts);
        emitters.map(|(emitter, script)| script.next_at(emitter))
    }

    /// Turns an emitter on or off, whichever is due; answers when the other is.
    pub fn turn_emitter(&mut self, now: Time, emitter: usize) -> Option<Time> {
        if self.scripts[emitter].turns % 2 == 0 {
            self.ledger.on_emission(now);
            self.medium.radiate(now, emitter);
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
            self.medium.cease(now, emitter, &mut listening);
        }
        let script = &mut self.scripts[emitter];
        script.turns += 1;
        script.next_at(&self.medium.emitters()[emitter])
    }
}
