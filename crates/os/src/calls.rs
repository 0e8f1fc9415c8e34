//! Calls on sockets with whatever arguments they are handed: buffers at no address, descriptors that
//! are none. The kernel refuses what is wrong, and its refusal is the answer.
//!
//! A descriptor is a number here, which its owner may give away or reuse; addresses are IPv4's.

#![expect(
    unsafe_code,
    reason = "system calls; each block passes only what it owns"
)]

use std::io;
use std::os::fd::RawFd;

use libc::{c_int, c_void, socklen_t};

/// A call's number, or its error.
pub type CallResult = io::Result<i64>;

fn outcome(result: impl Into<i64>) -> CallResult {
    match result.into() {
        -1 => Err(io::Error::last_os_error()),
        result => Ok(result),
    }
}

/// Result of recvmsg(2).
#[derive(Debug)]
pub struct RecvResult {
    /// Bytes of the message.
    pub bytes: i64,
    /// Its flags.
    pub flags: i64,
    /// Level, type and data of each control message.
    pub control: Vec<(i64, i64, Vec<u8>)>,
}

/// Makes a socket (socket(2)).
///
/// # Errors
/// The kernel's.
pub fn socket(domain: i64, kind: i64, protocol: i64) -> CallResult {
    // SAFETY: no pointers.
    outcome(unsafe { libc::socket(domain as c_int, kind as c_int, protocol as c_int) })
}

fn address(ip: [u8; 4], port: u16) -> libc::sockaddr_in {
    libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: port.to_be(),
        sin_addr: libc::in_addr {
            s_addr: u32::from_ne_bytes(ip),
        },
        sin_zero: [0; 8],
    }
}

const ADDRESS_BYTES: socklen_t = size_of::<libc::sockaddr_in>() as socklen_t;

/// Binds a socket to an address and a port (bind(2)).
///
/// # Errors
/// The kernel's.
pub fn bind(fd: RawFd, ip: [u8; 4], port: u16) -> CallResult {
    let address = address(ip, port);
    // SAFETY: `address` is as long as is said and outlives the call.
    outcome(unsafe { libc::bind(fd, (&raw const address).cast(), ADDRESS_BYTES) })
}

/// Connects a socket (connect(2)).
///
/// # Errors
/// The kernel's.
pub fn connect(fd: RawFd, ip: [u8; 4], port: u16) -> CallResult {
    let address = address(ip, port);
    // SAFETY: `address` is as long as is said and outlives the call.
    outcome(unsafe { libc::connect(fd, (&raw const address).cast(), ADDRESS_BYTES) })
}

/// Takes a socket back to before it was connected: connect() to no address.
///
/// # Errors
/// The kernel's.
pub fn disconnect(fd: RawFd) -> CallResult {
    let address = address_of(Destination::Nowhere);
    // SAFETY: `address` is as long as is said and outlives the call.
    outcome(unsafe { libc::connect(fd, (&raw const address).cast(), ADDRESS_BYTES) })
}

/// Lets a socket listen (listen(2)).
///
/// # Errors
/// The kernel's.
pub fn listen(fd: RawFd, backlog: i64) -> CallResult {
    // SAFETY: no pointers.
    outcome(unsafe { libc::listen(fd, backlog as c_int) })
}

/// Takes a connection (accept4(2)).
///
/// # Errors
/// The kernel's.
pub fn accept(fd: RawFd, flags: i64) -> CallResult {
    let none = std::ptr::null_mut();
    // SAFETY: null stands for no address wanted.
    outcome(unsafe { libc::accept4(fd, none, std::ptr::null_mut(), flags as c_int) })
}

/// Ends directions of a connection (shutdown(2)).
///
/// # Errors
/// The kernel's.
pub fn shutdown(fd: RawFd, how: i64) -> CallResult {
    // SAFETY: no pointers.
    outcome(unsafe { libc::shutdown(fd, how as c_int) })
}

/// Closes a descriptor (close(2)).
///
/// # Errors
/// The kernel's.
pub fn close(fd: RawFd) -> CallResult {
    // SAFETY: the descriptor is the script's and no one else's.
    outcome(unsafe { libc::close(fd) })
}

/// Memory that a call is handed, of so many bytes, or the pointer to nothing in its place.
#[derive(Clone, Copy, Debug)]
pub struct CallBuffer {
    /// Number of bytes.
    pub bytes: usize,
    /// True if it is the pointer to nothing.
    pub is_null: bool,
}

impl CallBuffer {
    fn memory(self) -> Vec<u8> {
        vec![0; if self.is_null { 0 } else { self.bytes }]
    }

    /// Where `memory`, its own, begins for the kernel.
    fn pointer(self, memory: &mut [u8]) -> *mut c_void {
        match self.is_null {
            true => std::ptr::null_mut(),
            false => memory.as_mut_ptr().cast(),
        }
    }
}

