//! IPv4 headers (RFC 791), and packets cut into fragments.

use core::fmt;
use std::net::Ipv4Addr;

use crate::bytes::word;
use crate::checksum::OnesComplementSum;

/// Bytes of a header without options.
pub const HEADER: usize = 20;

// Where fields stand.
pub(crate) const SERVICE: usize = 1;
const TOTAL_LENGTH: usize = 2;
pub(crate) const IDENTIFICATION: usize = 4;
const FRAGMENT: usize = 6;
pub(crate) const TTL: usize = 8;
const PROTOCOL: usize = 9;
pub(crate) const CHECKSUM: usize = 10;
pub(crate) const SOURCE: usize = 12;
pub(crate) const DESTINATION: usize = 16;

// The word at FRAGMENT.
const DONT_FRAGMENT: u16 = 0x4000;
const MORE_FRAGMENTS: u16 = 0x2000;
const OFFSET: u16 = 0x1FFF;

/// Fields of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4 {
    /// The sender's address.
    pub source: Ipv4Addr,
    /// The receiver's address.
    pub destination: Ipv4Addr,
    /// Protocol that follows the header, as numbered by IANA.
    pub protocol: u8,
    /// Number of further routers that the packet may pass.
    pub ttl: u8,
    /// Differentiated services codepoint and ECN field (RFC 2474, RFC 3168).
    pub service: u8,
    /// The sender's number for this packet.
    pub identification: u16,
    /// True if it must not be cut.
    pub dont_fragment: bool,
    /// True if other fragments follow behind it.
    pub more_fragments: bool,
    /// Where in the packet that was cut its payload stood, in bytes.
    pub fragment_offset: u16,
    /// The length of the header, options included.
    pub header_len: u16,
    /// The length of the packet, header included. Bytes behind it are padding of the link.
    pub total_len: u16,
}

/// Why bytes are not a packet that a host would accept (RFC 1122 §3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Fewer bytes than the headers speak of.
    Truncated {
        /// Number of bytes that there should be.
        needed: usize,
        /// Number that there are.
        found: usize,
    },
    /// Another version of IP than 4.
    Version(u8),
    /// A header length, in words, below the least of 5.
    HeaderLength(u8),
    /// A total length shorter than the header itself.
    TotalLength(u16),
    /// The header's checksum does not match.
    Checksum,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::Truncated { needed, found } => {
                write!(f, "{found} bytes where the packet needs {needed}")
            }
            Defect::Version(version) => write!(f, "IP version {version} instead of 4"),
            Defect::HeaderLength(words) => write!(f, "a header of {words} words"),
            Defect::TotalLength(bytes) => {
                write!(f, "a total length of {bytes} bytes, less than the header's")
            }
            Defect::Checksum => write!(f, "a wrong header checksum"),
        }
    }
}

impl core::error::Error for Defect {}

impl Ipv4 {
    /// Reads the header of a packet. Any bytes are safe to give.
    ///
    /// # Errors
    /// When a host would not accept the packet.
    pub fn read(bytes: &[u8]) -> Result<Ipv4, Defect> {
        let truncated = |needed: usize| Defect::Truncated {
            needed,
            found: bytes.len(),
        };
        let fixed: &[u8; HEADER] = bytes.first_chunk().ok_or(truncated(HEADER))?;
        let (version, words) = (fixed[0] >> 4, fixed[0] & 0x0F);
        if version != 4 {
            return Err(Defect::Version(version));
        }
        if words < 5 {
            return Err(Defect::HeaderLength(words));
        }
        let ip = Ipv4::of_fixed(fixed);
        let header = (bytes.get(..usize::from(ip.header_len)))
            .ok_or(truncated(usize::from(ip.header_len)))?;
        if ip.total_len < ip.header_len {
            return Err(Defect::TotalLength(ip.total_len));
        }
        if bytes.len() < usize::from(ip.total_len) {
            return Err(truncated(ip.total_len.into()));
        }
        match OnesComplementSum::default().with(header).checksum() {
            0 => Ok(ip),
            _ => Err(Defect::Checksum),
        }
    }

    /// Reads the header of a packet of which an ICMP error quotes the beginning: the rest may be
    /// missing, and its checksum may be that of before it was changed on the way.
    pub fn read_quoted(bytes: &[u8]) -> Option<Ipv4> {
        let fixed: &[u8; HEADER] = bytes.first_chunk()?;
        let is_header = fixed[0] >> 4 == 4 && fixed[0] & 0x0F >= 5;
        is_header.then(|| Ipv4::of_fixed(fixed))
    }

