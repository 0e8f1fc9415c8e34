//! Writing pcapng files.
//!
//! The format is that of draft-ietf-opsawg-pcapng ("PCAP Next Generation
//! Capture File Format"); section numbers below are of its revision 02. A file
//! of ours is one section: a Section Header Block, an Interface Description
//! Block per tap, and an Enhanced Packet Block per frame.
//!
//! This writer is our own because the kept crates do not fit the hot path of a
//! tap: `pcap-file` 2.0 issues eight small writes per packet and needs an owned
//! copy of every interface, `pcap-parser` 0.17 builds two vectors per block and
//! brings the `futures` crates along, and neither cuts a frame at the
//! interface's snap length. What is left to write by hand is three block
//! layouts. Here each block is assembled in one reused buffer and handed over
//! in one write.

use std::io::{self, Write};

use units::Time;

/// Name of the program that wrote the file.
pub const APPLICATION: &str = concat!("anechoic ", env!("CARGO_PKG_VERSION"));

// Block types, §11.1.
const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

// Section header, §4.1. The byte-order magic reads the same only in the byte
// order of the file; ours is little-endian everywhere, so that files match.
const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;
const VERSION: [u16; 2] = [1, 0];
/// The section's length is not given: the file is written as a stream.
const LENGTH_UNKNOWN: i64 = -1;

// Option codes, §3.5 (comment), §4.1 (application) and §4.2 (interface).
const OPT_END: u16 = 0;
const OPT_COMMENT: u16 = 1;
const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;
/// A time stamp counts units of 10⁻⁹ s (§4.2, `if_tsresol` with its top bit clear).
const NANOSECONDS: u8 = 9;

/// Kind of a frame's first byte, as registered at <https://www.tcpdump.org/linktypes.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum LinkType {
    /// An Ethernet II header.
    Ethernet = 1,
    /// An IPv4 or IPv6 header.
    Raw = 101,
    /// An IEEE 802.11 header.
    Ieee80211 = 105,
    /// A radiotap header, then an IEEE 802.11 header.
    Ieee80211Radiotap = 127,
}

/// One tap: a place where frames are captured.
#[derive(Clone, Copy, Debug)]
pub struct CaptureInterface<'a> {
    /// Link type of the frames of this interface.
    pub link_type: LinkType,
    /// The tap's name, as people will read it.
    pub name: &'a str,
    /// The most bytes kept of a frame, 0 for all of them (§4.2).
    pub snap_len: u32,
    /// A remark for people.
    pub comment: Option<&'a str>,
}

impl<'a> CaptureInterface<'a> {
    /// An interface that keeps frames whole.
    pub const fn new(link_type: LinkType, name: &'a str) -> Self {
        CaptureInterface {
            link_type,
            name,
            snap_len: 0,
            comment: None,
        }
    }

    /// The same interface, keeping at most `bytes` bytes of a frame.
    pub const fn with_snap_len(self, bytes: u32) -> Self {
        CaptureInterface {
            snap_len: bytes,
            ..self
        }
    }
}

/// An interface of the [`Writer`] that handed it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfaceId(u32);

/// One captured frame.
#[derive(Clone, Copy, Debug)]
pub struct CapturedFrame<'a> {
    /// Where it was captured.
    pub interface: InterfaceId,
    /// Time since the start of the run; the file counts it from 1970-01-01, so
    /// that it does not depend on the day of the run.
    pub time: Time,
    /// Its bytes, or as many of its first bytes as were made.
    pub bytes: &'a [u8],
    /// Its length on the medium.
    pub original_len: u32,
    /// A remark for people, shown by Wireshark beside the frame.
    pub comment: Option<&'a str>,
}

impl<'a> CapturedFrame<'a> {
    /// A frame all of whose bytes are given.
    pub const fn whole(interface: InterfaceId, time: Time, bytes: &'a [u8]) -> Self {
        CapturedFrame {
            interface,
            time,
            bytes,
            original_len: bytes.len() as u32,
            comment: None,
        }
    }
}

/// Writes a pcapng file, block by block.
///
/// First the interfaces, in any order with the frames as long as an interface
/// precedes its first frame; [`Writer::finish`] last, because a buffered output
/// that is only dropped keeps its last error to itself. After an error the
/// output may end within a block; readers keep what stands before it.
#[derive(Debug)]
pub struct Writer<W: Write> {
    output: W,
    block: Vec<u8>,
    snap_lens: Vec<u32>,
}

