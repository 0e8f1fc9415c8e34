//! Captures written: packets as bytes, and the files that hold them.
//!
//! A packet of a simulation is a handful of numbers and a payload length. It
//! becomes bytes only where a tap records it or a real interface carries it,
//! and this crate is where that happens. It knows nothing of the simulated
//! packets themselves: whoever owns them fills in the plain structs of
//! [`packet`] and [`radiotap`].
//!
//! The crate promises that
//! - a file it writes is the same, byte for byte, on every machine;
//! - Wireshark and tshark decode it without a malformed frame or a wrong
//!   checksum (`tests/tshark.rs` asks tshark);
//! - no packet of a real machine makes it panic.
//!
//! ```
//! use capture::packet::{EtherType, Ipv4Fields, Payload, TransportFields, UdpFields, ethernet};
//! use capture::pcapng::{CaptureInterface, CapturedFrame, LinkType, Writer};
//! use std::net::Ipv4Addr;
//! use units::{MacAddress, Time};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut file = Writer::new(Vec::new(), None)?;
//! let wire = file.add_interface(&CaptureInterface::new(LinkType::Ethernet, "server"))?;
//!
//! let datagram = Ipv4Fields {
//!     source: Ipv4Addr::new(10, 0, 0, 1),
//!     destination: Ipv4Addr::new(10, 0, 0, 2),
//!     identification: 1,
//!     ttl: 64,
//!     tos: 0,
//!     transport: TransportFields::Udp(UdpFields { source_port: 5000, destination_port: 9 }),
//!     payload: Payload::Zeros(1000),
//! };
//! let (from, to) = (MacAddress::of_node(1), MacAddress::of_node(2));
//! let mut bytes = ethernet(from, to, EtherType::IPV4).to_vec();
//! datagram.write(usize::MAX, &mut bytes)?;
//! file.frame(&CapturedFrame::whole(wire, Time::from_nanos(1_500), &bytes))?;
//! assert_eq!(bytes.len(), 14 + 20 + 8 + 1000);
//! # Ok(())
//! # }
//! ```

pub mod packet;
pub mod pcapng;
pub mod radiotap;
