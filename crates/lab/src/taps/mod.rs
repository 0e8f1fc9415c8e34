//! Taps: frames captured where tcpdump or a monitor-mode sniffer would see them.

mod drops;
mod event_log;
mod frame_writer;
mod output;

use std::io::{self, Write as _};

use air::Transmission;
use capture::pcapng::{
    Frame as Captured, Interface, InterfaceId as FileInterface, LinkType, Writer,
};
use dot11::{DropCause, Mpdu};
use units::{Dbm, MacAddress, Time};

use crate::ids::{InterfaceId, NodeId, SegmentId, WireId};
use crate::meters::{DropReason, GivenUp};
use crate::network::Network;
use crate::packets::{Packet, Packets, write_ethernet};
use crate::plan::{Plan, TapPlan, TapPoint};
use crate::radios::noise_of;

pub use frame_writer::FrameWriter;
pub use output::Sink;

use drops::DropTap;
use event_log::EventLog;
use output::Output;

/// The taps of a world whose captures are wanted.
#[derive(Debug, Default)]
pub struct Taps {
    taps: Vec<Tap>,
    logs: Vec<EventLog>,
    drops: Vec<DropTap>,
    any_wire: bool,
    any_antenna: bool,
    any_stack: bool,
    /// The first failure to write, told at the end of the run.
    failure: Option<io::Error>,
}

#[derive(Debug)]
struct Tap {
    name: String,
    at: Place,
    snap: usize,
    file: Writer<Output>,
    interface: FileInterface,
    /// What a radio reports beside a signal: the noise floor, which no neighbour or emitter is in.
    noise: Dbm,
    bytes: Vec<u8>,
}

/// Where a tap sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At the first end of a wire.
    Wire(WireId),
    /// On a segment.
    Segment(SegmentId),
    /// At the radio of an interface.
    Antenna(InterfaceId),
    /// Between a node's IP and its interfaces.
    Stack(NodeId),
}

impl Taps {
    /// Makes a sink for each tap of the plan, by the name of its file.
    pub fn open(
        plan: &Plan,
        network: &Network,
        mut sink: impl FnMut(&str) -> io::Result<Box<dyn Sink>>,
    ) -> io::Result<Taps> {
        Taps::writing(plan, network, |tap| {
            let form = match tap.at {
                TapPoint::Events(_) => "iwevent",
                _ => "pcapng",
            };
            Ok(Output::Sink(sink(&format!("{}.{form}", tap.name))?))
        })
    }

    /// Keeps what the taps of the plan capture in memory.
    pub fn in_memory(plan: &Plan, network: &Network) -> Taps {
        Taps::writing(plan, network, |_| Ok(Output::Memory(Vec::new())))
            .expect("memory takes whatever is written")
    }

    fn writing(
        plan: &Plan,
        network: &Network,
        mut output: impl FnMut(&TapPlan) -> io::Result<Output>,
    ) -> io::Result<Taps> {
        let (mut taps, mut logs, mut drops) = (Vec::new(), Vec::new(), Vec::new());
        let noise = noise_of(plan).unwrap_or(Dbm(0.0));
        for tap in &plan.taps {
            let radio = |at| plan.radio_at(at).map_or("", |radio| radio.name.as_str());
            let (at, link_type, of) = match tap.at {
                TapPoint::Wire(wire) => {
                    let name = &plan.wires[wire].name;
                    (
                        Place::Wire(WireId::at(wire)),
                        LinkType::Ethernet,
                        name.as_str(),
                    )
                }
                TapPoint::Segment(segment) => {
                    let name = &plan.segments[segment].name;
                    let place = Place::Segment(SegmentId::at(segment));
                    (place, LinkType::Ethernet, name.as_str())
                }
                TapPoint::Air(at) => {
                    let place = Place::Antenna(network.interface_at(at));
                    (place, LinkType::Ieee80211Radiotap, radio(at))
                }
                TapPoint::Stack(node) => {
                    let name = &plan.nodes[node].name;
                    let place = Place::Stack(NodeId::at(node));
                    (place, LinkType::Ethernet, name.as_str())
                }
                TapPoint::Events(at) => {
                    let interface = network.interface_at(at);
                    logs.push(EventLog::new(&tap.name, interface, noise, output(tap)?));
                    continue;
                }
                TapPoint::Drops(node) => {
                    let of = &plan.nodes[node].name;
                    let node = NodeId::at(node);
                    drops.push(DropTap::writing(tap, node, of, noise, output(tap)?)?);
                    continue;
                }
            };
            let file = Writer::new(output(tap)?, None)?;
            taps.push(Tap::writing(
                tap,
                at,
                &Interface::new(link_type, of),
                noise,
                file,
            )?);
        }
        let any = |is: fn(Place) -> bool| taps.iter().any(|tap| is(tap.at));
        Ok(Taps {
            any_wire: any(|at| matches!(at, Place::Wire(_) | Place::Segment(_)))
                || !drops.is_empty(),
            any_antenna: any(|at| matches!(at, Place::Antenna(_))) || !logs.is_empty(),
            any_stack: any(|at| matches!(at, Place::Stack(_))),
            taps,
            logs,
            drops,
            failure: None,
        })
    }

