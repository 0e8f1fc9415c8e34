//! Queues, wired links, UDP and ICMP.
