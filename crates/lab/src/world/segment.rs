//! Shared cables: frames go to all who share them, and each takes what is for it.

use net::segment::FrameOutcome;
use units::Time;

use super::{World, WorldEvent};
use crate::ids::{InterfaceId, MemberId, PacketId, SegmentId};
use crate::meters::DropReason;
use crate::network::Entrance;

impl World {
    #[inline(never)]
    pub(super) fn send_on_segment(
        &mut self,
        segment: SegmentId,
        station: MemberId,
        handle: PacketId,
    ) {
        let shared = &mut self.network.segments[segment.index()];
        let sent = shared.send(self.now, station, handle, &mut self.packets);
        if let Err(cause) = sent {
            let interface = self.network.member(segment, station);
            self.drop_at(interface, handle, DropReason::Queue(cause));
        }
        self.look_at_segment(segment);
    }

    /// Sees to it that the segment is woken in time.
    fn look_at_segment(&mut self, segment: SegmentId) {
        let shared = &mut self.network.segments[segment.index()];
        let wake_at = shared.next_wake(self.now);
        if wake_at != Time::NEVER {
            self.calendar
                .schedule(wake_at, WorldEvent::Segment(segment));
        }
    }

    /// The time has come that a segment asked for.
    pub(super) fn wake_segment(&mut self, segment: SegmentId) {
        let poll = |world: &mut World| {
            world.network.segments[segment.index()].poll(world.now, &mut world.packets)
        };
        while let Some(outcome) = poll(self) {
            match outcome {
                FrameOutcome::Arrived { from, packet } => {
                    self.spread(segment, MemberId(from), PacketId(packet));
                }
                FrameOutcome::GivenUp { from, packet } => {
                    let from = MemberId(from);
                    let interface = self.network.member(segment, from);
                    let packet = PacketId(packet);
                    self.drop_at(interface, packet, DropReason::ExcessiveCollisions);
                    self.refill(segment, from);
                }
            }
        }
        self.look_at_segment(segment);
    }

    /// A frame has reached all who share the segment.
    fn spread(&mut self, segment: SegmentId, from: MemberId, handle: PacketId) {
        self.watch_segment(segment, self.network.member(segment, from), handle);
        for station in 0..self.network.members_of(segment).len() {
            let interface = self.network.members_of(segment)[station];
            let hears = station != from.index();
            if hears && self.is_heeded(interface, handle) {
                self.packets.hold(handle);
                self.take_frame(interface, handle);
            }
        }
        self.packets.release(handle);
        self.refill(segment, from);
    }

    /// Returns whether an interface takes a frame in: bridges and ports take all, machines what is
    /// for them.
    fn is_heeded(&self, interface: InterfaceId, handle: PacketId) -> bool {
        match self.network.interface(interface).entrance {
            Entrance::Machine | Entrance::Translator => self.is_for_machine(interface, handle),
            Entrance::Bridge | Entrance::Processor | Entrance::Port => true,
        }
    }

    fn refill(&mut self, segment: SegmentId, station: MemberId) {
        let interface = self.network.member(segment, station);
        if self.hosts.saturates(interface) {
            self.fill(interface);
        }
    }
}
