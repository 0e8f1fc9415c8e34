//! How stations come to belong to access points: scanning, authentication, association and their
//! end (IEEE 802.11-2007 §11.1.3, §11.3).
//!
//! Two machines, [`Station`] and [`AccessPoint`]. Each is told what it hears and when its time has
//! come, and answers with what is to be done. Authentication is open: whoever asks is let in
//! (§8.2.2.2).

mod access_point;
mod station;

use crate::frame::Address;

pub use access_point::{AccessPoint, AccessPointAnswer, AssociationChange};
pub use station::{Action, AssociationConfig, HeardBeacon, LeaveCause, Scan, Station};

/// What a management frame says, beacons aside (IEEE 802.11-2007 §7.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Management {
    /// Whoever hears this is asked to say so.
    ProbeRequest,
    /// An access point is here.
    ProbeResponse,
    /// A step of authentication.
    Authentication {
        /// Which one: 1 asks, 2 answers.
        transaction: u16,
        /// What became of it; [`SUCCESS`] or a reason.
        status: u16,
    },
    /// A station asks to be associated.
    AssociationRequest,
    /// A station asks to be associated that was so elsewhere.
    ReassociationRequest {
        /// With whom it was.
        current: Address,
    },
    /// What became of either request.
    AssociationResponse {
        /// Whether it answers a station that was associated elsewhere.
        again: bool,
        /// [`SUCCESS`] or a reason.
        status: u16,
        /// The station's number, 1 to 2007.
        id: u16,
    },
    /// An association is over.
    Disassociation {
        /// Why.
        reason: u16,
    },
    /// Authentication is over, and with it any association.
    Deauthentication {
        /// Why.
        reason: u16,
    },
}

/// The status of what went well (IEEE 802.11-2007 Table 7-23).
pub const SUCCESS: u16 = 0;
/// The status of a request for an association by who is not authenticated (Table 7-23).
pub const NOT_AUTHENTICATED: u16 = 11;

/// A frame of class 3 came from a station that is not associated (Table 7-22).
pub const CLASS_3_FRAME: u16 = 7;
/// Too many frames were not acknowledged (IEEE 802.11-2007 Table 7-22).
pub const NOT_ACKNOWLEDGED: u16 = 34;
