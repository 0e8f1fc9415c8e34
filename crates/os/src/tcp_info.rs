//! The state of a TCP connection, as the kernel tells it (tcp(7), TCP_INFO): bytes, for whoever
//! reads them to decode. Later kernels append to `struct tcp_info` of linux/tcp.h and move nothing.

#![expect(unsafe_code, reason = "getsockopt(2) takes pointers")]

use std::io;
use std::os::fd::{AsFd, AsRawFd as _};

/// Room for what no kernel tells yet: Linux 6.18 tells 280 bytes.
const ROOM: usize = 512;

/// What a kernel says of a connection: as many bytes as it knows.
#[derive(Clone, Copy, Debug)]
pub struct KernelTcpInfo {
    bytes: [u8; ROOM],
    length: usize,
}

impl KernelTcpInfo {
    /// The bytes of `struct tcp_info`.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Asks for the state of a connection.
///
/// # Errors
/// When the socket is of another protocol.
pub fn tcp_info(socket: impl AsFd) -> io::Result<KernelTcpInfo> {
    let mut bytes = [0_u8; ROOM];
    let mut length = ROOM as libc::socklen_t;
    // SAFETY: `bytes` is as long as `length` says, and both outlive the call.
    let answer = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    match answer {
        0 => Ok(KernelTcpInfo {
            bytes,
            length: (length as usize).min(ROOM),
        }),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream, UdpSocket};

    use super::*;

    #[test]
    fn a_connection_that_has_sent_nothing_has_its_initial_window() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let info = tcp_info(&stream).unwrap();
        // The 104 bytes of Linux 2.6, and whole words behind them.
        assert!(info.bytes().len() >= 104 && info.bytes().len().is_multiple_of(4));
        let cwnd = u32::from_ne_bytes(info.bytes()[80..84].try_into().unwrap());
        assert_eq!(cwnd, 10, "RFC 6928");
    }

    #[test]
    fn a_socket_for_datagrams_has_no_such_state() {
        assert!(tcp_info(UdpSocket::bind("127.0.0.1:0").unwrap()).is_err());
    }
}
