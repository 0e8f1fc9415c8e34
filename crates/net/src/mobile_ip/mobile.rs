//! A mobile node: which agent it is with, and its registration there.

use std::net::Ipv4Addr;

use units::serde::{Deserialize, Serialize};
use units::{Duration, Time};

use super::message::{Advertisement, RegistrationKey, RegistrationReply, RegistrationRequest};

/// Rule by which a mobile node leaves its agent for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", crate = "units::serde")]
pub enum Detection {
    /// As soon as it hears one that it did not know or had forgotten: eager cell switching (C.
    /// Perkins, "Mobile IP: Design Principles and Practices", 1998), and what ns-2 does.
    Eager,
    /// After its own has not been heard for as long as it said: lazy cell switching, RFC 5944
    /// §2.4.2.1.
    Lazy,
}

/// Settings of a mobile node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MobileConfig {
    /// Its own address.
    pub home: Ipv4Addr,
    /// Its home agent, by its address in the home network.
    pub home_agent: Ipv4Addr,
    /// Key that it shares with its home agent.
    pub key: RegistrationKey,
    /// Time when it leaves an agent.
    pub detection: Detection,
    /// For how long it knows an agent that it hears no more; `None`: for as long as the agent said.
    /// It looks for what to forget at multiples of it, as ns-2's agent list does.
    pub memory: Option<Duration>,
    /// For how long it registers at most, in seconds.
    pub lifetime_s: u16,
    /// Time after which a request without an answer is repeated; doubled each time (RFC 5944
    /// §3.6.3).
    pub retry: Duration,
}

/// An agent that has been heard.
#[derive(Clone, Copy, Debug)]
struct HeardAgent {
    agent: Ipv4Addr,
    registration_lifetime_s: u16,
    until: Time,
}

/// A request that is not answered yet.
#[derive(Clone, Copy, Debug)]
struct PendingRegistration {
    identification: u64,
    sent: Time,
    again_at: Time,
    wait: Duration,
}

/// Time that it listens before it asks whether an agent is there: MAX_SOLICITATION_DELAY of RFC
/// 1256 §5.1. [inferred: all of it, where a host is to draw from it, so that agents that advertise
/// each second are not asked]
const LISTENS: Duration = Duration::from_secs(1);

/// The first solicitations are sent each second (RFC 5944 §2.4, as RFC 1256's three).
const FIRST_SOLICITATIONS: u32 = 3;

/// The longest time between two of those behind them, each of which is twice that before (RFC 5944
/// §2.4: a maximum to be chosen, which has to stop the doubling at a minute or more).
const LONGEST_SILENCE: Duration = Duration::from_secs(60);

/// The search for an agent, where none is heard.
#[derive(Clone, Copy, Debug)]
struct Search {
    /// Solicitations sent.
    sent: u32,
    next_at: Time,
    wait: Duration,
}

impl Search {
    /// One that begins at a time.
    fn from(begin: Time) -> Search {
        Search {
            sent: 0,
            next_at: begin,
            wait: Duration::from_secs(1),
        }
    }

    /// A solicitation leaves.
    fn ask(&mut self, now: Time) {
        self.sent += 1;
        if self.sent > FIRST_SOLICITATIONS {
            self.wait = (self.wait + self.wait).min(LONGEST_SILENCE);
        }
        self.next_at = now + self.wait;
    }
}

/// Change that holds from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistrationChange {
    /// It is with another agent, or with none.
    With(Option<Ipv4Addr>),
    /// It has been registered there.
    Registered {
        /// Its agent.
        agent: Ipv4Addr,
        /// Time when it asked for it.
        since: Time,
    },
}

/// A mobile node.
///
/// Its owner tells it what it hears and calls [`Mobile::on_timer`] at [`Mobile::wake_at`]; after
/// each call it takes the [request](Mobile::take_request) or the
/// [solicitation](Mobile::take_solicitation) to be sent, if there is one.
#[derive(Clone, Debug)]
pub struct Mobile {
    config: MobileConfig,
    /// The one that was heard last comes first.
    heard: Vec<HeardAgent>,
    current: Option<Ipv4Addr>,
    pending: Option<PendingRegistration>,
    /// While it is with no agent.
    search: Option<Search>,
    solicits: bool,
    /// Time when the registration is to be made anew.
    renew_at: Time,
    identification: u64,
    request: Option<RegistrationRequest>,
}

impl Mobile {
    /// One that has heard of no agent, at home if it has one there.
    pub fn new(config: MobileConfig) -> Mobile {
        Mobile {
            config,
            heard: Vec::new(),
            current: None,
            pending: None,
            search: Some(Search::from(Time::ZERO + LISTENS)),
            solicits: false,
            renew_at: Time::NEVER,
            identification: 0,
            request: None,
        }
    }

    /// The agent it is with.
    pub fn agent(&self) -> Option<Ipv4Addr> {
        self.current
    }

    /// Returns whether it is at home, or knows of nowhere else.
    pub fn is_at_home(&self) -> bool {
        self.current
            .is_none_or(|agent| agent == self.config.home_agent)
    }

    /// The request that is to be sent to its agent.
    pub fn take_request(&mut self) -> Option<RegistrationRequest> {
        self.request.take()
    }

