//! Packets: headers that mean something, payloads that are lengths or bytes, and the slab that they
//! live in.

mod bytes;
mod charges;
mod load;
mod packet;
pub mod real;
mod slab;

pub use bytes::{ether_type, quoted, write_error, write_ethernet, write_packet};
pub use load::Load;
pub use packet::{Body, ForeignPacket, InterfaceHop, Packet, SegmentPorts};
pub use slab::Packets;
