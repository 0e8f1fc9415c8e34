//! What happens on the air: frames end, radios act, beacons are due, taps listen.

use dot11::{Address, FrameKind};

use super::{Event, World};
use crate::beacon::BeaconContent;
use crate::radios::{Aired, Due};

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
        let aired = radios.end(now);
        let mut headers = 0;
        if aired.frame.kind == FrameKind::Data {
            let packet = self.packets.get(aired.frame.msdu);
            self.content.add(packet, now - aired.start);
            headers = packet.headers_in_msdu();
        }
        radios
            .ledger
            .on_end(now, &aired.frame, aired.start, aired.fate, headers);
        radios.settle_after(now, &aired);
        if self.taps.any_antenna() {
            self.tap_air(&aired);
        }
        self.hand_up();
    }

    /// Passes on what the radios have received.
    #[inline]
    fn hand_up(&mut self) {
        while let Some(delivered) = self
            .radios
            .as_mut()
            .and_then(|radios| radios.delivered.pop())
        {
            // Its sender's MAC holds it until the acknowledgement.
            self.packets.hold(delivered.packet);
            self.forward(delivered.node, delivered.packet);
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
            self.packets.release(finished.packet);
            if !self.greedy[usize::from(finished.node)].is_empty() {
                self.fill_radio(finished.node);
            }
        }
    }

    pub(super) fn beacon(&mut self, node: u16) {
        let plan = &self.plan.nodes[usize::from(node)];
        let (Some(radio), Some(air), Some(radios)) =
            (&plan.radio, &self.plan.air, &mut self.radios)
        else {
            return;
        };
        radios.beacon(
            self.now,
            node,
            BeaconContent::new(radio, air).at(self.now).bytes(),
        );
        if let Some(interval) = radio.beacon_interval_ns {
            self.calendar
                .schedule(self.now + interval, Event::Beacon(node));
        }
    }

    fn tap_air(&mut self, aired: &Aired) {
        let Some(radios) = &self.radios else { return };
        for node in self.taps.antennas() {
            let own = aired.frame.transmitter == Address(node);
            if own || radios.heard.contains(&node) {
                let signal = radios.signal(aired.frame.transmitter, node);
                let signal = if own { None } else { Some(signal) };
                self.taps.on_air(
                    &self.plan,
                    &self.packets,
                    &self.foreign,
                    node,
                    aired,
                    signal,
                );
            }
        }
    }
}
