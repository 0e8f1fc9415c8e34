//! What is in the calendar when a world begins.

use units::{Duration, Time};

use super::{World, WorldEvent};
use crate::ids::{AgentId, EmitterId, FlowId, InterfaceId};
use crate::plan::Plan;
use crate::radios::Radios;

impl World {
    pub(super) fn schedule_beginnings(&mut self) {
        for (interface, first) in first_beacons(&self.plan) {
            self.calendar
                .schedule(Time::ZERO + first, WorldEvent::Beacon(interface));
        }
        let agents = (self.network.mobile_ip.iter()).flat_map(|each| each.first_advertisements());
        for (agent, first) in (0..).map(AgentId).zip(agents) {
            let event = WorldEvent::Advertisement(agent);
            self.calendar.schedule(Time::ZERO + first, event);
        }
        let mobiles = self
            .network
            .mobile_ip
            .iter()
            .flat_map(|each| each.first_wakes());
        for (node, first) in mobiles {
            self.calendar.schedule(first, WorldEvent::Mobile(node));
        }
        let seeking = self.air.associations.iter().flat_map(|all| all.stations());
        for interface in seeking.collect::<Vec<_>>() {
            self.do_as_told(interface);
        }
        let emitters = self.air.radios.iter().flat_map(Radios::first_emissions);
        for (emitter, first) in (0..).map(EmitterId).zip(emitters) {
            if let Some(at) = first {
                self.calendar.schedule(at, WorldEvent::Emission(emitter));
            }
        }
        for (id, flow) in (0..).map(FlowId).zip(&self.plan.flows) {
            if self.plan.begins_outside(flow) {
                continue;
            }
            self.calendar
                .schedule(Time::ZERO + flow.start_ns, WorldEvent::Start(id));
            if let Some(stop) = flow.stop_ns {
                (self.calendar).schedule(Time::ZERO + stop, WorldEvent::Stop(id));
            }
        }
        self.calendar
            .schedule(Time::ZERO + self.plan.warmup_ns, WorldEvent::Measure);
        self.schedule_samples();
    }
}

/// The first beacon of each radio that sends some. They are spread over an interval, as access
/// points that were not switched on together have them; those of one instant would all collide.
/// Each has its place whoever comes after it: by van der Corput's sequence, half of an interval,
/// then its quarters, and so on.
fn first_beacons(plan: &Plan) -> Vec<(InterfaceId, Duration)> {
    let radios = plan.radios();
    let beacons =
        (radios.iter()).filter_map(|at| Some((at.interface, at.radio.beacon_interval_ns?)));
    let spread = (0_u64..).zip(beacons);
    spread
        .map(|(place, (interface, interval))| {
            let part = (u128::from(place.reverse_bits()) * u128::from(interval.as_nanos())) >> 64;
            (interface, interval + Duration::from_nanos(part as u64))
        })
        .collect()
}
