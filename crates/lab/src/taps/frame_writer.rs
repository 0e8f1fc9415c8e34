//! Frames on the air as captures have them: radiotap in front of 802.11.

use air::Transmission;
use capture::packet::llc_snap;
use capture::radiotap::{Ampdu, Header};
use dot11::codec::{self, ManagementBody, Mpdu, MsduAddresses};
use dot11::{Address, BlockAck, Category, Frame, FrameKind, Negotiation, user_priority};
use units::{Dbm, Time};

use crate::ids::{InterfaceId, PacketId};
use crate::network::Network;
use crate::packets::{Body, Packets, ether_type, write_packet};
use crate::plan::{NodeRole, Plan, RadioPlan};
use crate::radios::{BeaconContent, Radios};

/// What a frame on the air is made of, for whoever looks at it.
pub struct FrameWriter<'a> {
    plan: &'a Plan,
    pub network: &'a Network,
    packets: &'a Packets,
    /// Whether the sender has access functions, so that its data are QoS data.
    has_categories: bool,
    /// The channel that the sender is on, in MHz, where that may be another one than its plan's.
    tuned_to: Option<u16>,
    /// What its last BlockAck says, and its action frame of an agreement.
    said: BlockAck,
    negotiation: Option<(Negotiation, Category)>,
}

impl<'a> FrameWriter<'a> {
    /// Returns what the frames of a sender are made of.
    pub fn of(
        plan: &'a Plan,
        network: &'a Network,
        packets: &'a Packets,
        radios: &Radios,
        sender: Address,
    ) -> Self {
        FrameWriter {
            plan,
            network,
            packets,
            has_categories: radios.has_category(sender),
            tuned_to: radios.tuned_to(sender),
            said: radios.said(sender),
            negotiation: radios.negotiation(sender),
        }
    }

    /// Appends radiotap header and frame as a radio has them: of data under block acknowledgment one
    /// MPDU, and whether it is the last; with `heard`, the signal and the noise floor that the radio
    /// reports; one that `is_bad` with a wrong check sequence.
    pub fn compose(
        &self,
        done: &Transmission,
        part: Option<(&dot11::DataMpdu, bool)>,
        (heard, is_bad): (Option<[Dbm; 2]>, bool),
        out: &mut Vec<u8>,
    ) {
        let FrameWriter { plan, network, .. } = *self;
        let frame = &part.map_or(done.frame, |(mpdu, _)| mpdu.as_frame(&done.frame));
        let sender = plan.radio_at(network.place_of(InterfaceId(frame.transmitter.0)));
        let mut header = Header {
            signal: heard.map(|[signal, _]| signal),
            noise: heard.map(|[_, noise]| noise),
            bad_fcs: is_bad,
            ampdu: part
                .filter(|_| frame.is_aggregate())
                .map(|(_, is_last)| Ampdu {
                    reference: (done.start.as_nanos() / 1_000) as u32,
                    is_last,
                }),
            ..radiotap(sender, frame, done.start)
        };
        if let Some(frequency_mhz) = self.tuned_to {
            header.frequency_mhz = frequency_mhz;
        }
        header.write(out);
        let mut body = Vec::new();
        let mut priority = None;
        let mut ends = MsduAddresses::of_hop(bssid(network, frame), frame);
        match frame.kind {
            FrameKind::Data => {
                let packet = self.packets.get(PacketId(frame.msdu));
                priority = self.has_categories.then(|| user_priority(packet.dscp));
                ends.source = codec::FrameAddress(packet.hop.source.0);
                ends.destination = codec::FrameAddress(packet.hop.destination.0);
                match part.filter(|(mpdu, _)| mpdu.is_a_msdu()) {
                    Some((mpdu, _)) => self.write_a_msdu(mpdu, &mut body),
                    None => {
                        self.write_msdu(frame.msdu, &mut body);
                        let from = usize::from(frame.body_offset);
                        body = body[from..from + usize::from(frame.body_bytes)].to_vec();
                    }
                }
            }
            FrameKind::BlockAck => body = self.said.body(frame.body_bytes),
            FrameKind::BlockAckRequest => body = BlockAck::request_body(frame.sequence),
            FrameKind::Action => {
                let of = self.negotiation;
                body = of.map_or(Vec::new(), |(what, category)| what.body(category));
            }
            FrameKind::Beacon => {
                if let (Some(radio), Some(air)) = (sender, &plan.air) {
                    BeaconContent::new(radio, air)
                        .at(done.start)
                        .write(&mut body);
                }
            }
            FrameKind::Ack | FrameKind::Rts | FrameKind::Cts => {}
            _ => {
                if let (Some(radio), Some(air), Body::Management(what)) = (
                    sender,
                    &plan.air,
                    self.packets.get(PacketId(frame.msdu)).body,
                ) {
                    ends.bssid = cell_of(network, frame);
                    let cell = BeaconContent::new(radio, air);
                    let cell = cell.at(done.start);
                    ManagementBody { what, cell }.write(&mut body);
                }
            }
        }
        Mpdu::of(frame, &ends, &body)
            .of_priority(priority)
            .with_a_msdu(part.is_some_and(|(mpdu, _)| mpdu.is_a_msdu()))
            .write(out);
        if let Some(last) = out.last_mut().filter(|_| is_bad) {
            *last ^= 1;
        }
    }
}

impl FrameWriter<'_> {
    /// LLC and SNAP headers, and the packet.
    fn write_msdu(&self, msdu: u32, out: &mut Vec<u8>) {
        let packet = self.packets.get(PacketId(msdu));
        out.extend_from_slice(&llc_snap(ether_type(packet)));
        write_packet(self.packets, packet, usize::MAX, out);
    }

    /// MSDUs behind addresses and length each, padded to four bytes (IEEE 802.11-2020, 9.3.2.2.2).
    fn write_a_msdu(&self, mpdu: &dot11::DataMpdu, out: &mut Vec<u8>) {
        for msdu in mpdu.msdus() {
            out.resize(out.len().next_multiple_of(4), 0);
            let hop = &self.packets.get(PacketId(msdu.id)).hop;
            out.extend_from_slice(&hop.destination.0);
            out.extend_from_slice(&hop.source.0);
            out.extend_from_slice(&msdu.bytes.to_be_bytes());
            self.write_msdu(msdu.id, out);
        }
    }
}

/// The access point that a management frame is from or for; all, of a question to all.
fn cell_of(network: &Network, frame: &Frame) -> Address {
    match frame.receiver.is_broadcast() {
        true => Address::BROADCAST,
        false if network.interface(InterfaceId(frame.transmitter.0)).role == NodeRole::Ap => {
            frame.transmitter
        }
        false => frame.receiver,
    }
}

fn radiotap(sender: Option<&RadioPlan>, frame: &Frame, start: Time) -> Header {
    Header {
        tsft_us: (start + frame.plcp_time()).as_nanos() / 1_000,
        vector: frame.vector,
        frequency_mhz: sender.map_or(0, |radio| radio.frequency_mhz),
        fcs_at_end: true,
        bad_fcs: false,
        signal: None,
        noise: None,
        ampdu: None,
    }
}

/// The BSSID: the access point's address. A response names its receiver only, so the
/// transmitter's access point stands for it.
fn bssid(network: &Network, frame: &Frame) -> Address {
    let sender = network.interface(InterfaceId(frame.transmitter.0));
    (sender.access_point).map_or(frame.transmitter, InterfaceId::address)
}
