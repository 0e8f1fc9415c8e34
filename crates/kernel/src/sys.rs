//! The system calls that the standard library does not have, as safe functions.

#![expect(
    unsafe_code,
    reason = "system calls; each block passes only what it owns"
)]

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd as _, OwnedFd, RawFd};
use std::time::Duration;

use crate::messages::Received;
use libc::{c_int, c_void, socklen_t};

/// A call's number, or its error.
pub(crate) type Outcome = io::Result<i64>;

fn outcome(result: impl Into<i64>) -> Outcome {
    match result.into() {
        -1 => Err(io::Error::last_os_error()),
        result => Ok(result),
    }
}

/// Who runs this, as the system sees it.
pub(crate) fn own_user() -> u32 {
    // SAFETY: no pointers.
    unsafe { libc::geteuid() }
}

/// Takes or gives back a lock on a file (flock(2)): LOCK_SH, LOCK_EX or LOCK_UN, with LOCK_NB at once.
pub(crate) fn lock(file: &File, how: c_int) -> io::Result<()> {
    // SAFETY: no pointers.
    outcome(unsafe { libc::flock(file.as_raw_fd(), how) }).map(drop)
}

/// Puts this thread into a network of its own.
pub(crate) fn leave_network() -> io::Result<()> {
    // SAFETY: no pointers.
    outcome(unsafe { libc::unshare(libc::CLONE_NEWNET) }).map(drop)
}

/// Gives this thread mounts of its own, with its own network's interfaces below /sys.
pub(crate) fn own_mounts() -> io::Result<()> {
    let nowhere = std::ptr::null();
    // SAFETY: no pointers.
    outcome(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
    let mount = |kind: &CStr, place: &CStr, flags| {
        // SAFETY: the names outlive the call, which takes null for no source and no data.
        outcome(unsafe {
            let (kind, place) = (kind.as_ptr(), place.as_ptr());
            libc::mount(kind, place, kind, flags, nowhere)
        })
    };
    mount(c"none", c"/", libc::MS_REC | libc::MS_PRIVATE)?;
    mount(c"sysfs", c"/sys", 0).map(drop)
}

/// Asks for this thread to run before all that are not of the real-time kind.
pub(crate) fn hurry() -> io::Result<()> {
    let priority = libc::sched_param { sched_priority: 1 };
    // SAFETY: `priority` outlives the call.
    outcome(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const priority) }).map(drop)
}

/// The resolution of the clock that the timer's tick sets, in nanoseconds.
pub(crate) fn tick() -> Option<u64> {
    // SAFETY: an all-zero timespec is a valid value.
    let mut resolution: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: `resolution` outlives the call.
    let told = unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &raw mut resolution) };
    let nanos = u64::try_from(resolution.tv_nsec).ok();
    nanos.filter(|nanos| told == 0 && *nanos > 0)
}

/// Makes `file`, an open /dev/net/tun, the interface `tun0` of bare IP packets.
pub(crate) fn make_tun(file: &File) -> io::Result<()> {
    // SAFETY: an all-zero ifreq is a valid value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().zip(b"tun0") {
        *place = *byte as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: `request` outlives the call, which writes within it.
    outcome(unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) }).map(drop)
}

/// Waits until one of the descriptors is ready, at most `time`; how many are.
pub(crate) fn await_ready(descriptors: &[RawFd], time: Duration) -> Outcome {
    let mut entries: Vec<libc::pollfd> = descriptors
        .iter()
        .map(|fd| entry(*fd, libc::POLLIN))
        .collect();
    let timeout = libc::timespec {
        tv_sec: time.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(time.subsec_nanos() as i32),
    };
    // SAFETY: `entries` has as many elements as is said, and both outlive the call.
    outcome(unsafe {
        libc::ppoll(
            entries.as_mut_ptr(),
            entries.len() as libc::nfds_t,
            &raw const timeout,
            std::ptr::null(),
        )
    })
}

fn entry(fd: RawFd, events: libc::c_short) -> libc::pollfd {
    libc::pollfd {
        fd,
        events,
        revents: 0,
    }
}

