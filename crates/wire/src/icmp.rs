//! ICMP messages (RFC 792), and those of ICMPv6 (RFC 4443).

use crate::bytes::word;
use crate::ipv4::Ipv4;
use crate::protocol;

/// Bytes of a header, and of what is behind it up to a quoted packet or an echo's data.
pub const HEADER: usize = 8;

pub(crate) const CHECKSUM: usize = 2;
pub(crate) const IDENTIFIER: usize = 4;

/// Types of messages.
pub const ECHO_REPLY: u8 = 0;
/// A question that is answered with its own data.
pub const ECHO: u8 = 8;
/// The same of ICMPv6.
pub const ECHO_V6: [u8; 2] = [128, 129];

/// Fields of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icmp {
    /// Kind of the message.
    pub kind: u8,
    /// Code within its kind.
    pub code: u8,
    /// Of an echo, which program asks.
    pub identifier: u16,
    /// Of an echo, which of its questions it is; of "fragmentation needed", the MTU (RFC 1191 §4).
    pub number: u16,
}

impl Icmp {
    /// Reads the header of a message; none of what is too short for one.
    pub fn read(message: &[u8]) -> Option<Icmp> {
        let header: &[u8; HEADER] = message.first_chunk()?;
        Some(Icmp {
            kind: header[0],
            code: header[1],
            identifier: word(header, IDENTIFIER)?,
            number: word(header, 6)?,
        })
    }

    /// Returns whether it is an error of ICMP about a packet whose beginning it quotes (RFC 1122
    /// §3.2.2).
    #[inline]
    pub const fn is_error(&self) -> bool {
        matches!(self.kind, 3 | 4 | 5 | 11 | 12)
    }

    /// Returns whether it asks for an echo of ICMP, or is one.
    #[inline]
    pub const fn is_echo(&self) -> bool {
        matches!(self.kind, ECHO | ECHO_REPLY)
    }
}

/// The beginning of a packet that an error quotes: its IP header and eight bytes (RFC 792).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quoted {
    /// Its IP header.
    pub ip: Ipv4,
    /// Beginning of what follows: of TCP ports and sequence number, of UDP and ICMP the whole
    /// header.
    pub beginning: [u8; 8],
}

impl Quoted {
    /// Reads what an error quotes; none of what is no such beginning.
    pub fn read(bytes: &[u8]) -> Option<Quoted> {
        let ip = Ipv4::read_quoted(bytes)?;
        let beginning = *bytes.get(ip.header_len.into()..)?.first_chunk()?;
        Some(Quoted { ip, beginning })
    }

    /// The port or identifier of who sent it.
    pub fn sender(&self) -> Option<u16> {
        word(&self.beginning, self.sender_at()?)
    }

    /// Where that stands, counted from the end of the IP header.
    pub(crate) const fn sender_at(&self) -> Option<usize> {
        match self.ip.protocol {
            protocol::ICMP => Some(IDENTIFIER),
            protocol::TCP | protocol::UDP => Some(0),
            _ => None,
        }
    }
}
