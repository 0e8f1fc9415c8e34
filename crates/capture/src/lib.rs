//! Capture files: pcapng, radiotap, Ethernet, IP and TCP bytes.

pub mod packet;
pub mod radiotap;
