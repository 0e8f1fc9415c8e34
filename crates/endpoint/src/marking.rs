//! The mark of a flow's packets (DSCP, RFC 2474), on its sockets at both ends.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, bind, connect as begin, listen, socket_with, sockopt,
};

/// Codepoints have six bits.
const MOST: u8 = 63;
/// Connections that wait to be accepted.
const WAITING: i32 = 128;

/// A codepoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dscp(u8);

impl Dscp {
    /// One that was asked for.
    ///
    /// # Errors
    /// When it has more than six bits.
    pub fn of(asked: u8) -> Result<Dscp, String> {
        let refused = format!("dscp {asked} is refused; allowed: 0 to {MOST}");
        (asked <= MOST).then_some(Dscp(asked)).ok_or(refused)
    }

    /// The octet of the header that has it.
    pub fn octet(self) -> u8 {
        self.0 << 2
    }

    /// Has the kernel mark what a socket sends to or from an address.
    ///
    /// # Errors
    /// When the kernel refuses it.
    pub fn mark(self, socket: impl AsFd, address: SocketAddr) -> io::Result<()> {
        match address {
            SocketAddr::V4(_) => sockopt::set_ip_tos(socket, self.octet())?,
            SocketAddr::V6(_) => sockopt::set_ipv6_tclass(socket, u32::from(self.octet()))?,
        }
        Ok(())
    }

    /// Connects; the first segment is marked as all others are.
    ///
    /// # Errors
    /// When nobody answers in time, or the kernel refuses.
    pub fn connect(self, to: SocketAddr, patience: Duration) -> io::Result<TcpStream> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(family(to), SocketType::STREAM, flags, None)?;
        self.mark(&socket, to)?;
        match begin(&socket, &to) {
            Ok(()) => {}
            Err(Errno::INPROGRESS) => {
                let mut waited = [PollFd::new(&socket, PollFlags::OUT)];
                if poll(&mut waited, Some(&timespec(patience)))? == 0 {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                sockopt::socket_error(&socket)??;
            }
            Err(error) => return Err(error.into()),
        }
        let stream = TcpStream::from(socket);
        stream.set_nonblocking(false)?;
        Ok(stream)
    }

    /// Listens; what is accepted is marked from its first segment on.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub fn listen(self, own: SocketAddr) -> io::Result<TcpListener> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(family(own), SocketType::STREAM, flags, None)?;
        sockopt::set_socket_reuseaddr(&socket, true)?;
        self.mark(&socket, own)?;
        bind(&socket, &own)?;
        listen(&socket, WAITING)?;
        Ok(TcpListener::from(socket))
    }
}

fn family(address: SocketAddr) -> AddressFamily {
    match address {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: time.as_secs() as i64,
        tv_nsec: i64::from(time.subsec_nanos()) as _,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_connection_have_its_mark() {
        let expedited = Dscp::of(46).unwrap();
        for own in ["127.0.0.1:0", "[::1]:0"] {
            let listener = expedited.listen(own.parse().unwrap()).unwrap();
            let to = listener.local_addr().unwrap();
            let near = expedited.connect(to, Duration::from_secs(1)).unwrap();
            let (far, _) = listener.accept().unwrap();
            for end in [near, far] {
                let marked = match to {
                    SocketAddr::V4(_) => u32::from(sockopt::ip_tos(&end).unwrap()),
                    SocketAddr::V6(_) => sockopt::ipv6_tclass(&end).unwrap(),
                };
                assert_eq!(marked, 46 << 2, "{to}");
            }
        }
    }

    #[test]
    fn nobody_there_is_told_as_such() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
        let none = Dscp::default().connect(free.unwrap(), Duration::from_secs(1));
        assert_eq!(none.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    }

    #[test]
    fn more_than_six_bits_are_refused() {
        assert!(Dscp::of(64).is_err());
    }
}
