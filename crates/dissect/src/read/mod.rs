//! Capture files from anywhere: pcap and pcapng, packed with gzip or Zstandard or not.
//!
//! [`PacketReader::next`] gives one packet after the other out of a buffer of bounded
//! size, so that a file may be larger than memory and may come through a pipe.
//! A file is untrusted: a record that cannot be one ends the reading, or is
//! passed over where the file says what follows, and [`PacketReader::warnings`] tells.
//!
//! ```
//! use capture::pcapng::{CaptureInterface, CapturedFrame, LinkType, Writer};
//! use dissect::read::PacketReader;
//! use units::Time;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut file = Writer::new(Vec::new(), None)?;
//! let wire = file.add_interface(&CaptureInterface::new(LinkType::Raw, "wire"))?;
//! file.frame(&CapturedFrame::whole(wire, Time::from_nanos(7), &[0x45, 0, 0, 20]))?;
//! let bytes = file.finish()?;
//!
//! let mut reader = PacketReader::new(&bytes[..bytes.len() - 1])?;
//! assert!(reader.next().is_none());
//! assert!(reader.warnings()[0].to_string().starts_with("the file ends within the record"));
//!
//! let mut reader = PacketReader::new(&bytes[..])?;
//! let packet = reader.next().expect("one packet");
//! assert_eq!((packet.time_ns, packet.data), (7, &[0x45, 0, 0, 20][..]));
//! # Ok(())
//! # }
//! ```

mod compression;
mod other;
mod pcap;
mod pcapng;
mod section;
mod stop;
mod warning;
mod window;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use compression::Unpacked;
use pcap::RecordLayout;
use section::PcapngSection;
use stop::ReadStop;
use window::Window;

pub use warning::Warning;

/// The longest packet that capture programs keep of a network (libpcap's MAXIMUM_SNAPLEN).
/// A record that claims more is not a record.
const LONGEST_PACKET: u32 = 262_144;

/// Warnings kept; a hostile file gives them without end.
const MOST_WARNINGS: usize = 100;

/// One captured packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedPacket<'a> {
    /// Time when it was captured, in nanoseconds since 1970; 0 where the file does not say.
    pub time_ns: u64,
    /// Kind of its first byte: a number of <https://www.tcpdump.org/linktypes.html>.
    pub link_type: u32,
    /// Index of the interface in its section.
    pub interface: u32,
    /// The bytes that were kept.
    pub data: &'a [u8],
    /// Number of bytes on the medium.
    pub original_len: u32,
}

/// Why nothing at all can be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The source fails.
    Io(io::Error),
    /// There is not a single byte.
    Empty,
    /// It begins as a capture file does, and has no whole header.
    CutShort,
    /// It is not a capture file: the first bytes are of neither format.
    NotACapture,
    /// The first bytes are those of something else that is known.
    Other(&'static str),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io(error) => error.fmt(f),
            OpenError::Empty => f.write_str("the file is empty"),
            OpenError::CutShort => f.write_str("the file ends within its header"),
            OpenError::NotACapture => f.write_str("neither a pcap nor a pcapng file"),
            OpenError::Other(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Io(error) => Some(error),
            OpenError::Empty
            | OpenError::CutShort
            | OpenError::NotACapture
            | OpenError::Other(_) => None,
        }
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        OpenError::Io(error)
    }
}

/// Gives the packets of a capture file.
#[derive(Debug)]
pub struct PacketReader<R: Read> {
    window: Window<Unpacked<'static, R>>,
    format: FileFormat,
    /// Bytes of the packet given last, to be passed before the next.
    given: usize,
    is_over: bool,
    warnings: Vec<Warning>,
}

#[derive(Debug)]
enum FileFormat {
    Pcap(RecordLayout),
    Pcapng(PcapngSection),
}

/// Where a packet stands in the window.
#[derive(Clone, Copy, Debug)]
struct PacketPosition {
    time_ns: u64,
    link_type: u32,
    interface: u32,
    at: usize,
    captured: u32,
    original: u32,
    /// Bytes of the whole record.
    record: usize,
}