    /// Whether any tap sits on a wire or a segment, or keeps what their queues drop.
    #[inline]
    pub fn any_wire(&self) -> bool {
        self.any_wire
    }

    /// Whether any radio's events are written.
    pub fn any_log(&self) -> bool {
        !self.logs.is_empty()
    }

    /// Whether any tap keeps what a machine drops.
    pub fn any_drops(&self) -> bool {
        !self.drops.is_empty()
    }

    /// Whether any tap wants to know of frames that end.
    #[inline]
    pub fn watches_air(&self) -> bool {
        self.any_antenna || self.any_drops()
    }

    /// Whether any tap sits at a machine's IP.
    #[inline]
    pub fn any_stack(&self) -> bool {
        self.any_stack
    }

    /// The interfaces whose frames any tap wants to know of.
    pub fn antennas(&self) -> Vec<InterfaceId> {
        let antenna = |tap: &Tap| match tap.at {
            Place::Antenna(interface) => Some(interface),
            Place::Wire(_) | Place::Segment(_) | Place::Stack(_) => None,
        };
        let logged = self.logs.iter().map(|log| log.interface);
        let mut all: Vec<_> = self.taps.iter().filter_map(antenna).chain(logged).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A packet passes the first end of a wire.
    pub fn on_wire(&mut self, packets: &Packets, wire: WireId, packet: &Packet, now: Time) {
        self.on_ethernet(packets, Place::Wire(wire), packet, now);
    }

    /// A packet has reached all on a segment.
    pub fn on_segment(
        &mut self,
        packets: &Packets,
        segment: SegmentId,
        packet: &Packet,
        now: Time,
    ) {
        self.on_ethernet(packets, Place::Segment(segment), packet, now);
    }

    /// A packet leaves the IP of a node, or comes to it.
    pub fn on_stack(&mut self, packets: &Packets, node: NodeId, packet: &Packet, now: Time) {
        self.on_ethernet(packets, Place::Stack(node), packet, now);
    }

    fn on_ethernet(&mut self, packets: &Packets, here: Place, packet: &Packet, now: Time) {
        for tap in self.taps.iter_mut().filter(|tap| tap.at == here) {
            tap.bytes.clear();
            let length = write_ethernet(packets, packet, tap.snap, &mut tap.bytes);
            if let Err(error) = tap.write(now, length) {
                self.failure.get_or_insert(error);
            }
        }
    }

    /// A node drops a packet.
    pub fn on_drop(
        &mut self,
        packets: &Packets,
        node: NodeId,
        packet: &Packet,
        reason: DropReason,
        now: Time,
    ) {
        for tap in self.drops.iter_mut().filter(|tap| tap.node == node) {
            if let Err(error) = tap.keep(packets, packet, reason, now) {
                self.failure.get_or_insert(error);
            }
        }
    }

    /// A frame has come to a node with `signal` and was not decoded, or was of no use.
    pub fn on_lost_frame(
        &mut self,
        writer: &FrameWriter<'_>,
        node: NodeId,
        done: &Transmission,
        part: Option<(&Mpdu, bool)>,
        signal: Dbm,
        reason: DropReason,
    ) {
        for tap in self.drops.iter_mut().filter(|tap| tap.node == node) {
            if let Err(error) = tap.keep_frame(writer, done, part, signal, reason) {
                self.failure.get_or_insert(error);
            }
        }
    }

    /// Why the MAC of a node's interface has given up once more since this was asked last, if it
    /// has and a tap keeps what the node drops.
    pub fn newly_given_up(
        &mut self,
        node: NodeId,
        interface: InterfaceId,
        counts: GivenUp,
    ) -> Option<DropCause> {
        let taps = self.drops.iter_mut().filter(|tap| tap.node == node);
        taps.fold(None, |_, tap| tap.given_up.newly(interface, counts))
    }

    /// A frame that `interface` sent, or decoded with `signal`, ends.
    pub fn on_air(
        &mut self,
        writer: &FrameWriter<'_>,
        interface: InterfaceId,
        done: &Transmission,
        part: Option<(&Mpdu, bool)>,
        signal: Option<Dbm>,
    ) {
        if let Some(signal) = signal {
            self.log_level(writer.network, interface, done, signal);
        }
        let here = Place::Antenna(interface);
        for tap in self.taps.iter_mut().filter(|tap| tap.at == here) {
            let heard = signal.map(|signal| [signal, tap.noise]);
            tap.bytes.clear();
            writer.compose(done, part, (heard, false), &mut tap.bytes);
            let length = tap.bytes.len();
            if let Err(error) = tap.write(done.start, length) {
                self.failure.get_or_insert(error);
            }
        }
    }

    /// A radio that has decoded a frame knows its level, if it is from its access point.
    fn log_level(
        &mut self,
        network: &Network,
        interface: InterfaceId,
        done: &Transmission,
        signal: Dbm,
    ) {
        let access_point = network.interface(interface).access_point;
        if access_point.map(InterfaceId::address) != Some(done.frame.transmitter) {
            return;
        }
        for log in self
            .logs
            .iter_mut()
            .filter(|log| log.interface == interface)
        {
            if let Err(error) = log.note_level(done.start, signal) {
                self.failure.get_or_insert(error);
            }
        }
    }

    /// A radio belongs to an access point from here on, or to none.
    pub fn on_association(&mut self, interface: InterfaceId, with: Option<MacAddress>, now: Time) {
        let mut own = self
            .logs
            .iter_mut()
            .filter(|log| log.interface == interface);
        let told = own.try_for_each(|log| log.note_access_point(now, with));
        if let Err(error) = told {
            self.failure.get_or_insert(error);
        }
    }

    /// A radio's MAC has done with a packet, having given up so many so far.
    pub fn on_done(&mut self, network: &Network, interface: InterfaceId, drops: u64, now: Time) {
        for log in self
            .logs
            .iter_mut()
            .filter(|log| log.interface == interface)
        {
            let to = network
                .interface(interface)
                .access_point
                .unwrap_or(interface);
            if let Err(error) = log.note_drops(now, drops, network.interface(to).mac) {
                self.failure.get_or_insert(error);
            }
        }
    }

    /// Hands on what is held back, so that who reads meanwhile sees whole blocks.
    pub fn flush(&mut self) -> io::Result<()> {
        for tap in &mut self.taps {
            tap.file.flush()?;
        }
        for log in &mut self.logs {
            log.output.flush()?;
        }
        for tap in &mut self.drops {
            tap.file.flush()?;
        }
        Ok(())
    }

    /// Finishes the files.
    pub fn finish(self) -> io::Result<()> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        for tap in self.taps {
            tap.file.finish()?.finish()?;
        }
        for log in self.logs {
            log.finish()?;
        }
        for tap in self.drops {
            tap.finish()?;
        }
        Ok(())
    }

