//! Taps: frames captured where tcpdump or a monitor-mode sniffer would see them.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use capture::packet::{MacAddress, ethernet, llc_snap};
use capture::pcapng::{Frame as Captured, Interface, InterfaceId, LinkType, Writer};
use capture::radiotap::{Channel, Header, Modulation};
use dot11::{FrameKind, Mode, Preamble};
use units::{Dbm, Time};

use crate::bytes::write_packet;
use crate::packet::{Packet, Packets};
use crate::plan::{Plan, TapPlan, TapPoint};
use crate::port::Ports;
use crate::radios::Aired;

/// The taps of a world whose captures are wanted.
#[derive(Debug, Default)]
pub struct Taps {
    taps: Vec<Tap>,
    /// The first failure to write, told at the end of the run.
    failure: Option<io::Error>,
}

#[derive(Debug)]
struct Tap {
    at: TapPoint,
    snap: usize,
    file: Writer<BufWriter<File>>,
    interface: InterfaceId,
    bytes: Vec<u8>,
}

impl Taps {
    /// Makes a file for each tap of the plan.
    pub fn open(plan: &Plan, directory: &Path) -> io::Result<Taps> {
        std::fs::create_dir_all(directory)?;
        let taps = plan.taps.iter().map(|tap| Tap::open(plan, tap, directory));
        Ok(Taps { taps: taps.collect::<io::Result<_>>()?, failure: None })
    }

    /// Whether any tap sits on a wire.
    #[inline]
    pub fn any_wire(&self) -> bool {
        self.taps.iter().any(|tap| matches!(tap.at, TapPoint::Wire(_)))
    }

    /// Whether any tap sits at an antenna.
    #[inline]
    pub fn any_antenna(&self) -> bool {
        self.taps.iter().any(|tap| matches!(tap.at, TapPoint::Air(_)))
    }

    /// The nodes with a tap at their antenna.
    pub fn antennas(&self) -> Vec<u16> {
        let antenna = |tap: &Tap| match tap.at {
            TapPoint::Air(node) => Some(node as u16),
            TapPoint::Wire(_) => None,
        };
        self.taps.iter().filter_map(antenna).collect()
    }

    /// A packet passes the first end of a wire.
    pub fn on_wire(&mut self, plan: &Plan, ports: &Ports, wire: usize, packet: &Packet, now: Time) {
        for tap in self.taps.iter_mut().filter(|tap| tap.at == TapPoint::Wire(wire)) {
            let from = MacAddress::of_node(u32::from(packet.from));
            tap.bytes.clear();
            tap.bytes.extend_from_slice(&ethernet(from, MacAddress::of_node(u32::from(packet.to))));
            let header = tap.bytes.len();
            let room = tap.snap.saturating_sub(header);
            let length = header + write_packet(plan, ports, packet, room, &mut tap.bytes);
            if let Err(error) = tap.write(now, length) {
                self.failure.get_or_insert(error);
            }
        }
    }

    /// A frame that `node` sent, or decoded with `signal`, ends.
    #[expect(clippy::too_many_arguments, reason = "a sniffer sees all of it at once")]
    pub fn on_air(
        &mut self,
        plan: &Plan,
        packets: &Packets,
        ports: &Ports,
        node: u16,
        aired: &Aired,
        signal: Option<Dbm>,
    ) {
        for tap in self.taps.iter_mut().filter(|tap| tap.at == TapPoint::Air(usize::from(node))) {
            let length = tap.compose(plan, packets, ports, aired, signal);
            if let Err(error) = tap.write(aired.start, length) {
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
            let file = tap.file.finish()?;
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        }
        Ok(())
    }
}
