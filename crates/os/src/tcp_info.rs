//! The state of a TCP connection, as the kernel tells it (tcp(7), TCP_INFO).

#![expect(unsafe_code, reason = "getsockopt(2) takes pointers")]

use std::io;
use std::os::fd::{AsFd, AsRawFd as _};

/// The length that Linux 2.6 told; later kernels append to it and move nothing.
const OLDEST: usize = 104;
/// A slow-start threshold that was never set (TCP_INFINITE_SSTHRESH).
const NO_THRESHOLD: u32 = 0x7fff_ffff;

/// The part of the state that every kernel tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpInfo {
    /// Retransmission timeout, µs.
    pub rto_us: u32,
    /// Bytes of data in a segment.
    pub mss: u32,
    /// Smoothed round-trip time, µs.
    pub srtt_us: u32,
    /// Slow-start threshold, segments; `None` while there is none.
    pub ssthresh: Option<u32>,
    /// Congestion window, segments.
    pub cwnd: u32,
    /// Segments retransmitted since the beginning.
    pub retransmissions: u32,
}

/// Asks for the state of a connection.
///
/// # Errors
/// When the socket is of another protocol.
pub fn tcp_info(socket: impl AsFd) -> io::Result<TcpInfo> {
    let mut bytes = [0_u8; OLDEST];
    let mut length = OLDEST as libc::socklen_t;
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
        0 if length as usize == OLDEST => Ok(decoded(&bytes)),
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Reads the fields at their places in `struct tcp_info` of linux/tcp.h.
fn decoded(bytes: &[u8; OLDEST]) -> TcpInfo {
    let field = |at: usize| {
        let mut word = [0; 4];
        word.copy_from_slice(&bytes[at..at + 4]);
        u32::from_ne_bytes(word)
    };
    let ssthresh = field(76);
    TcpInfo {
        rto_us: field(8),
        mss: field(16),
        srtt_us: field(68),
        ssthresh: (ssthresh < NO_THRESHOLD).then_some(ssthresh),
        cwnd: field(80),
        retransmissions: field(100),
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream, UdpSocket};

    use super::*;

    #[test]
    fn a_connection_that_has_sent_nothing_has_its_initial_window_and_no_threshold() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let info = tcp_info(&stream).unwrap();
        assert_eq!((info.cwnd, info.ssthresh), (10, None), "RFC 6928");
        assert_eq!(info.retransmissions, 0);
        assert!(info.mss > 1000 && info.rto_us >= 200_000, "{info:?}");
    }

    #[test]
    fn a_socket_for_datagrams_has_no_such_state() {
        assert!(tcp_info(UdpSocket::bind("127.0.0.1:0").unwrap()).is_err());
    }
}
