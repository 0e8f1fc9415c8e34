//! What packets pass between their ends: queues and wires, and the protocols around TCP.
//!
//! A [`Link`] is one direction of a full-duplex point-to-point wire: a queue of any
//! [discipline](queue), a serialiser and a delay. A [chain of impairments](impairment) decides
//! what else becomes of packets. All of them carry opaque handles and know nothing of what they
//! stand for but the few facts they are told.

mod chance;
mod ethernet;
mod icmp;
pub mod impairment;
mod link;
pub mod queue;
mod udp;

pub use chance::Chance;
pub use ethernet::wire_bytes;
pub use icmp::Echo;
pub use link::{Arrival, Link};
pub use udp::Datagram;

/// Bytes of an IPv4 header without options (RFC 791).
pub const IPV4_HEADER: u32 = 20;
