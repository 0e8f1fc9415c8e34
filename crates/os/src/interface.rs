//! An interface of this machine as frames: what comes in at it is read, what is written goes out of
//! it (packet(7)). The kernel itself sees what comes in as well.

#![expect(unsafe_code, reason = "recvmsg(2) and ioctl(2) take pointers")]

use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use crate::namespace::interface_index;
use crate::socket::{bind_packet, set};

/// An interface, by a socket that receives whatever it does.
#[derive(Debug)]
pub struct InterfaceSocket {
    socket: OwnedFd,
    name: String,
}

/// A frame that has come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IncomingFrame {
    /// Its bytes; more than the buffer has where it was cut.
    pub length: usize,
    /// Time when the kernel saw it, in nanoseconds since 1970 of CLOCK_REALTIME.
    pub realtime_ns: Option<u64>,
    /// True if its sender left the transport's checksum to an interface that has not written it:
    /// frames of this machine, by a pair of virtual interfaces.
    pub lacks_checksum: bool,
}

/// Bytes that may wait to be read: some 0.1 s of a link of 1 Gbit/s.
const BUFFER: libc::c_int = 16 << 20;

/// Bytes of a VLAN's tag, and where it stands in a frame.
const TAG: usize = 4;
const TAG_AT: usize = 12;

