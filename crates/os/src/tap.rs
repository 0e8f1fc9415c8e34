//! TAP interfaces: what a namespace sends comes out of a descriptor as Ethernet frames, and what
//! is written to it is what the namespace receives (tun(4)).

#![expect(unsafe_code, reason = "ioctl(2) takes pointers")]

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt as _;

/// One TAP interface, by the descriptor that it lives by.
#[derive(Debug)]
pub struct TapInterface(File);

impl TapInterface {
    /// The device that hands out TAP interfaces.
    pub const DEVICE: &str = "/dev/net/tun";

    /// Opens the device and closes it again.
    ///
    /// # Errors
    /// When it is not there, or may not be opened.
    pub fn check() -> io::Result<()> {
        let device = OpenOptions::new()
            .read(true)
            .write(true)
            .open(TapInterface::DEVICE);
        device.map(drop)
    }

    /// Makes an interface of this name in the network that the calling thread is in.
    ///
    /// It has no offloads: frames that come out are whole, with their checksums, and no longer
    /// than its MTU and an Ethernet header.
    ///
    /// # Errors
    /// When there is no such device, the name is taken or longer than 15 bytes, or the system does
    /// not allow it.
    pub fn new(name: &str) -> io::Result<TapInterface> {
        made(name, libc::IFF_TAP).map(TapInterface)
    }

    /// Reads the next frame into `frame`; answers its length, or none if no frame waits.
    ///
    /// # Errors
    /// When the interface is gone.
    #[inline]
    pub fn read(&self, frame: &mut [u8]) -> io::Result<Option<usize>> {
        match (&self.0).read(frame) {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Hands a frame to the interface; answers whether it was taken. An interface that is down
    /// takes none.
    ///
    /// # Errors
    /// When the interface is gone.
    #[inline]
    pub fn write(&self, frame: &[u8]) -> io::Result<bool> {
        match (&self.0).write(frame) {
            Ok(taken) => Ok(taken == frame.len()),
            Err(error) => match error.raw_os_error() {
                Some(libc::EIO | libc::EAGAIN | libc::ENOBUFS) => Ok(false),
                _ => Err(error),
            },
        }
    }
}

/// Makes an interface of bare IP packets in the network that the calling thread is in; each read
/// from the file gives one, each write is one.
///
/// # Errors
/// As [`TapInterface::new`].
pub fn tun(name: &str) -> io::Result<File> {
    made(name, libc::IFF_TUN)
}

fn made(name: &str, kind: libc::c_int) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true);
    let device = options
        .custom_flags(libc::O_NONBLOCK)
        .open(TapInterface::DEVICE)
        .map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", TapInterface::DEVICE))
        })?;
    // SAFETY: an all-zero ifreq is a valid value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    if name.len() >= request.ifr_name.len() {
        return Err(io::Error::other(format!("{name}: longer than 15 bytes")));
    }
    for (place, byte) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *place = byte as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (kind | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: `request` outlives the call, which writes within it.
    let made = unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    match made {
        0 => Ok(device),
        _ => Err(io::Error::last_os_error()),
    }
}

impl AsFd for TapInterface {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
