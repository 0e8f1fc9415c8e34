//! What happens on the air: frames end, radios act, beacons are due, taps listen.

use air::Transmission;
use dot11::{Address, FrameKind};

use super::{Event, World};
use crate::aether::Aether;
use crate::attempts::Attempt;
use crate::beacon::BeaconContent;
use crate::drops::Why;
use crate::ledger::Fate;
use crate::radios::{Delivered, Due, Finished};

impl World {
    pub(super) fn act(&mut self, due: Due) {
        match due {
            Due::End => self.end_frame(),
            Due::Radio(radio) => {
                if let Some(radios) = &mut self.radios {
                    radios.ring(self.now, radio);
                }
            }
        }
        self.let_go();
    }

    fn end_frame(&mut self) {
        let now = self.now;
        let Some(radios) = &mut self.radios else {
            return;
        };
        let (from, mut done) = radios.withdraw();
        let fate = radios.end(now, from, &mut done);
        let mut headers = 0;
        if done.frame.kind == FrameKind::Data {
            let packet = self.packets.get(done.frame.msdu);
            self.content.add(packet, now - done.start);
            headers = packet.headers_in_msdu();
        }
        if self.is_air_watched {
            self.watch_air(&done, fate, headers);
        }
        let Some(radios) = &mut self.radios else {
            return;
        };
        radios.enter_in_ledgers(now, from, &done, fate, headers);
        radios.settle_after(now, &done.frame);
        match done.frame.kind >= FrameKind::Beacon {
            true => self.hear_management(done.frame.transmitter),
            false => self.hand_up(),
        }
    }

    /// Notes a frame that has just ended where anybody wants it noted.
    #[cold]
    fn watch_air(&mut self, done: &Transmission, fate: Fate, headers: u16) {
        let Some(radios) = &mut self.radios else {
            return;
        };
        (radios.vantages).foresee_end(self.now, done, fate, headers);
        if let Some(attempts) = &mut self.attempts {
            attempts.extend(Attempt::of(self.now, done, fate, radios));
        }
        let is_marked = radios.vantages.has_marks();
        self.tap_air(done);
        self.follow_levels(done);
        if self.taps.any_drops() {
            self.tap_lost_frame(done, fate);
        }
        self.is_air_watched = is_marked
            || self.attempts.is_some()
            || self.taps.watches_air()
            || !self.foresights.is_empty();
    }

    /// Passes on what the radios have received.
    #[inline]
    fn hand_up(&mut self) {
        while let Some(delivered) = self
            .radios
            .as_mut()
            .and_then(|radios| radios.taken.delivered.pop())
        {
            if self.associations.is_some() && !self.is_admitted(&delivered) {
                continue;
            }
            // Its sender's MAC holds it until the acknowledgement.
            self.packets.hold(delivered.packet);
            if self.ports.any && !self.learn_from_air(&delivered) {
                continue;
            }
            self.heard_from = Some(delivered.from);
            self.take_frame(delivered.interface, delivered.packet);
        }
    }

    /// Frees what the MACs have done with, and fills the room it leaves.
    #[inline]
    fn let_go(&mut self) {
        while let Some(finished) = self
            .radios
            .as_mut()
            .and_then(|radios| radios.finished.pop())
        {
            if self.is_followed {
                self.note_done(finished);
            }
            self.packets.release(finished.packet);
            if self.is_followed {
                if self.taps.any_log() {
                    self.log_drops(finished.interface);
                }
                self.call_up(finished.interface);
            }
            if !self.greedy[usize::from(finished.interface)].is_empty() {
                self.fill(finished.interface);
            }
        }
    }

    /// Tells who follows a packet that a MAC has done with it.
    #[cold]
    fn note_done(&mut self, finished: Finished) {
        if self.associations.is_some() {
            self.note_sent(finished.interface, finished.packet);
        }
        if self.taps.any_drops() || self.ports.any {
            self.note_given_up(finished.interface, finished.packet);
        }
    }

    /// Notes who has sent a frame of a world with ports; false if that speaks in the name of another
    /// interface of the world, and the frame goes no further.
    #[cold]
    fn learn_from_air(&mut self, delivered: &Delivered) -> bool {
        let Some(radios) = &self.radios else {
            return true;
        };
        let from = radios.interface_of(Address(delivered.from));
        self.packets.note_passed(delivered.packet, from);
        let source = self.packets.get(delivered.packet).hop.source;
        if self.network.interface(from).access_point.is_none() || source.is_group() {
            return true;
        }
        match self.network.ours(source) {
            Some(number) if number == from => true,
            Some(_) => {
                self.drop_at(delivered.interface, delivered.packet, Why::NotAssociated);
                false
            }
            None => {
                self.network.behind.learn(self.now, source, from);
                true
            }
        }
    }

    #[cold]
    fn is_admitted(&mut self, delivered: &Delivered) -> bool {
        let from =
            (self.radios.as_ref()).map(|radios| radios.interface_of(Address(delivered.from)));
        from.is_some_and(|from| self.admits(delivered.interface, from, delivered.packet))
    }

    #[inline(never)]
    fn log_drops(&mut self, interface: u16) {
        if let Some(radios) = &self.radios {
            let drops = radios.given_up(interface);
            (self.taps).on_done(&self.network, interface, drops, self.now);
        }
    }

    pub(super) fn beacon(&mut self, interface: u16) {
        let (Some(radio), Some(air), Some(radios)) = (
            self.plan.radio_at(self.network.place_of(interface)),
            &self.plan.air,
            &mut self.radios,
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

    pub(super) fn turn_emitter(&mut self, emitter: u16) {
        let Some(radios) = &mut self.radios else {
            return;
        };
        if let Some(next) = radios.turn_emitter(self.now, usize::from(emitter)) {
            self.calendar.schedule(next, Event::Emission(emitter));
        }
    }

    #[inline(never)]
    fn tap_air(&mut self, done: &Transmission) {
        let Some(radios) = &mut self.radios else {
            return;
        };
        let sender = done.frame.transmitter;
        let aether = Aether::of(&self.plan, &self.network, &self.packets, radios, sender);
        let mut done = *done;
        done.frame = radios.between_interfaces(&done.frame);
        for interface in self.taps.antennas() {
            let own = done.frame.transmitter == Address(interface);
            if own || radios.taken.heard.contains(&interface) {
                let signal = radios.signal(sender, interface);
                let signal = if own { None } else { Some(signal) };
                self.taps.on_air(&aether, interface, &done, signal);
            }
        }
    }

    /// Keeps a frame that its receiver has not decoded, or has no use for.
    #[inline(never)]
    fn tap_lost_frame(&mut self, done: &Transmission, fate: Fate) {
        let why = match fate {
            Fate::Fresh => return,
            Fate::Duplicate => Why::Duplicate,
            Fate::Lost if done.is_damaged() => Why::Listed,
            Fate::Lost if done.has_collided() => Why::Overlapped,
            Fate::Lost => Why::Undecoded,
        };
        let Some(radios) = &mut self.radios else {
            return;
        };
        let (sender, receiver) = (done.frame.transmitter, done.frame.receiver);
        if receiver.is_broadcast() || receiver == Address::UNSAID {
            return;
        }
        let aether = Aether::of(&self.plan, &self.network, &self.packets, radios, sender);
        let node = radios.node_of(receiver);
        let signal = radios.signal(sender, radios.interface_of(receiver));
        let mut done = *done;
        done.frame = radios.between_interfaces(&done.frame);
        (self.taps).on_lost_frame(&aether, node, &done, signal, why);
    }
}