impl<W: Write> Writer<W> {
    /// Starts a file, with an optional remark about the whole of it.
    ///
    /// Frames are written one by one: give a `BufWriter` for a file on disk.
    pub fn new(output: W, comment: Option<&str>) -> io::Result<Self> {
        let mut writer = Writer {
            output,
            block: Vec::new(),
            snap_lens: Vec::new(),
        };
        writer.begin(SECTION_HEADER);
        writer.block.extend(BYTE_ORDER_MAGIC.to_le_bytes());
        writer
            .block
            .extend(VERSION.iter().flat_map(|part| part.to_le_bytes()));
        writer.block.extend(LENGTH_UNKNOWN.to_le_bytes());
        writer.comment(comment)?;
        writer.option(SHB_USERAPPL, APPLICATION.as_bytes())?;
        writer.option(OPT_END, &[])?;
        writer.end()?;
        Ok(writer)
    }

    /// Describes one more interface.
    pub fn add_interface(&mut self, interface: &CaptureInterface<'_>) -> io::Result<InterfaceId> {
        let id = InterfaceId(self.snap_lens.len() as u32);
        self.begin(INTERFACE_DESCRIPTION);
        self.block
            .extend((interface.link_type as u16).to_le_bytes());
        self.block.extend([0, 0]); // reserved
        self.block.extend(interface.snap_len.to_le_bytes());
        self.comment(interface.comment)?;
        self.option(IF_NAME, interface.name.as_bytes())?;
        self.option(IF_TSRESOL, &[NANOSECONDS])?;
        self.option(OPT_END, &[])?;
        self.end()?;
        self.snap_lens.push(interface.snap_len);
        Ok(id)
    }

    /// Writes a frame, cut at its interface's snap length.
    ///
    /// Refused as invalid input: an interface of another file, and a frame with
    /// more bytes than it had on the medium.
    pub fn frame(&mut self, frame: &CapturedFrame<'_>) -> io::Result<()> {
        let Some(&snap_len) = self.snap_lens.get(frame.interface.0 as usize) else {
            return Err(invalid("the interface belongs to another capture file"));
        };
        if frame.bytes.len() > frame.original_len as usize {
            return Err(invalid("a frame has more bytes than its original length"));
        }
        let kept = match snap_len {
            0 => frame.bytes,
            limit => &frame.bytes[..frame.bytes.len().min(limit as usize)],
        };
        let nanos = frame.time.as_nanos();

        self.begin(ENHANCED_PACKET);
        let fields = [
            frame.interface.0,
            (nanos >> 32) as u32,
            nanos as u32,
            kept.len() as u32,
            frame.original_len,
        ];
        self.block
            .extend(fields.iter().flat_map(|field| field.to_le_bytes()));
        self.block.extend_from_slice(kept);
        self.pad();
        if frame.comment.is_some() {
            self.comment(frame.comment)?;
            self.option(OPT_END, &[])?;
        }
        self.end()
    }

    /// Hands over what the output still buffers: whole blocks.
    ///
    /// # Errors
    /// When the output fails.
    pub fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    /// Hands over what the output still buffers and gives the output back.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }

    /// Starts a block; its length is filled in by [`Writer::end`].
    fn begin(&mut self, block_type: u32) {
        self.block.clear();
        self.block.extend(block_type.to_le_bytes());
        self.block.extend([0; 4]);
    }

    /// Closes the block with its length, which stands at both ends (§3.1), and writes it.
    fn end(&mut self) -> io::Result<()> {
        let length = (self.block.len() as u32 + 4).to_le_bytes();
        self.block[4..8].copy_from_slice(&length);
        self.block.extend(length);
        self.output.write_all(&self.block)
    }

    fn comment(&mut self, text: Option<&str>) -> io::Result<()> {
        text.map_or(Ok(()), |text| self.option(OPT_COMMENT, text.as_bytes()))
    }

    fn option(&mut self, code: u16, value: &[u8]) -> io::Result<()> {
        let Ok(length) = u16::try_from(value.len()) else {
            return Err(invalid("a name or comment is longer than 65,535 bytes"));
        };
        self.block.extend(code.to_le_bytes());
        self.block.extend(length.to_le_bytes());
        self.block.extend_from_slice(value);
        self.pad();
        Ok(())
    }

