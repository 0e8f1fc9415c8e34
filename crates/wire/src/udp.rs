//! UDP headers (RFC 768).

use crate::bytes::word;

/// Bytes of a header.
pub const HEADER: usize = 8;

pub(crate) const CHECKSUM: usize = 6;

/// Fields of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Udp {
    /// The sender's port.
    pub source_port: u16,
    /// The receiver's port.
    pub destination_port: u16,
    /// True if it has a checksum: the sender may leave it out.
    pub has_checksum: bool,
}

impl Udp {
    /// Reads the header of a datagram; none of what is too short for one.
    pub fn read(datagram: &[u8]) -> Option<Udp> {
        datagram.first_chunk::<HEADER>()?;
        Some(Udp {
            source_port: word(datagram, 0)?,
            destination_port: word(datagram, 2)?,
            has_checksum: word(datagram, CHECKSUM)? != 0,
        })
    }
}
