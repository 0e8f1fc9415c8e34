//! The log of what came in: enough to run an emulation again.
//!
//! A file in LZ4's frame format of entries, each 21 bytes and a body: what it is (a byte: 0 a frame, 1
//! a setting of a radio), the time at which it was let in and the time at which it really came, in
//! nanoseconds (64 bits each), the number of the interface (16 bits), the length of the body (16 bits),
//! all little-endian, and the body: the frame, or the setting's place among all and its value (16 bits
//! each). Another thread compresses it.

use std::fs::File;
use std::io::{self, BufReader, Read, Write as _};
use std::path::Path;

use lab::{InterfaceId, PortRefusal, Setting, Sink as _, World};
use lz4_flex::frame::{FrameDecoder, FrameEncoder};
use units::Time;

use crate::background::Background;

const HEADER: usize = 21;
const FRAME: u8 = 0;
const SETTING: u8 = 1;

/// Thing that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrivedFrame {
    /// Time when it was let into the world.
    pub admitted: Time,
    /// Time when it came.
    pub came: Time,
    /// At which interface.
    pub at: InterfaceId,
    /// What it is.
    pub what: What,
}

/// A frame at a port, or another value for a setting of a radio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The bytes of a frame.
    Frame(Vec<u8>),
    /// A setting, and the value that it was given.
    Setting(Setting, u16),
}

impl ArrivedFrame {
    /// Lets it into a world again.
    ///
    /// # Errors
    /// When it is a frame that the world refuses.
    pub fn enter(&self, world: &mut World) -> Result<(), PortRefusal> {
        match &self.what {
            What::Frame(frame) => world.inject(self.at, frame)?,
            What::Setting(setting, value) => {
                world.set(self.at, *setting, *value);
            }
        }
        Ok(())
    }
}

/// A log being written.
#[derive(Debug)]
pub struct ArrivalLog(Box<Background>);

impl ArrivalLog {
    /// Begins one in a new file.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path) -> io::Result<ArrivalLog> {
        let encoder = FrameEncoder::new(File::create(path)?);
        let end = |encoder: FrameEncoder<File>| {
            let file = encoder.finish().map_err(io::Error::other)?;
            file.sync_all()
        };
        let file = Background::start("log", encoder, io::Write::write_all, end)?;
        Ok(ArrivalLog(Box::new(file)))
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
        self.write(FRAME, [admitted, came], port, frame)
    }

    /// Notes that a setting of a radio was given a value.
    ///
    /// # Errors
    /// As of a frame.
    pub fn note_setting(
        &mut self,
        at: Time,
        radio: InterfaceId,
        setting: Setting,
        value: u16,
    ) -> io::Result<()> {
        let body = [place_of(setting), value].map(u16::to_le_bytes).concat();
        self.write(SETTING, [at, at], radio, &body)
    }

    #[inline]
    fn write(
        &mut self,
        kind: u8,
        [admitted, came]: [Time; 2],
        at: InterfaceId,
        body: &[u8],
    ) -> io::Result<()> {
        let mut header = [0; HEADER];
        header[0] = kind;
        header[1..9].copy_from_slice(&admitted.as_nanos().to_le_bytes());
        header[9..17].copy_from_slice(&came.as_nanos().to_le_bytes());
        header[17..19].copy_from_slice(&at.0.to_le_bytes());
        header[19..].copy_from_slice(&(body.len() as u16).to_le_bytes());
        self.0.write_all(&header)?;
        self.0.write_all(body)
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
pub struct ArrivalReader(FrameDecoder<BufReader<File>>);

impl ArrivalReader {
    /// Opens one.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(path: &Path) -> io::Result<ArrivalReader> {
        Ok(ArrivalReader(FrameDecoder::new(BufReader::new(
            File::open(path)?,
        ))))
    }

    /// The next that came; nothing at the end.
    ///
    /// # Errors
    /// When the file is cut short or no log.
    pub fn next(&mut self) -> io::Result<Option<ArrivedFrame>> {
        let mut header = [0; HEADER];
        if self.0.read(&mut header[..1])? == 0 {
            return Ok(None);
        }
        self.0.read_exact(&mut header[1..])?;
        let time = |at: usize| {
            let bytes = header[at..at + 8].try_into().expect("eight bytes");
            Time::from_nanos(u64::from_le_bytes(bytes))
        };
        let mut body = vec![0; usize::from(short(&header[19..]))];
        self.0.read_exact(&mut body)?;
        Ok(Some(ArrivedFrame {
            admitted: time(1),
            came: time(9),
            at: InterfaceId(short(&header[17..])),
            what: what(header[0], body)?,
        }))
    }
}

/// The first two bytes as a number.
fn short(bytes: &[u8]) -> u16 {
    u16::from_le_bytes([bytes[0], bytes[1]])
}

fn place_of(setting: Setting) -> u16 {
    let place = Setting::ALL.iter().position(|&each| each == setting);
    place.expect("it is one of all") as u16
}

fn what(kind: u8, body: Vec<u8>) -> io::Result<What> {
    let setting = |body: &[u8]| {
        let (place, value) = body.split_at_checked(2)?;
        let setting = Setting::ALL.get(usize::from(short(place)))?;
        (value.len() == 2).then(|| What::Setting(*setting, short(value)))
    };
    let found = match kind {
        FRAME => Some(What::Frame(body)),
        SETTING => setting(&body),
        _ => None,
    };
    found.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "an entry is none of a log"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_read_again() {
        let folder = std::env::temp_dir().join(format!("anechoic-log-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("log");
        let arrivals: Vec<ArrivedFrame> = (0..3000_u32)
            .map(|number| ArrivedFrame {
                admitted: Time::from_nanos(u64::from(number) * 1000),
                came: Time::from_nanos(u64::from(number) * 990),
                at: InterfaceId(number as u16 % 7),
                what: What::Frame(vec![number as u8; 14 + number as usize % 1500]),
            })
            .collect();
        let settings = Setting::ALL.map(|setting| ArrivedFrame {
            admitted: Time::from_nanos(4_000_000),
            came: Time::from_nanos(4_000_000),
            at: InterfaceId(1),
            what: What::Setting(setting, 255),
        });
        let mut log = ArrivalLog::create(&path).unwrap();
        for each in arrivals.iter().chain(&settings) {
            let noted = match &each.what {
                What::Frame(frame) => log.note(each.admitted, each.came, each.at, frame),
                What::Setting(setting, value) => {
                    log.note_setting(each.admitted, each.at, *setting, *value)
                }
            };
            noted.unwrap();
        }
        log.finish().unwrap();
        let mut reader = ArrivalReader::open(&path).unwrap();
        let read = std::iter::from_fn(|| reader.next().unwrap());
        assert!(read.eq(arrivals.into_iter().chain(settings)));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_no_entry_is_refused() {
        assert!(what(2, vec![0; 4]).is_err());
        assert!(what(SETTING, vec![9, 0, 1, 0]).is_err(), "no such setting");
        assert!(what(SETTING, vec![0; 3]).is_err());
    }
}