impl InterfaceSocket {
    /// Receives all frames of an interface of the network that the calling thread is in from now
    /// on, those for others included.
    ///
    /// # Errors
    /// When there is none of this name, or the system does not allow it.
    pub fn open(name: &str) -> io::Result<InterfaceSocket> {
        let index = interface_index(name)?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        // Bound below: until then no frame comes.
        let socket = socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None)?;
        let fd = socket.as_raw_fd();
        let on: libc::c_int = 1;
        set(fd, libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, &on)?;
        set(fd, libc::SOL_PACKET, libc::PACKET_QDISC_BYPASS, &on)?;
        set(fd, libc::SOL_PACKET, libc::PACKET_AUXDATA, &on)?;
        set(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &on)?;
        set(fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &BUFFER)?;
        // SAFETY: all-zero is a valid value.
        let mut member: libc::packet_mreq = unsafe { zeroed() };
        member.mr_ifindex = index as libc::c_int;
        member.mr_type = libc::PACKET_MR_PROMISC as libc::c_ushort;
        set(fd, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &member)?;
        bind_packet(fd, index)?;
        Ok(InterfaceSocket {
            socket,
            name: name.into(),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads the next frame into `frame`, which is longer than a tag; none if no frame waits.
    ///
    /// # Errors
    /// When the interface is gone.
    #[inline]
    pub fn read(&self, frame: &mut [u8]) -> io::Result<Option<IncomingFrame>> {
        // A tag that the kernel took off is put back: there is room for it.
        let room = frame.len() - TAG;
        let mut data = libc::iovec {
            iov_base: frame.as_mut_ptr().cast(),
            iov_len: room,
        };
        let mut beside = MaybeUninit::<[u64; 16]>::uninit();
        // SAFETY: all-zero is a valid value.
        let mut header: libc::msghdr = unsafe { zeroed() };
        header.msg_iov = &raw mut data;
        header.msg_iovlen = 1;
        header.msg_control = beside.as_mut_ptr().cast();
        header.msg_controllen = size_of_val(&beside) as _;
        // SAFETY: the header and what it points to outlive the call.
        let read =
            unsafe { libc::recvmsg(self.socket.as_raw_fd(), &raw mut header, libc::MSG_TRUNC) };
        if read < 0 {
            return match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
                // Told once after the interface was taken down; what follows is as before.
                error if error.raw_os_error() == Some(libc::ENETDOWN) => Ok(None),
                error => Err(error),
            };
        }
        let (auxiliary, realtime_ns) = told_beside(&header);
        let mut received = IncomingFrame {
            length: read as usize,
            realtime_ns,
            lacks_checksum: auxiliary
                .is_some_and(|told| told.tp_status & libc::TP_STATUS_CSUMNOTREADY != 0),
        };
        if let Some(tag) = auxiliary.and_then(tag_of)
            && (TAG_AT..=room).contains(&received.length)
        {
            frame.copy_within(TAG_AT..received.length, TAG_AT + TAG);
            frame[TAG_AT..TAG_AT + TAG].copy_from_slice(&tag);
            received.length += TAG;
        }
        Ok(Some(received))
    }

    /// Sends a frame; answers whether it was taken. An interface that is down takes none.
    ///
    /// # Errors
    /// When the interface is gone.
    #[inline]
    pub fn write(&self, frame: &[u8]) -> io::Result<bool> {
        match rustix::net::send(&self.socket, frame, rustix::net::SendFlags::DONTWAIT) {
            Ok(taken) => Ok(taken == frame.len()),
            Err(error) => match error.raw_os_error() {
                libc::ENETDOWN | libc::EAGAIN | libc::ENOBUFS | libc::EMSGSIZE => Ok(false),
                _ => Err(error.into()),
            },
        }
    }

    /// Frames that came in since this was asked last, and were dropped because nobody read them in
    /// time.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn lost(&self) -> io::Result<u64> {
        // SAFETY: all-zero is a valid value.
        let mut counts: libc::tpacket_stats = unsafe { zeroed() };
        let mut length = size_of_val(&counts) as libc::socklen_t;
        // SAFETY: the counts are as long as is said, and outlive the call.
        let told = unsafe {
            libc::getsockopt(
                self.socket.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut counts).cast(),
                &raw mut length,
            )
        };
        match told {
            0 => Ok(u64::from(counts.tp_drops)),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Returns whether it makes one of several packets that come in (GRO, LRO): such are longer
    /// than any that was on the wire.
    pub fn merges(&self) -> bool {
        const GET_GRO: u32 = 0x2b;
        const GET_FLAGS: u32 = 0x25;
        const LRO: u32 = 1 << 15;
        let asked = |command, bits| self.offload(command).is_ok_and(|value| value & bits != 0);
        asked(GET_GRO, !0) || asked(GET_FLAGS, LRO)
    }

    /// Asks its driver for a value (linux/ethtool.h, `struct ethtool_value`).
    fn offload(&self, command: u32) -> io::Result<u32> {
        let mut value = [command, 0];
        let mut request = self.request();
        request.ifr_ifru.ifru_data = value.as_mut_ptr().cast();
        self.ask(libc::SIOCETHTOOL, &mut request)?;
        Ok(value[1])
    }

    /// Returns whether it is set up.
    ///
    /// # Errors
    /// When it is gone.
    pub fn is_up(&self) -> io::Result<bool> {
        let mut request = self.request();
        self.ask(libc::SIOCGIFFLAGS, &mut request)?;
        // SAFETY: the kernel has filled in the flags.
        let flags = unsafe { request.ifr_ifru.ifru_flags };
        Ok(libc::c_int::from(flags) & libc::IFF_UP != 0)
    }

    /// Bytes of the longest IP packet that it carries.
    ///
    /// # Errors
    /// When it is gone.
    pub fn mtu(&self) -> io::Result<u32> {
        let mut request = self.request();
        self.ask(libc::SIOCGIFMTU, &mut request)?;
        // SAFETY: the kernel has filled in the MTU.
        Ok(unsafe { request.ifr_ifru.ifru_mtu } as u32)
    }

    /// An IPv4 address that this machine has there.
    ///
    /// # Errors
    /// When it is gone.
    pub fn address(&self) -> io::Result<Option<Ipv4Addr>> {
        let mut request = self.request();
        request.ifr_ifru.ifru_addr.sa_family = libc::AF_INET as libc::sa_family_t;
        match self.ask(libc::SIOCGIFADDR, &mut request) {
            Err(error) if error.raw_os_error() == Some(libc::EADDRNOTAVAIL) => return Ok(None),
            asked => asked?,
        }
        // SAFETY: the kernel has filled in an address of IPv4.
        let address = unsafe {
            let any = &raw const request.ifr_ifru.ifru_addr;
            any.cast::<libc::sockaddr_in>().read_unaligned()
        };
        Ok(Some(Ipv4Addr::from(u32::from_be(address.sin_addr.s_addr))))
    }

    fn request(&self) -> libc::ifreq {
        // SAFETY: all-zero is a valid value.
        let mut request: libc::ifreq = unsafe { zeroed() };
        for (place, byte) in request.ifr_name.iter_mut().zip(self.name.bytes()) {
            *place = byte as libc::c_char;
        }
        request
    }

    fn ask(&self, what: libc::Ioctl, request: &mut libc::ifreq) -> io::Result<()> {
        // Questions about addresses are for sockets of that family.
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        // SAFETY: `request` and what it points to outlive the call.
        match unsafe { libc::ioctl(socket.as_raw_fd(), what, &raw mut *request) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl AsFd for InterfaceSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Returns what the kernel says beside a frame: about its data, and when it came.
fn told_beside(header: &libc::msghdr) -> (Option<libc::tpacket_auxdata>, Option<u64>) {
    let (mut auxiliary, mut time) = (None, None);
    // SAFETY: the kernel has written whole messages into the space that the header points to.
    unsafe {
        let mut message = libc::CMSG_FIRSTHDR(header);
        while let Some(told) = message.as_ref() {
            let data = libc::CMSG_DATA(message);
            match (told.cmsg_level, told.cmsg_type) {
                (libc::SOL_PACKET, libc::PACKET_AUXDATA) => {
                    auxiliary = Some(data.cast::<libc::tpacket_auxdata>().read_unaligned());
                }
                (libc::SOL_SOCKET, libc::SO_TIMESTAMPNS) => {
                    let at = data.cast::<libc::timespec>().read_unaligned();
                    time = Some(at.tv_sec as u64 * 1_000_000_000 + at.tv_nsec as u64);
                }
                _ => {}
            }
            message = libc::CMSG_NXTHDR(header, message);
        }
    }
    (auxiliary, time)
}

/// The VLAN's tag that the kernel took off a frame.
fn tag_of(told: libc::tpacket_auxdata) -> Option<[u8; TAG]> {
    const CUSTOMER: u16 = 0x8100;
    if told.tp_status & libc::TP_STATUS_VLAN_VALID == 0 {
        return None;
    }
    let protocol = match told.tp_status & libc::TP_STATUS_VLAN_TPID_VALID {
        0 => CUSTOMER,
        _ => told.tp_vlan_tpid,
    };
    let ([a, b], [c, d]) = (protocol.to_be_bytes(), told.tp_vlan_tci.to_be_bytes());
    Some([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::clock::realtime_ns;
    use crate::namespace::NetworkNamespace;
    use crate::tap::TapInterface;
    use crate::test_links::set_up;

    fn next(interface: &InterfaceSocket, frame: &mut [u8]) -> IncomingFrame {
        let deadline = Instant::now() + Duration::from_secs(5);
        loop {
            if let Some(received) = interface.read(frame).unwrap() {
                return received;
            }
            assert!(Instant::now() < deadline, "no frame came");
        }
    }

    /// A TAP interface receives what is written to its descriptor.
    #[test]
    fn what_comes_in_is_read_with_its_time_and_what_is_written_goes_out() {
        let Ok(network) = NetworkNamespace::new() else {
            return assert!(!crate::user::is_privileged());
        };
        let seen = network.within(|| {
            let tap = TapInterface::new("tap0")?;
            let interface = InterfaceSocket::open("tap0")?;
            set_up("tap0")?;
            let frame: Vec<u8> = (0..60).collect();
            let before = realtime_ns();
            while !tap.write(&frame)? {}
            let mut buffer = [0; 2000];
            let received = next(&interface, &mut buffer);
            assert_eq!(&buffer[..received.length], frame);
            let at = received.realtime_ns.expect("the kernel stamps it");
            assert!((before..=realtime_ns()).contains(&at));
            assert!(!received.lacks_checksum);
            assert!(interface.is_up()?);
            assert_eq!((interface.mtu()?, interface.address()?), (1500, None));
            assert!(interface.write(&frame)?);
            let mut of_tap = [0; 2000];
            let mut out =
                std::iter::from_fn(|| tap.read(&mut of_tap).unwrap().map(|n| of_tap[..n].to_vec()));
            assert!(
                out.any(|each| each == frame),
                "beside what the kernel sends itself"
            );
            interface.lost()
        });
        assert_eq!(seen.unwrap(), 0);
    }

    #[test]
    fn an_interface_that_is_not_there_is_refused() {
        assert!(InterfaceSocket::open("nowhere0").is_err());
    }
}
