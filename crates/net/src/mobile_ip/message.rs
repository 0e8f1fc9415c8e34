//! The messages of Mobile IPv4, and their bytes.

use std::net::Ipv4Addr;

use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use units::Duration;

use crate::IPV4_HEADER;

/// Messages between mobile nodes and agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// An agent is here: ICMP, to everybody (RFC 5944 §2.1).
    Advertisement(Advertisement),
    /// Is an agent here: ICMP, to everybody (RFC 5944 §2.2).
    Solicitation,
    /// Let packets for a home address go to a care-of address: UDP (RFC 5944 §3.3).
    Request(RegistrationRequest),
    /// Outcome of a request: UDP (RFC 5944 §3.4).
    Reply(RegistrationReply),
}

/// A router advertisement (RFC 1256) with the extension of mobility agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advertisement {
    /// The agent, whose address is the care-of address too.
    pub agent: Ipv4Addr,
    /// Lifetime without another one, in seconds.
    pub lifetime_s: u16,
    /// Counted by the agent.
    pub sequence: u16,
    /// The longest registration that it accepts, in seconds.
    pub registration_lifetime_s: u16,
}

/// A registration request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegistrationRequest {
    /// For how long, in seconds; 0 ends it.
    pub lifetime_s: u16,
    /// The mobile node's own address.
    pub home: Ipv4Addr,
    /// Its home agent.
    pub home_agent: Ipv4Addr,
    /// Where the tunnel ends.
    pub care_of: Ipv4Addr,
    /// Tells a reply which request it answers.
    pub identification: u64,
    /// By what its home agent knows that it is the node's.
    pub authenticator: Authenticator,
}

/// A registration reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegistrationReply {
    /// 0 if it was accepted.
    pub code: u8,
    /// For how long, in seconds.
    pub lifetime_s: u16,
    /// The mobile node's own address.
    pub home: Ipv4Addr,
    /// Its home agent.
    pub home_agent: Ipv4Addr,
    /// That of the request.
    pub identification: u64,
    /// By what the node knows that it is its home agent's.
    pub authenticator: Authenticator,
}

/// Secret that a mobile node and its home agent share, and nobody else: 128 bits, distributed by
/// hand (RFC 5944 §5.1).
pub type RegistrationKey = [u8; 16];

/// The HMAC-MD5 of a registration under their key (RFC 5944 §5.1; RFC 2104).
pub type Authenticator = [u8; 16];

/// UDP's header, and the port of registrations on either side (RFC 5944 §3.3).
const UDP_HEADER: u32 = 8;
/// The mobile-home authentication extension: type, length, SPI, and an authenticator of 128 bits
/// (RFC 5944 §3.5.2, §5.1).
const AUTHENTICATION: usize = 22;

impl Message {
    /// The port to which requests go, and from which replies come.
    pub const PORT: u16 = 434;

    /// Returns whether ICMP carries it; UDP else.
    pub fn is_icmp(&self) -> bool {
        matches!(self, Message::Advertisement(_) | Message::Solicitation)
    }

    /// Bytes of the IP packet that carries it.
    pub fn ip_bytes(&self) -> u32 {
        let body = self.body().len() as u32;
        match self {
            Message::Advertisement(_) | Message::Solicitation => IPV4_HEADER + body,
            Message::Request(_) | Message::Reply(_) => IPV4_HEADER + UDP_HEADER + body,
        }
    }

    /// Its bytes behind the IP header, or for a registration behind UDP's; of ICMP the checksum is
    /// left zero.
    pub fn body(&self) -> Vec<u8> {
        match self {
            Message::Advertisement(told) => told.body(),
            Message::Solicitation => solicitation(),
            Message::Request(told) => told.body(),
            Message::Reply(told) => told.body(),
        }
    }
}

impl Advertisement {
    /// RFC 1256 §3 with one address, of preference 0, and the extension of RFC 5944 §2.1.1: it
    /// requires registration (R), is home agent (H) and foreign agent (F).
    fn body(&self) -> Vec<u8> {
        const ROUTER_ADVERTISEMENT: u8 = 9;
        const ROUTES_NOTHING_ELSE: u8 = 16;
        const MOBILITY_AGENT: u8 = 16;
        const FLAGS: u8 = 0x80 | 0x20 | 0x10;
        let mut bytes = vec![ROUTER_ADVERTISEMENT, ROUTES_NOTHING_ELSE, 0, 0, 1, 2];
        bytes.extend(self.lifetime_s.to_be_bytes());
        bytes.extend(self.agent.octets());
        bytes.extend([0; 4]);
        bytes.extend([MOBILITY_AGENT, 6 + 4]);
        bytes.extend(self.sequence.to_be_bytes());
        bytes.extend(self.registration_lifetime_s.to_be_bytes());
        bytes.extend([FLAGS, 0]);
        bytes.extend(self.agent.octets());
        bytes
    }

