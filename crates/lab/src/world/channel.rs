//! What happens on the air: frames end, radios act, beacons are due.

use air::Transmission;
use dot11::{FrameKind, OutcomeResult};

use super::{World, WorldEvent};
use crate::ids::{EmitterId, InterfaceId, PacketId, RadioId};
use crate::meters::{DataOverhead, DropReason, FrameReception};
use crate::radios::{BeaconContent, DeliveredPacket, NextOnAir};

impl World {
    pub(super) fn act(&mut self, due: NextOnAir) {
        match due {
            NextOnAir::End => self.end_frame(),
            NextOnAir::Radio(radio) => {
                if let Some(radios) = &mut self.air.radios {
                    radios.act(self.now, radio);
                }
            }
        }
        self.release_finished();
    }

    fn end_frame(&mut self) {
        let now = self.now;
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        let (from, mut done) = radios.withdraw();
        let fate = radios.end(now, from, &mut done);
        let is_watched = radios.vantages.has_marks() || self.observers.watch_frames;
        let mut carried = DataOverhead::default();
        if done.frame.kind == FrameKind::Data {
            carried = match done.frame.mode().is_legacy() {
                false => self.look_at_mpdus(from, &done, fate),
                true => {
                    let packet = self.packets.get(PacketId(done.frame.msdu));
                    self.observers.content.add(packet, now - done.start);
                    DataOverhead {
                        headers: u32::from(packet.headers_in_msdu()),
                        lost: 0,
                    }
                }
            };
        }
        if is_watched {
            self.watch_air(&done, fate, carried);
        }
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        radios.enter_in_ledgers(now, from, &done, fate, carried);
        radios.settle_after(now, &done.frame);
        match done.frame.kind {
            kind if kind >= FrameKind::Beacon => self.hear_management(done.frame.transmitter),
            _ if done.frame.is_under_block_ack() => self.deliver_in_order(),
            _ => self.deliver_received(),
        }
    }

    /// Enters what the MPDUs of a frame carry, and says what of it is none of the application's.
    #[cold]
    #[inline(never)]
    fn look_at_mpdus(
        &mut self,
        from: usize,
        done: &Transmission,
        fate: FrameReception,
    ) -> DataOverhead {
        let Some(radios) = &self.air.radios else {
            return DataOverhead::default();
        };
        let (decoded, airtime) = (radios.decoded(fate), self.now - done.start);
        let psdu_bytes = done.frame.psdu_bytes();
        let mut carried = DataOverhead {
            headers: psdu_bytes,
            lost: 0,
        };
        for (place, mpdu) in radios.mpdus(from).iter().enumerate() {
            let lost = !decoded.has(place);
            for msdu in mpdu.msdus() {
                let packet = self.packets.get(PacketId(msdu.id));
                let share = airtime * u64::from(msdu.bytes) / u64::from(psdu_bytes);
                self.observers.content.add(packet, share);
                if !lost {
                    carried.headers -= u32::from(msdu.bytes - packet.headers_in_msdu());
                }
            }
            if lost {
                carried.headers -= u32::from(mpdu.bytes);
                carried.lost += u32::from(mpdu.bytes);
            }
        }
        carried
    }

    /// Passes on what the radios have received.
    #[inline]
    fn deliver_received(&mut self) {
        while let Some(delivered) = self
            .air
            .radios
            .as_mut()
            .and_then(|radios| radios.taken.delivered.pop())
        {
            if self.air.associations.is_some() && !self.is_admitted(&delivered) {
                continue;
            }
            // Its sender's MAC holds it until the acknowledgement.
            self.packets.hold(delivered.packet);
            self.take_delivered(&delivered);
        }
    }

    #[inline(always)]
    fn take_delivered(&mut self, delivered: &DeliveredPacket) {
        if self.network.ports.any && !self.learn_from_air(delivered) {
            return;
        }
        self.air.heard_from = Some(delivered.from);
        self.take_frame(delivered.interface, delivered.packet);
    }

