//! Taps: frames captured where tcpdump or a monitor-mode sniffer would see them.

mod drops;
mod event_log;
mod frame_writer;
mod output;
mod tap;

use std::io::{self, Write as _};

use air::Transmission;
use capture::pcapng::{CaptureInterface, LinkType};
use dot11::DataMpdu;
use units::{Dbm, MacAddress, Time};

use crate::ids::{InterfaceId, NodeId, PacketId, SegmentId, WireId};
use crate::meters::DropReason;
use crate::network::Network;
use crate::packets::{Packet, Packets};
use crate::plan::{Plan, TapPlan, TapPoint};
use crate::radios::noise_of;

pub use frame_writer::FrameWriter;
pub use output::Sink;

use drops::DropTap;
use event_log::EventLog;
use output::Output;
use tap::Tap;

/// The taps of a world whose captures are wanted, by where they sit.
#[derive(Debug, Default)]
pub struct Taps {
    /// At the first ends of wires.
    wires: Vec<Tap<WireId>>,
    /// On segments.
    segments: Vec<Tap<SegmentId>>,
    /// Between nodes' IP and their interfaces.
    stacks: Vec<Tap<NodeId>>,
    /// At the radios of interfaces.
    antennas: Vec<Tap<InterfaceId>>,
    /// Beside the drivers of radios.
    logs: Vec<EventLog>,
    /// Where nodes drop packets and frames.
    drops: Vec<DropTap>,
    /// The first failure to write, told at the end of the run.
    failure: Option<io::Error>,
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
        let mut taps = Taps::default();
        for tap in &plan.taps {
            taps.add(tap, plan, network, output(tap)?)?;
        }
        Ok(taps)
    }

    fn add(
        &mut self,
        tap: &TapPlan,
        plan: &Plan,
        network: &Network,
        output: Output,
    ) -> io::Result<()> {
        let noise = noise_of(plan).unwrap_or(Dbm(0.0));
        let ethernet = |of| CaptureInterface::new(LinkType::Ethernet, of);
        match tap.at {
            TapPoint::Wire(wire) => {
                let (at, of) = (WireId::at(wire), ethernet(&plan.wires[wire].name));
                (self.wires).push(Tap::writing(tap, at, &of, noise, output)?);
            }
            TapPoint::Segment(segment) => {
                let (at, of) = (
                    SegmentId::at(segment),
                    ethernet(&plan.segments[segment].name),
                );
                (self.segments).push(Tap::writing(tap, at, &of, noise, output)?);
            }
            TapPoint::Stack(node) => {
                let (at, of) = (NodeId::at(node), ethernet(&plan.nodes[node].name));
                (self.stacks).push(Tap::writing(tap, at, &of, noise, output)?);
            }
            TapPoint::Air(radio) => {
                let name = plan.radio_at(radio).map_or("", |radio| radio.name.as_str());
                let of = CaptureInterface::new(LinkType::Ieee80211Radiotap, name);
                let at = network.interface_at(radio);
                (self.antennas).push(Tap::writing(tap, at, &of, noise, output)?);
            }
            TapPoint::Events(radio) => {
                let interface = network.interface_at(radio);
                (self.logs).push(EventLog::new(&tap.name, interface, noise, output));
            }
            TapPoint::Drops(node) => {
                let (at, of) = (NodeId::at(node), &plan.nodes[node].name);
                (self.drops).push(DropTap::writing(tap, at, of, noise, output)?);
            }
        }
        Ok(())
    }

    /// Returns whether any tap keeps what a machine drops.
    #[inline]
    pub fn keep_drops(&self) -> bool {
        !self.drops.is_empty()
    }

    /// Returns whether any tap wants to know of frames that end.
    #[inline]
    pub fn watch_frames(&self) -> bool {
        !(self.antennas.is_empty() && self.logs.is_empty() && self.drops.is_empty())
    }

    /// The interfaces whose frames any tap wants to know of.
    pub fn interfaces(&self) -> Vec<InterfaceId> {
        let tapped = self.antennas.iter().map(|tap| tap.at);
        let logged = self.logs.iter().map(|log| log.interface);
        let mut all: Vec<_> = tapped.chain(logged).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A packet passes the first end of a wire.
    #[inline]
    pub fn on_wire(&mut self, packets: &Packets, wire: WireId, packet: PacketId, now: Time) {
        if !self.wires.is_empty() {
            let kept = keep(&mut self.wires, wire, packets, packet, now);
            note(&mut self.failure, kept);
        }
    }

    /// A packet has reached all on a segment.
    #[inline]
    pub fn on_segment(&mut self, packets: &Packets, at: SegmentId, packet: PacketId, now: Time) {
        if !self.segments.is_empty() {
            let kept = keep(&mut self.segments, at, packets, packet, now);
            note(&mut self.failure, kept);
        }
    }

    /// A packet leaves the IP of a node, or comes to it.
    #[inline]
    pub fn on_stack(&mut self, packets: &Packets, node: NodeId, packet: PacketId, now: Time) {
        if !self.stacks.is_empty() {
            let kept = keep(&mut self.stacks, node, packets, packet, now);
            note(&mut self.failure, kept);
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
            note(&mut self.failure, tap.keep(packets, packet, reason, now));
        }
    }

    /// A frame has come to a node with `signal` and was not decoded, or was of no use.
    pub fn on_lost_frame(
        &mut self,
        writer: &FrameWriter<'_>,
        node: NodeId,
        done: &Transmission,
        part: Option<(&DataMpdu, bool)>,
        signal: Dbm,
        reason: DropReason,
    ) {
        for tap in self.drops.iter_mut().filter(|tap| tap.node == node) {
            let kept = tap.keep_frame(writer, done, part, signal, reason);
            note(&mut self.failure, kept);
        }
    }

    /// A frame that `interface` sent, or decoded with `signal`, ends.
    pub fn on_air(
        &mut self,
        writer: &FrameWriter<'_>,
        interface: InterfaceId,
        done: &Transmission,
        part: Option<(&DataMpdu, bool)>,
        signal: Option<Dbm>,
    ) {
        if let Some(signal) = signal {
            self.log_level(writer.network, interface, done, signal);
        }
        for tap in self.antennas.iter_mut().filter(|tap| tap.at == interface) {
            let heard = signal.map(|signal| [signal, tap.noise]);
            let kept = tap.keep_frame(done.start, |bytes| {
                writer.compose(done, part, (heard, false), bytes);
            });
            note(&mut self.failure, kept);
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
        for log in logs_of(&mut self.logs, interface) {
            note(&mut self.failure, log.note_level(done.start, signal));
        }
    }

    /// A radio belongs to an access point from here on, or to none.
    pub fn on_association(&mut self, interface: InterfaceId, with: Option<MacAddress>, now: Time) {
        for log in logs_of(&mut self.logs, interface) {
            note(&mut self.failure, log.note_access_point(now, with));
        }
    }

    /// A radio's MAC has given up a packet.
    pub fn on_given_up(&mut self, network: &Network, interface: InterfaceId, now: Time) {
        for log in logs_of(&mut self.logs, interface) {
            let own = network.interface(interface).access_point;
            let to = network.interface(own.unwrap_or(interface)).mac;
            note(&mut self.failure, log.note_given_up(now, to));
        }
    }

    /// Hands on what is held back, so that who reads meanwhile sees whole blocks.
    pub fn flush(&mut self) -> io::Result<()> {
        self.wires.iter_mut().try_for_each(Tap::flush)?;
        self.segments.iter_mut().try_for_each(Tap::flush)?;
        self.stacks.iter_mut().try_for_each(Tap::flush)?;
        self.antennas.iter_mut().try_for_each(Tap::flush)?;
        (self.logs.iter_mut()).try_for_each(|log| log.output.flush())?;
        (self.drops.iter_mut()).try_for_each(|tap| tap.file.flush())
    }

    /// Finishes the files; gives the name of each, and its bytes if they were kept in memory.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(self) -> io::Result<Vec<(String, Vec<u8>)>> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        (self.wires.into_iter().map(Tap::finish))
            .chain(self.segments.into_iter().map(Tap::finish))
            .chain(self.stacks.into_iter().map(Tap::finish))
            .chain(self.antennas.into_iter().map(Tap::finish))
            .chain(self.logs.into_iter().map(EventLog::finish))
            .chain(self.drops.into_iter().map(DropTap::finish))
            .collect()
    }
}

/// Keeps a packet in each of the taps that sit at a place.
#[cold]
fn keep<Place: Copy + PartialEq>(
    taps: &mut [Tap<Place>],
    at: Place,
    packets: &Packets,
    packet: PacketId,
    now: Time,
) -> io::Result<()> {
    let packet = packets.get(packet);
    let mut here = taps.iter_mut().filter(|tap| tap.at == at);
    here.try_for_each(|tap| tap.keep(packets, packet, now))
}

/// Keeps the first failure to write.
fn note(failure: &mut Option<io::Error>, written: io::Result<()>) {
    if let Err(error) = written {
        failure.get_or_insert(error);
    }
}

fn logs_of(logs: &mut [EventLog], interface: InterfaceId) -> impl Iterator<Item = &mut EventLog> {
    logs.iter_mut()
        .filter(move |log| log.interface == interface)
}
