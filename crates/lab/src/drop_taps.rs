//! Taps that keep what a machine drops, each packet and frame with its cause as the comment.
//!
//! Packets are Ethernet frames, and what is lost on the air has a radiotap header: pcapng gives
//! each its own interface of one file.

use std::io;

use air::Transmission;
use capture::pcapng::{Frame as Captured, Interface, InterfaceId, LinkType, Writer};
use dot11::DropCause;
use units::{Dbm, Time};

use crate::aether::Aether;
use crate::bytes::write_ethernet;
use crate::drops::{GIVEN_UP, GivenUp, Why};
use crate::foreign::Foreign;
use crate::output::Output;
use crate::packet::Packet;
use crate::plan::TapPlan;

/// What a machine drops, in a file.
#[derive(Debug)]
pub struct DropTap {
    name: String,
    /// The machine.
    pub node: u16,
    snap: usize,
    file: Writer<Output>,
    packets: InterfaceId,
    frames: InterfaceId,
    noise: Dbm,
    /// How often the MAC of each interface has given up, by cause.
    given_up: Vec<(u16, GivenUp)>,
    bytes: Vec<u8>,
}

impl DropTap {
    /// A tap on a machine called `of`, with nothing in it.
    pub fn writing(
        tap: &TapPlan,
        node: usize,
        of: &str,
        noise: Dbm,
        output: Output,
    ) -> io::Result<DropTap> {
        let mut file = Writer::new(output, None)?;
        let mut interface = |link_type, what: &str| {
            let name = format!("{of}, {what}");
            file.add_interface(&Interface::new(link_type, &name).with_snap_len(tap.snap_bytes))
        };
        let packets = interface(LinkType::Ethernet, "packets dropped")?;
        let frames = interface(LinkType::Ieee80211Radiotap, "frames lost")?;
        Ok(DropTap {
            name: tap.name.clone(),
            node: node as u16,
            snap: tap.snap_bytes as usize,
            file,
            packets,
            frames,
            noise,
            given_up: Vec::new(),
            bytes: Vec::new(),
        })
    }

    /// Keeps a packet.
    pub fn keep(
        &mut self,
        foreign: &Foreign,
        packet: &Packet,
        why: Why,
        now: Time,
    ) -> io::Result<()> {
        self.bytes.clear();
        let length = write_ethernet(foreign, packet, self.snap, &mut self.bytes);
        self.write(self.packets, now, length, why)
    }

    /// Keeps a frame that came with `signal`. Of one that was not decoded the check sequence is
    /// wrong: which bits were means nothing where a payload is a length.
    pub fn keep_frame(
        &mut self,
        aether: &Aether<'_>,
        done: &Transmission,
        signal: Dbm,
        why: Why,
    ) -> io::Result<()> {
        self.bytes.clear();
        let is_bad = why != Why::Duplicate;
        aether.compose(done, Some([signal, self.noise]), is_bad, &mut self.bytes);
        self.write(self.frames, done.start, self.bytes.len(), why)
    }

    fn write(&mut self, of: InterfaceId, time: Time, length: usize, why: Why) -> io::Result<()> {
        let kept = self.bytes.len().min(self.snap);
        self.file.frame(&Captured {
            interface: of,
            time,
            bytes: &self.bytes[..kept],
            original_len: length as u32,
            comment: Some(why.said()),
        })
    }

    /// Why the MAC of an interface has given up once more since this was asked last, if it has.
    pub fn newly_given_up(&mut self, interface: u16, counts: GivenUp) -> Option<DropCause> {
        let known = self.given_up.iter().position(|of| of.0 == interface);
        let known = known.unwrap_or_else(|| {
            self.given_up.push((interface, GivenUp::default()));
            self.given_up.len() - 1
        });
        let before = std::mem::replace(&mut self.given_up[known].1, counts);
        (GIVEN_UP.into_iter().enumerate())
            .find_map(|(at, cause)| (counts[at] > before[at]).then_some(cause))
    }

    /// Finishes the file; answers its name, and its bytes where they are in memory.
    pub fn finish(self) -> io::Result<(String, Vec<u8>)> {
        Ok((self.name, self.file.finish()?.finish()?))
    }
}