    /// The same under block acknowledgment, where what has come may wait for others before it.
    #[cold]
    #[inline(never)]
    fn deliver_in_order(&mut self) {
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        // Their sender's MAC holds them until it knows that they have come.
        let mut accepted = std::mem::take(&mut radios.taken.accepted);
        for accepted in accepted.drain(..) {
            self.packets.hold(accepted.packet);
            if self.network.ports.any {
                let from = radios.interface_of(accepted.from);
                self.packets.note_passed(accepted.packet, from);
            }
        }
        radios.taken.accepted = accepted;
        let in_order = std::mem::take(&mut radios.taken.in_order);
        for delivered in &in_order {
            match self.air.associations.is_some() && !self.is_admitted(delivered) {
                true => self.packets.release(delivered.packet),
                false => self.take_delivered(delivered),
            }
        }
        if let Some(radios) = &mut self.air.radios {
            radios.taken.in_order = in_order;
            radios.taken.in_order.clear();
            for (at, radio) in radios.taken.looks.drain(..) {
                self.calendar.schedule(at, WorldEvent::Agreements(radio));
            }
        }
    }

    /// Passes on what a radio has held back long enough.
    pub(super) fn look_at_agreements(&mut self, radio: RadioId) {
        if let Some(radios) = &mut self.air.radios {
            radios.look_at_agreements(self.now, radio);
        }
        self.deliver_in_order();
    }

    /// Frees what the MACs have done with, and fills the room it leaves.
    #[inline]
    fn release_finished(&mut self) {
        while let Some(finished) = self
            .air
            .radios
            .as_mut()
            .and_then(|radios| radios.finished.pop())
        {
            if self.air.associations.is_some() {
                self.note_sent(finished);
            }
            if let OutcomeResult::Dropped { cause, .. } = finished.result {
                self.note_given_up(finished, cause);
            }
            if self.network.ports.any {
                (self.packets).note_done(finished.packet, finished.interface);
            }
            self.packets.leave(finished.packet);
            self.packets.release(finished.packet);
            self.feed_mac(finished.interface, finished.radio);
            if self.hosts.saturates(finished.interface) {
                self.fill(finished.interface);
            }
        }
        if self.packets.have_left() {
            self.tell_senders();
        }
    }

    /// Notes who has sent a frame of a world with ports; false if that speaks in the name of another
    /// interface of the world, and the frame goes no further.
    #[cold]
    fn learn_from_air(&mut self, delivered: &DeliveredPacket) -> bool {
        let Some(radios) = &self.air.radios else {
            return true;
        };
        let from = radios.interface_of(delivered.from);
        self.packets.note_passed(delivered.packet, from);
        let source = self.packets.get(delivered.packet).hop.source;
        if self.network.interface(from).access_point.is_none() || source.is_group() {
            return true;
        }
        match self.network.ours(source) {
            Some(number) if number == from => true,
            Some(_) => {
                self.drop_at(
                    delivered.interface,
                    delivered.packet,
                    DropReason::NotAssociated,
                );
                false
            }
            None => {
                self.network.behind.learn(self.now, source, from.0);
                true
            }
        }
    }

    #[cold]
    fn is_admitted(&mut self, delivered: &DeliveredPacket) -> bool {
        let from = (self.air.radios.as_ref()).map(|radios| radios.interface_of(delivered.from));
        from.is_some_and(|from| self.admits(delivered.interface, from, delivered.packet))
    }

    pub(super) fn beacon(&mut self, interface: InterfaceId) {
        let (Some(radio), Some(air), Some(radios)) = (
            self.plan.radio_at(self.network.place_of(interface)),
            &self.plan.air,
            &mut self.air.radios,
        ) else {
            return;
        };
        radios.beacon(
            self.now,
            interface,
            BeaconContent::new(radio, air).at(self.now).bytes(),
        );
        if let Some(interval) = radio.beacon_interval_ns {
            self.calendar
                .schedule(self.now + interval, WorldEvent::Beacon(interface));
        }
    }

    pub(super) fn turn_emitter(&mut self, emitter: EmitterId) {
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        if let Some(next) = radios.turn_emitter(self.now, emitter) {
            self.calendar.schedule(next, WorldEvent::Emission(emitter));
        }
    }
}
