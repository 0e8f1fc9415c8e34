//! Passive analysis of TCP connections.
