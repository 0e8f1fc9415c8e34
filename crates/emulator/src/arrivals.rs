//! The log of what came in: enough to run an emulation again.
//!
//! A file in LZ4's frame format of entries, each 20 bytes and a frame: the time at which it was let
//! in and the time at which it really came, in nanoseconds (64 bits each), the port (16 bits), the
//! frame's length (16 bits), all little-endian, and the frame. Another thread compresses and writes
//! it, so that no disk holds the loop up.

use std::fs::File;
use std::io::{self, BufReader, Read, Write as _};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use lab::InterfaceId;
use lz4_flex::frame::{FrameDecoder, FrameEncoder};
use units::Time;

/// Bytes that go to the writing thread at a time.
const CHUNK: usize = 1 << 20;

/// Chunks that may wait to be written before the loop has to.
const CHUNKS: usize = 64;

const HEADER: usize = 20;

/// A frame that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When it was let into the world.
    pub admitted: Time,
    /// When it came.
    pub came: Time,
    /// At which port.
    pub port: InterfaceId,
    /// Its bytes.
    pub frame: Vec<u8>,
}

/// A log being written.
#[derive(Debug)]
pub struct Log {
    chunk: Vec<u8>,
    full: Option<SyncSender<Vec<u8>>>,
    written: Receiver<Vec<u8>>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

impl Log {
    /// Begins one in a new file.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path) -> io::Result<Log> {
        let file = File::create(path)?;
        let (full, to_write) = sync_channel::<Vec<u8>>(CHUNKS);
        let (back, written) = sync_channel(CHUNKS);
        let writer = thread::Builder::new().name("log".into()).spawn(move || {
            let mut encoder = FrameEncoder::new(file);
            for mut chunk in to_write {
                encoder.write_all(&chunk)?;
                chunk.clear();
                // The loop has enough of them where nobody takes it back.
                let _ = back.try_send(chunk);
            }
            encoder.finish().map_err(io::Error::other)?.sync_all()
        })?;
        Ok(Log {
            chunk: Vec::with_capacity(CHUNK),
            full: Some(full),
            written,
            writer: Some(writer),
        })
    }

    /// Notes a frame.
    #[inline]
    pub fn note(&mut self, admitted: Time, came: Time, port: InterfaceId, frame: &[u8]) {
        if self.chunk.len() + HEADER + frame.len() > CHUNK {
            self.pass_on();
        }
        self.chunk.extend(admitted.as_nanos().to_le_bytes());
        self.chunk.extend(came.as_nanos().to_le_bytes());
        self.chunk.extend(port.0.to_le_bytes());
        self.chunk.extend((frame.len() as u16).to_le_bytes());
        self.chunk.extend(frame);
    }

    fn pass_on(&mut self) {
        let empty = self.written.try_recv();
        let empty = empty.unwrap_or_else(|_| Vec::with_capacity(CHUNK));
        let full = std::mem::replace(&mut self.chunk, empty);
        if let Some(writer) = &self.full {
            // One that has failed says so when it is asked to finish.
            let _ = writer.send(full);
        }
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// When the file could not be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.pass_on();
        self.full = None;
        let writer = self.writer.take().expect("it is finished once");
        writer
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the writing thread ended")))
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
            log.note(each.admitted, each.came, each.port, &each.frame);
        }
        log.finish().unwrap();
        let mut reader = Reader::open(&path).unwrap();
        let read = std::iter::from_fn(|| reader.next().unwrap());
        assert!(read.eq(arrivals));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
