//! The bodies of management frames other than beacons (IEEE 802.11-2007 §7.2.3.3 to §7.2.3.12).

use super::FrameAddress;
use super::beacon::{Beacon, write_names, write_rates};
use crate::association::Management;
use crate::frame::FrameKind;

/// Every how many beacons a station that dozes listens; none here does.
const LISTEN_INTERVAL: u16 = 1;
/// Open system authentication (§7.3.1.1).
const OPEN_SYSTEM: u16 = 0;
/// An association's number has its two highest bits set (§7.3.1.8).
const ID_BITS: u16 = 0xc000;

/// A body, and the cell that it is about: what a beacon of it says.
#[derive(Clone, Copy, Debug)]
pub struct ManagementBody<'a> {
    /// What it says.
    pub what: Management,
    /// The cell.
    pub cell: Beacon<'a>,
}

impl ManagementBody<'_> {
    /// The length of the body.
    pub fn bytes(&self) -> u16 {
        let mut out = Vec::new();
        self.write(&mut out);
        out.len() as u16
    }

    /// Appends the body to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self.what {
            Management::ProbeRequest => write_names(out, &self.cell),
            Management::ProbeResponse => Beacon {
                tim: None,
                ..self.cell
            }
            .write(out),
            Management::Authentication {
                transaction,
                status,
            } => write_fields(out, &[OPEN_SYSTEM, transaction, status]),
            Management::AssociationRequest => {
                write_fields(out, &[self.cell.capability, LISTEN_INTERVAL]);
                write_names(out, &self.cell);
            }
            Management::ReassociationRequest { current } => {
                write_fields(out, &[self.cell.capability, LISTEN_INTERVAL]);
                out.extend_from_slice(&FrameAddress::from(current).0);
                write_names(out, &self.cell);
            }
            Management::AssociationResponse { status, id, .. } => {
                write_fields(out, &[self.cell.capability, status, id | ID_BITS]);
                write_rates(out, &self.cell);
            }
            Management::Disassociation { reason } | Management::Deauthentication { reason } => {
                write_fields(out, &[reason]);
            }
        }
    }
}

impl Management {
    /// Returns what kind of frame says it.
    pub const fn kind(self) -> FrameKind {
        match self {
            Management::ProbeRequest => FrameKind::ProbeRequest,
            Management::ProbeResponse => FrameKind::ProbeResponse,
            Management::Authentication { .. } => FrameKind::Authentication,
            Management::AssociationRequest => FrameKind::AssociationRequest,
            Management::ReassociationRequest { .. } => FrameKind::ReassociationRequest,
            Management::AssociationResponse { again: false, .. } => FrameKind::AssociationResponse,
            Management::AssociationResponse { again: true, .. } => FrameKind::ReassociationResponse,
            Management::Disassociation { .. } => FrameKind::Disassociation,
            Management::Deauthentication { .. } => FrameKind::Deauthentication,
        }
    }
}

fn write_fields(out: &mut Vec<u8>, fields: &[u16]) {
    for field in fields {
        out.extend_from_slice(&field.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use phy::Mode;

    use super::*;
    use crate::codec::{CAPABILITY_ESS, supported_rate};
    use crate::frame::Address;

    const RATES: [u8; 2] = [
        supported_rate(Mode::DSSS_1, true),
        supported_rate(Mode::CCK_11, false),
    ];

    fn written(what: Management) -> Vec<u8> {
        let cell = Beacon {
            capability: CAPABILITY_ESS,
            ssid: b"lab",
            rates: &RATES,
            channel: Some(6),
            interval_tu: 100,
            ..Beacon::default()
        };
        let body = ManagementBody { what, cell };
        let mut out = Vec::new();
        body.write(&mut out);
        assert_eq!(out.len(), usize::from(body.bytes()));
        out
    }

    const NAMES: &[u8] = b"\x00\x03lab\x01\x02\x82\x16";

    #[test]
    fn bodies_octet_by_octet() {
        assert_eq!(written(Management::ProbeRequest), NAMES);
        let authentication = Management::Authentication {
            transaction: 2,
            status: 0,
        };
        assert_eq!(written(authentication), [0, 0, 2, 0, 0, 0]);
        let request = Management::ReassociationRequest {
            current: Address(9),
        };
        let expected = [&[1, 0, 1, 0][..], &[2, 0, 0, 0, 0, 9], NAMES].concat();
        assert_eq!(written(request), expected);
        let response = Management::AssociationResponse {
            again: false,
            status: 0,
            id: 1,
        };
        assert_eq!(
            written(response),
            b"\x01\x00\x00\x00\x01\xc0\x01\x02\x82\x16"
        );
        let reason = crate::association::CLASS_3_FRAME;
        assert_eq!(written(Management::Deauthentication { reason }), [7, 0]);
    }

    #[test]
    fn a_probe_response_says_what_a_beacon_says_but_for_whom_frames_are_held() {
        let body = written(Management::ProbeResponse);
        let read = Beacon::parse(&body).expect("it is laid out as one");
        assert_eq!(
            (read.ssid, read.channel, read.tim),
            (&b"lab"[..], Some(6), None)
        );
    }
}
