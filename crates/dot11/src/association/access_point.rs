//! The access point's side (IEEE 802.11-2007 §11.3): who is authenticated, who is associated.

use super::{CLASS_3_FRAME, Management, NOT_ACKNOWLEDGED, NOT_AUTHENTICATED, SUCCESS};
use crate::frame::Address;

/// An access point, and how far each station has come with it.
#[derive(Clone, Debug)]
pub struct AccessPoint {
    /// MSDUs given up one after the other that end an association; no number of them without.
    lost_packets: Option<u32>,
    stations: Vec<Member>,
}

/// A station as its access point knows it.
#[derive(Clone, Copy, Debug)]
struct Member {
    address: Address,
    state: AssociationState,
    /// MSDUs for it that were given up since one was acknowledged.
    lost: u32,
}

/// The states of IEEE 802.11-2007 §11.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum AssociationState {
    /// 1: not authenticated, not associated.
    Unauthenticated,
    /// 2: authenticated, not associated.
    Authenticated,
    /// 3: authenticated and associated.
    Associated,
}

/// What an access point says, and what is different from then on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessPointAnswer {
    /// What it sends to the station.
    pub says: Option<Management>,
    /// Whether the station belongs to it now.
    pub change: Option<AssociationChange>,
}

/// A change of an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssociationChange {
    /// The station belongs to the access point from here on.
    Joined,
    /// It does so no more.
    Left,
}

impl AccessPoint {
    /// One that nobody has asked. After `lost_packets` MSDUs in a row that a station has not
    /// acknowledged it has it leave.
    pub fn new(lost_packets: Option<u32>) -> AccessPoint {
        AccessPoint {
            lost_packets,
            stations: Vec::new(),
        }
    }

    /// Takes a station for associated from the start.
    pub fn admit(&mut self, station: Address) {
        self.member(station).state = AssociationState::Associated;
    }

    /// Returns whether a station is associated.
    pub fn has(&self, station: Address) -> bool {
        let mut all = self.stations.iter();
        all.any(|member| member.address == station && member.state == AssociationState::Associated)
    }

    /// A management frame of a station has come.
    pub fn on_management(&mut self, from: Address, what: Management) -> AccessPointAnswer {
        match what {
            Management::ProbeRequest => says(Management::ProbeResponse),
            Management::Authentication { transaction: 1, .. } => self.authenticate(from),
            Management::AssociationRequest => self.associate(from, false),
            Management::ReassociationRequest { .. } => self.associate(from, true),
            Management::Disassociation { .. } => self.part(from, AssociationState::Authenticated),
            Management::Deauthentication { .. } => {
                self.part(from, AssociationState::Unauthenticated)
            }
            Management::ProbeResponse
            | Management::Authentication { .. }
            | Management::AssociationResponse { .. } => AccessPointAnswer::default(),
        }
    }

    /// A data frame of a station has come; answers what the station is told if it may not send
    /// such frames (IEEE 802.11-2007 §11.3).
    pub fn on_data(&mut self, from: Address) -> Option<Management> {
        match self.member(from).state {
            AssociationState::Associated => None,
            AssociationState::Authenticated => Some(Management::Disassociation {
                reason: CLASS_3_FRAME,
            }),
            AssociationState::Unauthenticated => Some(Management::Deauthentication {
                reason: CLASS_3_FRAME,
            }),
        }
    }

    /// An MSDU for a station has been acknowledged, or given up.
    pub fn on_sent(&mut self, to: Address, is_acknowledged: bool) -> AccessPointAnswer {
        let most = self.lost_packets;
        let member = self.member(to);
        member.lost = if is_acknowledged { 0 } else { member.lost + 1 };
        if member.state != AssociationState::Associated
            || most.is_none_or(|most| member.lost < most)
        {
            return AccessPointAnswer::default();
        }
        *member = Member::new(to);
        AccessPointAnswer {
            says: Some(Management::Deauthentication {
                reason: NOT_ACKNOWLEDGED,
            }),
            change: Some(AssociationChange::Left),
        }
    }

    /// A station that belongs to it has been heard of behind another access point; answers whether
    /// one has.
    pub fn on_moved(&mut self, station: Address) -> bool {
        let is_gone = self.has(station);
        *self.member(station) = Member::new(station);
        is_gone
    }

