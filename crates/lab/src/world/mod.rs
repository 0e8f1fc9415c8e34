//! The world: a plan brought to life.
//!
//! One thread, one calendar. An event is handled to its end before the next:
//! what a machine hands out is given to the next machine at once, so nothing is
//! ever left over between two events.
//!
//! A world can be stepped from outside: [`World::next_wake`] says when it wants
//! to run, [`World::run_until`] runs it, [`World::inject`] and
//! [`World::poll_egress`] pass frames in and out at its ports. The simulator does
//! all of it at once; a wall clock does it as time goes by.

mod air;
mod applications;
mod association;
mod beginning;
mod binding;
mod channel;
mod damaged;
mod dropping;
mod ethernet;
mod event;
mod freezing;
mod hosts;
mod ip;
mod live;
mod measuring;
mod mobile_ip;
mod observers;
mod observing;
mod processing;
mod segment;
mod tcp;
mod translation;

#[cfg(test)]
#[path = "../../tests/world/common.rs"]
mod common;
#[cfg(test)]
mod tests;

pub use live::{FlowStanding, LiveCounts, RadioStanding};
pub use measuring::metric_names;

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use dot11::Setting;
use engine::Calendar;
use units::Time;

use crate::hosts::{Hosts, draw_starts};
use crate::ids::InterfaceId;
use crate::network::{FrameTally, Network, PortCounts, PortRefusal};
use crate::packets::Packets;
use crate::plan::Plan;
use crate::radios::NextOnAir;
use crate::record::{Gathered, Record};
use crate::taps::{Sink, Taps};

use self::air::Air;
use event::WorldEvent;
use observers::Observers;

/// A running world: a clock and a calendar, packets, and four parts that own all else.
#[derive(Debug)]
pub struct World {
    now: Time,
    end: Time,
    calendar: Calendar<WorldEvent>,
    plan: Plan,
    packets: Packets,
    /// What carries packets between machines.
    network: Network,
    /// What sends and takes them.
    hosts: Hosts,
    /// What carries frames between radios.
    air: Air,
    /// What looks at all of it.
    observers: Observers,
}

impl World {
    /// A world at time zero.
    pub fn new(mut plan: Plan, seed: u64) -> World {
        draw_starts(&mut plan, seed);
        let network = Network::new(&plan, seed);
        let air = Air::new(&plan, &network, seed);
        let mut world = World {
            now: Time::ZERO,
            end: Time::ZERO + plan.duration_ns,
            calendar: Calendar::new(),
            packets: Packets::default(),
            hosts: Hosts::new(&plan, &network, seed),
            observers: Observers::new(&plan, &network),
            network,
            air,
            plan,
        };
        world.schedule_beginnings();
        world
    }

    /// Writes what passes at the plan's taps to files in `directory`.
    ///
    /// # Errors
    /// When a file cannot be made.
    pub fn capture_to(&mut self, directory: &Path) -> io::Result<()> {
        std::fs::create_dir_all(directory)?;
        self.capture_into(|name| {
            let file = File::create(directory.join(name))?;
            Ok(Box::new(BufWriter::new(file)))
        })
    }

    /// Writes what passes at the plan's taps to a sink for each, by the name of its file.
    ///
    /// # Errors
    /// When a sink cannot be made.
    pub fn capture_into(
        &mut self,
        sink: impl FnMut(&str) -> io::Result<Box<dyn Sink>>,
    ) -> io::Result<()> {
        let taps = Taps::open(&self.plan, &self.network, sink)?;
        self.tap(taps);
        Ok(())
    }

    /// Hands on what its taps hold back, so that who reads meanwhile sees whole blocks.
    ///
    /// # Errors
    /// When a sink fails.
    pub fn flush_captures(&mut self) -> io::Result<()> {
        self.observers.taps.flush()
    }

    fn tap(&mut self, taps: Taps) {
        self.observers.watch_frames |= taps.watch_frames();
        self.observers.taps = taps;
        self.packets.keep_dropped(self.observers.taps.keep_drops());
        if let Some(radios) = &mut self.air.radios {
            for interface in self.observers.taps.interfaces() {
                radios.monitor(interface);
            }
        }
    }

    /// The time of the last event.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The end of the plan.
    pub fn ends_at(&self) -> Time {
        self.end
    }

    /// Returns when the world wants to run next; [`Time::NEVER`] when nothing will ever happen by
    /// itself.
    #[inline]
    pub fn next_wake(&mut self) -> Time {
        self.calendar.next_at().min(self.next_on_air().0)
    }

    /// Handles everything up to and including `until`.
    pub fn run_until(&mut self, until: Time) {
        loop {
            let (due_at, due) = self.next_on_air();
            let event_at = self.calendar.next_at();
            if due_at.min(event_at) > until {
                break;
            }
            if event_at <= due_at {
                let (now, event) = self.calendar.pop().expect("it has a time");
                self.now = now;
                self.handle(event);
            } else {
                self.now = due_at;
                self.act(due);
            }
        }
        self.now = self.now.max(until);
    }

    #[inline]
    fn next_on_air(&mut self) -> (Time, NextOnAir) {
        match &mut self.air.radios {
            Some(radios) => radios.next(),
            None => (Time::NEVER, NextOnAir::End),
        }
    }

    /// Runs to the end of the plan and answers what was measured.
    ///
    /// # Errors
    /// When a capture file cannot be written.
    pub fn run(mut self) -> io::Result<Record> {
        self.run_until(self.end);
        self.finish()
    }