/// Sends or receives buffers as one message.
fn message<T>(buffers: &[CallBuffer], call: impl FnOnce(&mut libc::msghdr) -> T) -> T {
    let mut memory: Vec<Vec<u8>> = buffers.iter().map(|buffer| buffer.memory()).collect();
    let mut vectors: Vec<libc::iovec> = buffers
        .iter()
        .zip(&mut memory)
        .map(|(buffer, memory)| libc::iovec {
            iov_base: buffer.pointer(memory),
            iov_len: buffer.bytes,
        })
        .collect();
    // SAFETY: an all-zero msghdr is a valid value.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_iov = vectors.as_mut_ptr();
    header.msg_iovlen = vectors.len();
    call(&mut header)
}

/// Where a message goes.
#[derive(Clone, Copy, Debug)]
pub enum Destination {
    /// An address and a port.
    At([u8; 4], u16),
    /// An address of the family AF_UNSPEC.
    Nowhere,
}

fn address_of(destination: Destination) -> libc::sockaddr_in {
    match destination {
        Destination::At(ip, port) => address(ip, port),
        Destination::Nowhere => libc::sockaddr_in {
            sin_family: libc::AF_UNSPEC as libc::sa_family_t,
            ..address([0; 4], 0)
        },
    }
}

/// Sends buffers as one message (sendmsg(2)).
///
/// # Errors
/// The kernel's.
pub fn send(fd: RawFd, buffers: &[CallBuffer], flags: i64, to: Option<Destination>) -> CallResult {
    let flags = flags as c_int | libc::MSG_NOSIGNAL;
    let mut address = to.map(address_of);
    // SAFETY: the header points to buffers and an address that outlive the call, or to nothing,
    // which the kernel refuses.
    message(buffers, |header| {
        if let Some(address) = &mut address {
            header.msg_name = (&raw mut *address).cast();
            header.msg_namelen = ADDRESS_BYTES;
        }
        outcome(unsafe { libc::sendmsg(fd, header, flags) } as i64)
    })
}

/// Receives a message into buffers (recvmsg(2)).
///
/// # Errors
/// The kernel's.
pub fn receive(fd: RawFd, buffers: &[CallBuffer], flags: i64) -> CallResult {
    // SAFETY: the header points to buffers that outlive the call, or to nothing, which the kernel
    // refuses.
    message(buffers, |header| {
        outcome(unsafe { libc::recvmsg(fd, header, flags as c_int) } as i64)
    })
}

/// Room for more control messages than a call gives.
const CONTROL_BYTES: usize = 1024;

/// Receives a message with what comes beside its data.
///
/// # Errors
/// The kernel's.
pub fn receive_message(fd: RawFd, buffers: &[CallBuffer], flags: i64) -> io::Result<RecvResult> {
    let mut room = vec![0u64; CONTROL_BYTES / size_of::<u64>()];
    message(buffers, |header| {
        header.msg_control = room.as_mut_ptr().cast();
        header.msg_controllen = CONTROL_BYTES;
        // SAFETY: the header points to buffers that outlive the call, or to nothing, which the
        // kernel refuses.
        let bytes = outcome(unsafe { libc::recvmsg(fd, header, flags as c_int) } as i64)?;
        Ok(RecvResult {
            bytes,
            flags: i64::from(header.msg_flags),
            control: control(header),
        })
    })
}

/// The control messages that the kernel has written where `header` points to.
fn control(header: &libc::msghdr) -> Vec<(i64, i64, Vec<u8>)> {
    let mut found = Vec::new();
    // SAFETY: the kernel has written whole messages, and says in the header how many bytes.
    unsafe {
        let mut next = libc::CMSG_FIRSTHDR(header);
        while let Some(one) = next.as_ref() {
            let start = libc::CMSG_DATA(next);
            let length = one.cmsg_len - (start as usize - next as usize);
            let data = std::slice::from_raw_parts(start, length).to_vec();
            found.push((i64::from(one.cmsg_level), i64::from(one.cmsg_type), data));
            next = libc::CMSG_NXTHDR(header, next);
        }
    }
    found
}

/// Writes to what need not be a socket.
///
/// # Errors
/// The kernel's.
pub fn write(fd: RawFd, buffer: CallBuffer) -> CallResult {
    let mut memory = buffer.memory();
    let pointer = buffer.pointer(&mut memory);
    // SAFETY: the memory is as long as is said; the pointer to nothing the kernel refuses.
    outcome(unsafe { libc::write(fd, pointer, buffer.bytes) } as i64)
}

/// Reads from what need not be a socket.
///
/// # Errors
/// The kernel's.
pub fn read(fd: RawFd, buffer: CallBuffer) -> CallResult {
    let mut memory = buffer.memory();
    let pointer = buffer.pointer(&mut memory);
    // SAFETY: the memory is as long as is said; the pointer to nothing the kernel refuses.
    outcome(unsafe { libc::read(fd, pointer, buffer.bytes) } as i64)
}

/// Sends from a file (sendfile(2)).
///
/// # Errors
/// The kernel's.
pub fn sendfile(out: RawFd, file: RawFd, length: usize) -> CallResult {
    let none = std::ptr::null_mut();
    // SAFETY: null stands for the file's own position.
    outcome(unsafe { libc::sendfile(out, file, none, length) } as i64)
}

