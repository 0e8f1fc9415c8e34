//! Echo requests to the other end of a flow, over a socket that needs no privilege (icmp(7)).

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, connect, ipproto, recv, send,
    socket_with,
};

use crate::marking::Dscp;

/// Bytes of an ICMP header (RFC 792).
const HEADER: usize = 8;
const REQUEST: u8 = 8;
const REPLY: u8 = 0;
const LONGEST: usize = 1500;

/// A socket for echo requests to one address.
#[derive(Debug)]
pub(crate) struct Pings(OwnedFd);

impl Pings {
    /// Opens one.
    ///
    /// # Errors
    /// For an IPv6 address, and where the host lets only some groups send echo requests.
    pub fn to(address: SocketAddr, dscp: Dscp) -> io::Result<Pings> {
        if address.is_ipv6() {
            return Err(io::Error::other("ping goes to IPv4 addresses only"));
        }
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let icmp = Some(ipproto::ICMP);
        let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, flags, icmp);
        let refused = |error| match error {
            rustix::io::Errno::ACCESS => io::Error::other(
                "this user may send no pings there: sysctl -w \
                     net.ipv4.ping_group_range=\"0 2147483647\"",
            ),
            other => io::Error::from(other),
        };
        let socket = socket.map_err(refused)?;
        // Replies have the mark of what they answer.
        dscp.mark(&socket, address)?;
        connect(&socket, &SocketAddr::new(address.ip(), 0))?;
        Ok(Pings(socket))
    }

    /// Sends a request; the kernel fills in identifier and checksum.
    pub fn request(&self, sequence: u32, payload: &[u8]) -> io::Result<()> {
        let [high, low] = (sequence as u16).to_be_bytes();
        let mut packet = vec![REQUEST, 0, 0, 0, 0, 0, high, low];
        packet.extend_from_slice(payload);
        send(&self.0, &packet, SendFlags::empty())?;
        Ok(())
    }

    /// Takes a reply that has arrived: its sequence number and its payload's length.
    pub fn reply(&self) -> Option<(u32, u32)> {
        let mut packet = [0; LONGEST];
        let (_, length) = recv(&self.0, &mut packet[..], RecvFlags::empty()).ok()?;
        let is_reply = length >= HEADER && packet[0] == REPLY;
        let sequence = u16::from_be_bytes([packet[6], packet[7]]);
        is_reply.then(|| (u32::from(sequence), (length - HEADER) as u32))
    }
}

impl AsFd for Pings {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
