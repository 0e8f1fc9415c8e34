//! Changes of access points as a table: what the time without one was made of.

use dot11::association::Cause;
use units::table::Node;
use units::{Duration, Time};

units::words! {
    /// Why a station has left an access point.
    pub enum Why {
        /// It did not hear beacons any more.
        BeaconsMissed = "beacons-missed",
        /// It was sent away.
        Deauthenticated = "deauthenticated",
        /// It heard another one better.
        Signal = "signal",
    }
}

units::row! {
    /// Each time that a station left an access point, in the order of time; what did not come to
    /// pass is NaN.
    pub struct Roam = "roams" {
        /// the station
        station: Node, "";
        /// the access point that it left
        from: Node, "";
        /// the access point that it asked last, else the one it left
        to: Node, "";
        /// `beacons-missed`, `deauthenticated` or `signal`
        why: Why, "";
        /// when it had last heard the one it left
        heard_s: Time, "s";
        /// when it left, from then on without association
        left_s: Time, "s";
        /// when it had found another one, by scanning or by its beacons
        found_s: Option<Time>, "s";
        /// when it was authenticated there
        authenticated_s: Option<Time>, "s";
        /// when it was associated
        associated_s: Option<Time>, "s";
        /// when Mobile IP had registered it there, where it has to
        registered_s: Option<Time>, "s";
        /// when the first packet had come through from then on, either way, that was neither ARP
        /// nor Mobile IP
        served_s: Option<Time>, "s";
    }
}

/// What the interruption by a roam is made of, each behind the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// From the last frame heard of the old access point until it was left.
    pub unheard: Duration,
    /// From there until another one was found.
    pub scan: Duration,
    /// From there until the station was associated.
    pub join: Duration,
    /// From there until it was registered with Mobile IP.
    pub register: Duration,
    /// From there until the first packet had come through.
    pub resume: Duration,
}

impl Roam {
    /// What the interruption was made of, once it is over.
    pub fn parts(&self) -> Option<Parts> {
        let (found, associated, served) = (self.found_s?, self.associated_s?, self.served_s?);
        let registered = (self.registered_s).map_or(associated, |at| at.clamp(associated, served));
        Some(Parts {
            unheard: self.left_s - self.heard_s,
            scan: found - self.left_s,
            join: associated - found,
            register: registered - associated,
            resume: served - registered,
        })
    }
}

impl std::ops::Add for Parts {
    type Output = Parts;

    fn add(self, other: Parts) -> Parts {
        Parts {
            unheard: self.unheard + other.unheard,
            scan: self.scan + other.scan,
            join: self.join + other.join,
            register: self.register + other.register,
            resume: self.resume + other.resume,
        }
    }
}

impl From<Cause> for Why {
    fn from(cause: Cause) -> Why {
        match cause {
            Cause::BeaconsMissed => Why::BeaconsMissed,
            Cause::Deauthenticated => Why::Deauthenticated,
            Cause::Signal => Why::Signal,
        }
    }
}
