//! What a kernel tells of its own accord when a radio joins or leaves somebody (nl80211's group
//! `mlme`).

use super::attributes::Attributes;

const AUTHENTICATE: u8 = 37;
const ASSOCIATE: u8 = 38;
const DEAUTHENTICATE: u8 = 39;
const DISASSOCIATE: u8 = 40;
const CONNECT: u8 = 46;
const ROAM: u8 = 47;
const DISCONNECT: u8 = 48;
const NEW_STATION: u8 = 19;
const DEL_STATION: u8 = 20;
const NOTIFY_CQM: u8 = 64;

const MAC: u16 = 6;
const FRAME: u16 = 51;
const REASON: u16 = 54;
const TIMED_OUT: u16 = 65;
const BY_ACCESS_POINT: u16 = 71;
const STATUS: u16 = 72;
const QUALITY: u16 = 94;
const BEACONS_LOST: u16 = 8;

/// A management frame's transmitter, its BSSID, and where its body begins (IEEE Std 802.11-2020,
/// 9.3.3.1).
const TRANSMITTER: std::ops::Range<usize> = 10..16;
const BSSID: std::ops::Range<usize> = 16..22;
const BODY: usize = 24;
/// Where the status stands in the body: behind algorithm and number, and behind the capabilities.
const AUTHENTICATION_STATUS: usize = BODY + 4;
const ASSOCIATION_STATUS: usize = BODY + 2;

units::words! {
    /// What a radio has done, or what was done to it.
    pub enum RadioEventKind {
        /// An answer to an authentication.
        Authenticated = "authenticated",
        /// An answer to an association.
        Associated = "associated",
        /// A connection has come about, or has not.
        Connected = "connected",
        /// Firmware has changed the access point.
        Roamed = "roamed",
        /// A connection has ended.
        Disconnected = "disconnected",
        /// A deauthentication.
        Deauthenticated = "deauthenticated",
        /// A disassociation.
        Disassociated = "disassociated",
        /// Beacons were not heard for too long.
        BeaconsLost = "beacons-lost",
        /// A station has come to an access point.
        Joined = "joined",
        /// A station has left an access point.
        Left = "left",
    }
}

units::row! {
    /// When a machine's radio joined or left somebody, as its kernel told.
    pub struct RadioEvent = "radio_events" {
        /// when the machine was told, from the start of the run
        time_s: f64, "s";
        /// the machine's radio, counted from 0 on
        interface: u32, "";
        /// `authenticated`, `associated`, `connected`, `roamed`, `disconnected`, `deauthenticated`,
        /// `disassociated`, `beacons-lost`, `joined` or `left`
        event: RadioEventKind, "";
        /// the access point, or at an access point the station, as in `stations`
        station: Option<f64>, "";
        /// 1 if the other end did it, 0 if the machine itself
        is_by_other: bool, "";
        /// why it ended (IEEE Std 802.11-2020, table 9-49)
        reason: Option<f64>, "";
        /// how it came out, 0 if well (IEEE Std 802.11-2020, table 9-50)
        status: Option<f64>, "";
    }
}

/// What an event says, with the address that stays on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct News {
    pub what: RadioEventKind,
    pub address: Option<[u8; 6]>,
    pub is_by_other: bool,
    pub reason: Option<f64>,
    pub status: Option<f64>,
}

impl News {
    /// Reads an event; `None` for those that are about something else.
    pub fn of(command: u8, told: Attributes<'_>) -> Option<News> {
        let frame = told.bytes(FRAME).unwrap_or_default();
        let of_frame = |what, reason: Option<usize>, status: Option<usize>| {
            let part = |place: std::ops::Range<usize>| frame.get(place);
            News {
                what,
                address: part(BSSID)
                    .and_then(|address| address.try_into().ok())
                    .or_else(|| told.address(MAC)),
                is_by_other: part(BSSID).is_some() && part(TRANSMITTER) == part(BSSID),
                reason: reason.and_then(|at| word(frame, at)),
                status: status.and_then(|at| word(frame, at)),
            }
        };
        let of_link = |what, is_by_other| News {
            what,
            address: told.address(MAC),
            is_by_other,
            reason: told.real(REASON, 1.0),
            status: told.real(STATUS, 1.0),
        };
        let news = match command {
            AUTHENTICATE => of_frame(
                RadioEventKind::Authenticated,
                None,
                Some(AUTHENTICATION_STATUS),
            ),
            ASSOCIATE => of_frame(RadioEventKind::Associated, None, Some(ASSOCIATION_STATUS)),
            DEAUTHENTICATE => of_frame(RadioEventKind::Deauthenticated, Some(BODY), None),
            DISASSOCIATE => of_frame(RadioEventKind::Disassociated, Some(BODY), None),
            CONNECT => of_link(RadioEventKind::Connected, true),
            ROAM => of_link(RadioEventKind::Roamed, false),
            DISCONNECT => of_link(RadioEventKind::Disconnected, told.has(BY_ACCESS_POINT)),
            NEW_STATION => of_link(RadioEventKind::Joined, true),
            DEL_STATION => of_link(RadioEventKind::Left, true),
            NOTIFY_CQM if told.within(QUALITY).has(BEACONS_LOST) => {
                of_link(RadioEventKind::BeaconsLost, true)
            }
            _ => return None,
        };
        // An answer that never came tells nothing about anybody.
        (!told.has(TIMED_OUT)).then_some(news)
    }
}

