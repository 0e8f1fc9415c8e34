//! Traffic over this machine's sockets, for a console that its owner paired it with.
//!
//! An endpoint parses nothing but TLS until it knows who speaks. A console can make it send an
//! application's bytes to another endpoint that its owner listed, and nothing else: no message
//! holds an address, a path or a command.

#[cfg(test)]
mod any_bytes;
pub mod audit;
pub mod ceilings;
pub mod channel;
pub mod command;
mod comparison;
mod confined;
pub mod console;
pub mod control_connection;
mod datagram;
mod flow;
pub mod identity;
mod iperf3;
mod log;
mod marking;
pub mod message;
mod opening;
pub mod pairing;
mod permitted;
mod pings;
mod radio;
mod reflector;
mod running;
mod samples;
mod served;
pub mod server;
mod session;
mod sockets;
mod stamp;
mod stamped;
mod stamps;
mod visit;

pub use flow::APPLICATIONS;
pub use radio::{LinkedStation, RadioEvent, RadioEventKind, Survey};
