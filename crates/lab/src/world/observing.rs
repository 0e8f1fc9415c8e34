//! The seams at which observers see what passes: taps, the log of a radio, the table of attempts,
//! the marks of the ledger. Where nobody looks a seam is the test of an empty list.

use air::Transmission;
use dot11::{Address, DataMpdu, FrameKind};

use super::World;
use crate::ids::{InterfaceId, LinkId, PacketId, SegmentId};
use crate::meters::{DataOverhead, DropReason, FrameReception};
use crate::radios::Radios;
use crate::rows::Attempt;
use crate::taps::FrameWriter;

impl World {
    /// A packet leaves for a link: a tap at a wire's first end sees it.
    #[inline(always)]
    pub(super) fn watch_departure(&mut self, link: LinkId, handle: PacketId) {
        if !link.is_towards_first() {
            (self.observers.taps).on_wire(&self.packets, link.wire(), handle, self.now);
        }
        self.note_queue_drops(self.network.start_of(link));
    }

    /// A packet has come over a link: a tap at a wire's first end sees what comes to that.
    #[inline(always)]
    pub(super) fn watch_arrival(&mut self, link: LinkId, handle: PacketId) {
        if link.is_towards_first() {
            (self.observers.taps).on_wire(&self.packets, link.wire(), handle, self.now);
        }
        self.note_queue_drops(self.network.start_of(link));
    }

    /// A packet of a member has reached all on a segment.
    pub(super) fn watch_segment(
        &mut self,
        segment: SegmentId,
        from: InterfaceId,
        handle: PacketId,
    ) {
        (self.observers.taps).on_segment(&self.packets, segment, handle, self.now);
        self.note_queue_drops(from);
    }

    /// A packet passes between a machine's IP and its interface.
    #[inline(always)]
    pub(super) fn watch_stack(&mut self, interface: InterfaceId, handle: PacketId) {
        let node = self.network.interface(interface).node;
        (self.observers.taps).on_stack(&self.packets, node, handle, self.now);
    }

    /// A frame has ended, and is about to be entered in the ledgers.
    #[cold]
    pub(super) fn watch_air(
        &mut self,
        done: &Transmission,
        fate: FrameReception,
        carried: DataOverhead,
    ) {
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        (radios.vantages).foresee_end(self.now, done, fate, carried);
        if let Some(attempts) = &mut self.observers.attempts {
            Attempt::note(self.now, done, fate, radios, attempts);
        }
        self.tap_air(done, fate);
        self.follow_levels(done);
        if self.observers.taps.keep_drops() {
            self.tap_lost_frame(done, fate);
        }
    }

    #[inline(never)]
    fn tap_air(&mut self, done: &Transmission, fate: FrameReception) {
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
        for interface in self.observers.taps.interfaces() {
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
    fn tap_lost_frame(&mut self, done: &Transmission, fate: FrameReception) {
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
            FrameReception::Fresh if mpdus.is_empty() => return,
            FrameReception::Duplicate => DropReason::Duplicate,
            FrameReception::Fresh | FrameReception::Lost => undecoded,
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
        let lost = |place| fate != FrameReception::Fresh || !decoded.has(place);
        let each = mpdus.iter().enumerate();
        for (place, mpdu) in each.filter(|&(place, _)| lost(place)) {
            let part = Some((mpdu, place + 1 == mpdus.len()));
            taps.on_lost_frame(&writer, node, &done, part, signal, reason);
        }
    }
}

/// The MPDUs of a frame with data under block acknowledgment.
fn mpdus_of(done: &Transmission, radios: &Radios) -> Vec<DataMpdu> {
    match done.frame.kind == FrameKind::Data && done.frame.is_under_block_ack() {
        true => (radios.mpdus(radios.number_of(done.frame.transmitter))).to_vec(),
        false => Vec::new(),
    }
}
