//! The MAC header of an 802.11 frame.

use super::super::{Nothing, PacketPart, RadioReception};
use crate::read::CapturedPacket;
use units::MacAddress;

// Frame control, 9.2.4.1: two bytes, of which the first has version, type and subtype.
const TYPE_MASK: u8 = 0x0F;
const MANAGEMENT: u8 = 0x00;
const CONTROL: u8 = 0x04;
const DATA: u8 = 0x08;
const SUBTYPE_NO_DATA: u8 = 0x40;
const SUBTYPE_QOS: u8 = 0x80;
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const MORE_FRAGMENTS: u8 = 0x04;
const RETRY: u8 = 0x08;
const PROTECTED: u8 = 0x40;
const HT_CONTROL: u8 = 0x80;

// QoS control, 9.2.4.5.
const QOS_TID: u8 = 0x0F;
const QOS_ACK_POLICY: u8 = 0x60;
const QOS_AMSDU: u8 = 0x80;

/// Frame control, duration, three addresses, sequence control.
const HEADER: usize = 24;
/// Those of control frames with one and with two addresses (9.3.1).
const ONE_ADDRESS: usize = 10;
const TWO_ADDRESSES: usize = 16;
/// The frame check sequence.
const FCS: u32 = 4;

/// In the address of a control frame's transmitter, that the scrambler's seed tells the width of
/// the channel (9.2.4.3.8). It belongs to no address: what answers has it cleared (10.3.2.9).
const BANDWIDTH_SIGNALLED: u8 = 0x01;

/// CF-End, with and without CF-Ack, has the address of the cell where others have that of the
/// transmitter, whoever sends it (9.3.1.6).
const fn ends_contention_free(kind: u8) -> bool {
    matches!(kind, 0xE4 | 0xF4)
}

/// An 802.11 frame: what its header says, and what the radio knew of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dot11Frame {
    /// Time when it was captured, in nanoseconds since 1970.
    pub time_ns: u64,
    /// Number of its packet in the file, from 1.
    pub number: u64,
    /// Index of the interface in its section of the file.
    pub interface: u32,
    /// Data of the radio.
    pub radio: RadioReception,
    /// The frame control field.
    pub control: [u8; 2],
    /// The Duration field.
    pub duration: u16,
    /// Address 1: who is to take it.
    pub receiver: MacAddress,
    /// Address 2: who sent it; responses do not say, nor does the end of a contention-free period.
    pub transmitter: Option<MacAddress>,
    /// Address 3; zeros in control frames.
    pub third: MacAddress,
    /// The sequence number.
    pub sequence: u16,
    /// The fragment number.
    pub fragment: u8,
    /// The first byte of the QoS control field, if there is one.
    pub qos: Option<u8>,
    /// Bytes on the air, from the frame control field to the frame check sequence.
    pub bytes: u32,
    /// Bytes of the MAC header.
    pub header_len: u16,
    /// Bytes at the body's beginning that are not an application's: security, LLC, IP and
    /// transport headers, as far as they can be seen.
    pub inner_headers: u32,
    /// Where the body begins in the captured bytes.
    pub body_at: u32,
}

/// Types and subtypes that the analysis tells apart, as they stand in the first byte of the
/// frame control field (9.2.4.1.3).
pub mod kind {
    /// Association request.
    pub const ASSOCIATION_REQUEST: u8 = 0x00;
    /// Association response.
    pub const ASSOCIATION_RESPONSE: u8 = 0x10;
    /// Reassociation request.
    pub const REASSOCIATION_REQUEST: u8 = 0x20;
    /// Reassociation response.
    pub const REASSOCIATION_RESPONSE: u8 = 0x30;
    /// Probe response.
    pub const PROBE_RESPONSE: u8 = 0x50;
    /// Beacon.
    pub const BEACON: u8 = 0x80;
    /// Disassociation.
    pub const DISASSOCIATION: u8 = 0xA0;
    /// Authentication.
    pub const AUTHENTICATION: u8 = 0xB0;
    /// Deauthentication.
    pub const DEAUTHENTICATION: u8 = 0xC0;
    /// Block acknowledgment request.
    pub const BLOCK_ACK_REQUEST: u8 = 0x84;
    /// Block acknowledgment.
    pub const BLOCK_ACK: u8 = 0x94;
    /// Power save poll.
    pub const PS_POLL: u8 = 0xA4;
    /// Request to send.
    pub const RTS: u8 = 0xB4;
    /// Clear to send.
    pub const CTS: u8 = 0xC4;
    /// Acknowledgment.
    pub const ACK: u8 = 0xD4;
}

