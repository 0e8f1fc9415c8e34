//! Who joined, left and moved: authentication, association and their ends.

use serde::Serialize;

use dissect::{Dot11Frame, kind};
use units::MacAddress;

/// Events listed; more are counted.
const MOST_EVENTS: usize = 10_000;

/// Kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// A step of the authentication; the code is its status.
    Authentication,
    /// A station asks to join.
    AssociationRequest,
    /// The answer; the code is its status, 0 for success.
    AssociationResponse,
    /// A station asks to join from another cell of the network.
    ReassociationRequest,
    /// The answer; the code is its status, 0 for success.
    ReassociationResponse,
    /// Somebody ends the association; the code is the reason.
    Disassociation,
    /// Somebody ends the authentication; the code is the reason.
    Deauthentication,
    /// A station sends data to another cell than before.
    Roamed,
}

/// Something that happened to a station.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StationEvent {
    /// Time, in nanoseconds since 1970.
    pub time_ns: u64,
    /// Number of the packet that tells it, from 1.
    pub packet: u64,
    /// Kind of the event.
    pub what: Happening,
    /// The station; everyone where an access point ends it for all.
    pub station: MacAddress,
    /// The cell.
    pub bssid: MacAddress,
    /// True if the station itself sent the frame.
    pub is_by_station: bool,
    /// The cell before.
    pub previous_bssid: Option<MacAddress>,
    /// Status or reason (IEEE 802.11-2020, 9.4.1.7 and 9.4.1.9).
    pub code: Option<u16>,
    /// From the last data frame for the cell before to the first for this one.
    pub interruption_ms: Option<f64>,
}

/// Events, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Events {
    pub listed: Vec<StationEvent>,
    pub unlisted: u64,
}

impl Events {
    /// Adds one.
    pub fn add(&mut self, event: StationEvent) {
        if self.listed.len() < MOST_EVENTS {
            self.listed.push(event);
        } else {
            self.unlisted += 1;
        }
    }

    /// Takes a management frame that was not told before.
    pub fn take(&mut self, frame: &Dot11Frame, body: &[u8]) {
        let word = |at: usize| {
            let bytes = body.get(at..at + 2)?;
            Some(u16::from_le_bytes([bytes[0], bytes[1]]))
        };
        // Where status and reason stand (9.3.3).
        let (what, code) = match frame.kind() {
            kind::AUTHENTICATION => (Happening::Authentication, word(4)),
            kind::ASSOCIATION_REQUEST => (Happening::AssociationRequest, None),
            kind::ASSOCIATION_RESPONSE => (Happening::AssociationResponse, word(2)),
            kind::REASSOCIATION_REQUEST => (Happening::ReassociationRequest, None),
            kind::REASSOCIATION_RESPONSE => (Happening::ReassociationResponse, word(2)),
            kind::DISASSOCIATION => (Happening::Disassociation, word(0)),
            kind::DEAUTHENTICATION => (Happening::Deauthentication, word(0)),
            _ => return,
        };
        let (bssid, transmitter) = (frame.third, frame.transmitter.unwrap_or_default());
        let is_by_station = transmitter != bssid;
        self.add(StationEvent {
            time_ns: frame.time_ns,
            packet: frame.number,
            what,
            station: if is_by_station {
                transmitter
            } else {
                frame.receiver
            },
            bssid,
            is_by_station,
            previous_bssid: previous(frame, body),
            code,
            interruption_ms: None,
        });
    }
}

/// The cell that a station comes from, behind capability and interval of a reassociation
/// request (9.3.3.7).
fn previous(frame: &Dot11Frame, body: &[u8]) -> Option<MacAddress> {
    if frame.kind() != kind::REASSOCIATION_REQUEST {
        return None;
    }
    let bytes = body.get(4..10)?;
    Some(MacAddress(bytes.try_into().ok()?))
}
