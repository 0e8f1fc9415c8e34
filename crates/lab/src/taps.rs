//! Taps: frames captured where tcpdump or a monitor-mode sniffer would see them.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use air::Transmission;
use capture::packet::{ethernet, llc_snap};
use capture::pcapng::{Frame as Captured, Interface, InterfaceId, LinkType, Writer};
use capture::radiotap::{Channel, Header, Modulation};
use dot11::codec::{self, Ends, ManagementBody, Mpdu};
use dot11::{Address, Class, Frame, FrameKind, Mode, Preamble, user_priority};
use units::{Dbm, MacAddress, Time};

use crate::beacon::BeaconContent;
use crate::bytes::{ether_type, write_packet};
use crate::events::EventLog;
use crate::foreign::Foreign;
use crate::network::Network;
use crate::output::Output;
use crate::packet::{Body, Packet, Packets};
use crate::plan::{Plan, RadioPlan, Role, TapPlan, TapPoint};
use crate::radios::noise_of;

/// The taps of a world whose captures are wanted.
#[derive(Debug, Default)]
pub struct Taps {
    taps: Vec<Tap>,
    logs: Vec<EventLog>,
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
    interface: InterfaceId,
    /// What a radio reports beside a signal: the noise floor, which no neighbour or emitter is in.
    noise: Dbm,
    bytes: Vec<u8>,
}

/// Where a tap sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At the first end of a wire.
    Wire(usize),
    /// On a segment.
    Segment(usize),
    /// At the radio of an interface.
    Antenna(u16),
    /// Between a node's IP and its interfaces.
    Stack(u16),
}

/// What a frame on the air is made of, for whoever looks at it.
pub struct Aether<'a> {
    pub plan: &'a Plan,
    pub network: &'a Network,
    pub packets: &'a Packets,
    pub foreign: &'a Foreign,
    /// Whether the sender has access functions, so that its data are QoS data.
    pub has_categories: bool,
    /// The channel that the sender is on, in MHz, where that may be another one than its plan's.
    pub tuned_to: Option<u16>,
}