impl Dot11Frame {
    /// One before it is filled in; copied as a whole, which is less work than field by field.
    const BLANK: Dot11Frame = Dot11Frame {
        time_ns: 0,
        number: 0,
        interface: 0,
        radio: RadioReception::UNKNOWN,
        control: [0; 2],
        duration: 0,
        receiver: MacAddress([0; 6]),
        transmitter: None,
        third: MacAddress([0; 6]),
        sequence: 0,
        fragment: 0,
        qos: None,
        bytes: 0,
        header_len: 0,
        inner_headers: 0,
        body_at: 0,
    };

    /// Appends the frame of a packet, of which nothing is known so far. Of a packet with another
    /// frame inside one the inner is told.
    #[inline(always)]
    pub(super) fn begin<'a>(
        frames: &'a mut Vec<Dot11Frame>,
        number: u64,
        packet: &CapturedPacket<'_>,
    ) -> &'a mut Dot11Frame {
        if frames.last().is_some_and(|last| last.number == number) {
            frames.pop();
        }
        frames.push(Dot11Frame::BLANK);
        let frame = frames.last_mut().expect("it was just put there");
        frame.time_ns = packet.time_ns;
        frame.number = number;
        frame.interface = packet.interface;
        frame
    }

    /// Notes how long it is and where it stands, once the radio has told whether it is whole.
    #[inline(always)]
    pub(super) fn measure(&mut self, packet: &CapturedPacket<'_>, part: PacketPart<'_>) {
        let fcs = if self.radio.has_fcs { 0 } else { FCS };
        self.bytes = part.original_len().saturating_add(fcs);
        // A part of the packet, which need not reach to its end.
        self.body_at = (part.bytes.as_ptr().addr() - packet.data.as_ptr().addr()) as u32;
    }

    /// Returns whether its header could be read: not if the check sequence is wrong or it is cut
    /// off.
    #[inline]
    pub const fn is_legible(&self) -> bool {
        self.header_len != 0
    }

    /// Type and subtype: one of [`kind`], or another.
    #[inline]
    pub const fn kind(&self) -> u8 {
        self.control[0]
    }

    /// Returns whether it is a data frame, with or without data in it.
    #[inline]
    pub const fn is_data(&self) -> bool {
        self.control[0] & TYPE_MASK == DATA
    }

    /// Returns whether it is a data frame that carries something.
    #[inline]
    pub const fn has_data(&self) -> bool {
        self.control[0] & (TYPE_MASK | SUBTYPE_NO_DATA) == DATA
    }

    /// Returns whether its sequence number is one of a count: that of control frames and of QoS
    /// data frames without data may be anything (10.3.2.14.2).
    #[inline]
    pub fn is_numbered(&self) -> bool {
        self.is_management() || (self.is_data() && (self.has_data() || self.qos.is_none()))
    }

    /// Returns whether it is a management frame.
    #[inline]
    pub const fn is_management(&self) -> bool {
        self.control[0] & TYPE_MASK == MANAGEMENT
    }

    /// Returns which way it goes: to the distribution system, from it, neither or both (9.2.4.1.4).
    #[inline]
    pub(super) const fn way(&self) -> u8 {
        self.control[1] & (TO_DS | FROM_DS)
    }

    /// Returns whether it goes to the distribution system: from a station to its access point.
    #[inline]
    pub const fn is_to_ds(&self) -> bool {
        self.way() == TO_DS
    }

    /// Returns whether it comes from the distribution system: from an access point to a station.
    #[inline]
    pub const fn is_from_ds(&self) -> bool {
        self.way() == FROM_DS
    }

    /// Returns whether another fragment of the same MSDU follows.
    #[inline]
    pub const fn has_more_fragments(&self) -> bool {
        self.control[1] & MORE_FRAGMENTS != 0
    }

    /// Returns whether the retry bit is set.
    #[inline]
    pub const fn is_retry(&self) -> bool {
        self.control[1] & RETRY != 0
    }

    /// Returns whether the body is encrypted.
    #[inline]
    pub const fn is_protected(&self) -> bool {
        self.control[1] & PROTECTED != 0
    }

    /// Returns whether several packets stand in the body (A-MSDU).
    #[inline]
    pub fn is_aggregate(&self) -> bool {
        self.qos.is_some_and(|qos| qos & QOS_AMSDU != 0)
    }

    /// Returns whether it goes to a group of stations, of which none acknowledges.
    #[inline]
    pub const fn is_to_group(&self) -> bool {
        self.receiver.0[0] & 1 != 0
    }

    /// Returns whether a single acknowledgment is due: not for groups, nor where the QoS control
    /// field says none or a block acknowledgment (9.2.4.5.4).
    #[inline]
    pub fn wants_ack(&self) -> bool {
        let is_acknowledged = self.is_data() || self.is_management();
        is_acknowledged
            && !self.is_to_group()
            && self.qos.is_none_or(|qos| qos & QOS_ACK_POLICY == 0)
    }

    /// The traffic identifier; none without QoS.
    #[inline]
    pub fn tid(&self) -> Option<u8> {
        self.qos.map(|qos| qos & QOS_TID)
    }

    /// Bytes of the body on the air.
    #[inline]
    pub const fn body_len(&self) -> u32 {
        self.bytes
            .saturating_sub(self.header_len as u32)
            .saturating_sub(FCS)
    }

    /// Returns what was kept of the body.
    pub fn body<'a>(&self, packet: &CapturedPacket<'a>) -> &'a [u8] {
        packet.data.get(self.body_at as usize..).unwrap_or(&[])
    }
}

