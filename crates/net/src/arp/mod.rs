//! Address resolution: the link address of a neighbour, by its IP address (RFC 826).

use std::collections::{BTreeMap, VecDeque};
use std::net::Ipv4Addr;

use units::{Duration, Time};

use units::MacAddress;

pub use wire::arp::{ARP_BYTES, Arp, Operation};

/// Requests for one address before it counts as unreachable (Linux `mcast_solicit`).
const PROBES: u32 = 3;

/// Time between them, and the least that RFC 1122 §2.3.2.1 allows (Linux `retrans_time_ms`).
const PROBE_INTERVAL: Duration = Duration::from_secs(1);

/// Packets that may wait for one address (Linux `unres_qlen`); the oldest gives way, since the
/// latest is the one to save (RFC 1122 §2.3.2.2).
const WAITING: usize = 101;

/// Neighbours that an interface learns of by itself (Linux `gc_thresh3`).
const NEIGHBOURS: usize = 1024;

/// Neighbours that are found by the low bits of their address alone.
const NEAREST: usize = 16;

/// Instruction to a packet's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArpResolution {
    /// Send it to this address.
    Resolved(MacAddress),
    /// Leave it here until the address is known, and send this request.
    Ask(Arp),
    /// Leave it here; the address has been asked for.
    Waiting,
    /// Leave it here and drop the packet with this handle, which has waited longest.
    Displaced(u32),
}

/// Consequences of a received ARP packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArpOutcome {
    /// The reply to be sent.
    pub answer: Option<Arp>,
    /// The packets that waited for the sender's address and can now be sent to it.
    pub released: VecDeque<u32>,
}

/// Actions due when time has passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArpDue {
    /// Send this request once more.
    Ask(Arp),
    /// Nobody has answered: drop what waited, each with "host unreachable" to its sender.
    Unreachable {
        /// The address nobody has.
        ip: Ipv4Addr,
        /// The packets that waited for it.
        dropped: VecDeque<u32>,
    },
}

/// An interface's knowledge of its neighbours' addresses, and its requests.
///
/// Its owner calls [`Resolver::resolve`] for every packet to be sent whose neighbour is not a
/// [recent](Resolver::recent) one, [`Resolver::on_arp`] for
/// every ARP packet received, and [`Resolver::on_timer`] at [`Resolver::wake_at`].
#[derive(Clone, Debug)]
pub struct Resolver {
    ip: Ipv4Addr,
    mac: MacAddress,
    lifetime: Duration,
    /// Copies of what was resolved last, by the low bits of the address.
    nearest: [Neighbour; NEAREST],
    neighbours: BTreeMap<Ipv4Addr, Neighbour>,
    asked: BTreeMap<Ipv4Addr, AddressInQuestion>,
}

#[derive(Clone, Copy, Debug)]
struct Neighbour {
    ip: Ipv4Addr,
    mac: MacAddress,
    until: Time,
}

/// An address that has been asked for.
#[derive(Clone, Debug)]
struct AddressInQuestion {
    probes: u32,
    again_at: Time,
    waiting: VecDeque<u32>,
}

const NOBODY: Neighbour = Neighbour {
    ip: Ipv4Addr::UNSPECIFIED,
    mac: MacAddress([0; 6]),
    until: Time::ZERO,
};

impl Resolver {
    /// The resolver of the interface with these addresses, which believes what it hears for
    /// `lifetime`.
    pub fn new(ip: Ipv4Addr, mac: MacAddress, lifetime: Duration) -> Self {
        Resolver {
            ip,
            mac,
            lifetime,
            nearest: [NOBODY; NEAREST],
            neighbours: BTreeMap::new(),
            asked: BTreeMap::new(),
        }
    }

    /// Tells it of a neighbour before it has to ask. That does not expire, but changes when the
    /// neighbour says otherwise.
    pub fn learn(&mut self, ip: Ipv4Addr, mac: MacAddress) {
        let until = Time::NEVER;
        self.remember(Neighbour { ip, mac, until });
    }

    /// The link address of the neighbour `ip`, if it has been asked for lately.
    #[inline]
    pub fn recent(&self, now: Time, ip: Ipv4Addr) -> Option<MacAddress> {
        let nearest = &self.nearest[place(ip)];
        (nearest.ip == ip && now < nearest.until).then_some(nearest.mac)
    }

    /// Where the packet `handle` for the neighbour `ip` is to be sent.
    pub fn resolve(&mut self, now: Time, ip: Ipv4Addr, handle: u32) -> ArpResolution {
        match self.recent(now, ip) {
            Some(mac) => ArpResolution::Resolved(mac),
            None => self.look_up(now, ip, handle),
        }
    }

