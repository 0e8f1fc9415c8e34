//! Headers of packets: read out of bytes, and patched in place with their checksums.
//!
//! [`Headers::read`] finds what stands in front of a payload, whatever the bytes are; [`Patch`]
//! changes single fields and brings the checksums along (RFC 1624). Nothing is allocated, and
//! nothing is trusted: a length that leads out of the bytes ends the reading where it stands.
//!
//! ```
//! use wire::ethernet::EtherType;
//! use wire::{Headers, NetworkHeader};
//! let ping = [
//!     0x45, 0, 0, 28, 0, 1, 0x40, 0, 64, 1, 0x26, 0xDE, 10, 0, 0, 1, 10, 0, 0, 2, // IPv4
//!     8, 0, 0xF7, 0xFD, 0, 1, 0, 1, // echo request
//! ];
//! let headers = Headers::read(EtherType::IPV4, &ping);
//! let NetworkHeader::Ipv4(ip) = headers.network else {
//!     panic!("it is IPv4")
//! };
//! assert_eq!(ip.destination.octets(), [10, 0, 0, 2]);
//! ```

pub mod arp;
mod bytes;
pub mod checksum;
pub mod ethernet;
mod headers;
pub mod icmp;
pub mod ipv4;
pub mod ipv6;
mod patch;
pub mod protocol;
pub mod tcp;
mod transport;
pub mod udp;

pub use headers::{Headers, NetworkHeader};
pub use patch::Patch;
pub use transport::TransportHeader;
