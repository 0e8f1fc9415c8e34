//! Devices that carry the frames of a port: a TAP interface of a namespace, or an interface of this
//! machine.

use std::cell::RefCell;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use os::interface::InterfaceSocket;
use os::stamps::TransmitStamps;
use os::tap::TapInterface;
use wire::ethernet::{Ethernet, HEADER};
use wire::{Headers, Patch};

/// A device that frames are read from and written to.
#[derive(Debug)]
pub enum Device {
    /// Of a namespace.
    Tap {
        /// Its node and its name there.
        name: String,
        /// Device that carries the frames.
        tap: TapInterface,
        /// Time when its frames were sent, where the system tells.
        stamps: Option<RefCell<TransmitStamps>>,
    },
    /// Of this machine.
    Interface(InterfaceSocket),
}

/// A frame that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// Its bytes.
    pub length: usize,
    /// Time when it was sent, or came in, by CLOCK_REALTIME, where the system tells.
    pub realtime_ns: Option<u64>,
}

impl Device {
    /// Reads the next frame; none if none waits.
    ///
    /// # Errors
    /// When the interface is gone.
    pub fn read(&self, frame: &mut [u8]) -> io::Result<Option<Read>> {
        match self {
            Device::Tap { tap, stamps, .. } => {
                let length = tap.read(frame).map_err(|error| self.gone(&error))?;
                Ok(length.map(|length| Read {
                    length,
                    realtime_ns: stamps.as_ref().and_then(|stamps| stamp(stamps, length)),
                }))
            }
            Device::Interface(interface) => {
                let received = interface.read(frame);
                let Some(received) = received.map_err(|error| self.gone(&error))? else {
                    return Ok(None);
                };
                let length = received.length.min(frame.len());
                if received.lacks_checksum {
                    complete(&mut frame[..length]);
                }
                Ok(Some(Read {
                    length,
                    realtime_ns: received.realtime_ns,
                }))
            }
        }
    }

    /// Writes a frame; answers whether it was taken.
    ///
    /// # Errors
    /// When the interface is gone.
    pub fn write(&self, frame: &[u8]) -> io::Result<bool> {
        let written = match self {
            Device::Tap { tap, .. } => tap.write(frame),
            Device::Interface(interface) => interface.write(frame),
        };
        written.map_err(|error| self.gone(&error))
    }

    #[cold]
    fn gone(&self, error: &io::Error) -> io::Error {
        let name = match self {
            Device::Tap { name, .. } => name,
            Device::Interface(interface) => interface.name(),
        };
        let said = format!("the interface {name} is gone, and the emulation ends with it: {error}");
        io::Error::new(error.kind(), said)
    }
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Device::Tap { tap, .. } => tap.as_fd(),
            Device::Interface(interface) => interface.as_fd(),
        }
    }
}

/// The stamp of a frame of this length: those of another length are of frames that the interface
/// dropped.
fn stamp(stamps: &RefCell<TransmitStamps>, length: usize) -> Option<u64> {
    let mut stamps = stamps.borrow_mut();
    let mut stamps = std::iter::from_fn(|| stamps.poll());
    let found = stamps.find(|stamp| stamp.length as usize == length);
    found.map(|stamp| stamp.realtime_ns)
}

/// Writes the checksum that the sender of a frame left to its interface.
fn complete(frame: &mut [u8]) {
    if let Some((header, _)) = Ethernet::read(frame) {
        let data = &mut frame[HEADER..];
        Patch::new(Headers::read(header.kind, data), data).complete_transport();
    }
}