pub(crate) fn socket(domain: i64, kind: i64, protocol: i64) -> Outcome {
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

pub(crate) fn bind(fd: RawFd, ip: [u8; 4], port: u16) -> Outcome {
    let address = address(ip, port);
    // SAFETY: `address` is as long as is said and outlives the call.
    outcome(unsafe { libc::bind(fd, (&raw const address).cast(), ADDRESS_BYTES) })
}

pub(crate) fn connect(fd: RawFd, ip: [u8; 4], port: u16) -> Outcome {
    let address = address(ip, port);
    // SAFETY: `address` is as long as is said and outlives the call.
    outcome(unsafe { libc::connect(fd, (&raw const address).cast(), ADDRESS_BYTES) })
}

/// Takes a socket back to before it was connected: connect() to no address.
pub(crate) fn disconnect(fd: RawFd) -> Outcome {
    let address = address_of(Destination::Nowhere);
    // SAFETY: `address` is as long as is said and outlives the call.
    outcome(unsafe { libc::connect(fd, (&raw const address).cast(), ADDRESS_BYTES) })
}

pub(crate) fn listen(fd: RawFd, backlog: i64) -> Outcome {
    // SAFETY: no pointers.
    outcome(unsafe { libc::listen(fd, backlog as c_int) })
}

pub(crate) fn accept(fd: RawFd, flags: i64) -> Outcome {
    let none = std::ptr::null_mut();
    // SAFETY: null stands for no address wanted.
    outcome(unsafe { libc::accept4(fd, none, std::ptr::null_mut(), flags as c_int) })
}

pub(crate) fn shutdown(fd: RawFd, how: i64) -> Outcome {
    // SAFETY: no pointers.
    outcome(unsafe { libc::shutdown(fd, how as c_int) })
}

pub(crate) fn close(fd: RawFd) -> Outcome {
    // SAFETY: the descriptor is the script's and no one else's.
    outcome(unsafe { libc::close(fd) })
}

/// Memory that a call is handed, of so many bytes, or the pointer to nothing in its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub bytes: usize,
    pub is_null: bool,
}

