//! The end of a frame as the radios hear it.

use air::{Reception, Stations};
use dot11::{Address, Contention, Decoded, Frame, FrameKind};
use units::Time;

use super::{ChannelCounters, Radio};
use crate::ids::{InterfaceId, PacketId, RadioId};
use crate::streams::RadioStreams;

/// A packet that a radio has received.
#[derive(Clone, Copy, Debug)]
pub struct DeliveredPacket {
    /// The interface that received it.
    pub interface: InterfaceId,
    /// The packet.
    pub packet: PacketId,
    /// What the radio is called that has sent it.
    pub from: Address,
}

/// What radios have taken in.
#[derive(Debug, Default)]
pub struct RadioIntake {
    /// Monitored interfaces that decoded the frame which ended last.
    pub heard: Vec<InterfaceId>,
    /// Packets delivered by the last event.
    pub delivered: Vec<DeliveredPacket>,
    /// Packets that came with it under block acknowledgment, whether delivered or held back for others
    /// before them.
    pub accepted: Vec<DeliveredPacket>,
    /// Those that it delivers, which their receiver holds already.
    pub in_order: Vec<DeliveredPacket>,
    /// Radios that are to look at their agreements, and when.
    pub looks: Vec<(Time, RadioId)>,
    /// Interfaces that are to be told of the beacon which ended last.
    pub beacons: Vec<InterfaceId>,
    /// Management frames that have come with the last event.
    pub managed: Vec<DeliveredPacket>,
    /// Whether the addressee of the frame which ended last had it already.
    pub(super) duplicate: bool,
    /// Which MPDUs of it its addressee has decoded, where not all.
    pub(super) decoded: Option<Decoded>,
    /// Stations besides its sender and addressee that may have done with an MSDU because of that
    /// frame: it came instead of the response they awaited.
    pub(super) to_settle: Vec<usize>,
}

impl RadioIntake {
    /// Takes what the MAC of a radio hands up in order, and notes when it is to look at its agreements.
    pub(super) fn hand_up(&mut self, number: RadioId, radio: &mut Radio) {
        let interface = radio.interface;
        let delivered = radio.mac.take_deliveries().map(|delivery| DeliveredPacket {
            interface,
            packet: PacketId(delivery.msdu),
            from: delivery.from,
        });
        self.in_order.extend(delivered);
        let at = radio.mac.agreements_due_at();
        if at < radio.looks_at {
            radio.looks_at = at;
            self.looks.push((at, number));
        }
    }
}

/// The radios as a frame ends, and what they make of it.
pub(super) struct Listening<'a> {
    pub now: Time,
    pub each: &'a mut [Radio],
    pub taken: &'a mut RadioIntake,
    pub counters: &'a mut ChannelCounters,
    pub of_address: &'a [RadioId],
}

impl Stations for Listening<'_> {
    type Random = RadioStreams;

    #[inline]
    fn random(&mut self, radio: usize) -> &mut RadioStreams {
        &mut self.each[radio].streams
    }

    fn mpdus(&self, radio: usize) -> impl Iterator<Item = u16> {
        self.each[radio].mac.mpdus().iter().map(|mpdu| mpdu.bytes)
    }

    fn on_decoded(&mut self, _radio: usize, decoded: Decoded) {
        self.taken.decoded = Some(decoded);
    }

    #[inline]
    fn on_reception(
        &mut self,
        radio: usize,
        frame: &Frame,
        reception: Reception,
        contention: &mut Contention,
    ) -> Time {
        if reception.decoded && reception.addressed && frame.is_under_block_ack() {
            return self.take_in_mpdus(radio, frame, contention);
        }
        let Radio {
            mac,
            streams,
            interface,
            monitored,
            takes_broadcasts,
            seeks,
            ..
        } = &mut self.each[radio];
        if reception.decoded && *monitored {
            self.taken.heard.push(*interface);
        }
        if reception.decoded && reception.addressed {
            let duplicates = mac.counters().duplicates;
            let for_all = frame.receiver.is_broadcast();
            if let Some(delivery) = mac.on_receive(self.now, frame, contention, streams) {
                let delivered = DeliveredPacket {
                    interface: *interface,
                    packet: PacketId(delivery.msdu),
                    from: delivery.from,
                };
                if frame.kind.is_management() {
                    // Of a radio's access functions the first one hears it.
                    if mac.address() == interface.address() {
                        self.taken.managed.push(delivered);
                    }
                } else if !for_all {
                    self.counters.msdus += 1;
                    self.taken.delivered.push(delivered);
                } else if *takes_broadcasts {
                    self.taken.delivered.push(delivered);
                }
            } else if mac.counters().duplicates != duplicates {
                self.taken.duplicate = true;
            }
            if for_all {
                self.taken.to_settle.push(radio);
                if *seeks && frame.kind == FrameKind::Beacon {
                    self.taken.beacons.push(*interface);
                }
            }
        } else {
            mac.on_garbled(self.now, contention, streams);
            self.taken.to_settle.push(radio);
        }
        mac.wake_at()
    }

    #[inline(always)]
    fn on_transmit_end(
        &mut self,
        radio: usize,
        frame: &Frame,
        contention: &mut Contention,
    ) -> Time {
        let Radio { mac, streams, .. } = &mut self.each[radio];
        mac.on_transmit_end(self.now, frame, contention, streams);
        mac.wake_at()
    }
}

impl Listening<'_> {
    /// A frame under block acknowledgment has come to its addressee.
    #[cold]
    #[inline(never)]
    fn take_in_mpdus(&mut self, at: usize, frame: &Frame, contention: &mut Contention) -> Time {
        let from = self.sender_of(frame);
        let Ok([radio, sender]) = self.each.get_disjoint_mut([at, from]) else {
            return Time::NEVER;
        };
        let Radio {
            mac,
            streams,
            interface,
            monitored,
            ..
        } = radio;
        if *monitored {
            self.taken.heard.push(*interface);
        }
        let decoded = self.taken.decoded.unwrap_or(Decoded::ALL);
        mac.on_receive_from(
            self.now,
            frame,
            (&sender.mac, &decoded),
            contention,
            streams,
        );
        let accepted = self.taken.accepted.len();
        let new = mac.take_accepted().map(|msdu| DeliveredPacket {
            interface: *interface,
            packet: PacketId(msdu),
            from: frame.transmitter,
        });
        self.taken.accepted.extend(new);
        self.taken.duplicate =
            frame.kind == FrameKind::Data && self.taken.accepted.len() == accepted;
        self.counters.msdus += (self.taken.accepted.len() - accepted) as u64;
        self.taken.to_settle.push(at);
        let wake_at = mac.wake_at();
        self.taken.hand_up(RadioId::at(at), radio);
        wake_at
    }

    fn sender_of(&self, frame: &Frame) -> usize {
        usize::from(self.of_address[usize::from(frame.transmitter.0)].0)
    }
}