    fn authenticate(&mut self, from: Address) -> AccessPointAnswer {
        let left = self.part(from, AssociationState::Authenticated);
        AccessPointAnswer {
            says: Some(Management::Authentication {
                transaction: 2,
                status: SUCCESS,
            }),
            ..left
        }
    }

    fn associate(&mut self, from: Address, again: bool) -> AccessPointAnswer {
        let id = 1 + self.place_of(from) as u16;
        let member = self.member(from);
        if member.state == AssociationState::Unauthenticated {
            return says(Management::AssociationResponse {
                again,
                status: NOT_AUTHENTICATED,
                id: 0,
            });
        }
        member.state = AssociationState::Associated;
        member.lost = 0;
        AccessPointAnswer {
            says: Some(Management::AssociationResponse {
                again,
                status: SUCCESS,
                id,
            }),
            change: Some(AssociationChange::Joined),
        }
    }

    /// A station goes back to a state.
    fn part(&mut self, station: Address, state: AssociationState) -> AccessPointAnswer {
        let member = self.member(station);
        let was_associated = member.state == AssociationState::Associated;
        *member = Member {
            state,
            ..Member::new(station)
        };
        AccessPointAnswer {
            says: None,
            change: was_associated.then_some(AssociationChange::Left),
        }
    }

    fn member(&mut self, address: Address) -> &mut Member {
        let at = self.place_of(address);
        &mut self.stations[at]
    }

    fn place_of(&mut self, address: Address) -> usize {
        let mut all = self.stations.iter();
        all.position(|member| member.address == address)
            .unwrap_or_else(|| {
                self.stations.push(Member::new(address));
                self.stations.len() - 1
            })
    }
}

impl Member {
    fn new(address: Address) -> Member {
        Member {
            address,
            state: AssociationState::Unauthenticated,
            lost: 0,
        }
    }
}

fn says(what: Management) -> AccessPointAnswer {
    AccessPointAnswer {
        says: Some(what),
        change: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATION: Address = Address(4);

    fn asked(access_point: &mut AccessPoint, what: Management) -> AccessPointAnswer {
        access_point.on_management(STATION, what)
    }

    #[test]
    fn a_station_authenticates_and_is_then_associated() {
        let mut access_point = AccessPoint::new(None);
        let first = Management::Authentication {
            transaction: 1,
            status: SUCCESS,
        };
        let second = Management::Authentication {
            transaction: 2,
            status: SUCCESS,
        };
        assert_eq!(asked(&mut access_point, first), says(second));
        assert!(!access_point.has(STATION));
        let answer = asked(&mut access_point, Management::AssociationRequest);
        let response = Management::AssociationResponse {
            again: false,
            status: SUCCESS,
            id: 1,
        };
        assert_eq!(answer.says, Some(response));
        assert_eq!(answer.change, Some(AssociationChange::Joined));
        assert!(access_point.has(STATION));
    }

    #[test]
    fn a_station_that_is_not_authenticated_is_refused() {
        let mut access_point = AccessPoint::new(None);
        let answer = asked(&mut access_point, Management::AssociationRequest);
        let refusal = Management::AssociationResponse {
            again: false,
            status: NOT_AUTHENTICATED,
            id: 0,
        };
        assert_eq!(answer, says(refusal));
    }

    #[test]
    fn data_of_a_station_that_is_not_associated_are_answered_by_deauthentication() {
        let mut access_point = AccessPoint::new(None);
        let reason = CLASS_3_FRAME;
        let out = Management::Deauthentication { reason };
        assert_eq!(access_point.on_data(STATION), Some(out));
        access_point.admit(STATION);
        assert_eq!(access_point.on_data(STATION), None);
    }

    #[test]
    fn so_many_packets_lost_in_a_row_end_an_association() {
        let mut access_point = AccessPoint::new(Some(3));
        access_point.admit(STATION);
        for is_acknowledged in [false, false, true, false, false] {
            let answer = access_point.on_sent(STATION, is_acknowledged);
            assert_eq!(answer, AccessPointAnswer::default(), "never three in a row");
        }
        let reason = NOT_ACKNOWLEDGED;
        let end = AccessPointAnswer {
            says: Some(Management::Deauthentication { reason }),
            change: Some(AssociationChange::Left),
        };
        assert_eq!(access_point.on_sent(STATION, false), end);
        assert!(!access_point.has(STATION));
    }
}