impl Buffer {
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
fn message<T>(buffers: &[Buffer], call: impl FnOnce(&mut libc::msghdr) -> T) -> T {
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
pub(crate) enum Destination {
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

pub(crate) fn send(fd: RawFd, buffers: &[Buffer], flags: i64, to: Option<Destination>) -> Outcome {
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

pub(crate) fn receive(fd: RawFd, buffers: &[Buffer], flags: i64) -> Outcome {
    // SAFETY: the header points to buffers that outlive the call, or to nothing, which the kernel
    // refuses.
    message(buffers, |header| {
        outcome(unsafe { libc::recvmsg(fd, header, flags as c_int) } as i64)
    })
}

/// Room for more control messages than a call gives.
const CONTROL_BYTES: usize = 1024;

/// Receives a message with what comes beside its data.
pub(crate) fn receive_message(fd: RawFd, buffers: &[Buffer], flags: i64) -> io::Result<Received> {
    let mut room = vec![0u64; CONTROL_BYTES / size_of::<u64>()];
    message(buffers, |header| {
        header.msg_control = room.as_mut_ptr().cast();
        header.msg_controllen = CONTROL_BYTES;
        // SAFETY: the header points to buffers that outlive the call, or to nothing, which the
        // kernel refuses.
        let bytes = outcome(unsafe { libc::recvmsg(fd, header, flags as c_int) } as i64)?;
        Ok(Received {
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
pub(crate) fn write(fd: RawFd, buffer: Buffer) -> Outcome {
    let mut memory = buffer.memory();
    let pointer = buffer.pointer(&mut memory);
    // SAFETY: the memory is as long as is said; the pointer to nothing the kernel refuses.
    outcome(unsafe { libc::write(fd, pointer, buffer.bytes) } as i64)
}

/// Reads from what need not be a socket.
pub(crate) fn read(fd: RawFd, buffer: Buffer) -> Outcome {
    let mut memory = buffer.memory();
    let pointer = buffer.pointer(&mut memory);
    // SAFETY: the memory is as long as is said; the pointer to nothing the kernel refuses.
    outcome(unsafe { libc::read(fd, pointer, buffer.bytes) } as i64)
}

pub(crate) fn sendfile(out: RawFd, file: RawFd, length: usize) -> Outcome {
    let none = std::ptr::null_mut();
    // SAFETY: null stands for the file's own position.
    outcome(unsafe { libc::sendfile(out, file, none, length) } as i64)
}

pub(crate) fn splice(from: RawFd, to: RawFd, length: usize, flags: i64) -> Outcome {
    let none = std::ptr::null_mut();
    // SAFETY: null stands for the descriptors' own positions.
    outcome(
        unsafe { libc::splice(from, none, to, std::ptr::null_mut(), length, flags as u32) } as i64,
    )
}

/// The two ends of a pipe.
pub(crate) fn pipe() -> io::Result<[RawFd; 2]> {
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors.
    outcome(unsafe { libc::pipe(ends.as_mut_ptr()) }).map(|_| ends)
}

/// Sets an option to `value`, or to what the pointer to nothing points to.
pub(crate) fn set_option(fd: RawFd, level: i64, name: i64, value: Option<&[u8]>) -> Outcome {
    let pointer: *const c_void = value.map_or(std::ptr::null(), |value| value.as_ptr().cast());
    let length = value.map_or(size_of::<c_int>(), <[u8]>::len) as socklen_t;
    // SAFETY: the value is as long as is said; the pointer to nothing the kernel refuses.
    outcome(unsafe { libc::setsockopt(fd, level as c_int, name as c_int, pointer, length) })
}

/// The value of an option, at most `most` bytes.
pub(crate) fn option(fd: RawFd, level: i64, name: i64, most: usize) -> io::Result<Vec<u8>> {
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

/// A descriptor that is ready once the process `id`, a child, has ended.
pub(crate) fn process_end(id: u32) -> io::Result<OwnedFd> {
    // SAFETY: no pointers.
    let descriptor = outcome(unsafe { libc::syscall(libc::SYS_pidfd_open, id, 0) })?;
    // SAFETY: the call has made the descriptor for the caller alone.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor as RawFd) })
}

/// Ends all processes of the group `id`, which a child that has not been waited for leads.
pub(crate) fn end_group(id: u32) {
    // SAFETY: no pointers.
    unsafe { libc::killpg(id as libc::pid_t, libc::SIGKILL) };
}

pub(crate) fn fcntl(fd: RawFd, command: i64, argument: i64) -> Outcome {
    // SAFETY: no pointers; only commands with a number for an argument come here.
    outcome(unsafe { libc::fcntl(fd, command as c_int, argument as c_int) })
}

/// An ioctl that fills in a number.
pub(crate) fn ioctl(fd: RawFd, request: i64) -> Outcome {
    let mut number: c_int = 0;
    // SAFETY: the requests that come here write one int.
    outcome(unsafe { libc::ioctl(fd, request as _, &raw mut number) })?;
    Ok(i64::from(number))
}

/// Descriptors with the events asked for; the same with what they are ready for.
pub(crate) fn poll(watched: &[(RawFd, i64)], timeout_ms: i64) -> io::Result<Vec<i64>> {
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

pub(crate) fn epoll_create() -> Outcome {
    // SAFETY: no pointers.
    outcome(unsafe { libc::epoll_create1(0) })
}

pub(crate) fn epoll_ctl(
    instance: RawFd,
    operation: i64,
    fd: RawFd,
    events: i64,
    datum: u64,
) -> Outcome {
    let mut event = libc::epoll_event {
        events: events as u32,
        u64: datum,
    };
    // SAFETY: `event` outlives the call.
    outcome(unsafe { libc::epoll_ctl(instance, operation as c_int, fd, &raw mut event) })
}

/// What is ready: the datum and the events of each.
pub(crate) fn epoll_wait(
    instance: RawFd,
    most: i64,
    timeout_ms: i64,
) -> io::Result<Vec<(i64, i64)>> {
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