/// A number of sixteen bits in a frame.
fn word(frame: &[u8], at: usize) -> Option<f64> {
    let (bytes, _) = frame.get(at..)?.split_first_chunk()?;
    Some(u16::from_le_bytes(*bytes).into())
}

#[cfg(test)]
mod tests {
    use super::super::attributes::write;
    use super::*;

    const ACCESS_POINT: [u8; 6] = [2, 0, 0, 0, 0, 1];
    const OWN: [u8; 6] = [2, 0, 0, 0, 0, 9];

    fn frame(from: [u8; 6], body: &[u8]) -> Vec<u8> {
        let to = if from == OWN { ACCESS_POINT } else { OWN };
        [&[0; 4], &to[..], &from, &ACCESS_POINT, &[0; 2], body].concat()
    }

    fn news(command: u8, told: &[(u16, &[u8])]) -> Option<News> {
        News::of(command, Attributes(&write(&[], told)))
    }

    #[test]
    fn a_deauthentication_says_who_sent_it_and_why() {
        for (from, is_by_other) in [(ACCESS_POINT, true), (OWN, false)] {
            let found = news(DEAUTHENTICATE, &[(FRAME, &frame(from, &[8, 0]))]).unwrap();
            assert_eq!(found.what, RadioEventKind::Deauthenticated);
            assert_eq!((found.is_by_other, found.reason), (is_by_other, Some(8.0)));
            assert_eq!(found.address, Some(ACCESS_POINT));
        }
    }

    #[test]
    fn the_status_of_an_answer_stands_in_its_frame() {
        let refused = frame(ACCESS_POINT, &[0, 0, 2, 0, 17, 0]);
        let found = news(AUTHENTICATE, &[(FRAME, &refused)]).unwrap();
        assert_eq!((found.status, found.reason), (Some(17.0), None));
        let taken = frame(ACCESS_POINT, &[0x11, 0x04, 0, 0, 1, 0xc0]);
        let found = news(ASSOCIATE, &[(FRAME, &taken)]).unwrap();
        assert_eq!(
            (found.what, found.status),
            (RadioEventKind::Associated, Some(0.0))
        );
    }

    #[test]
    fn a_driver_that_roams_by_itself_names_the_new_access_point() {
        let found = news(ROAM, &[(MAC, &ACCESS_POINT)]).unwrap();
        assert_eq!(
            (found.what, found.address),
            (RadioEventKind::Roamed, Some(ACCESS_POINT))
        );
        let reason = 4_u16.to_ne_bytes();
        let ended = news(DISCONNECT, &[(REASON, &reason), (BY_ACCESS_POINT, &[])]).unwrap();
        assert_eq!((ended.reason, ended.is_by_other), (Some(4.0), true));
    }

    #[test]
    fn a_frame_that_is_cut_off_tells_what_it_holds() {
        let whole = frame(ACCESS_POINT, &[8, 0]);
        for length in 0..whole.len() {
            let found = news(DEAUTHENTICATE, &[(FRAME, &whole[..length])]).unwrap();
            assert_eq!(found.reason, None, "{length}");
            let address = (length >= BSSID.end).then_some(ACCESS_POINT);
            assert_eq!(found.address, address, "{length}");
        }
    }

    #[test]
    fn what_is_about_something_else_is_passed_over() {
        assert_eq!(news(33, &[]), None, "a scan");
        let weak = write(&[], &[(3, &0_u32.to_ne_bytes())]);
        assert_eq!(news(NOTIFY_CQM, &[(QUALITY, &weak)]), None);
        let lost = write(&[], &[(BEACONS_LOST, &[])]);
        let found = news(NOTIFY_CQM, &[(QUALITY, &lost)]).unwrap();
        assert_eq!(found.what, RadioEventKind::BeaconsLost);
        assert_eq!(news(AUTHENTICATE, &[(TIMED_OUT, &[])]), None);
    }
}