impl Taps {
    /// Makes a file for each tap of the plan.
    pub fn open(plan: &Plan, network: &Network, directory: &Path) -> io::Result<Taps> {
        std::fs::create_dir_all(directory)?;
        Taps::writing(plan, network, |tap| {
            let form = match tap.at {
                TapPoint::Events(_) => "iwevent",
                _ => "pcapng",
            };
            let file = File::create(directory.join(format!("{}.{form}", tap.name)))?;
            Ok(Output::File(BufWriter::new(file)))
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
        output: impl Fn(&TapPlan) -> io::Result<Output>,
    ) -> io::Result<Taps> {
        let (mut taps, mut logs) = (Vec::new(), Vec::new());
        let noise = noise_of(plan).unwrap_or(Dbm(0.0));
        for tap in &plan.taps {
            match tap.at {
                TapPoint::Events(at) => {
                    let interface = network.interface_at(at);
                    logs.push(EventLog::new(&tap.name, interface, noise, output(tap)?));
                }
                _ => taps.push(Tap::writing(plan, network, tap, output(tap)?)?),
            }
        }
        let any = |is: fn(Place) -> bool| taps.iter().any(|tap| is(tap.at));
        Ok(Taps {
            any_wire: any(|at| matches!(at, Place::Wire(_) | Place::Segment(_))),
            any_antenna: any(|at| matches!(at, Place::Antenna(_))) || !logs.is_empty(),
            any_stack: any(|at| matches!(at, Place::Stack(_))),
            taps,
            logs,
            failure: None,
        })
    }

    /// Whether any tap sits on a wire or a segment.
    #[inline]
    pub fn any_wire(&self) -> bool {
        self.any_wire
    }

    /// Whether any radio's events are written.
    pub fn any_log(&self) -> bool {
        !self.logs.is_empty()
    }

    /// Whether any tap sits at an antenna, or writes what its radio reports.
    #[inline]
    pub fn any_antenna(&self) -> bool {
        self.any_antenna
    }

    /// Whether any tap sits at a machine's IP.
    #[inline]
    pub fn any_stack(&self) -> bool {
        self.any_stack
    }

    /// The interfaces whose frames any tap wants to know of.
    pub fn antennas(&self) -> Vec<u16> {
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
    pub fn on_wire(&mut self, foreign: &Foreign, wire: usize, packet: &Packet, now: Time) {
        self.on_ethernet(foreign, Place::Wire(wire), packet, now);
    }

    /// A packet has reached all on a segment.
    pub fn on_segment(&mut self, foreign: &Foreign, segment: usize, packet: &Packet, now: Time) {
        self.on_ethernet(foreign, Place::Segment(segment), packet, now);
    }

    /// A packet leaves the IP of a node, or comes to it.
    pub fn on_stack(&mut self, foreign: &Foreign, node: u16, packet: &Packet, now: Time) {
        self.on_ethernet(foreign, Place::Stack(node), packet, now);
    }

    fn on_ethernet(&mut self, foreign: &Foreign, here: Place, packet: &Packet, now: Time) {
        for tap in self.taps.iter_mut().filter(|tap| tap.at == here) {
            let hop = packet.hop;
            let header = ethernet(hop.source, hop.destination, ether_type(packet));
            tap.bytes.clear();
            tap.bytes.extend_from_slice(&header);
            let room = tap.snap.saturating_sub(header.len());
            let length = header.len() + write_packet(foreign, packet, room, &mut tap.bytes);
            if let Err(error) = tap.write(now, length) {
                self.failure.get_or_insert(error);
            }
        }
    }

    /// A frame that `interface` sent, or decoded with `signal`, ends.
    pub fn on_air(
        &mut self,
        aether: &Aether<'_>,
        interface: u16,
        done: &Transmission,
        signal: Option<Dbm>,
    ) {
        if let Some(signal) = signal {
            self.log_level(aether.network, interface, done, signal);
        }
        let here = Place::Antenna(interface);
        for tap in self.taps.iter_mut().filter(|tap| tap.at == here) {
            let length = tap.compose(aether, done, signal);
            if let Err(error) = tap.write(done.start, length) {
                self.failure.get_or_insert(error);
            }
        }
    }

    /// A radio that has decoded a frame knows its level, if it is from its access point.
    fn log_level(&mut self, network: &Network, interface: u16, done: &Transmission, signal: Dbm) {
        let access_point = network.interface(interface).access_point;
        if access_point != Some(done.frame.transmitter.0) {
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
    pub fn on_association(&mut self, interface: u16, with: Option<MacAddress>, now: Time) {
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
    pub fn on_done(&mut self, network: &Network, interface: u16, drops: u64, now: Time) {
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
        Ok(())
    }

    /// What was kept in memory, by the taps' names.
    pub fn into_captures(self) -> Vec<(String, Vec<u8>)> {
        let kept = |tap: Tap| {
            let bytes = tap.file.finish().and_then(Output::finish);
            bytes.ok().map(|bytes| (tap.name, bytes))
        };
        let logs = self.logs.into_iter().filter_map(|log| log.finish().ok());
        self.taps.into_iter().filter_map(kept).chain(logs).collect()
    }
}

impl Tap {
    fn writing(plan: &Plan, network: &Network, tap: &TapPlan, output: Output) -> io::Result<Tap> {
        let mut file = Writer::new(output, None)?;
        let (link_type, name) = match tap.at {
            TapPoint::Wire(wire) => (LinkType::Ethernet, plan.wires[wire].name.as_str()),
            TapPoint::Segment(at) => (LinkType::Ethernet, plan.segments[at].name.as_str()),
            TapPoint::Air(at) | TapPoint::Events(at) => (
                LinkType::Ieee80211Radiotap,
                plan.radio_at(at).map_or("", |radio| &radio.name),
            ),
            TapPoint::Stack(node) => (LinkType::Ethernet, plan.nodes[node].name.as_str()),
        };
        let interface = Interface::new(link_type, name).with_snap_len(tap.snap_bytes);
        let interface = file.add_interface(&interface)?;
        let snap = tap.snap_bytes as usize;
        let at = match tap.at {
            TapPoint::Wire(wire) => Place::Wire(wire),
            TapPoint::Segment(segment) => Place::Segment(segment),
            TapPoint::Air(at) | TapPoint::Events(at) => Place::Antenna(network.interface_at(at)),
            TapPoint::Stack(node) => Place::Stack(node as u16),
        };
        Ok(Tap {
            name: tap.name.clone(),
            at,
            snap,
            file,
            interface,
            noise: noise_of(plan).unwrap_or(Dbm(0.0)),
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

    /// Puts radiotap header and frame into `bytes`; answers their whole length.
    fn compose(&mut self, aether: &Aether<'_>, done: &Transmission, signal: Option<Dbm>) -> usize {
        let Aether { plan, network, .. } = *aether;
        let frame = &done.frame;
        self.bytes.clear();
        let sender = plan.radio_at(network.place_of(frame.transmitter.0));
        let mut header = Header {
            signal,
            noise: signal.map(|_| self.noise),
            ..radiotap(sender, frame, done.start)
        };
        if let Some(frequency_mhz) = aether.tuned_to {
            header.channel.frequency_mhz = frequency_mhz;
        }
        header.write(&mut self.bytes);
        let mut body = Vec::new();
        let mut priority = None;
        let mut ends = Ends::of_hop(bssid(network, frame), frame);
        match frame.kind {
            FrameKind::Data => {
                let packet = aether.packets.get(frame.msdu);
                priority = aether.has_categories.then(|| user_priority(packet.dscp));
                ends.source = codec::MacAddress(packet.hop.source.0);
                ends.destination = codec::MacAddress(packet.hop.destination.0);
                body.extend_from_slice(&llc_snap(ether_type(packet)));
                write_packet(aether.foreign, packet, usize::MAX, &mut body);
                let from = usize::from(frame.body_offset);
                body = body[from..from + usize::from(frame.body_bytes)].to_vec();
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
                if let (Some(radio), Some(air), Body::Management(what)) =
                    (sender, &plan.air, aether.packets.get(frame.msdu).body)
                {
                    ends.bssid = cell_of(network, frame);
                    let cell = BeaconContent::new(radio, air);
                    let cell = cell.at(done.start);
                    ManagementBody { what, cell }.write(&mut body);
                }
            }
        }
        Mpdu::of(frame, &ends, &body)
            .of_priority(priority)
            .write(&mut self.bytes);
        self.bytes.len()
    }
}

/// The access point that a management frame is from or for; all, of a question to all.
fn cell_of(network: &Network, frame: &Frame) -> Address {
    match frame.receiver.is_broadcast() {
        true => Address::BROADCAST,
        false if network.interface(frame.transmitter.0).role == Role::Ap => frame.transmitter,
        false => frame.receiver,
    }
}

fn radiotap(sender: Option<&RadioPlan>, frame: &Frame, start: Time) -> Header {
    let frequency_mhz = sender.map_or(0, |radio| radio.frequency_mhz);
    Header {
        tsft_us: (start + frame.plcp_time()).as_nanos() / 1_000,
        short_preamble: frame.mode.class() == Class::Dsss && frame.preamble == Preamble::Short,
        fcs_at_end: true,
        bad_fcs: false,
        rate: frame.mode.rate(),
        channel: Channel {
            frequency_mhz,
            modulation: modulation(frame.mode),
        },
        signal: None,
        noise: None,
    }
}

fn modulation(mode: Mode) -> Modulation {
    match mode.class() {
        Class::Dsss => Modulation::Cck,
        Class::ErpOfdm | Class::Ofdm => Modulation::Ofdm,
    }
}

/// The BSSID: the access point's address. A response names its receiver only, so the
/// transmitter's access point stands for it.
fn bssid(network: &Network, frame: &Frame) -> Address {
    let sender = network.interface(frame.transmitter.0);
    sender.access_point.map_or(frame.transmitter, Address)
}