impl PacketReader<File> {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        PacketReader::new(File::open(path)?)
    }
}

impl PacketReader<io::Stdin> {
    /// Reads the standard input.
    pub fn stdin() -> Result<Self, OpenError> {
        PacketReader::new(io::stdin())
    }
}

impl<R: Read> PacketReader<R> {
    /// Reads any source of bytes; a slice of memory is one.
    pub fn new(source: R) -> Result<Self, OpenError> {
        let mut window = Window::new(Unpacked::new(source)?);
        if !window.fill(pcap::FILE_HEADER)? {
            return Err(match window.bytes() {
                [] => OpenError::Empty,
                opening if is_begun(opening) => OpenError::CutShort,
                opening => other::refuse(opening),
            });
        }
        let opening = window
            .bytes()
            .first_chunk()
            .expect("as many bytes as a pcap header");
        let format = match RecordLayout::parse(opening) {
            Some(layout) => {
                window.pass(pcap::FILE_HEADER);
                FileFormat::Pcap(layout)
            }
            None if pcapng::byte_order(opening).is_some() => {
                FileFormat::Pcapng(PcapngSection::default())
            }
            None => return Err(other::refuse(opening)),
        };
        Ok(PacketReader {
            window,
            format,
            given: 0,
            is_over: false,
            warnings: Vec::new(),
        })
    }

    /// Returns what could not be taken as it stood, so far.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns how far the reader has come, in bytes of the uncompressed file.
    pub const fn position(&self) -> u64 {
        self.window.position()
    }

    /// The next packet; none at the end of what can be read.
    ///
    /// It is put together where it is used: a processor waits for what is written in parts and read
    /// as a whole, as a value is that comes out of a call.
    #[inline(always)]
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator cannot lend its buffer"
    )]
    pub fn next(&mut self) -> Option<CapturedPacket<'_>> {
        self.window.pass(self.given);
        self.given = 0;
        let found = self.find()?;
        self.given = found.record;
        Some(CapturedPacket {
            time_ns: found.time_ns,
            link_type: found.link_type,
            interface: found.interface,
            data: &self.window.bytes()[found.at..found.at + found.captured as usize],
            original_len: found.original,
        })
    }

    #[inline(always)]
    fn find(&mut self) -> Option<PacketPosition> {
        if self.is_over {
            return None;
        }
        let found = match &mut self.format {
            FileFormat::Pcap(layout) => layout.find(&mut self.window),
            FileFormat::Pcapng(section) => section.find(&mut self.window, &mut self.warnings),
        };
        match found {
            Ok(found) => Some(found),
            Err(stop) => {
                self.end(stop);
                None
            }
        }
    }

    #[cold]
    fn end(&mut self, stop: ReadStop) {
        self.is_over = true;
        let ReadStop::Warning(warning) = stop else {
            return;
        };
        let is_corrupt = matches!(warning, Warning::Corrupt { .. });
        self.warnings.push(warning);
        if is_corrupt && self.window.source().is_packed() {
            self.blame_the_compression();
        }
    }

    /// A flipped bit unpacks to wrong bytes first, and fails the checksum of the whole at its end.
    fn blame_the_compression(&mut self) {
        if let Err(error) = self.window.drain() {
            let what = error.to_string();
            self.warnings.push(Warning::Damaged { what });
        }
    }
}

/// Returns whether a file begins with the magic number of either format.
fn is_begun(opening: &[u8]) -> bool {
    let magic = opening
        .first_chunk()
        .map(|&magic| u32::from_be_bytes(magic));
    magic.is_some_and(|magic| {
        let orders = [magic, magic.swap_bytes()];
        orders.into_iter().any(RecordLayout::is_magic) || magic == pcapng::SECTION_HEADER
    })
}

#[cold]
fn warn(warnings: &mut Vec<Warning>, warning: Warning) {
    if warnings.len() < MOST_WARNINGS {
        warnings.push(warning);
    }
}

#[cfg(test)]
mod tests;
