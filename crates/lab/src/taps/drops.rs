//! Taps that keep what a machine drops, each packet and frame with its cause as the comment.
//!
//! Packets are Ethernet frames, and what is lost on the air has a radiotap header: pcapng gives
//! each its own interface of one file.

use std::io;

use air::Transmission;
use capture::pcapng::{
    CaptureInterface, CapturedFrame as Captured, InterfaceId as FileInterface, LinkType, Writer,
};
use dot11::DataMpdu;
use units::{Dbm, Time};

use super::frame_writer::FrameWriter;
use super::output::Output;
use crate::ids::NodeId;
use crate::meters::DropReason;
use crate::packets::{Packet, Packets, write_ethernet};
use crate::plan::TapPlan;

/// What a machine drops, in a file.
#[derive(Debug)]
pub struct DropTap {
    name: String,
    /// The machine.
    pub node: NodeId,
    snap: usize,
    pub file: Writer<Output>,
    packets: FileInterface,
    frames: FileInterface,
    noise: Dbm,
    bytes: Vec<u8>,
}

impl DropTap {
    /// A tap on a machine called `of`, with nothing in it.
    pub fn writing(
        tap: &TapPlan,
        node: NodeId,
        of: &str,
        noise: Dbm,
        output: Output,
    ) -> io::Result<DropTap> {
        let mut file = Writer::new(output, None)?;
        let mut interface = |link_type, what: &str| {
            let name = format!("{of}, {what}");
            file.add_interface(
                &CaptureInterface::new(link_type, &name).with_snap_len(tap.snap_bytes),
            )
        };
        let packets = interface(LinkType::Ethernet, "packets dropped")?;
        let frames = interface(LinkType::Ieee80211Radiotap, "frames lost")?;
        Ok(DropTap {
            name: tap.name.clone(),
            node,
            snap: tap.snap_bytes as usize,
            file,
            packets,
            frames,
            noise,
            bytes: Vec::new(),
        })
    }

    /// Keeps a packet.
    pub fn keep(
        &mut self,
        packets: &Packets,
        packet: &Packet,
        reason: DropReason,
        now: Time,
    ) -> io::Result<()> {
        self.bytes.clear();
        let length = write_ethernet(packets, packet, self.snap, &mut self.bytes);
        self.write(self.packets, now, length, reason)
    }

    /// Keeps a frame that came with `signal`. Of one that was not decoded the check sequence is
    /// wrong: which bits were means nothing where a payload is a length.
    pub fn keep_frame(
        &mut self,
        writer: &FrameWriter<'_>,
        done: &Transmission,
        part: Option<(&DataMpdu, bool)>,
        signal: Dbm,
        reason: DropReason,
    ) -> io::Result<()> {
        self.bytes.clear();
        let is_bad = reason != DropReason::Duplicate;
        let heard = Some([signal, self.noise]);
        writer.compose(done, part, (heard, is_bad), &mut self.bytes);
        self.write(self.frames, done.start, self.bytes.len(), reason)
    }

    fn write(
        &mut self,
        of: FileInterface,
        time: Time,
        length: usize,
        reason: DropReason,
    ) -> io::Result<()> {
        let kept = self.bytes.len().min(self.snap);
        self.file.frame(&Captured {
            interface: of,
            time,
            bytes: &self.bytes[..kept],
            original_len: length as u32,
            comment: Some(reason.said()),
        })
    }

    /// Finishes the file; answers its name, and its bytes where they are in memory.
    pub fn finish(self) -> io::Result<(String, Vec<u8>)> {
        Ok((self.name, self.file.finish()?.finish()?))
    }
}
