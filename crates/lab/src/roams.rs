//! Changes of access points as a table: what the time without one was made of.

use dot11::association::Cause;
use units::Time;
use units::table::Node;

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
        /// when the first data frame had come through from then on, either way
        served_s: Option<Time>, "s";
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
