//! Calls of the operating system, as safe functions: TAP interfaces, namespaces, priorities,
//! clocks, polling, descriptors passed between processes.
//!
//! The only crate with `unsafe` blocks for system calls; each passes only what it owns.

pub mod calls;
pub mod clock;
pub mod datagram_stamps;
pub mod descendants;
pub mod interface;
pub mod message;
pub mod namespace;
pub mod poll;
pub mod priority;
pub mod process;
mod socket;
pub mod stamps;
pub mod tap;
pub mod tcp_info;
#[cfg(test)]
mod test_links;
pub mod user;
