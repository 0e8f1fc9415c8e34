//! When the kernel sent and received the datagrams of a socket (SO_TIMESTAMPING, in the kernel's
//! Documentation/networking/timestamping.rst).

#![expect(
    unsafe_code,
    reason = "recvmsg(2) takes pointers, and control messages lie in raw memory"
)]

use std::io;
use std::net::UdpSocket;
use std::os::fd::AsRawFd as _;

use crate::clock::{monotonic_ns, realtime_ns};
use crate::socket::set;

/// Stamps by software on both ways, those of what was sent with a number and without the datagram.
const WANTED: u32 = libc::SOF_TIMESTAMPING_RX_SOFTWARE
    | libc::SOF_TIMESTAMPING_TX_SOFTWARE
    | libc::SOF_TIMESTAMPING_SOFTWARE
    | libc::SOF_TIMESTAMPING_OPT_ID
    | libc::SOF_TIMESTAMPING_OPT_TSONLY;
/// What three readings of clocks take at most when nothing comes between them, where they need no
/// call of the kernel; and how often they are repeated.
const BETWEEN_NS: u64 = 500;
const READS: usize = 3;
/// Room for the control messages beside a datagram.
const CONTROL: usize = 256;

/// A datagram that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Came {
    /// Its bytes.
    pub length: usize,
    /// When, by CLOCK_MONOTONIC; `None` where the kernel did not say.
    pub at_ns: Option<u64>,
    /// The time to live that its header had left, where that was asked for.
    pub ttl: Option<u8>,
}

/// A datagram that went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Went {
    /// Its number among those sent since stamps are taken, from 0 on.
    pub number: u32,
    /// When, by CLOCK_MONOTONIC.
    pub at_ns: u64,
}

/// Has the kernel stamp the datagrams of a socket from now on; numbers begin at 0 again.
///
/// # Errors
/// When the kernel does not know how.
pub fn begin(socket: &UdpSocket) -> io::Result<()> {
    let fd = socket.as_raw_fd();
    set(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPING, &0_u32)?;
    set(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPING, &WANTED)
}

/// Has the kernel also say which time to live the header of each datagram had left (IPv4).
///
/// # Errors
/// When it does not know how.
pub fn tell_ttl(socket: &UdpSocket) -> io::Result<()> {
    set(socket.as_raw_fd(), libc::SOL_IP, libc::IP_RECVTTL, &1_i32)
}

/// Takes a datagram that has come.
///
/// # Errors
/// When none has, or the other end said that nobody listens.
pub fn receive(socket: &UdpSocket, bytes: &mut [u8]) -> io::Result<Came> {
    let mut control = ControlBuffer([0; CONTROL]);
    let (length, message) = receive_message(socket, bytes, &mut control, 0)?;
    let told = told(&message);
    Ok(Came {
        length,
        at_ns: told.at_ns,
        ttl: told.ttl,
    })
}

/// Takes the stamp of a datagram that has gone.
///
/// # Errors
/// When there is none.
pub fn sent(socket: &UdpSocket) -> io::Result<Went> {
    let mut control = ControlBuffer([0; CONTROL]);
    let (_, message) = receive_message(socket, &mut [], &mut control, libc::MSG_ERRQUEUE)?;
    let told = told(&message);
    match (told.at_ns, told.number) {
        (Some(at_ns), Some(number)) => Ok(Went { number, at_ns }),
        // Something else stood in the queue of errors.
        _ => Err(io::ErrorKind::Interrupted.into()),
    }
}

/// Memory for control messages, placed as they want it.
#[repr(C, align(8))]
struct ControlBuffer([u8; CONTROL]);

fn receive_message(
    socket: &UdpSocket,
    bytes: &mut [u8],
    control: &mut ControlBuffer,
    flags: i32,
) -> io::Result<(usize, libc::msghdr)> {
    let mut part = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    // SAFETY: an all-zero header is a valid value.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = CONTROL as _;
    let flags = flags | libc::MSG_DONTWAIT;
    // SAFETY: the header names memory that outlives the call, with its length.
    let length = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, flags) };
    // What it pointed to ends with this call.
    message.msg_iov = std::ptr::null_mut();
    match length {
        0.. => Ok((length as usize, message)),
        _ => Err(io::Error::last_os_error()),
    }
}

/// What control messages tell of a datagram.
#[derive(Default)]
struct StampReport {
    at_ns: Option<u64>,
    number: Option<u32>,
    ttl: Option<u8>,
}