/// Moves bytes between descriptors (splice(2)).
///
/// # Errors
/// The kernel's.
pub fn splice(from: RawFd, to: RawFd, length: usize, flags: i64) -> CallResult {
    let none = std::ptr::null_mut();
    // SAFETY: null stands for the descriptors' own positions.
    outcome(
        unsafe { libc::splice(from, none, to, std::ptr::null_mut(), length, flags as u32) } as i64,
    )
}

/// The two ends of a pipe.
///
/// # Errors
/// The kernel's.
pub fn pipe() -> io::Result<[RawFd; 2]> {
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors.
    outcome(unsafe { libc::pipe(ends.as_mut_ptr()) }).map(|_| ends)
}

/// Sets an option to `value`, or to what the pointer to nothing points to.
///
/// # Errors
/// The kernel's.
pub fn set_option(fd: RawFd, level: i64, name: i64, value: Option<&[u8]>) -> CallResult {
    let pointer: *const c_void = value.map_or(std::ptr::null(), |value| value.as_ptr().cast());
    let length = value.map_or(size_of::<c_int>(), <[u8]>::len) as socklen_t;
    // SAFETY: the value is as long as is said; the pointer to nothing the kernel refuses.
    outcome(unsafe { libc::setsockopt(fd, level as c_int, name as c_int, pointer, length) })
}

/// The value of an option, at most `most` bytes.
///
/// # Errors
/// The kernel's.
pub fn option(fd: RawFd, level: i64, name: i64, most: usize) -> io::Result<Vec<u8>> {
    let mut value = vec![0u8; most];
    let mut length = most as socklen_t;
    let pointer: *mut c_void = value.as_mut_ptr().cast();
    // SAFETY: the value has room for `length` bytes, and both outlive the call.
    outcome(unsafe {
        libc::getsockopt(fd, level as c_int, name as c_int, pointer, &raw mut length)
    })?;
    value.truncate(length as usize);
    Ok(value)
}

/// Asks of a descriptor what takes a number (fcntl(2)).
///
/// # Errors
/// The kernel's.
pub fn fcntl(fd: RawFd, command: i64, argument: i64) -> CallResult {
    // SAFETY: no pointers; only commands with a number for an argument come here.
    outcome(unsafe { libc::fcntl(fd, command as c_int, argument as c_int) })
}

/// An ioctl that fills in a number.
///
/// # Errors
/// The kernel's.
pub fn ioctl(fd: RawFd, request: i64) -> CallResult {
    let mut number: c_int = 0;
    // SAFETY: the requests that come here write one int.
    outcome(unsafe { libc::ioctl(fd, request as _, &raw mut number) })?;
    Ok(i64::from(number))
}

/// Descriptors with the events asked for; the same with what they are ready for.
///
/// # Errors
/// The kernel's.
pub fn poll(watched: &[(RawFd, i64)], timeout_ms: i64) -> io::Result<Vec<i64>> {
    let mut entries: Vec<libc::pollfd> = watched
        .iter()
        .map(|(fd, events)| entry(*fd, *events as libc::c_short))
        .collect();
    // SAFETY: `entries` has as many elements as is said.
    outcome(unsafe {
        libc::poll(
            entries.as_mut_ptr(),
            entries.len() as libc::nfds_t,
            timeout_ms as c_int,
        )
    })?;
    Ok(entries
        .iter()
        .map(|entry| i64::from(entry.revents as u16))
        .collect())
}

/// Makes an instance of epoll(7).
///
/// # Errors
/// The kernel's.
pub fn epoll_create() -> CallResult {
    // SAFETY: no pointers.
    outcome(unsafe { libc::epoll_create1(0) })
}

/// Tells an instance of epoll(7) what to watch.
///
/// # Errors
/// The kernel's.
pub fn epoll_ctl(
    instance: RawFd,
    operation: i64,
    fd: RawFd,
    events: i64,
    datum: u64,
) -> CallResult {
    let mut event = libc::epoll_event {
        events: events as u32,
        u64: datum,
    };
    // SAFETY: `event` outlives the call.
    outcome(unsafe { libc::epoll_ctl(instance, operation as c_int, fd, &raw mut event) })
}

/// Returns what is ready: the datum and the events of each.
///
/// # Errors
/// The kernel's.
pub fn epoll_wait(instance: RawFd, most: i64, timeout_ms: i64) -> io::Result<Vec<(i64, i64)>> {
    let none = libc::epoll_event { events: 0, u64: 0 };
    let mut events = vec![none; most.clamp(1, 64) as usize];
    // SAFETY: `events` has as many elements as is said.
    let ready = outcome(unsafe {
        libc::epoll_wait(
            instance,
            events.as_mut_ptr(),
            events.len() as c_int,
            timeout_ms as c_int,
        )
    })?;
    let pair = |event: &libc::epoll_event| (event.u64 as i64, i64::from(event.events));
    Ok(events[..ready as usize].iter().map(pair).collect())
}

fn entry(fd: RawFd, events: libc::c_short) -> libc::pollfd {
    libc::pollfd {
        fd,
        events,
        revents: 0,
    }
}
