//! Packets as bytes.
//!
//! [`Ipv4Fields`] holds the numbers of an IPv4 packet and makes its bytes, with
//! right checksums whatever the payload and however little of it is kept. The
//! headers of the links below ([`ethernet`], [`llc_snap`]) are put in front by
//! whoever knows the link.

mod build;
mod payload;
mod tcp;

pub use build::{
    IcmpEcho, IcmpError, IdentificationCounter, Ipv4Fields, TransportFields, UdpFields, WriteError,
};
pub use payload::Payload;
pub use tcp::{SackOptionBlock, TcpFields, TcpFlags, TcpOptions, TimestampsOption};
pub use wire::ethernet::{EtherType, ethernet, llc_snap};
