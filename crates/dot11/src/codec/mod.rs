//! Frames as bytes (IEEE 802.11-2007 clause 7), for captures and real interfaces.
//!
//! Two layers: [`Mpdu`] is what the bytes say, whoever sent them, and converts to and from a
//! [`Frame`](crate::Frame), which is what the simulated air carries. Decoding takes bytes from
//! anywhere: it answers with a [`DecodeError`] and never panics. Rate and preamble are not in the
//! bytes; a radiotap header or the PLCP tells them.
//!
//! ```
//! use dot11::codec::{DecodeError, FrameAddress, Mpdu, fcs};
//!
//! // An ACK for station 1: frame control, duration, receiver, FCS; then with a bit flipped.
//! let mut ack = vec![0xd4, 0, 0, 0, 2, 0, 0, 0, 0, 1];
//! ack.extend_from_slice(&fcs(&ack).to_le_bytes());
//! assert_eq!(Mpdu::parse(&ack).unwrap().receiver, FrameAddress([2, 0, 0, 0, 0, 1]));
//! ack[4] ^= 1;
//! assert!(matches!(Mpdu::parse(&ack), Err(DecodeError::Fcs { .. })));
//! ```

mod beacon;
mod fcs;
mod management;
mod mpdu;

use core::fmt;

use crate::frame::Address;

pub use beacon::{
    Beacon, CAPABILITY_ESS, CAPABILITY_SHORT_PREAMBLE, CAPABILITY_SHORT_SLOT, ERP_NON_ERP_PRESENT,
    ERP_USE_PROTECTION, TIME_UNIT, Tim, channel_number, supported_rate,
};
pub use fcs::fcs;
pub use management::ManagementBody;
pub use mpdu::{Mpdu, MsduAddresses};

/// A 48-bit MAC address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameAddress(pub [u8; 6]);

/// The first four octets of a simulated station: individual, locally administered
/// (IEEE 802-2001 §9.2), so never the address of a real device.
const LOCAL: [u8; 4] = [0x02, 0, 0, 0];

impl FrameAddress {
    /// Every station.
    pub const BROADCAST: FrameAddress = FrameAddress([0xff; 6]);

    /// The station the address belongs to, if it is one of a simulated network.
    pub fn station(self) -> Option<Address> {
        if self == FrameAddress::BROADCAST {
            return Some(Address::BROADCAST);
        }
        let [a, b, c, d, high, low] = self.0;
        ([a, b, c, d] == LOCAL).then(|| Address(u16::from_be_bytes([high, low])))
    }
}

impl From<Address> for FrameAddress {
    fn from(address: Address) -> FrameAddress {
        if address.is_broadcast() {
            return FrameAddress::BROADCAST;
        }
        let [a, b, c, d] = LOCAL;
        let [high, low] = address.0.to_be_bytes();
        FrameAddress([a, b, c, d, high, low])
    }
}

impl fmt::Display for FrameAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl fmt::Debug for FrameAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why bytes are not a frame that can be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the header and FCS of the frame's type, or than an element announces.
    Truncated {
        /// How many there would have to be.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// A protocol version other than 0.
    Version(u8),
    /// A type and subtype that is no frame of [`FrameKind`](crate::FrameKind).
    Type {
        /// The type field.
        kind: u8,
        /// The subtype field.
        subtype: u8,
    },
    /// Four addresses: a frame between access points.
    WirelessBridge,
    /// The frame check sequence does not match.
    Fcs {
        /// What the bytes sum up to.
        computed: u32,
        /// What the frame says.
        found: u32,
    },
    /// An address of a device outside the simulated network.
    ForeignAddress(FrameAddress),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Truncated { needed, found } => {
                write!(f, "truncated: {found} bytes where {needed} are needed")
            }
            DecodeError::Version(version) => write!(f, "unknown protocol version {version}"),
            DecodeError::Type { kind, subtype } => {
                write!(f, "unknown frame type {kind} subtype {subtype}")
            }
            DecodeError::WirelessBridge => f.write_str("a frame with four addresses"),
            DecodeError::Fcs { computed, found } => {
                write!(
                    f,
                    "frame check sequence {found:08x} instead of {computed:08x}"
                )
            }
            DecodeError::ForeignAddress(address) => write!(f, "foreign address {address}"),
        }
    }
}

impl core::error::Error for DecodeError {}

/// The first `N` bytes of `bytes` and the rest.
fn take<const N: usize>(bytes: &[u8]) -> Result<([u8; N], &[u8]), DecodeError> {
    match bytes.split_first_chunk::<N>() {
        Some((head, rest)) => Ok((*head, rest)),
        None => Err(DecodeError::Truncated {
            needed: N,
            found: bytes.len(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stations_have_locally_administered_addresses() {
        let address = FrameAddress::from(Address(0x0102));
        assert_eq!(address.to_string(), "02:00:00:00:01:02");
        assert_eq!(address.station(), Some(Address(0x0102)));
        assert_eq!(
            FrameAddress::from(Address::BROADCAST),
            FrameAddress::BROADCAST
        );
        assert_eq!(FrameAddress::BROADCAST.station(), Some(Address::BROADCAST));
        assert_eq!(FrameAddress([0, 0x0c, 0x41, 1, 2, 3]).station(), None);
    }
}
