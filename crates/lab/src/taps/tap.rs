//! A tap: a file of the frames that pass one place.

use std::io;

use capture::pcapng::{CaptureInterface, CapturedFrame, InterfaceId, Writer};
use units::{Dbm, Time};

use super::output::Output;
use crate::packets::{Packet, Packets, write_ethernet};
use crate::plan::TapPlan;

/// A file of the frames that pass `at`: a wire, a segment, a node's IP or a radio's interface.
#[derive(Debug)]
pub struct Tap<Place> {
    name: String,
    pub at: Place,
    snap: usize,
    file: Writer<Output>,
    interface: InterfaceId,
    /// What a radio reports beside a signal: the noise floor, which no neighbour or emitter is in.
    pub noise: Dbm,
    bytes: Vec<u8>,
}

impl<Place> Tap<Place> {
    /// A file with nothing in it.
    pub fn writing(
        tap: &TapPlan,
        at: Place,
        interface: &CaptureInterface<'_>,
        noise: Dbm,
        output: Output,
    ) -> io::Result<Tap<Place>> {
        let mut file = Writer::new(output, None)?;
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

    /// Keeps a packet as an Ethernet frame.
    pub fn keep(&mut self, packets: &Packets, packet: &Packet, now: Time) -> io::Result<()> {
        self.bytes.clear();
        let length = write_ethernet(packets, packet, self.snap, &mut self.bytes);
        self.write(now, length)
    }

    /// Keeps a frame that began at `time` and is written by `compose`.
    pub fn keep_frame(&mut self, time: Time, compose: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        self.bytes.clear();
        compose(&mut self.bytes);
        self.write(time, self.bytes.len())
    }

    /// Writes the frame in `bytes`, of which `length` were on the medium.
    fn write(&mut self, time: Time, length: usize) -> io::Result<()> {
        let kept = self.bytes.len().min(self.snap);
        self.file.frame(&CapturedFrame {
            interface: self.interface,
            time,
            bytes: &self.bytes[..kept],
            original_len: length as u32,
            comment: None,
        })
    }

    /// Hands on what is held back.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    /// Finishes the file; gives its name, and its bytes if they were kept in memory.
    pub fn finish(self) -> io::Result<(String, Vec<u8>)> {
        let bytes = self.file.finish().and_then(Output::finish)?;
        Ok((self.name, bytes))
    }
}