/// Fills in what the MAC header says (9.3).
#[inline]
pub(super) fn read_header(frame: &mut Dot11Frame, bytes: &[u8]) -> Result<(), Nothing> {
    let short: &[u8; ONE_ADDRESS] = bytes.first_chunk().ok_or(Nothing::Cut)?;
    let address = |at: usize| {
        let bytes = bytes.get(at..at + 6)?;
        Some(MacAddress(bytes.try_into().expect("six bytes")))
    };
    frame.control = [short[0], short[1]];
    frame.duration = u16::from_le_bytes([short[2], short[3]]);
    frame.receiver = address(4).ok_or(Nothing::Cut)?;
    let length = match short[0] & TYPE_MASK {
        CONTROL if matches!(short[0], kind::CTS | kind::ACK) => ONE_ADDRESS,
        CONTROL => {
            frame.transmitter = address(10).filter(|_| !ends_contention_free(short[0]));
            if let Some(transmitter) = &mut frame.transmitter {
                transmitter.0[0] &= !BANDWIDTH_SIGNALLED;
            }
            TWO_ADDRESSES
        }
        MANAGEMENT | DATA => {
            let header: &[u8; HEADER] = bytes.first_chunk().ok_or(Nothing::Cut)?;
            frame.transmitter = address(10);
            frame.third = address(16).ok_or(Nothing::Cut)?;
            let sequence = u16::from_le_bytes([header[22], header[23]]);
            (frame.sequence, frame.fragment) = (sequence >> 4, sequence as u8 & 0x0F);
            let (length, qos) = header_len(bytes, &frame.control)?;
            frame.qos = qos;
            length
        }
        _ => return Err(Nothing::OtherNetwork),
    };
    frame.header_len = length as u16;
    let mut in_file = length;
    if frame.radio.is_padded {
        in_file = length.next_multiple_of(4);
        frame.bytes = frame.bytes.saturating_sub((in_file - length) as u32);
    }
    frame.body_at += in_file as u32;
    Ok(())
}

/// Length of the header of a data or management frame (9.3.2.1, 9.3.3.2), and the first byte of
/// its QoS control.
fn header_len(bytes: &[u8], control: &[u8; 2]) -> Result<(usize, Option<u8>), Nothing> {
    let mut length = HEADER;
    let is_data = control[0] & TYPE_MASK == DATA;
    if is_data && control[1] & (TO_DS | FROM_DS) == TO_DS | FROM_DS {
        length += 6;
    }
    let has_qos = is_data && control[0] & SUBTYPE_QOS != 0;
    let mut qos = None;
    if has_qos {
        qos = Some(*bytes.get(length).ok_or(Nothing::Cut)?);
        length += 2;
    }
    if (has_qos || !is_data) && control[1] & HT_CONTROL != 0 {
        length += 4;
    }
    Ok((length, qos))
}
