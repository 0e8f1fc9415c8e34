//! MPDUs: header, body, FCS.

use phy::TxVector;

use super::{DecodeError, FrameAddress, fcs, take};
use crate::frame::{Address, DATA_HEADER_BYTES, FCS_BYTES, Frame, FrameKind};

/// Type and subtype, as the first octet of the frame control field carries them
/// (IEEE 802.11-2007 Table 7-1).
const ASSOCIATION_REQUEST: u8 = 0x00;
const ASSOCIATION_RESPONSE: u8 = 0x10;
const REASSOCIATION_REQUEST: u8 = 0x20;
const REASSOCIATION_RESPONSE: u8 = 0x30;
const PROBE_REQUEST: u8 = 0x40;
const PROBE_RESPONSE: u8 = 0x50;
const BEACON: u8 = 0x80;
const DISASSOCIATION: u8 = 0xa0;
const AUTHENTICATION: u8 = 0xb0;
const DEAUTHENTICATION: u8 = 0xc0;
const ACTION: u8 = 0xd0;
const BLOCK_ACK_REQUEST: u8 = 0x84;
const BLOCK_ACK: u8 = 0x94;
const RTS: u8 = 0xb4;
const CTS: u8 = 0xc4;
const ACK: u8 = 0xd4;
const DATA: u8 = 0x08;
const QOS_DATA: u8 = 0x88;

/// Flags in the second octet of the frame control field (IEEE 802.11-2007 §7.1.3.1).
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const MORE_FRAGMENTS: u8 = 0x04;
const RETRY: u8 = 0x08;

/// A-MSDU Present in the QoS Control field (IEEE 802.11-2020, 9.2.4.5.9).
const A_MSDU_PRESENT: u8 = 0x80;

/// A frame as its bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mpdu<'a> {
    /// Type and subtype.
    pub kind: FrameKind,
    /// Bound for the distribution system: a station to its access point.
    pub to_ds: bool,
    /// From the distribution system: an access point to a station.
    pub from_ds: bool,
    /// Another fragment follows.
    pub more_fragments: bool,
    /// Transmitted before.
    pub retry: bool,
    /// The Duration field; a value above 32767 is not a duration.
    pub duration: u16,
    /// Address 1.
    pub receiver: FrameAddress,
    /// Address 2; CTS and ACK have none.
    pub transmitter: Option<FrameAddress>,
    /// Address 3, in data and management frames.
    pub third: Option<FrameAddress>,
    /// Sequence number, 0 to 4095.
    pub sequence: u16,
    /// Fragment number, 0 to 15.
    pub fragment: u8,
    /// Of a QoS data frame the user priority, as its traffic identifier
    /// (IEEE 802.11-2007 §7.1.3.5).
    pub priority: Option<u8>,
    /// Whether the body of a QoS data frame is an A-MSDU.
    pub holds_a_msdu: bool,
    /// The frame body.
    pub body: &'a [u8],
}

/// Where an MSDU comes from and goes to beyond the one hop of a frame, and in which BSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MsduAddresses {
    /// The BSSID: the access point's address.
    pub bssid: Address,
    /// Where the MSDU began its way; behind the access point, possibly.
    pub source: FrameAddress,
    /// Where it ends.
    pub destination: FrameAddress,
}

impl MsduAddresses {
    /// The ends of a frame whose MSDU goes no farther than the frame.
    pub fn of_hop(bssid: Address, frame: &Frame) -> MsduAddresses {
        MsduAddresses {
            bssid,
            source: frame.transmitter.into(),
            destination: frame.receiver.into(),
        }
    }
}

impl<'a> Mpdu<'a> {
    /// A frame of the simulated air with `body` in it.
    ///
    /// A data frame to the BSSID goes to the distribution system, one from it comes from there, any
    /// other stays inside the BSS; address 3 follows (IEEE 802.11-2007 Table 7-7).
    pub fn of(frame: &Frame, ends: &MsduAddresses, body: &'a [u8]) -> Mpdu<'a> {
        debug_assert_eq!(body.len(), usize::from(frame.body_bytes));
        let is_data = frame.kind == FrameKind::Data;
        let to_ds = is_data && frame.receiver == ends.bssid;
        let from_ds = is_data && !to_ds && frame.transmitter == ends.bssid;
        let third = match (to_ds, from_ds) {
            (true, _) => ends.destination,
            (_, true) => ends.source,
            _ => ends.bssid.into(),
        };
        let has_transmitter = !matches!(frame.kind, FrameKind::Cts | FrameKind::Ack);
        Mpdu {
            kind: frame.kind,
            to_ds,
            from_ds,
            more_fragments: frame.more_fragments,
            retry: frame.retry,
            duration: frame.duration,
            receiver: frame.receiver.into(),
            transmitter: has_transmitter.then(|| frame.transmitter.into()),
            third: has_third_address(frame.kind).then_some(third),
            sequence: frame.sequence,
            fragment: frame.fragment,
            priority: None,
            holds_a_msdu: false,
            body,
        }
    }

    /// The same frame with an A-MSDU in it, or without.
    pub fn with_a_msdu(self, holds_a_msdu: bool) -> Mpdu<'a> {
        Mpdu {
            holds_a_msdu,
            ..self
        }
    }

