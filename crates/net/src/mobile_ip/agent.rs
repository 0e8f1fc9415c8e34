//! A mobility agent: home agent of some hosts, foreign agent of its visitors.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use units::{Duration, MacAddress, Time};

use super::message::{Advertisement, RegistrationKey, RegistrationReply, RegistrationRequest};

/// Settings of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentConfig {
    /// Its address in the network where it advertises.
    pub address: Ipv4Addr,
    /// Lifetime of each advertisement, in seconds.
    pub lifetime_s: u16,
    /// The longest registration that it accepts, in seconds.
    pub registration_lifetime_s: u16,
}

/// Who is behind it, or away from it.
#[derive(Clone, Debug)]
pub struct Agent {
    config: AgentConfig,
    sequence: u16,
    /// Keys that it shares with hosts of its own, by their home address.
    keys: BTreeMap<Ipv4Addr, RegistrationKey>,
    /// Hosts of its own that are away: by their home address, where their tunnels end.
    away: BTreeMap<Ipv4Addr, Away>,
    /// Hosts that visit it, or have asked to.
    visitors: BTreeMap<Ipv4Addr, Visitor>,
}

#[derive(Clone, Copy, Debug)]
struct Away {
    care_of: Ipv4Addr,
    until: Time,
}

#[derive(Clone, Copy, Debug)]
struct Visitor {
    mac: MacAddress,
    identification: u64,
    until: Time,
}

/// Where a packet for a mobile node goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forward {
    /// Through a tunnel to this address.
    Tunnel(Ipv4Addr),
    /// To a visitor with this link address.
    Visitor(MacAddress),
}

/// Fate of a request or a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentDecision {
    /// The request goes on to the home agent.
    Relay(RegistrationRequest),
    /// It is answered.
    Reply(RegistrationReply),
    /// The reply goes on to a visitor.
    HandOn(RegistrationReply, MacAddress),
    /// Nothing: nobody waits for it.
    Nothing,
}

impl Agent {
    /// One that nobody knows.
    pub fn new(config: AgentConfig) -> Agent {
        Agent {
            config,
            sequence: 0,
            keys: BTreeMap::new(),
            away: BTreeMap::new(),
            visitors: BTreeMap::new(),
        }
    }

    /// Makes a host one of its own, with which it shares a key.
    pub fn share(&mut self, home: Ipv4Addr, key: RegistrationKey) {
        self.keys.insert(home, key);
    }

    /// Its address.
    pub fn address(&self) -> Ipv4Addr {
        self.config.address
    }

    /// Returns what it says of itself next. Sequence numbers go from 0xffff to 256, so that who
    /// hears a smaller one knows of a restart (RFC 5944 §2.3.2).
    pub fn advertise(&mut self) -> Advertisement {
        let sequence = self.sequence;
        self.sequence = sequence.checked_add(1).unwrap_or(256);
        Advertisement {
            agent: self.config.address,
            lifetime_s: self.config.lifetime_s,
            sequence,
            registration_lifetime_s: self.config.registration_lifetime_s,
        }
    }

    /// Hears a request: of a host of its own, from wherever, or of a visitor, from `mac`.
    pub fn on_request(
        &mut self,
        now: Time,
        told: &RegistrationRequest,
        mac: MacAddress,
    ) -> AgentDecision {
        if told.home_agent == self.config.address {
            return self.register(now, told);
        }
        // What a visitor has already holds until it is confirmed.
        let until = (self.visitors.get(&told.home)).map_or(Time::ZERO, |visitor| visitor.until);
        let visitor = Visitor {
            mac,
            identification: told.identification,
            until,
        };
        self.visitors.insert(told.home, visitor);
        AgentDecision::Relay(*told)
    }

    /// Does what a host of its own asks for, if it is that host that asks (RFC 5944 §3.8.2.1).
    fn register(&mut self, now: Time, told: &RegistrationRequest) -> AgentDecision {
        let Some(&key) = self.keys.get(&told.home) else {
            return AgentDecision::Nothing;
        };
        let answer = |code, lifetime_s| {
            let reply = RegistrationReply {
                code,
                lifetime_s,
                home: told.home,
                home_agent: told.home_agent,
                identification: told.identification,
                authenticator: Default::default(),
            };
            AgentDecision::Reply(reply.signed(&key))
        };
        if !told.is_signed_by(&key) {
            return answer(RegistrationReply::NOT_AUTHENTIC, 0);
        }
        let lifetime_s = told.lifetime_s.min(self.config.registration_lifetime_s);
        if lifetime_s == 0 || told.care_of == told.home {
            self.away.remove(&told.home);
        } else {
            let away = Away {
                care_of: told.care_of,
                until: now + Duration::from_secs(u64::from(lifetime_s)),
            };
            self.away.insert(told.home, away);
        }
        answer(RegistrationReply::ACCEPTED, lifetime_s)
    }

    /// Hears what a home agent says to a visitor of its.
    pub fn on_reply(&mut self, now: Time, told: &RegistrationReply) -> AgentDecision {
        let Some(visitor) = self.visitors.get_mut(&told.home) else {
            return AgentDecision::Nothing;
        };
        if visitor.identification != told.identification {
            return AgentDecision::Nothing;
        }
        if told.code == RegistrationReply::ACCEPTED {
            visitor.until = now + Duration::from_secs(u64::from(told.lifetime_s));
        }
        AgentDecision::HandOn(*told, visitor.mac)
    }

    /// Where a packet for an address goes, if that is a mobile node's that it has to do with.
    pub fn forward(&self, now: Time, to: Ipv4Addr) -> Option<Forward> {
        let visitor = self.visitors.get(&to).filter(|visitor| now < visitor.until);
        if let Some(visitor) = visitor {
            return Some(Forward::Visitor(visitor.mac));
        }
        let away = self.away.get(&to).filter(|away| now < away.until)?;
        Some(Forward::Tunnel(away.care_of))
    }
}
