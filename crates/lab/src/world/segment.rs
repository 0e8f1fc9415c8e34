//! Shared cables: frames go to all who share them, and each takes what is for it.

use net::segment::Outcome;
use units::Time;

use super::{Event, World};
use crate::drops::Why;
use crate::network::Entrance;

impl World {
    #[inline(never)]
    pub(super) fn send_on_segment(&mut self, segment: u16, station: u16, handle: u32) {
        let shared = &mut self.segments[usize::from(segment)];
        let sent = shared.send(self.now, station, handle, &mut self.packets);
        if let Err(cause) = sent {
            let interface = self.network.members_of(segment)[usize::from(station)];
            self.drop_at(interface, handle, Why::Queue(cause));
        }
        self.look_at_segment(segment);
    }

    /// Sees to it that the segment is woken in time.
    fn look_at_segment(&mut self, segment: u16) {
        let shared = &mut self.segments[usize::from(segment)];
        let wake_at = shared.next_wake(self.now);
        if wake_at != Time::NEVER {
            self.calendar.schedule(wake_at, Event::Segment(segment));
        }
    }

    /// The time has come that a segment asked for.
    pub(super) fn wake_segment(&mut self, segment: u16) {
        let poll = |world: &mut World| {
            world.segments[usize::from(segment)].poll(world.now, &mut world.packets)
        };
        while let Some(outcome) = poll(self) {
            match outcome {
                Outcome::Arrived { from, packet } => self.spread(segment, from, packet),
                Outcome::GivenUp { from, packet } => {
                    let interface = self.network.members_of(segment)[usize::from(from)];
                    self.drop_at(interface, packet, Why::ExcessiveCollisions);
                    self.refill(segment, from);
                }
            }
        }
        self.look_at_segment(segment);
    }

    /// A frame has reached all who share the segment.
    fn spread(&mut self, segment: u16, from: u16, handle: u32) {
        if self.taps.any_wire() {
            let packet = self.packets.get(handle);
            (self.taps).on_segment(&self.packets, usize::from(segment), packet, self.now);
            let interface = self.network.members_of(segment)[usize::from(from)];
            self.note_queue_drops(self.network.interface(interface).node);
        }
        for station in 0..self.network.members_of(segment).len() {
            let interface = self.network.members_of(segment)[station];
            let hears = station != usize::from(from);
            if hears && self.is_heeded(interface, handle) {
                self.packets.hold(handle);
                self.take_frame(interface, handle);
            }
        }
        self.packets.release(handle);
        self.refill(segment, from);
    }

    /// Whether an interface takes a frame in: bridges and ports take all, machines what is for them.
    fn is_heeded(&self, interface: u16, handle: u32) -> bool {
        match self.network.interface(interface).entrance {
            Entrance::Machine | Entrance::Translator => self.is_for_machine(interface, handle),
            Entrance::Bridge | Entrance::Processor | Entrance::Port => true,
        }
    }

    fn refill(&mut self, segment: u16, station: u16) {
        let interface = self.network.members_of(segment)[usize::from(station)];
        if !self.greedy[usize::from(interface)].is_empty() {
            self.fill(interface);
        }
    }
}
