//! The network that packets pass between their ends: queues and wires, and the protocols around
//! TCP.
//!
//! A [`Link`] is one direction of a full-duplex point-to-point wire: a queue of any
//! [discipline](queue), a serialiser and a delay. A [chain of impairments](impairment) decides
//! what else becomes of packets. All of them carry opaque handles and know nothing of what they
//! stand for but the few facts they are told.

pub mod addresses;
pub mod arp;
pub mod bridge;
mod chance;
mod ethernet;
pub mod icmp;
pub mod impairment;
mod ipv4;
mod link;
pub mod mobile_ip;
pub mod nat;
pub mod queue;
pub mod route;
pub mod segment;
mod udp;

pub use chance::Chance;
pub use ethernet::wire_bytes;
pub use ipv4::{DEFAULT_TTL, IPV4_HEADER, Prefix};
pub use link::{Arrival, Link};
pub use udp::Datagram;
