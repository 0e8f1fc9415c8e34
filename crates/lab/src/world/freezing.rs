//! Stations that foresee fades: once the level of their access point has fallen, their TCP tells its
//! peers of no window, as in Freeze-TCP (`tcp::Connection::freeze`).

use air::Transmission;
use units::Dbm;

use super::{Event, World};
use crate::levels::LevelMeter;
use crate::plan::Plan;

/// A station that looks at the level which its driver reports.
#[derive(Debug)]
pub struct Foresight {
    interface: u16,
    node: u16,
    below: Dbm,
    level: LevelMeter,
    is_faded: bool,
}

/// The stations of a plan that do.
pub fn foresights(plan: &Plan) -> Vec<Foresight> {
    let radios = plan.radios();
    let foresight = |at: &crate::plan::PlacedRadio<'_>| {
        Some(Foresight {
            interface: at.interface,
            node: at.node as u16,
            below: at.radio.freeze_below_dbm?,
            level: LevelMeter::default(),
            is_faded: false,
        })
    };
    radios.iter().filter_map(foresight).collect()
}

impl World {
    pub(super) fn watch_levels(&mut self) {
        self.is_air_watched |= !self.foresights.is_empty();
        let Some(radios) = &mut self.radios else {
            return;
        };
        for foresight in &self.foresights {
            radios.monitor(foresight.interface);
        }
    }

    /// A frame has ended. What it says of a level is acted upon once all have done with it.
    pub(super) fn follow_levels(&mut self, done: &Transmission) {
        let Some(radios) = &mut self.radios else {
            return;
        };
        let sender = done.frame.transmitter;
        for (which, foresight) in (0..).zip(&mut self.foresights) {
            let interface = foresight.interface;
            let own = self.network.interface(interface).access_point;
            let is_own = own.is_some_and(|own| radios.interface_of(sender) == own);
            if !is_own || !radios.taken.heard.contains(&interface) {
                continue;
            }
            let Some(level) = foresight
                .level
                .note(self.now, radios.signal(sender, interface))
            else {
                continue;
            };
            if foresight.is_faded != (level.0 < foresight.below.0) {
                foresight.is_faded = !foresight.is_faded;
                self.calendar.schedule(self.now, Event::Foresight(which));
            }
        }
    }

    /// All connections of a station are frozen, or go on.
    pub(super) fn freeze_or_thaw(&mut self, which: u16) {
        let Foresight { node, is_faded, .. } = self.foresights[usize::from(which)];
        for number in self.sockets.numbers_on(node) {
            let Some(end) = self.sockets.get_mut(number) else {
                continue;
            };
            match is_faded {
                true => end.connection.freeze(),
                false => end.connection.thaw(self.now),
            }
            self.pump(number);
        }
    }
}