    /// Returns how long the agent is there without another one.
    pub fn lifetime(&self) -> Duration {
        Duration::from_secs(u64::from(self.lifetime_s))
    }
}

/// A router solicitation (RFC 1256 §3), which a mobile node sends as it is (RFC 5944 §2.2).
fn solicitation() -> Vec<u8> {
    const ROUTER_SOLICITATION: u8 = 10;
    let mut bytes = vec![ROUTER_SOLICITATION];
    bytes.extend([0; 7]);
    bytes
}

impl RegistrationRequest {
    /// The same with the authenticator that a key gives it.
    pub fn signed(self, key: &RegistrationKey) -> RegistrationRequest {
        let authenticator = authenticator(key, &self.unsigned());
        RegistrationRequest {
            authenticator,
            ..self
        }
    }

    /// Returns whether it comes from who has this key.
    pub fn is_signed_by(&self, key: &RegistrationKey) -> bool {
        is_signed_by(key, &self.unsigned(), &self.authenticator)
    }

    fn body(&self) -> Vec<u8> {
        let mut bytes = self.unsigned();
        bytes.extend(self.authenticator);
        bytes
    }

    fn unsigned(&self) -> Vec<u8> {
        const REQUEST: u8 = 1;
        let mut bytes = vec![REQUEST, 0];
        bytes.extend(self.lifetime_s.to_be_bytes());
        for address in [self.home, self.home_agent, self.care_of] {
            bytes.extend(address.octets());
        }
        bytes.extend(self.identification.to_be_bytes());
        begin_authentication(&mut bytes);
        bytes
    }
}

impl RegistrationReply {
    /// The registration was accepted.
    pub const ACCEPTED: u8 = 0;
    /// The home agent does not believe the mobile node (RFC 5944 §3.4).
    pub const NOT_AUTHENTIC: u8 = 131;

    /// The same with the authenticator that a key gives it.
    pub fn signed(self, key: &RegistrationKey) -> RegistrationReply {
        let authenticator = authenticator(key, &self.unsigned());
        RegistrationReply {
            authenticator,
            ..self
        }
    }

    /// Returns whether it comes from who has this key.
    pub fn is_signed_by(&self, key: &RegistrationKey) -> bool {
        is_signed_by(key, &self.unsigned(), &self.authenticator)
    }

    fn body(&self) -> Vec<u8> {
        let mut bytes = self.unsigned();
        bytes.extend(self.authenticator);
        bytes
    }

    fn unsigned(&self) -> Vec<u8> {
        const REPLY: u8 = 3;
        let mut bytes = vec![REPLY, self.code];
        bytes.extend(self.lifetime_s.to_be_bytes());
        bytes.extend(self.home.octets());
        bytes.extend(self.home_agent.octets());
        bytes.extend(self.identification.to_be_bytes());
        begin_authentication(&mut bytes);
        bytes
    }
}

/// Appends the extension that every registration has to have (RFC 5944 §3.5.2) up to its
/// authenticator, of the first security parameter index that is not reserved.
fn begin_authentication(bytes: &mut Vec<u8>) {
    const MOBILE_HOME: u8 = 32;
    const INDEX: u32 = 256;
    bytes.extend([MOBILE_HOME, AUTHENTICATION as u8 - 2]);
    bytes.extend(INDEX.to_be_bytes());
}

/// Over all of UDP's payload before the authenticator: the registration, and type, length and index
/// of the extension (RFC 5944 §3.5.1).
fn authenticator(key: &RegistrationKey, unsigned: &[u8]) -> Authenticator {
    mac(key, unsigned).finalize().into_bytes().into()
}

fn is_signed_by(key: &RegistrationKey, unsigned: &[u8], found: &Authenticator) -> bool {
    mac(key, unsigned).verify_slice(found).is_ok()
}

fn mac(key: &RegistrationKey, unsigned: &[u8]) -> Hmac<Md5> {
    let mut mac = Hmac::<Md5>::new_from_slice(key).expect("a key of any length will do");
    mac.update(unsigned);
    mac
}
