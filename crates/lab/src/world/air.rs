//! The air of a world: its radios, and the stations that look for access points on it.

use dot11::Address;

use super::association::Associations;
use super::freezing::{FadeMonitor, fade_monitors};
use crate::network::Network;
use crate::plan::Plan;
use crate::radios::Radios;

/// What carries frames between radios.
#[derive(Debug)]
pub struct Air {
    /// All radios, if there are any.
    pub radios: Option<Radios>,
    /// Stations and access points whose associations are made on the air.
    pub associations: Option<Box<Associations>>,
    /// Stations that freeze their connections in fades.
    pub fade_monitors: Vec<FadeMonitor>,
    /// Whose radio has sent the frame that is handed up.
    pub heard_from: Option<Address>,
}

impl Air {
    /// That of a plan, silent.
    pub fn new(plan: &Plan, network: &Network, seed: u64) -> Air {
        let mut air = Air {
            radios: Radios::new(plan, seed),
            associations: Associations::new(plan, network),
            fade_monitors: fade_monitors(plan),
            heard_from: None,
        };
        if let Some(radios) = &mut air.radios {
            (air.fade_monitors.iter()).for_each(|monitor| radios.monitor(monitor.interface));
        }
        air
    }
}
