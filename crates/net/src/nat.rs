//! Network address and port translation (RFC 3022), as RFC 4787, 5382 and 5508 ask for it.
//!
//! A mapping belongs to an address and port inside, whoever is outside (RFC 4787 REQ-1), and keeps
//! the port where nobody else has it. Whoever is outside reaches what has a mapping (REQ-8).

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use units::{Duration, Time};

/// Protocol that a mapping is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// Ports of TCP.
    Tcp,
    /// Ports of UDP.
    Udp,
    /// Identifiers of ICMP echoes.
    Icmp,
}

impl Protocol {
    /// Returns how long a mapping lasts that nothing uses: what the RFCs ask for at the least (RFC
    /// 5382 REQ-5, 2 h 4 min for what is established; RFC 4787 REQ-5, of the recommended length;
    /// RFC 5508 REQ-2).
    const fn lifetime(self) -> Duration {
        match self {
            Protocol::Tcp => Duration::from_secs(7_440),
            Protocol::Udp => Duration::from_secs(300),
            Protocol::Icmp => Duration::from_secs(60),
        }
    }
}

/// Someone inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inside {
    /// His address.
    pub address: Ipv4Addr,
    /// His port, or an identifier.
    pub port: u16,
}

/// The mappings of a translator that has one address outside.
#[derive(Clone, Debug, Default)]
pub struct Nat {
    outside: BTreeMap<(Protocol, Inside), u16>,
    inside: BTreeMap<(Protocol, u16), Mapping>,
}

#[derive(Clone, Copy, Debug)]
struct Mapping {
    inside: Inside,
    used: Time,
}

/// The first port that a translator gives of its own (RFC 6335 §6: dynamic ports).
const FIRST_PORT: u16 = 49_152;

impl Nat {
    /// The port outside of someone inside who sends now; none if all ports are in use.
    pub fn outbound(&mut self, now: Time, protocol: Protocol, from: Inside) -> Option<u16> {
        let port = match self.outside.get(&(protocol, from)) {
            Some(&port) => port,
            None => self.map(now, protocol, from)?,
        };
        let mapping = Mapping {
            inside: from,
            used: now,
        };
        self.inside.insert((protocol, port), mapping);
        Some(port)
    }

    /// Who inside a packet from outside is for, by its port; nobody without a mapping. What comes
    /// in refreshes no mapping (RFC 4787 REQ-6).
    pub fn inbound(&self, now: Time, protocol: Protocol, port: u16) -> Option<Inside> {
        let mapping = self.inside.get(&(protocol, port))?;
        (!mapping.has_expired(now, protocol)).then_some(mapping.inside)
    }

    fn map(&mut self, now: Time, protocol: Protocol, from: Inside) -> Option<u16> {
        let ports = std::iter::once(from.port).chain(FIRST_PORT..=u16::MAX);
        let mut free = ports.filter(|&port| self.is_free(now, protocol, port));
        let port = free.next()?;
        if let Some(old) = self.inside.remove(&(protocol, port)) {
            self.outside.remove(&(protocol, old.inside));
        }
        self.outside.insert((protocol, from), port);
        Some(port)
    }

    fn is_free(&self, now: Time, protocol: Protocol, port: u16) -> bool {
        let mapping = self.inside.get(&(protocol, port));
        mapping.is_none_or(|mapping| mapping.has_expired(now, protocol))
    }
}

impl Mapping {
    fn has_expired(&self, now: Time, protocol: Protocol) -> bool {
        now - self.used > protocol.lifetime()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(host: u8, port: u16) -> Inside {
        Inside {
            address: Ipv4Addr::new(10, 0, 0, host),
            port,
        }
    }

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn a_port_is_kept_where_nobody_else_has_it() {
        let mut nat = Nat::default();
        let outbound = |nat: &mut Nat, from| nat.outbound(at(0), Protocol::Tcp, from);
        assert_eq!(outbound(&mut nat, inside(1, 5001)), Some(5001));
        assert_eq!(outbound(&mut nat, inside(2, 5001)), Some(FIRST_PORT));
        assert_eq!(outbound(&mut nat, inside(1, 5001)), Some(5001), "as before");
        let inbound = |port| nat.inbound(at(1), Protocol::Tcp, port);
        assert_eq!(inbound(5001), Some(inside(1, 5001)));
        assert_eq!(inbound(FIRST_PORT), Some(inside(2, 5001)));
    }

    #[test]
    fn who_has_sent_nothing_is_not_reached() {
        let mut nat = Nat::default();
        nat.outbound(at(0), Protocol::Udp, inside(1, 5001));
        assert_eq!(nat.inbound(at(0), Protocol::Udp, 5002), None);
        assert_eq!(nat.inbound(at(0), Protocol::Tcp, 5001), None);
    }

    #[test]
    fn a_mapping_ends_when_nothing_is_sent_and_its_port_serves_another() {
        let mut nat = Nat::default();
        nat.outbound(at(0), Protocol::Udp, inside(1, 5001));
        assert!(nat.inbound(at(300), Protocol::Udp, 5001).is_some());
        assert_eq!(nat.inbound(at(301), Protocol::Udp, 5001), None);
        let other = nat.outbound(at(301), Protocol::Udp, inside(2, 5001));
        assert_eq!(other, Some(5001));
        let back = nat.outbound(at(302), Protocol::Udp, inside(1, 5001));
        assert_eq!(back, Some(FIRST_PORT), "someone else has it now");
    }
}
