//! Emitters, and when each turns on and off.

use std::sync::Arc;

use air::noise::{ListeningBand, Radiation};
use air::{Emitter, ReceivedEmission};
use engine::Purpose;
use units::{Db, Dbm, Time};

use super::{Listening, Radios};
use crate::ids::EmitterId;
use crate::plan::{AirPlan, PlacedRadio};
use crate::streams::{NamedStream, name_hash};

/// What is due next of an emitter.
#[derive(Clone, Copy, Debug)]
pub struct EmitterSchedule {
    /// The end of the burst that is on.
    on_until: Option<Time>,
    /// When the last one ended.
    silent_since: Time,
}

impl Default for EmitterSchedule {
    fn default() -> EmitterSchedule {
        EmitterSchedule {
            on_until: None,
            silent_since: Time::ZERO,
        }
    }
}

/// The emitters of a plan as its radios receive them, in the replication with `seed`.
pub fn emitters(air: &AirPlan, placed: &[PlacedRadio<'_>], seed: u64) -> Vec<Emitter> {
    let mut bands: Vec<ListeningBand> = placed.iter().map(|at| at.radio.band()).collect();
    bands.sort_unstable_by_key(|band| band.centre_mhz);
    bands.dedup();
    let mut emitters = Vec::new();
    for plan in &air.emitters {
        let mut stream = NamedStream::new(seed, name_hash(&plan.name), Purpose::Emission);
        for (band, radiation) in in_bands(plan.noise.radiation(&mut stream), &bands) {
            let received = placed.iter().map(|at| {
                let is_there = band.is_none_or(|band| band == at.radio.band());
                match is_there {
                    true => received(plan.received_dbm[at.node], &*radiation, at, air),
                    false => ReceivedEmission::NOTHING,
                }
            });
            emitters.push(Emitter::new(received.collect::<Vec<_>>(), radiation));
        }
    }
    emitters
}

/// Returns an emitter as radios meet it: for what moves about in the spectrum, one of its own in every
/// band that a radio listens to.
fn in_bands(
    radiation: Arc<dyn Radiation>,
    bands: &[ListeningBand],
) -> Vec<(Option<ListeningBand>, Arc<dyn Radiation>)> {
    let part = |&band: &ListeningBand| Some((Some(band), radiation.in_band(band)?));
    let parts: Option<Vec<_>> = bands.iter().map(part).collect();
    parts.unwrap_or_else(|| vec![(None, radiation)])
}

/// Returns what a radio takes in of what arrives at its antenna.
fn received(
    arrives: Dbm,
    radiation: &dyn Radiation,
    at: &PlacedRadio<'_>,
    air: &AirPlan,
) -> ReceivedEmission {
    let own = at.radio.frequency_mhz;
    let offset_mhz = radiation.frequency_mhz().unwrap_or(own).abs_diff(own);
    let mask = radiation.spectrum().filter(|_| offset_mhz != 0);
    let bandwidth_hz = at.radio.mac.phy().bandwidth_hz;
    let taken_off = match mask {
        Some(mask) => mask.loss(offset_mhz, bandwidth_hz),
        None => Some(Db(0.0)),
    };
    let Some(taken_off) = taken_off else {
        return ReceivedEmission::NOTHING;
    };
    let is_frame = radiation.has_preamble() && offset_mhz == 0;
    let sensed_from = match is_frame && air.preamble_detection_dbm.0 < air.energy_detection_dbm.0 {
        true => air.preamble_detection_dbm,
        false => air.energy_detection_dbm,
    };
    ReceivedEmission::new(arrives - taken_off, sensed_from)
}

impl EmitterSchedule {
    fn next_at(self, emitter: &Emitter) -> Option<Time> {
        // What nobody senses is noise to frames, which is worked out when they end.
        if !emitter.is_sensed() {
            return None;
        }
        let begin = || {
            emitter
                .burst_after(self.silent_since)
                .map(|[begin, _]| begin)
        };
        self.on_until.or_else(begin)
    }
}

impl Radios {
    /// Returns when each emitter turns on for the first time, if ever and if anybody notices.
    pub fn first_emissions(&self) -> impl Iterator<Item = Option<Time>> {
        let emitters = self.medium.emitters().iter().zip(&self.scripts);
        emitters.map(|(emitter, script)| script.next_at(emitter))
    }

    /// Turns an emitter on or off, whichever is due; answers when the other is.
    pub fn turn_emitter(&mut self, now: Time, emitter: EmitterId) -> Option<Time> {
        let emitter = emitter.index();
        if self.scripts[emitter].on_until.is_none() {
            let burst = self.medium.emitters()[emitter].burst_after(now);
            self.scripts[emitter].on_until = burst.map(|[_, end]| end);
            (self.vantages).on_emission(now, &self.medium.emitters()[emitter]);
            self.medium.radiate(now, emitter);
        } else {
            self.scripts[emitter] = EmitterSchedule {
                on_until: None,
                silent_since: now,
            };
            (self.vantages).on_emission_end(now, &self.medium.emitters()[emitter]);
            let mut listening = Listening {
                now,
                each: &mut self.each,
                taken: &mut self.taken,
                counters: &mut self.counters,
                of_address: &self.of_address,
            };
            self.medium.cease(now, emitter, &mut listening);
        }
        self.scripts[emitter].next_at(&self.medium.emitters()[emitter])
    }
}
