//! What happens on the air: frames end, radios act, beacons are due, taps listen.

use air::Transmission;
use dot11::{Address, FrameKind, Mpdu};

use super::{Event, World};
use crate::ids::{EmitterId, InterfaceId, PacketId};
use crate::meters::{Carried, DropReason, Fate};
use crate::radios::{BeaconContent, Delivered, Due, Finished, Radios};
use crate::rows::Attempt;
use crate::taps::FrameWriter;

impl World {
    pub(super) fn act(&mut self, due: Due) {
        match due {
            Due::End => self.end_frame(),
            Due::Radio(radio) => {
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
        let mut carried = Carried::default();
        if done.frame.kind == FrameKind::Data {
            carried = match done.frame.mode().is_legacy() {
                false => self.look_at_mpdus(from, &done, fate),
                true => {
                    let packet = self.packets.get(PacketId(done.frame.msdu));
                    self.observers.content.add(packet, now - done.start);
                    Carried {
                        headers: u32::from(packet.headers_in_msdu()),
                        lost: 0,
                    }
                }
            };
        }
        if self.observers.is_air_watched {
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
    fn look_at_mpdus(&mut self, from: usize, done: &Transmission, fate: Fate) -> Carried {
        let Some(radios) = &self.air.radios else {
            return Carried::default();
        };
        let (decoded, airtime) = (radios.decoded(fate), self.now - done.start);
        let psdu_bytes = done.frame.psdu_bytes();
        let mut carried = Carried {
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

    /// Notes a frame that has just ended where anybody wants it noted.
    #[cold]
    fn watch_air(&mut self, done: &Transmission, fate: Fate, carried: Carried) {
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        (radios.vantages).foresee_end(self.now, done, fate, carried);
        if let Some(attempts) = &mut self.observers.attempts {
            Attempt::note(self.now, done, fate, radios, attempts);
        }
        let is_marked = radios.vantages.has_marks();
        self.tap_air(done, fate);
        self.follow_levels(done);
        if self.observers.taps.any_drops() {
            self.tap_lost_frame(done, fate);
        }
        self.observers.is_air_watched = is_marked
            || self.observers.attempts.is_some()
            || self.observers.taps.watches_air()
            || !self.air.fade_monitors.is_empty();
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
    fn take_delivered(&mut self, delivered: &Delivered) {
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
        (radios.taken.accepted.drain(..)).for_each(|packet| self.packets.hold(packet));
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
        }
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
            if self.observers.is_followed {
                self.note_done(finished);
            }
            self.packets.release(finished.packet);
            if self.observers.is_followed {
                if self.observers.taps.any_log() {
                    self.log_drops(finished.interface);
                }
                self.feed_mac(finished.interface);
            }
            if self.hosts.saturates(finished.interface) {
                self.fill(finished.interface);
            }
        }
    }

    /// Tells who follows a packet that a MAC has done with it.
    #[cold]
    fn note_done(&mut self, finished: Finished) {
        if self.air.associations.is_some() {
            self.note_sent(finished.interface, finished.packet);
        }
        if self.observers.taps.any_drops() || self.network.ports.any {
            self.note_given_up(finished.interface, finished.packet);
        }
    }

    /// Notes who has sent a frame of a world with ports; false if that speaks in the name of another
    /// interface of the world, and the frame goes no further.
    #[cold]
    fn learn_from_air(&mut self, delivered: &Delivered) -> bool {
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
    fn is_admitted(&mut self, delivered: &Delivered) -> bool {
        let from = (self.air.radios.as_ref()).map(|radios| radios.interface_of(delivered.from));
        from.is_some_and(|from| self.admits(delivered.interface, from, delivered.packet))
    }

    #[inline(never)]
    fn log_drops(&mut self, interface: InterfaceId) {
        if let Some(radios) = &self.air.radios {
            let drops = radios.given_up(interface);
            (self.observers.taps).on_done(&self.network, interface, drops, self.now);
        }
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
                .schedule(self.now + interval, Event::Beacon(interface));
        }
    }

    pub(super) fn turn_emitter(&mut self, emitter: EmitterId) {
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        if let Some(next) = radios.turn_emitter(self.now, emitter) {
            self.calendar.schedule(next, Event::Emission(emitter));
        }
    }

    #[inline(never)]
    fn tap_air(&mut self, done: &Transmission, fate: Fate) {
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        let sender = done.frame.transmitter;
        let writer = FrameWriter::of(&self.plan, &self.network, &self.packets, radios, sender);
        let mpdus = mpdus_of(done, radios);
        let decoded = radios.decoded(fate);
        let receiver = done.frame.receiver;
        let mut done = *done;
        done.frame = radios.between_interfaces(&done.frame);
        for interface in self.observers.taps.antennas() {
            let own = done.frame.transmitter == interface.address();
            if own || radios.taken.heard.contains(&interface) {
                let signal = radios.signal(sender, interface);
                let signal = if own { None } else { Some(signal) };
                let has = |place| own || receiver != interface.address() || decoded.has(place);
                let taps = &mut self.observers.taps;
                match mpdus.is_empty() {
                    true => taps.on_air(&writer, interface, &done, None, signal),
                    false => (mpdus.iter().enumerate())
                        .filter(|&(place, _)| has(place))
                        .for_each(|(place, mpdu)| {
                            let is_last = place + 1 == mpdus.len();
                            let part = Some((mpdu, is_last));
                            taps.on_air(&writer, interface, &done, part, signal);
                        }),
                }
            }
        }
    }

    /// Keeps a frame that its receiver has not decoded, or has no use for.
    #[inline(never)]
    fn tap_lost_frame(&mut self, done: &Transmission, fate: Fate) {
        let undecoded = match done.is_damaged() {
            true => DropReason::Listed,
            false if done.has_collided() => DropReason::Overlapped,
            false => DropReason::Undecoded,
        };
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        let (sender, receiver) = (done.frame.transmitter, done.frame.receiver);
        if receiver.is_broadcast() || receiver == Address::UNSAID {
            return;
        }
        let (decoded, mpdus) = (radios.decoded(fate), mpdus_of(done, radios));
        let reason = match fate {
            Fate::Fresh if mpdus.is_empty() => return,
            Fate::Duplicate => DropReason::Duplicate,
            Fate::Fresh | Fate::Lost => undecoded,
        };
        let writer = FrameWriter::of(&self.plan, &self.network, &self.packets, radios, sender);
        let node = radios.node_of(receiver);
        let signal = radios.signal(sender, radios.interface_of(receiver));
        let mut done = *done;
        done.frame = radios.between_interfaces(&done.frame);
        let taps = &mut self.observers.taps;
        if mpdus.is_empty() {
            return taps.on_lost_frame(&writer, node, &done, None, signal, reason);
        }
        let lost = |place| fate != Fate::Fresh || !decoded.has(place);
        let each = mpdus.iter().enumerate();
        for (place, mpdu) in each.filter(|&(place, _)| lost(place)) {
            let part = Some((mpdu, place + 1 == mpdus.len()));
            taps.on_lost_frame(&writer, node, &done, part, signal, reason);
        }
    }
}

/// The MPDUs of a frame with data under block acknowledgment.
fn mpdus_of(done: &Transmission, radios: &Radios) -> Vec<Mpdu> {
    match done.frame.kind == FrameKind::Data && done.frame.is_under_block_ack() {
        true => (radios.mpdus(radios.number_of(done.frame.transmitter))).to_vec(),
        false => Vec::new(),
    }
}
