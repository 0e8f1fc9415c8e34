//! The log of what came in: enough to run an emulation again.
//!
//! A file in LZ4's frame format of entries, each 20 bytes and a frame: the time at which it was let
//! in and the time at which it really came, in nanoseconds (64 bits each), the port (16 bits), the
//! frame's length (16 bits), all little-endian, and the frame. Another thread compresses it.

use std::fs::File;
use std::io::{self, BufReader, Read, Write as _};
use std::path::Path;

use lab::{InterfaceId, Sink as _};
use lz4_flex::frame::{FrameDecoder, FrameEncoder};
use units::Time;

use crate::background::Background;

const HEADER: usize = 20;

/// A frame that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Time when it was let into the world.
    pub admitted: Time,
    /// Time when it came.
    pub came: Time,
    /// At which port.
    pub port: InterfaceId,
    /// Its bytes.
    pub frame: Vec<u8>,
}

/// A log being written.
#[derive(Debug)]
pub struct Log(Box<Background>);

impl Log {
    /// Begins one in a new file.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path) -> io::Result<Log> {
        let encoder = FrameEncoder::new(File::create(path)?);
        let end = |encoder: FrameEncoder<File>| {
            let file = encoder.finish().map_err(io::Error::other)?;
            file.sync_all()
        };
        let file = Background::start("log", encoder, io::Write::write_all, end)?;
        Ok(Log(Box::new(file)))
    }

    /// Notes a frame.
    ///
    /// # Errors
    /// When it cannot be written; most of that is told at the end alone.
    #[inline]
    pub fn note(
        &mut self,
        admitted: Time,
        came: Time,
        port: InterfaceId,
        frame: &[u8],
    ) -> io::Result<()> {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&admitted.as_nanos().to_le_bytes());
        header[8..16].copy_from_slice(&came.as_nanos().to_le_bytes());
        header[16..18].copy_from_slice(&port.0.to_le_bytes());
        header[18..].copy_from_slice(&(frame.len() as u16).to_le_bytes());
        self.0.write_all(&header)?;
        self.0.write_all(frame)
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// When the file could not be written.
    pub fn finish(self) -> io::Result<()> {
        self.0.close()
    }
}

/// A log being read.
pub struct Reader(FrameDecoder<BufReader<File>>);

impl Reader {
    /// Opens one.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(path: &Path) -> io::Result<Reader> {
        Ok(Reader(FrameDecoder::new(BufReader::new(File::open(path)?))))
    }

    /// The next frame; none at the end.
    ///
    /// # Errors
    /// When the file is cut short or no log.
    pub fn next(&mut self) -> io::Result<Option<Arrival>> {
        let mut header = [0; HEADER];
        if self.0.read(&mut header[..1])? == 0 {
            return Ok(None);
        }
        self.0.read_exact(&mut header[1..])?;
        let time = |at: usize| {
            let bytes = header[at..at + 8].try_into().expect("eight bytes");
            Time::from_nanos(u64::from_le_bytes(bytes))
        };
        let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let mut frame = vec![0; usize::from(short(18))];
        self.0.read_exact(&mut frame)?;
        Ok(Some(Arrival {
            admitted: time(0),
            came: time(8),
            port: InterfaceId(short(16)),
            frame,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_read_again() {
        let folder = std::env::temp_dir().join(format!("anechoic-log-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("log");
        let arrivals: Vec<Arrival> = (0..3000_u32)
            .map(|number| Arrival {
                admitted: Time::from_nanos(u64::from(number) * 1000),
                came: Time::from_nanos(u64::from(number) * 990),
                port: InterfaceId(number as u16 % 7),
                frame: vec![number as u8; 14 + number as usize % 1500],
            })
            .collect();
        let mut log = Log::create(&path).unwrap();
        for each in &arrivals {
            log.note(each.admitted, each.came, each.port, &each.frame)
                .unwrap();
        }
        log.finish().unwrap();
        let mut reader = Reader::open(&path).unwrap();
        let read = std::iter::from_fn(|| reader.next().unwrap());
        assert!(read.eq(arrivals));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
