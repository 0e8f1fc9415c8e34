//! Times at which the frames of an interface were really sent: a socket that sees what goes out, of
//! which the kernel writes down the time and the length alone (packet(7), TPACKET_V2).

#![expect(unsafe_code, reason = "the kernel writes into memory that both share")]

use std::ffi::c_void;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use crate::socket::{bind_packet, set};

/// The times at which frames went out of an interface, in their order.
#[derive(Debug)]
pub struct TransmitStamps {
    _socket: OwnedFd,
    ring: NonNull<c_void>,
    next: usize,
}

/// Time when a frame went out, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmitStamp {
    /// Nanoseconds since 1970 of CLOCK_REALTIME.
    pub realtime_ns: u64,
    /// Its bytes.
    pub length: u32,
}

/// Slots of the ring: more than a TAP interface holds frames (TUN_READQ_SIZE, 500, and a queue
/// length of 1000).
const SLOTS: u32 = 2048;

/// Bytes of a slot: header and address, and the few bytes of the frame that the filter leaves.
const SLOT: u32 = 128;

const BYTES: usize = (SLOTS * SLOT) as usize;

/// Kept of a frame: nothing is read of it.
const KEPT: u32 = 1;

impl TransmitStamps {
    /// Those of an interface of the network that the calling thread is in, from now on.
    ///
    /// # Errors
    /// When there is no such interface, or the system does not allow it.
    pub fn of(interface: u32) -> io::Result<TransmitStamps> {
        let kind = SocketType::RAW;
        // Bound below: until then no frame comes.
        let socket = socket_with(AddressFamily::PACKET, kind, SocketFlags::CLOEXEC, None)?;
        let fd = socket.as_raw_fd();
        only_outgoing(fd)?;
        let version = libc::tpacket_versions::TPACKET_V2 as libc::c_int;
        set(fd, libc::SOL_PACKET, libc::PACKET_VERSION, &version)?;
        let request = libc::tpacket_req {
            tp_block_size: BYTES as u32 / 16,
            tp_block_nr: 16,
            tp_frame_size: SLOT,
            tp_frame_nr: SLOTS,
        };
        set(fd, libc::SOL_PACKET, libc::PACKET_RX_RING, &request)?;
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the kernel chooses the place; it is unmapped when this is dropped.
        let ring = unsafe {
            let anywhere = std::ptr::null_mut();
            mmap(
                anywhere,
                BYTES,
                protection,
                MapFlags::SHARED,
                socket.as_fd(),
                0,
            )
        }?;
        let ring = NonNull::new(ring).ok_or(io::ErrorKind::OutOfMemory)?;
        bind_packet(fd, interface)?;
        Ok(TransmitStamps {
            _socket: socket,
            ring,
            next: 0,
        })
    }

    /// The next stamp, if a frame went out for which there is one.
    #[inline]
    pub fn poll(&mut self) -> Option<TransmitStamp> {
        let slot = self.ring.as_ptr().cast::<u8>();
        // SAFETY: `next` is below SLOTS, and the ring has so many slots of SLOT bytes, each aligned
        // for its header.
        let header = unsafe {
            slot.add(self.next * SLOT as usize)
                .cast::<libc::tpacket2_hdr>()
        };
        // SAFETY: the status is a word that the kernel writes last, and is handed back by a write.
        let status = unsafe { AtomicU32::from_ptr(&raw mut (*header).tp_status) };
        if status.load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
            return None;
        }
        // SAFETY: the slot is ours until its status is written.
        let stamp = unsafe {
            TransmitStamp {
                realtime_ns: u64::from((*header).tp_sec) * 1_000_000_000
                    + u64::from((*header).tp_nsec),
                length: (*header).tp_len,
            }
        };
        status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.next = (self.next + 1) % SLOTS as usize;
        Some(stamp)
    }
}

// SAFETY: the memory is mapped for the whole process, and only its owner reads it.
unsafe impl Send for TransmitStamps {}

impl Drop for TransmitStamps {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and nothing points into it any more.
        let _ = unsafe { munmap(self.ring.as_ptr(), BYTES) };
    }
}

/// Lets by a filter of the kernel's only frames through that go out.
fn only_outgoing(fd: i32) -> io::Result<()> {
    // The kind of a packet as a filter's load sees it (linux/filter.h, SKF_AD_OFF, SKF_AD_PKTTYPE).
    const KIND: u32 = -0x1000_i32 as u32 + 4;
    let op = |code: u32, yes: u8, no: u8, k: u32| libc::sock_filter {
        code: code as u16,
        jt: yes,
        jf: no,
        k,
    };
    let mut program = [
        op(libc::BPF_LD | libc::BPF_B | libc::BPF_ABS, 0, 0, KIND),
        op(
            libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
            0,
            1,
            u32::from(libc::PACKET_OUTGOING),
        ),
        op(libc::BPF_RET | libc::BPF_K, 0, 0, KEPT),
        op(libc::BPF_RET | libc::BPF_K, 0, 0, 0),
    ];
    let program = libc::sock_fprog {
        len: program.len() as u16,
        filter: program.as_mut_ptr(),
    };
    set(fd, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, &program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::realtime_ns;
    use crate::namespace::{NetworkNamespace, interface_index};
    use crate::tap::TapInterface;
    use crate::test_links::set_up;

    /// The kernel asks for neighbours by itself as soon as an interface is up.
    #[test]
    fn a_frame_that_went_out_has_a_stamp_between_before_and_after() {
        let Ok(network) = NetworkNamespace::new() else {
            return assert!(!crate::user::is_privileged());
        };
        network
            .within(|| {
                let tap = TapInterface::new("tap0")?;
                let index = interface_index("tap0")?;
                let mut stamps = TransmitStamps::of(index)?;
                let before = realtime_ns();
                set_up("tap0")?;
                let mut frame = [0; 2000];
                let length = loop {
                    if let Some(length) = tap.read(&mut frame)? {
                        break length;
                    }
                };
                let stamp = stamps.poll().expect("one for each frame");
                assert_eq!(stamp.length as usize, length);
                assert!((before..=realtime_ns()).contains(&stamp.realtime_ns));
                tap.write(&frame[..length])?;
                let mut seen = std::iter::from_fn(|| stamps.poll());
                assert!(
                    seen.all(|stamp| stamp.realtime_ns >= before),
                    "incoming frames have none"
                );
                Ok(())
            })
            .unwrap();
    }
}
