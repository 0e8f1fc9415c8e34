//! Stations that foresee fades: once the level of their access point has fallen, their TCP tells its
//! peers of no window, as in Freeze-TCP (`tcp::Connection::freeze`).

use air::Transmission;
use units::Dbm;

use super::{World, WorldEvent};
use crate::ids::{InterfaceId, NodeId};
use crate::meters::LevelMeter;
use crate::plan::Plan;

/// A station that looks at the level which its driver reports.
#[derive(Debug)]
pub struct FadeMonitor {
    /// The station's.
    pub interface: InterfaceId,
    node: NodeId,
    below: Dbm,
    level: LevelMeter,
    is_faded: bool,
}

/// The stations of a plan that do.
pub fn fade_monitors(plan: &Plan) -> Vec<FadeMonitor> {
    let radios = plan.radios();
    let monitor = |at: &crate::plan::PlacedRadio<'_>| {
        Some(FadeMonitor {
            interface: at.interface,
            node: NodeId::at(at.node),
            below: at.radio.freeze_below_dbm?,
            level: LevelMeter::default(),
            is_faded: false,
        })
    };
    radios.iter().filter_map(monitor).collect()
}

impl World {
    /// A frame has ended. What it says of a level is acted upon once all have done with it.
    pub(super) fn follow_levels(&mut self, done: &Transmission) {
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        let sender = done.frame.transmitter;
        for monitor in &mut self.air.fade_monitors {
            let interface = monitor.interface;
            let own = self.network.interface(interface).access_point;
            let is_own = own.is_some_and(|own| radios.interface_of(sender) == own);
            if !is_own || !radios.taken.heard.contains(&interface) {
                continue;
            }
            let Some(level) = monitor
                .level
                .note(self.now, radios.signal(sender, interface))
            else {
                continue;
            };
            if monitor.is_faded != (level.0 < monitor.below.0) {
                monitor.is_faded = !monitor.is_faded;
                self.calendar
                    .schedule(self.now, WorldEvent::Fade(interface));
            }
        }
    }

    /// All connections of a station are frozen, or go on.
    pub(super) fn freeze_or_thaw(&mut self, interface: InterfaceId) {
        let mut monitors = self.air.fade_monitors.iter();
        let Some(monitor) = monitors.find(|monitor| monitor.interface == interface) else {
            return;
        };
        let FadeMonitor { node, is_faded, .. } = *monitor;
        for number in self.hosts.sockets.numbers_on(node) {
            let Some(end) = self.hosts.sockets.get_mut(number) else {
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