    /// Everything in a block starts at a multiple of four bytes (§3.1, §3.5).
    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }
}

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes `write` adds to a file with one snapped Ethernet interface.
    fn block_of(write: impl FnOnce(&mut Writer<Vec<u8>>, InterfaceId)) -> Vec<u8> {
        let mut file = Writer::new(Vec::new(), None).unwrap();
        let interface = CaptureInterface::new(LinkType::Ethernet, "wire").with_snap_len(6);
        let id = file.add_interface(&interface).unwrap();
        let before = file.output.len();
        write(&mut file, id);
        file.finish().unwrap().split_off(before)
    }

    #[test]
    fn a_file_opens_with_the_section_header_and_says_who_wrote_it() {
        let file = Writer::new(Vec::new(), Some("hello"))
            .unwrap()
            .finish()
            .unwrap();
        let application = APPLICATION.as_bytes();
        assert!(application.starts_with(b"anechoic "));

        let mut expected = vec![0x0A, 0x0D, 0x0D, 0x0A];
        let padded = application.len().next_multiple_of(4);
        let length = (28 + 12 + 4 + padded + 4) as u8;
        expected.extend([length, 0, 0, 0]);
        expected.extend([0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0]);
        expected.extend([0xFF; 8]);
        expected.extend([1, 0, 5, 0, b'h', b'e', b'l', b'l', b'o', 0, 0, 0]);
        expected.extend([4, 0, application.len() as u8, 0]);
        expected.extend(application);
        expected.extend(vec![0; padded - application.len()]);
        expected.extend([0, 0, 0, 0, length, 0, 0, 0]);
        assert_eq!(file, expected);
    }

    #[test]
    fn an_interface_states_its_link_type_snap_length_name_and_nanoseconds() {
        let block = block_of(|file, _| {
            let air = CaptureInterface::new(LinkType::Ieee80211Radiotap, "air0").with_snap_len(256);
            file.add_interface(&air).unwrap();
        });
        let expected = [
            [1, 0, 0, 0], // Interface Description Block
            [40, 0, 0, 0],
            [127, 0, 0, 0],
            [0, 1, 0, 0], // snap length 256
            [2, 0, 4, 0], // if_name, four bytes
            *b"air0",
            [9, 0, 1, 0], // if_tsresol, one byte
            [9, 0, 0, 0],
            [0, 0, 0, 0], // end of options
            [40, 0, 0, 0],
        ];
        assert_eq!(block, expected.concat());
    }

    #[test]
    fn a_frame_keeps_its_original_length_when_the_snap_length_cuts_it() {
        let block = block_of(|file, id| {
            let time = Time::from_nanos(0x1_0000_0002);
            file.frame(&CapturedFrame {
                original_len: 1514,
                ..CapturedFrame::whole(id, time, &[1, 2, 3, 4, 5, 6, 7, 8])
            })
            .unwrap();
        });
        let expected = [
            [6, 0, 0, 0], // Enhanced Packet Block
            [40, 0, 0, 0],
            [0, 0, 0, 0],       // interface 0
            [1, 0, 0, 0],       // time stamp, upper half
            [2, 0, 0, 0],       // and lower half
            [6, 0, 0, 0],       // captured
            [0xEA, 0x05, 0, 0], // of 1514
            [1, 2, 3, 4],
            [5, 6, 0, 0],
            [40, 0, 0, 0],
        ];
        assert_eq!(block, expected.concat());
    }

    #[test]
    fn a_remark_stands_behind_the_frame() {
        let block = block_of(|file, id| {
            let frame = CapturedFrame {
                comment: Some("lost"),
                ..CapturedFrame::whole(id, Time::ZERO, &[1])
            };
            file.frame(&frame).unwrap();
        });
        let expected = [
            [1, 0, 0, 0],
            [1, 0, 4, 0],
            *b"lost",
            [0, 0, 0, 0],
            [48, 0, 0, 0],
        ];
        assert_eq!(block[28..], expected.concat());
    }

    #[test]
    fn an_interface_of_another_file_is_refused() {
        let mut other = Writer::new(Vec::new(), None).unwrap();
        let mut file = Writer::new(Vec::new(), None).unwrap();
        let id = other
            .add_interface(&CaptureInterface::new(LinkType::Raw, "x"))
            .unwrap();
        let error = file
            .frame(&CapturedFrame::whole(id, Time::ZERO, &[]))
            .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn more_bytes_than_were_on_the_medium_are_refused() {
        block_of(|file, id| {
            let frame = CapturedFrame {
                original_len: 1,
                ..CapturedFrame::whole(id, Time::ZERO, &[1, 2])
            };
            assert!(file.frame(&frame).is_err());
        });
    }

    #[test]
    fn a_comment_too_long_for_its_length_field_is_refused() {
        let long = "x".repeat(65_536);
        assert!(Writer::new(Vec::new(), Some(&long)).is_err());
    }
}