    /// Returns whether everybody on the link is to be asked for an agent.
    pub fn take_solicitation(&mut self) -> bool {
        std::mem::take(&mut self.solicits)
    }

    /// Returns when it wants to be called.
    pub fn wake_at(&self) -> Time {
        let expires = self.heard.iter().map(|heard| heard.until);
        let again_at = self.pending.map_or(Time::NEVER, |pending| pending.again_at);
        let first = expires.min().unwrap_or(Time::NEVER);
        let solicits_at = self.search.map_or(Time::NEVER, |search| search.next_at);
        first.min(again_at).min(self.renew_at).min(solicits_at)
    }

    /// Hears an advertisement.
    pub fn on_advertisement(
        &mut self,
        now: Time,
        told: &Advertisement,
    ) -> Option<RegistrationChange> {
        self.forget(now);
        let place = (self.heard.iter()).position(|heard| heard.agent == told.agent);
        let is_new = place.is_none();
        if let Some(place) = place {
            self.heard.remove(place);
        }
        let heard = HeardAgent {
            agent: told.agent,
            registration_lifetime_s: told.registration_lifetime_s,
            until: self.known_until(now, told),
        };
        self.heard.insert(0, heard);
        let is_current = self.current == Some(told.agent);
        let is_heard = |agent| self.heard.iter().any(|heard| heard.agent == agent);
        let is_lost = self.current.is_none_or(|current| !is_heard(current));
        if !is_current && (is_lost || is_new && self.config.detection == Detection::Eager) {
            return Some(self.go_with(now, Some(told.agent)));
        }
        None
    }

    /// Hears what became of a request; answers what is different from now on. What its home agent
    /// has not signed is nothing (RFC 5944 §3.6.2.1).
    pub fn on_reply(&mut self, now: Time, told: &RegistrationReply) -> Option<RegistrationChange> {
        if !told.is_signed_by(&self.config.key) {
            return None;
        }
        let pending = self
            .pending
            .take_if(|pending| pending.identification == told.identification);
        let sent = pending?.sent;
        if told.code != RegistrationReply::ACCEPTED {
            // A refusal by who does not want it so is asked again as if nobody had answered.
            self.renew_at = now + self.config.retry;
            return None;
        }
        self.renew_at = match self.is_at_home() {
            true => Time::NEVER,
            // In the middle of its life, so that a request that gets lost can be retransmitted.
            // [inferred: RFC 5944 §3.6.1 wants it before the end, and gives no time]
            false => now + Duration::from_secs(u64::from(told.lifetime_s)) / 2,
        };
        let agent = self.current?;
        Some(RegistrationChange::Registered { agent, since: sent })
    }

    /// Does what is due.
    pub fn on_timer(&mut self, now: Time) -> Option<RegistrationChange> {
        self.forget(now);
        let is_heard = |agent| self.heard.iter().any(|heard| heard.agent == agent);
        if self.current.is_some_and(|current| !is_heard(current)) {
            let next = self.heard.first().map(|heard| heard.agent);
            return Some(self.go_with(now, next));
        }
        if let Some(search) = &mut self.search
            && search.next_at <= now
        {
            search.ask(now);
            self.solicits = true;
        } else if let Some(pending) = self.pending
            && pending.again_at <= now
        {
            self.ask(now, pending.wait + pending.wait);
        } else if self.renew_at <= now {
            self.ask(now, self.config.retry);
        }
        None
    }

    /// Returns when an agent is forgotten that is heard now and no more.
    fn known_until(&self, now: Time, told: &Advertisement) -> Time {
        let Some(memory) = self.config.memory else {
            return now + told.lifetime();
        };
        let looks = (now + memory - Time::ZERO).as_nanos() / memory.as_nanos() + 1;
        Time::ZERO + memory * looks
    }

    fn forget(&mut self, now: Time) {
        self.heard.retain(|heard| heard.until > now);
    }

    fn go_with(&mut self, now: Time, agent: Option<Ipv4Addr>) -> RegistrationChange {
        self.current = agent;
        self.pending = None;
        self.renew_at = Time::NEVER;
        self.search = match agent {
            Some(_) => None,
            None => Some(Search::from(now)),
        };
        if agent.is_some() {
            self.ask(now, self.config.retry);
        }
        RegistrationChange::With(agent)
    }

    /// Asks its agent, or at home takes back what it asked for abroad.
    fn ask(&mut self, now: Time, wait: Duration) {
        let Some(agent) = self.current else { return };
        let heard = self.heard.iter().find(|heard| heard.agent == agent);
        let most = heard.map_or(0, |heard| heard.registration_lifetime_s);
        let is_at_home = self.is_at_home();
        self.identification += 1;
        self.renew_at = Time::NEVER;
        let request = RegistrationRequest {
            lifetime_s: match is_at_home {
                true => 0,
                false => self.config.lifetime_s.min(most),
            },
            home: self.config.home,
            home_agent: self.config.home_agent,
            care_of: if is_at_home { self.config.home } else { agent },
            identification: self.identification,
            authenticator: Default::default(),
        };
        self.request = Some(request.signed(&self.config.key));
        self.pending = Some(PendingRegistration {
            identification: self.identification,
            sent: now,
            again_at: now + wait,
            wait,
        });
    }
}