    /// What was kept in memory, by the taps' names.
    pub fn into_captures(self) -> Vec<(String, Vec<u8>)> {
        let kept = |tap: Tap| {
            let bytes = tap.file.finish().and_then(Output::finish);
            bytes.ok().map(|bytes| (tap.name, bytes))
        };
        let logs = self.logs.into_iter().filter_map(|log| log.finish().ok());
        let drops = self.drops.into_iter().filter_map(|tap| tap.finish().ok());
        let frames = self.taps.into_iter().filter_map(kept);
        frames.chain(logs).chain(drops).collect()
    }
}

impl Tap {
    fn writing(
        tap: &TapPlan,
        at: Place,
        interface: &Interface<'_>,
        noise: Dbm,
        mut file: Writer<Output>,
    ) -> io::Result<Tap> {
        let interface = file.add_interface(&interface.with_snap_len(tap.snap_bytes))?;
        Ok(Tap {
            name: tap.name.clone(),
            at,
            snap: tap.snap_bytes as usize,
            file,
            interface,
            noise,
            bytes: Vec::new(),
        })
    }

    /// Writes the frame in `bytes`, of which `length` were on the medium.
    fn write(&mut self, time: Time, length: usize) -> io::Result<()> {
        let kept = self.bytes.len().min(self.snap);
        self.file.frame(&Captured {
            interface: self.interface,
            time,
            bytes: &self.bytes[..kept],
            original_len: length as u32,
            comment: None,
        })
    }
}
