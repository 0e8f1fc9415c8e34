//! Protocols above IP, as numbered by IANA.

/// ICMP.
pub const ICMP: u8 = 1;
/// TCP.
pub const TCP: u8 = 6;
/// UDP.
pub const UDP: u8 = 17;
/// ICMP of IPv6.
pub const ICMP_V6: u8 = 58;
