//! Changes of access points as a table: what the time without one was made of.

use std::collections::BTreeMap;

use dot11::association::LeaveCause;
use units::table::Node;
use units::{Duration, Time};

use super::log::{LogPiece, RowLog};
use crate::ids::NodeId;

units::words! {
    /// Why a station has left an access point.
    pub enum RoamReason {
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
        why: RoamReason, "";
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
pub struct RoamParts {
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
    /// Returns what the interruption was made of, once it is over.
    pub fn parts(&self) -> Option<RoamParts> {
        let (found, associated, served) = (self.found_s?, self.associated_s?, self.served_s?);
        let registered = (self.registered_s).map_or(associated, |at| at.clamp(associated, served));
        Some(RoamParts {
            unheard: self.left_s - self.heard_s,
            scan: found - self.left_s,
            join: associated - found,
            register: registered - associated,
            resume: served - registered,
        })
    }
}

impl std::ops::Add for RoamParts {
    type Output = RoamParts;

    fn add(self, other: RoamParts) -> RoamParts {
        RoamParts {
            unheard: self.unheard + other.unheard,
            scan: self.scan + other.scan,
            join: self.join + other.join,
            register: self.register + other.register,
            resume: self.resume + other.resume,
        }
    }
}

impl From<LeaveCause> for RoamReason {
    fn from(cause: LeaveCause) -> RoamReason {
        match cause {
            LeaveCause::BeaconsMissed => RoamReason::BeaconsMissed,
            LeaveCause::Deauthenticated => RoamReason::Deauthenticated,
            LeaveCause::Signal => RoamReason::Signal,
        }
    }
}

/// Roams so far.
#[derive(Debug, Default)]
pub struct Roams {
    rows: RowLog<Roam>,
    /// By station, the last one: only that may still change.
    last: BTreeMap<NodeId, (usize, Roam)>,
    /// By station, how many others were over, and what all of them together were made of.
    others: BTreeMap<NodeId, (u64, RoamParts)>,
}

impl Roams {
    /// A station has left an access point.
    pub fn on_leave(&mut self, station: NodeId, roam: Roam) {
        let over = self.over(station);
        self.others.insert(station, over);
        let row = self.rows.push(roam);
        self.last.insert(station, (row, roam));
    }

    /// Changes the last time that a station left, if it is to be told of.
    pub fn change_last(&mut self, station: NodeId, change: impl Fn(&mut Roam)) {
        if let Some((row, roam)) = self.last.get_mut(&station) {
            change(roam);
            self.rows.change(*row, change);
        }
    }

    /// Returns how many roams of a station are over, and what all of them together were made of.
    pub fn over(&self, station: NodeId) -> (u64, RoamParts) {
        let (count, all) = self.others.get(&station).copied().unwrap_or_default();
        let last = (self.last.get(&station)).and_then(|(_, roam)| roam.parts());
        last.map_or((count, all), |parts| (count + 1, all + parts))
    }

    /// Hands over those of which anything is new.
    pub fn take(&mut self) -> LogPiece<Roam> {
        let last = &self.last;
        self.rows
            .take(|row| last.values().any(|&(each, _)| each == row))
    }
}