    /// Hears an ARP packet, whomever it is for (RFC 826, "Packet reception").
    pub fn on_arp(&mut self, now: Time, arp: &Arp) -> ArpOutcome {
        let is_for_us = arp.target_ip == self.ip;
        let is_request = arp.operation == Operation::Request;
        ArpOutcome {
            released: self.hear_of(now, arp, is_for_us),
            answer: (is_for_us && is_request).then_some(Arp {
                operation: Operation::Reply,
                sender_mac: self.mac,
                sender_ip: self.ip,
                target_mac: arp.sender_mac,
                target_ip: arp.sender_ip,
            }),
        }
    }

    /// Says what is due by now, one thing at a time, until there is nothing more.
    pub fn on_timer(&mut self, now: Time) -> Option<ArpDue> {
        let is_due = |(_, asked): &(&Ipv4Addr, &mut AddressInQuestion)| asked.again_at <= now;
        let (&ip, asked) = self.asked.iter_mut().find(is_due)?;
        if asked.probes < PROBES {
            asked.probes += 1;
            asked.again_at = now + PROBE_INTERVAL;
            return Some(ArpDue::Ask(self.request(ip)));
        }
        let dropped = self.asked.remove(&ip)?.waiting;
        Some(ArpDue::Unreachable { ip, dropped })
    }

    /// Returns when to call [`Resolver::on_timer`]; [`Time::NEVER`] where no request is open.
    pub fn wake_at(&self) -> Time {
        let times = self.asked.values().map(|asked| asked.again_at);
        times.min().unwrap_or(Time::NEVER)
    }

    fn look_up(&mut self, now: Time, ip: Ipv4Addr, handle: u32) -> ArpResolution {
        let known = self.neighbours.get(&ip).filter(|known| now < known.until);
        if let Some(&known) = known {
            self.nearest[place(ip)] = known;
            return ArpResolution::Resolved(known.mac);
        }
        let Some(asked) = self.asked.get_mut(&ip) else {
            let asked = AddressInQuestion {
                probes: 1,
                again_at: now + PROBE_INTERVAL,
                waiting: VecDeque::from([handle]),
            };
            self.asked.insert(ip, asked);
            return ArpResolution::Ask(self.request(ip));
        };
        asked.waiting.push_back(handle);
        if asked.waiting.len() <= WAITING {
            return ArpResolution::Waiting;
        }
        let oldest = asked.waiting.pop_front();
        oldest.map_or(ArpResolution::Waiting, ArpResolution::Displaced)
    }

    /// Takes the sender's addresses from a packet: of a neighbour that is known or asked for in
    /// any case, of a stranger if the packet is for this host.
    fn hear_of(&mut self, now: Time, arp: &Arp, is_for_us: bool) -> VecDeque<u32> {
        let (ip, mac) = (arp.sender_ip, arp.sender_mac);
        // A claim to be many is not to be believed (RFC 1812 §3.3.2).
        if mac.is_group() || ip.is_unspecified() || ip == self.ip {
            return VecDeque::new();
        }
        let asked = self.asked.remove(&ip);
        let known = self.neighbours.get(&ip).filter(|known| now < known.until);
        let until = known.map_or(Time::ZERO, |known| known.until);
        if known.is_some() || (is_for_us || asked.is_some()) && self.has_room(now) {
            let until = until.max(now + self.lifetime);
            self.remember(Neighbour { ip, mac, until });
        }
        asked.map(|asked| asked.waiting).unwrap_or_default()
    }

    /// Returns whether one more neighbour finds room, where needed that of those who have expired.
    fn has_room(&mut self, now: Time) -> bool {
        if self.neighbours.len() >= NEIGHBOURS {
            self.neighbours.retain(|_, known| now < known.until);
        }
        self.neighbours.len() < NEIGHBOURS
    }

    fn remember(&mut self, neighbour: Neighbour) {
        self.neighbours.insert(neighbour.ip, neighbour);
        self.nearest[place(neighbour.ip)] = neighbour;
    }

    fn request(&self, ip: Ipv4Addr) -> Arp {
        Arp {
            operation: Operation::Request,
            sender_mac: self.mac,
            sender_ip: self.ip,
            target_mac: MacAddress([0; 6]),
            target_ip: ip,
        }
    }
}

/// Neighbours have consecutive addresses, so their low bits rarely meet.
#[inline]
fn place(ip: Ipv4Addr) -> usize {
    ip.to_bits() as usize % NEAREST
}

#[cfg(test)]
mod tests;
