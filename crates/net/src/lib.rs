//! Wired links, and what travels above IP besides TCP.
//!
//! A [`Link`] is one direction of a full-duplex point-to-point wire: a finite
//! drop-tail queue, a serialiser and a delay. It carries opaque handles and
//! knows nothing of what they stand for.

mod ethernet;
mod icmp;
mod link;
mod udp;

pub use ethernet::wire_bytes;
pub use icmp::Echo;
pub use link::{Arrival, Full, Link};
pub use udp::Datagram;

/// Bytes of an IPv4 header without options (RFC 791).
pub const IPV4_HEADER: u32 = 20;