    fn of_fixed(bytes: &[u8; HEADER]) -> Ipv4 {
        let number = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let address = |at: usize| {
            let [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
            Ipv4Addr::new(a, b, c, d)
        };
        let fragment = number(FRAGMENT);
        Ipv4 {
            source: address(SOURCE),
            destination: address(DESTINATION),
            protocol: bytes[PROTOCOL],
            ttl: bytes[TTL],
            service: bytes[SERVICE],
            identification: number(IDENTIFICATION),
            dont_fragment: fragment & DONT_FRAGMENT != 0,
            more_fragments: fragment & MORE_FRAGMENTS != 0,
            fragment_offset: (fragment & OFFSET) * 8,
            header_len: u16::from(bytes[0] & 0x0F) * 4,
            total_len: number(TOTAL_LENGTH),
        }
    }

    /// Returns whether it is part of a larger packet.
    #[inline]
    pub const fn is_fragment(&self) -> bool {
        self.more_fragments || self.fragment_offset > 0
    }

    /// The sum over what TCP and UDP have besides their own bytes (RFC 9293 §3.1).
    pub fn pseudo_header(&self) -> OnesComplementSum {
        OnesComplementSum::default()
            .with(&self.source.octets())
            .with(&self.destination.octets())
            .with_word(self.protocol.into())
            .with_word(self.total_len - self.header_len)
    }
}

/// Cuts a sound packet into fragments of at most `mtu` bytes and hands them out in order, each in
/// the same buffer, which is cleared first (RFC 791 §3.2, "An Example Fragmentation Procedure").
/// Hands out nothing where the header leaves no room for eight bytes behind it.
pub fn cut(packet: &[u8], mtu: u16, buffer: &mut Vec<u8>, mut each: impl FnMut(&[u8])) {
    let Ok(ip) = Ipv4::read(packet) else { return };
    let header = &packet[..ip.header_len.into()];
    let payload = &packet[ip.header_len.into()..ip.total_len.into()];
    // A multiple of eight bytes, as offsets are counted in these.
    let room = mtu.saturating_sub(ip.header_len) & !7;
    let last = usize::from(ip.fragment_offset) + payload.len();
    if room == 0 || last > usize::from(OFFSET) * 8 + usize::from(room) {
        return;
    }
    let mut offset = ip.fragment_offset / 8;
    let mut pieces = payload.chunks(room.into()).peekable();
    while let Some(piece) = pieces.next() {
        let goes_on = pieces.peek().is_some() || ip.more_fragments;
        buffer.clear();
        match offset == ip.fragment_offset / 8 {
            true => buffer.extend_from_slice(header),
            false => copied_options(header, buffer),
        }
        let header_len = buffer.len();
        buffer[0] = 0x40 | (header_len / 4) as u8;
        let total_len = (header_len + piece.len()) as u16;
        buffer[TOTAL_LENGTH..][..2].copy_from_slice(&total_len.to_be_bytes());
        let more = if goes_on { MORE_FRAGMENTS } else { 0 };
        buffer[FRAGMENT..][..2].copy_from_slice(&(more | offset).to_be_bytes());
        sum_anew(buffer);
        buffer.extend_from_slice(piece);
        each(buffer);
        offset += (piece.len() / 8) as u16;
    }
}

/// Appends the header of a fragment behind the first: of the options those that are to be copied
/// (RFC 791 §3.1, "Options", the copied flag), padded to words.
fn copied_options(header: &[u8], out: &mut Vec<u8>) {
    const END: u8 = 0;
    const NOP: u8 = 1;
    const COPIED: u8 = 0x80;
    let (fixed, mut options) = header.split_at(HEADER);
    out.extend_from_slice(fixed);
    while let [kind, rest @ ..] = options {
        let length = match (*kind, rest.first()) {
            (END, _) => break,
            (NOP, _) => 1,
            (_, Some(&length)) if length >= 2 && usize::from(length) <= options.len() => {
                usize::from(length)
            }
            _ => break,
        };
        if kind & COPIED != 0 {
            out.extend_from_slice(&options[..length]);
        }
        options = &options[length..];
    }
    out.resize(out.len().next_multiple_of(4), END);
}

/// The sum of a quoted or complete header, put into its place anew.
pub(crate) fn sum_anew(header: &mut [u8]) {
    if word(header, CHECKSUM).is_some() {
        header[CHECKSUM..][..2].fill(0);
        let checksum = OnesComplementSum::default().with(header).checksum();
        header[CHECKSUM..][..2].copy_from_slice(&checksum.to_be_bytes());
    }
}

#[cfg(test)]
#[path = "ipv4_tests.rs"]
mod tests;