    /// The same data frame as one of QoS data, if it has a user priority.
    pub fn of_priority(self, priority: Option<u8>) -> Mpdu<'a> {
        Mpdu { priority, ..self }
    }

    /// Appends header, body and FCS to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let begin = out.len();
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let flags = flag(self.to_ds, TO_DS)
            | flag(self.from_ds, FROM_DS)
            | flag(self.more_fragments, MORE_FRAGMENTS)
            | flag(self.retry, RETRY);
        let kind = self.priority.map_or(type_octet(self.kind), |_| QOS_DATA);
        out.extend_from_slice(&[kind, flags]);
        out.extend_from_slice(&self.duration.to_le_bytes());
        out.extend_from_slice(&self.receiver.0);
        for address in [self.transmitter, self.third].into_iter().flatten() {
            out.extend_from_slice(&address.0);
        }
        if has_third_address(self.kind) {
            let control = self.sequence << 4 | u16::from(self.fragment & 0xf);
            out.extend_from_slice(&control.to_le_bytes());
        }
        if let Some(priority) = self.priority {
            let a_msdu = flag(self.holds_a_msdu, A_MSDU_PRESENT);
            out.extend_from_slice(&[priority | a_msdu, 0]);
        }
        out.extend_from_slice(self.body);
        let fcs = fcs(&out[begin..]);
        out.extend_from_slice(&fcs.to_le_bytes());
    }

    /// Reads one MPDU that fills `bytes` from the frame control field to the FCS.
    pub fn parse(bytes: &'a [u8]) -> Result<Mpdu<'a>, DecodeError> {
        let found = bytes.len();
        let Some((content, fcs_bytes)) = bytes.split_last_chunk::<{ FCS_BYTES as usize }>() else {
            return Err(DecodeError::Truncated {
                needed: usize::from(FCS_BYTES),
                found,
            });
        };
        let ([first, flags, duration_low, duration_high], rest) = take::<4>(content)?;
        let kind = kind_of(first)?;
        if flags & (TO_DS | FROM_DS) == TO_DS | FROM_DS {
            return Err(DecodeError::WirelessBridge);
        }
        let (computed, found) = (fcs(content), u32::from_le_bytes(*fcs_bytes));
        if computed != found {
            return Err(DecodeError::Fcs { computed, found });
        }
        let mpdu = Mpdu {
            kind,
            to_ds: flags & TO_DS != 0,
            from_ds: flags & FROM_DS != 0,
            more_fragments: flags & MORE_FRAGMENTS != 0,
            retry: flags & RETRY != 0,
            duration: u16::from_le_bytes([duration_low, duration_high]),
            receiver: FrameAddress([0; 6]),
            transmitter: None,
            third: None,
            sequence: 0,
            fragment: 0,
            priority: (first == QOS_DATA).then_some(0),
            holds_a_msdu: false,
            body: &[],
        };
        mpdu.with_addresses(rest)
    }

    /// The frame as the simulated air carries it. The bytes know neither the MSDU's handle nor
    /// where in the MSDU a fragment begins: both are zero.
    pub fn frame(&self, vector: TxVector) -> Result<Frame, DecodeError> {
        let station = |address: FrameAddress| {
            address
                .station()
                .ok_or(DecodeError::ForeignAddress(address))
        };
        let transmitter = match self.transmitter {
            Some(address) => station(address)?,
            None => Address::UNSAID,
        };
        let body_bytes = u16::try_from(self.body.len()).unwrap_or(u16::MAX);
        Ok(Frame {
            msdu: 0,
            transmitter,
            receiver: station(self.receiver)?,
            // With the highest bit set the field holds an association's number, no duration
            // (IEEE 802.11-2007 Table 7-3).
            duration: if self.duration > 32_767 {
                0
            } else {
                self.duration
            },
            sequence: self.sequence,
            bytes: body_bytes.saturating_add(self.header_bytes() + FCS_BYTES),
            ampdu_bytes: 0,
            body_bytes,
            body_offset: 0,
            fragment: self.fragment,
            kind: self.kind,
            vector,
            more_fragments: self.more_fragments,
            retry: self.retry,
        })
    }

    fn header_bytes(&self) -> u16 {
        header_bytes(self.kind) + if self.priority.is_some() { 2 } else { 0 }
    }

    /// The MSDU's source, where the frame says it.
    pub fn source(&self) -> Option<FrameAddress> {
        if self.from_ds {
            self.third
        } else {
            self.transmitter
        }
    }

    /// The MSDU's destination.
    pub fn destination(&self) -> FrameAddress {
        match self.third {
            Some(third) if self.to_ds => third,
            _ => self.receiver,
        }
    }

    /// The BSS, where the frame says it.
    pub fn bssid(&self) -> Option<FrameAddress> {
        match (self.to_ds, self.from_ds) {
            (true, _) => Some(self.receiver),
            (_, true) => self.transmitter,
            _ => self.third,
        }
    }

    fn with_addresses(mut self, rest: &'a [u8]) -> Result<Mpdu<'a>, DecodeError> {
        let (receiver, mut rest) = take::<6>(rest)?;
        self.receiver = FrameAddress(receiver);
        if !matches!(self.kind, FrameKind::Cts | FrameKind::Ack) {
            let (transmitter, after) = take::<6>(rest)?;
            self.transmitter = Some(FrameAddress(transmitter));
            rest = after;
        }
        if has_third_address(self.kind) {
            let (third, after) = take::<6>(rest)?;
            let (control, after) = take::<2>(after)?;
            let control = u16::from_le_bytes(control);
            self.third = Some(FrameAddress(third));
            self.sequence = control >> 4;
            self.fragment = control as u8 & 0xf;
            self.body = after;
        } else {
            self.body = rest;
        }
        if self.priority.is_some() {
            let ([identifier, _], after) = take::<2>(self.body)?;
            self.priority = Some(identifier & 0xf);
            self.holds_a_msdu = identifier & A_MSDU_PRESENT != 0;
            self.body = after;
        }
        Ok(self)
    }
}

const fn has_third_address(kind: FrameKind) -> bool {
    !matches!(
        kind,
        FrameKind::Rts
            | FrameKind::Cts
            | FrameKind::Ack
            | FrameKind::BlockAck
            | FrameKind::BlockAckRequest
    )
}

const fn header_bytes(kind: FrameKind) -> u16 {
    match kind {
        FrameKind::Rts | FrameKind::BlockAck | FrameKind::BlockAckRequest => 16,
        FrameKind::Cts | FrameKind::Ack => 10,
        _ => DATA_HEADER_BYTES,
    }
}

const fn type_octet(kind: FrameKind) -> u8 {
    match kind {
        FrameKind::Data => DATA,
        FrameKind::Ack => ACK,
        FrameKind::Rts => RTS,
        FrameKind::Cts => CTS,
        FrameKind::BlockAck => BLOCK_ACK,
        FrameKind::BlockAckRequest => BLOCK_ACK_REQUEST,
        FrameKind::Action => ACTION,
        FrameKind::Beacon => BEACON,
        FrameKind::ProbeRequest => PROBE_REQUEST,
        FrameKind::ProbeResponse => PROBE_RESPONSE,
        FrameKind::Authentication => AUTHENTICATION,
        FrameKind::AssociationRequest => ASSOCIATION_REQUEST,
        FrameKind::AssociationResponse => ASSOCIATION_RESPONSE,
        FrameKind::ReassociationRequest => REASSOCIATION_REQUEST,
        FrameKind::ReassociationResponse => REASSOCIATION_RESPONSE,
        FrameKind::Disassociation => DISASSOCIATION,
        FrameKind::Deauthentication => DEAUTHENTICATION,
    }
}

fn kind_of(octet: u8) -> Result<FrameKind, DecodeError> {
    match octet {
        DATA | QOS_DATA => Ok(FrameKind::Data),
        ACK => Ok(FrameKind::Ack),
        RTS => Ok(FrameKind::Rts),
        CTS => Ok(FrameKind::Cts),
        BLOCK_ACK => Ok(FrameKind::BlockAck),
        BLOCK_ACK_REQUEST => Ok(FrameKind::BlockAckRequest),
        ACTION => Ok(FrameKind::Action),
        BEACON => Ok(FrameKind::Beacon),
        PROBE_REQUEST => Ok(FrameKind::ProbeRequest),
        PROBE_RESPONSE => Ok(FrameKind::ProbeResponse),
        AUTHENTICATION => Ok(FrameKind::Authentication),
        ASSOCIATION_REQUEST => Ok(FrameKind::AssociationRequest),
        ASSOCIATION_RESPONSE => Ok(FrameKind::AssociationResponse),
        REASSOCIATION_REQUEST => Ok(FrameKind::ReassociationRequest),
        REASSOCIATION_RESPONSE => Ok(FrameKind::ReassociationResponse),
        DISASSOCIATION => Ok(FrameKind::Disassociation),
        DEAUTHENTICATION => Ok(FrameKind::Deauthentication),
        _ if octet & 3 != 0 => Err(DecodeError::Version(octet & 3)),
        _ => Err(DecodeError::Type {
            kind: octet >> 2 & 3,
            subtype: octet >> 4,
        }),
    }
}

#[cfg(test)]
mod tests;