    /// Runs to the end of the plan and answers what was measured, and what passed at the plan's
    /// taps: of each its name and the bytes of a pcapng file.
    pub fn run_captured(mut self) -> (Record, Vec<(String, Vec<u8>)>) {
        self.tap(Taps::in_memory(&self.plan, &self.network));
        self.run_until(self.end);
        let captures = std::mem::take(&mut self.observers.taps).finish();
        (
            self.conclude(),
            captures.expect("memory takes whatever is written"),
        )
    }

    /// Ends the run now and answers what was measured.
    ///
    /// # Errors
    /// When a capture file cannot be written.
    pub fn finish(mut self) -> io::Result<Record> {
        std::mem::take(&mut self.observers.taps).finish()?;
        Ok(self.conclude())
    }

    /// The same of a world whose rows are handed over in pieces: the record without rows, and the
    /// last piece of them.
    ///
    /// # Errors
    /// When a capture file cannot be written.
    pub fn finish_in_pieces(mut self) -> io::Result<(Record, Gathered)> {
        std::mem::take(&mut self.observers.taps).finish()?;
        Ok(self.conclude_in_pieces())
    }

    /// Hands an Ethernet frame, without its check sequence, into the world at a port: the number of
    /// its interface, of which a node's first has the node's own.
    ///
    /// The frame enters now, that is at the time up to which the world has run.
    ///
    /// # Errors
    /// When the interface is no port's, or the frame is shorter than its header or longer than the
    /// interface's MTU allows behind it and tags of VLANs.
    pub fn inject(&mut self, port: InterfaceId, frame: &[u8]) -> Result<(), PortRefusal> {
        let mut packet = (self.network.ports).admit(self.now, port, frame, &mut self.packets)?;
        let here = self.network.interface(port);
        let (node, role) = (here.node, here.role);
        if let Some(outside_flows) = &mut self.observers.outside_flows {
            outside_flows.enters(self.now, node, &mut packet, &mut self.hosts.flows);
        }
        let handle = self.packets.insert(packet);
        if let Some(bytes) = packet.load {
            self.packets.release_bytes(bytes);
        }
        match role.bridges() {
            true => self.send_from_bridge(node, handle),
            false => self.send_frame(port, handle),
        }
        Ok(())
    }

    /// The value of a setting of an interface's radio; nothing of what has none.
    pub fn setting(&self, radio: InterfaceId, setting: Setting) -> Option<u16> {
        self.air.radios.as_ref()?.setting(radio, setting)
    }

    /// Gives a setting of an interface's radio another value, from now on; false, and nothing has
    /// changed, if it may not have that or there is no radio.
    pub fn set(&mut self, radio: InterfaceId, setting: Setting, value: u16) -> bool {
        let radios = self.air.radios.as_mut();
        radios.is_some_and(|radios| radios.set(radio, setting, value))
    }

    /// The next frame that left the world, written into `frame`, which is cleared first: when, and
    /// at which port.
    pub fn poll_egress(&mut self, frame: &mut Vec<u8>) -> Option<(Time, InterfaceId)> {
        self.network.ports.poll(&mut self.packets, frame)
    }

    /// Returns what has passed a port; nothing of what is none.
    pub fn port_counts(&self, port: InterfaceId) -> Option<PortCounts> {
        self.network.ports.counts(port)
    }

    /// Returns what has become of the frames that were let in at ports and did not come out at one.
    pub fn frame_tally(&self) -> FrameTally {
        self.network.ports.tally(&self.packets)
    }

    /// Real packets in the world: in queues, on wires, on the air, or waiting to be polled. It looks
    /// at every packet there is.
    pub fn frames_under_way(&self) -> usize {
        self.packets.real()
    }

    fn handle(&mut self, event: WorldEvent) {
        match event {
            WorldEvent::Arrival(link) => self.arrive(link),
            WorldEvent::Impaired(link) => self.take_from_chain(link),
            WorldEvent::Segment(segment) => self.wake_segment(segment),
            WorldEvent::Timer(socket) => self.look_at_timers(socket),
            WorldEvent::Start(flow) => self.start(flow),
            WorldEvent::Wake(owner) => self.wake(owner),
            WorldEvent::BindingRequest(flow) => self.send_binding_request(flow),
            WorldEvent::Stop(flow) => self.stop(flow),
            WorldEvent::Processed(node) => self.finish_processing(node),
            WorldEvent::QueueSpace(owner) => self.offer_queue_space(owner),
            WorldEvent::Beacon(interface) => self.beacon(interface),
            WorldEvent::Agreements(radio) => self.look_at_agreements(radio),
            WorldEvent::Emission(emitter) => self.turn_emitter(emitter),
            WorldEvent::Neighbours(interface) => self.look_at_neighbours(interface),
            WorldEvent::Advertisement(agent) => self.advertise(agent),
            WorldEvent::Association(interface) => self.look_at_association(interface),
            WorldEvent::Mobile(node) => self.wake_mobile(node),
            WorldEvent::Fade(station) => self.freeze_or_thaw(station),
            WorldEvent::Step => self.step(),
            WorldEvent::Measure => self.measure(),
            WorldEvent::Edge => self.cut_if_due(),
            WorldEvent::Sample => self.sample_tcp_info(),
        }
    }
}