/// Reads control messages; the memory that they lie in is still there.
fn told(message: &libc::msghdr) -> StampReport {
    let mut told = StampReport::default();
    // SAFETY: the kernel wrote the messages, and how long they are, into the header's memory.
    let mut next = unsafe { libc::CMSG_FIRSTHDR(message) };
    while !next.is_null() {
        // SAFETY: not null, so it is within that memory.
        let (header, data) = unsafe { (*next, libc::CMSG_DATA(next)) };
        match (header.cmsg_level, header.cmsg_type) {
            (libc::SOL_SOCKET, libc::SCM_TIMESTAMPING) => {
                // SAFETY: three times stand behind such a header, of which the first is by software.
                let stamp = unsafe { data.cast::<libc::timespec>().read_unaligned() };
                told.at_ns = monotonic(&stamp);
            }
            (libc::SOL_IP, libc::IP_RECVERR) | (libc::SOL_IPV6, libc::IPV6_RECVERR) => {
                // SAFETY: an error stands behind such a header.
                let error = unsafe { data.cast::<libc::sock_extended_err>().read_unaligned() };
                let is_stamp = error.ee_origin == libc::SO_EE_ORIGIN_TIMESTAMPING;
                told.number = is_stamp.then_some(error.ee_data);
            }
            (libc::SOL_IP, libc::IP_TTL) => {
                // SAFETY: a number stands behind such a header.
                let ttl = unsafe { data.cast::<i32>().read_unaligned() };
                told.ttl = u8::try_from(ttl).ok();
            }
            _ => {}
        }
        // SAFETY: as above.
        next = unsafe { libc::CMSG_NXTHDR(message, next) };
    }
    told
}

/// A time of CLOCK_REALTIME, a moment ago, as CLOCK_MONOTONIC has it.
fn monotonic(stamp: &libc::timespec) -> Option<u64> {
    let stamp = stamp.tv_sec as u64 * 1_000_000_000 + stamp.tv_nsec as u64;
    let (now, real) = both_clocks();
    now.checked_sub(real.checked_sub(stamp)?)
}

/// Reads CLOCK_MONOTONIC and CLOCK_REALTIME at one instant, to some ten nanoseconds: again where
/// something came between the calls.
fn both_clocks() -> (u64, u64) {
    let read = || (monotonic_ns(), realtime_ns(), monotonic_ns());
    let mut best = read();
    for _ in 0..READS {
        if best.2 - best.0 <= BETWEEN_NS {
            break;
        }
        let next = read();
        if next.2 - next.0 < best.2 - best.0 {
            best = next;
        }
    }
    (best.0 + (best.2 - best.0) / 2, best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_is_stamped_as_it_goes_and_as_it_comes() {
        let [one, other] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
        one.connect(other.local_addr().unwrap()).unwrap();
        begin(&other).unwrap();
        // The kernel begins to look at the clock for whatever comes a moment later.
        let is_stamped = || {
            one.send(&[0]).unwrap();
            receive(&other, &mut [0; 10]).unwrap().at_ns.is_some()
        };
        let mut tries = (0..1000).map(|_| std::thread::sleep(std::time::Duration::from_millis(1)));
        assert!(tries.any(|()| is_stamped()));
        begin(&one).unwrap();
        for number in 0..3 {
            let before = monotonic_ns();
            one.send(&[number; 100]).unwrap();
            let mut bytes = [0; 200];
            // Through the loopback interface it is there when the call returns.
            let came = receive(&other, &mut bytes).unwrap();
            let went = sent(&one).unwrap();
            let after = monotonic_ns();
            assert_eq!((came.length, bytes[99]), (100, number));
            assert_eq!(went.number, u32::from(number));
            let came_at = came.at_ns.unwrap();
            // Clocks are read one after the other, some nanoseconds apart.
            let slack = 100_000;
            assert!(before <= went.at_ns + slack && went.at_ns <= came_at + slack);
            assert!(came_at <= after + slack);
        }
        assert!(sent(&one).is_err() && receive(&other, &mut [0; 10]).is_err());
    }

    #[test]
    fn numbers_begin_at_0_when_stamps_do() {
        let one = UdpSocket::bind("127.0.0.1:0").unwrap();
        one.connect(one.local_addr().unwrap()).unwrap();
        for _ in 0..2 {
            begin(&one).unwrap();
            one.send(&[1]).unwrap();
            assert_eq!(sent(&one).unwrap().number, 0);
        }
    }
}
