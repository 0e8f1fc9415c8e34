//! Packets as bytes, and bytes as packets.
//!
//! [`Datagram`] holds the numbers of an IPv4 packet and makes its bytes, with
//! right checksums whatever the payload and however little of it is kept;
//! [`parse_ipv4`] goes the other way for packets of real machines. The headers
//! of the links below ([`ethernet`], [`LLC_SNAP_IPV4`]) are put in front by
//! whoever knows the link.

mod build;
mod link;
mod parse;
mod payload;
mod tcp;

pub use build::{Datagram, IcmpEcho, IcmpError, IdentificationCounter, Transport, Udp, WriteError};
pub use link::{EtherType, ethernet, llc_snap};
pub use parse::{ParseError, ParsedIpv4, parse_ipv4};
pub use payload::Payload;
pub use tcp::{SackBlock, Tcp, TcpFlags, TcpOptions, Timestamps};
