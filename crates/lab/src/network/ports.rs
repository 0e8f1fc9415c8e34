//! Ports: where frames are handed in and out, for machines outside the world, and what has become
//! of them.

use std::collections::VecDeque;
use std::fmt;

use units::Time;
use wire::ethernet::{Ethernet, HEADER, behind_tags};

use super::interface::{Entrance, Interface};
use crate::ids::{InterfaceId, PacketId};
use crate::meters::DropReason;
use crate::packets::{InterfaceHop, Packet, Packets, real, write_ethernet};
use crate::plan::Plan;

/// The ports of a world and the frames that have left at them.
#[derive(Debug, Default)]
pub struct Ports {
    /// By interface; nothing where it is no port's.
    ports: Vec<Option<Port>>,
    /// When, at which interface, and the packet's handle, which is held.
    egress: VecDeque<(Time, InterfaceId, PacketId)>,
    /// Whether any interface is a port's.
    pub any: bool,
    /// What has become of frames between the ports.
    tally: FrameTally,
}

#[derive(Clone, Copy, Debug)]
struct Port {
    mtu: u16,
    counts: PortCounts,
}

/// What has passed a port. Bytes are those of whole frames without check sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCounts {
    /// Frames let in.
    pub frames_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Frames handed out.
    pub frames_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Frames not let in that were too short for a header.
    pub refused_short: u64,
    /// Frames not let in that were longer than the interface's MTU allows.
    pub refused_long: u64,
}

/// What has become of real packets between the ports of a world, besides those that came out.
///
/// Where every frame goes to one port, each let in has come out, was dropped for a cause, or is
/// under way; fragments and copies that impairments make add to those let in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameTally {
    /// How many were dropped or lost, by cause, in the words of a capture of what is dropped.
    pub dropped: Vec<(&'static str, u64)>,
    /// How many fragments there are more than packets that were cut.
    pub cut: u64,
    /// How many copies impairments have made.
    pub copied: u64,
}

impl FrameTally {
    /// Returns how many were dropped for any cause.
    pub fn dropped_in_all(&self) -> u64 {
        self.dropped.iter().map(|&(_, count)| count).sum()
    }

    fn add(&mut self, reason: DropReason, more: u64) {
        let said = reason.said();
        match self.dropped.iter_mut().find(|(each, _)| *each == said) {
            Some((_, count)) => *count += more,
            None if more > 0 => self.dropped.push((said, more)),
            None => {}
        }
    }
}

/// Why a frame was not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortRefusal {
    /// The interface is no port's.
    NoPort,
    /// It is shorter than an Ethernet header.
    TooShort,
    /// What it carries is longer than the interface's MTU.
    TooLong {
        /// Bytes of the longest frame that is let in there, with its tags and without check
        /// sequence.
        most: usize,
    },
}

impl fmt::Display for PortRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortRefusal::NoPort => f.write_str("the interface is no port"),
            PortRefusal::TooShort => f.write_str("shorter than an Ethernet header of 14 bytes"),
            PortRefusal::TooLong { most } => {
                write!(
                    f,
                    "longer than a frame of {most} bytes, which the MTU allows"
                )
            }
        }
    }
}

impl std::error::Error for PortRefusal {}

impl Ports {
    /// Those among the interfaces of a plan's network. The machine within an access point has one,
    /// under the number of the first interface that it bridges.
    pub fn new(plan: &Plan, interfaces: &[Interface]) -> Self {
        let is_within = |number: usize, interface: &Interface| {
            InterfaceId::at(number) == interface.node.first_interface()
                && plan.is_port(interface.node.index())
        };
        let port = |(number, interface): (usize, &Interface)| {
            let is_port = interface.entrance == Entrance::Port || is_within(number, interface);
            is_port.then(|| Port {
                mtu: interface.mtu,
                counts: PortCounts::default(),
            })
        };
        let ports: Vec<_> = interfaces.iter().enumerate().map(port).collect();
        Ports {
            any: ports.iter().any(Option::is_some),
            ports,
            ..Ports::default()
        }
    }

    /// The packet in a frame that comes in at `port`; the caller has a hold on its bytes.
    pub fn admit(
        &mut self,
        now: Time,
        port: InterfaceId,
        frame: &[u8],
        packets: &mut Packets,
    ) -> Result<Packet, PortRefusal> {
        let Some(Some(Port { mtu, counts })) = self.ports.get_mut(port.index()) else {
            return Err(PortRefusal::NoPort);
        };
        let Some((header, data)) = Ethernet::read(frame) else {
            counts.refused_short += 1;
            return Err(PortRefusal::TooShort);
        };
        let (_, tags) = behind_tags(header.kind, data);
        if data.len() - tags > usize::from(*mtu) || data.len() > usize::from(u16::MAX) {
            counts.refused_long += 1;
            let most = HEADER + tags + usize::from(*mtu);
            return Err(PortRefusal::TooLong { most });
        }
        counts.frames_in += 1;
        counts.bytes_in += frame.len() as u64;
        let hop = InterfaceHop {
            source: header.source,
            destination: header.destination,
        };
        Ok(real::packet(now, hop, header.kind, data, packets))
    }

    /// A packet has reached a port: it leaves the world. The caller's hold on it passes on.
    pub fn emit(&mut self, now: Time, port: InterfaceId, handle: PacketId) {
        self.egress.push_back((now, port, handle));
    }

    /// The next frame that has left, written into a buffer.
    pub fn poll(
        &mut self,
        packets: &mut Packets,
        frame: &mut Vec<u8>,
    ) -> Option<(Time, InterfaceId)> {
        let (at, port, handle) = self.egress.pop_front()?;
        frame.clear();
        write_ethernet(packets, packets.get(handle), usize::MAX, frame);
        packets.release(handle);
        if let Some(Some(Port { counts, .. })) = self.ports.get_mut(port.index()) {
            counts.frames_out += 1;
            counts.bytes_out += frame.len() as u64;
        }
        Some((at, port))
    }

    /// Returns whether an interface is a port's.
    pub fn has(&self, port: InterfaceId) -> bool {
        matches!(self.ports.get(port.index()), Some(Some(_)))
    }

    /// Frames that have left and were not asked for yet.
    #[cfg(test)]
    pub fn waiting(&self) -> usize {
        self.egress.len()
    }

    /// Returns what has passed a port; nothing of what is none.
    pub fn counts(&self, port: InterfaceId) -> Option<PortCounts> {
        let port = self.ports.get(port.index())?.as_ref()?;
        Some(port.counts)
    }

    /// Returns what has become of frames between the ports.
    pub fn tally(&self, packets: &Packets) -> FrameTally {
        let mut tally = FrameTally {
            copied: packets.copied,
            ..self.tally.clone()
        };
        for (cause, count) in packets.real_dropped() {
            tally.add(DropReason::Queue(cause), count);
        }
        tally
    }

    /// A real packet was dropped.
    pub fn note_drop(&mut self, reason: DropReason) {
        self.tally.add(reason, 1);
    }

    /// A real packet was cut into so many.
    pub fn note_cut(&mut self, fragments: usize) {
        self.tally.cut += fragments as u64 - 1;
    }
}
