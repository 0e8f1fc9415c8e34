//! IEEE 802.11 frames and the packets in them.
//!
//! Clauses are those of IEEE 802.11-2020.

use super::{Dissector, Nothing, Part, Radio, Segment, link};
use crate::packet::MacAddress;
use crate::read::Packet;

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

/// An 802.11 frame: what its header says, and what the radio knew of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame {
    /// When it was captured, in nanoseconds since 1970.
    pub time_ns: u64,
    /// Number of its packet in the file, from 1.
    pub number: u64,
    /// Index of the interface in its section of the file.
    pub interface: u32,
    /// What the radio knew.
    pub radio: Radio,
    /// The frame control field.
    pub control: [u8; 2],
    /// The Duration field.
    pub duration: u16,
    /// Address 1: who is to take it.
    pub receiver: MacAddress,
    /// Address 2: who sent it; responses do not say.
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

impl Frame {
    /// Whether its header could be read: not if the check sequence is wrong or it is cut off.
    #[inline]
    pub const fn is_legible(&self) -> bool {
        self.header_len != 0
    }

    /// Type and subtype: one of [`kind`], or another.
    #[inline]
    pub const fn kind(&self) -> u8 {
        self.control[0]
    }

    /// Whether it is a data frame, with or without data in it.
    #[inline]
    pub const fn is_data(&self) -> bool {
        self.control[0] & TYPE_MASK == DATA
    }

    /// Whether it is a data frame that carries something.
    #[inline]
    pub const fn has_data(&self) -> bool {
        self.is_data() && self.control[0] & SUBTYPE_NO_DATA == 0
    }

    /// Whether its sequence number is one of a count: that of control frames and of QoS data
    /// frames without data may be anything (10.3.2.14.2).
    #[inline]
    pub fn is_numbered(&self) -> bool {
        self.is_management() || (self.is_data() && (self.has_data() || self.qos.is_none()))
    }

    /// Whether it is a management frame.
    #[inline]
    pub const fn is_management(&self) -> bool {
        self.control[0] & TYPE_MASK == MANAGEMENT
    }

    /// Whether it goes to the distribution system: from a station to its access point.
    #[inline]
    pub const fn is_to_ds(&self) -> bool {
        self.control[1] & (TO_DS | FROM_DS) == TO_DS
    }

    /// Whether it comes from the distribution system: from an access point to a station.
    #[inline]
    pub const fn is_from_ds(&self) -> bool {
        self.control[1] & (TO_DS | FROM_DS) == FROM_DS
    }

    /// Whether another fragment of the same MSDU follows.
    #[inline]
    pub const fn has_more_fragments(&self) -> bool {
        self.control[1] & MORE_FRAGMENTS != 0
    }

    /// Whether the retry bit is set.
    #[inline]
    pub const fn is_retry(&self) -> bool {
        self.control[1] & RETRY != 0
    }

    /// Whether it goes to a group of stations, of which none acknowledges.
    #[inline]
    pub const fn is_to_group(&self) -> bool {
        self.receiver.0[0] & 1 != 0
    }

    /// Whether a single acknowledgment is due: not for groups, nor where the QoS control field
    /// says none or a block acknowledgment (9.2.4.5.4).
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

    /// What was kept of the body.
    pub fn body<'a>(&self, packet: &Packet<'a>) -> &'a [u8] {
        packet.data.get(self.body_at as usize..).unwrap_or(&[])
    }
}

/// Takes an 802.11 frame.
pub(super) fn enter(
    dissector: &mut Dissector,
    packet: &Packet<'_>,
    part: Part<'_>,
    radio: Radio,
    found: &mut Vec<Segment>,
) -> Result<(), Nothing> {
    let frame = dissector.frame.insert(Frame {
        number: dissector.tally.packets,
        ..bare(packet, part, radio)
    });
    if radio.bad_fcs {
        return Err(Nothing::BadFcs);
    }
    read_header(frame, part.bytes)?;
    let frame = *frame;
    if !frame.has_data() {
        return Err(Nothing::OtherNetwork);
    }
    let pad = frame.body_at as usize - (packet.data.len() - part.bytes.len());
    let before = found.len();
    let outcome = take_data(dissector, packet, &frame, part.behind(pad)?, found);
    let inner_headers = match found.get(before..) {
        // A first fragment has only a part of its segment's payload.
        Some(segments @ [_, ..]) if !frame.has_more_fragments() => {
            let payload = segments.iter().map(|segment| segment.payload).sum();
            frame.body_len().saturating_sub(payload)
        }
        _ => inner_headers(&frame, frame.body(packet)),
    };
    if let Some(frame) = &mut dissector.frame {
        frame.inner_headers = inner_headers;
    }
    outcome
}

/// A frame of which only its length and what the radio says are known.
fn bare(packet: &Packet<'_>, part: Part<'_>, radio: Radio) -> Frame {
    let fcs = if radio.has_fcs { 0 } else { FCS };
    Frame {
        time_ns: packet.time_ns,
        number: 0,
        interface: packet.interface,
        radio,
        control: [0; 2],
        duration: 0,
        receiver: MacAddress::default(),
        transmitter: None,
        third: MacAddress::default(),
        sequence: 0,
        fragment: 0,
        qos: None,
        bytes: part.original_len().saturating_add(fcs),
        header_len: 0,
        inner_headers: 0,
        body_at: (packet.data.len() - part.bytes.len()) as u32,
    }
}

/// Fills in what the MAC header says (9.3).
fn read_header(frame: &mut Frame, bytes: &[u8]) -> Result<(), Nothing> {
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
            frame.transmitter = address(10);
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

/// Goes on into the body of a data frame.
fn take_data(
    dissector: &mut Dissector,
    packet: &Packet<'_>,
    frame: &Frame,
    body: Part<'_>,
    found: &mut Vec<Segment>,
) -> Result<(), Nothing> {
    if frame.fragment != 0 {
        return Err(Nothing::MacFragment);
    }
    let was_seen = dissector.retries.note(stream(frame), frame.sequence);
    if frame.is_retry() && was_seen {
        return Err(Nothing::MacRetry);
    }
    if frame.control[1] & PROTECTED != 0 {
        return Err(Nothing::Encrypted);
    }
    if frame.qos.is_some_and(|qos| qos & QOS_AMSDU != 0) {
        return aggregate(dissector, packet, body, found);
    }
    let (ethertype, body) = link::behind_snap(body)?;
    link::network(dissector, packet, ethertype, body, found)
}

/// Which count the sequence number of a data frame is of: each transmitter has one for each
/// receiver and traffic identifier, and one for all frames without QoS (10.3.2.14.2). Twelve
/// bits are enough to tell the receivers of one transmitter apart.
fn stream(frame: &Frame) -> u64 {
    let transmitter = frame.transmitter.unwrap_or_default().to_bits();
    let [.., high, low] = frame.receiver.0;
    match frame.tid() {
        Some(tid) => {
            let receiver = u64::from(u16::from_be_bytes([high, low]) & 0x0FFF);
            transmitter | u64::from(tid) << 48 | receiver << 52
        }
        None => transmitter,
    }
}

/// Headers in a body in which no TCP segment was found, or not looked for because the frame is
/// a retry.
fn inner_headers(frame: &Frame, body: &[u8]) -> u32 {
    /// LLC and SNAP.
    const LLC: u32 = 8;
    /// The initialization vectors in front (12.3.2.2, 12.5.3.2); a bit tells the long one.
    const EXTENDED_IV: u8 = 0x20;
    let headers = if frame.fragment != 0 {
        0
    } else if frame.control[1] & PROTECTED != 0 {
        let security = match body.get(3) {
            // CCMP: a header of eight bytes and a code of eight.
            Some(byte) if byte & EXTENDED_IV != 0 => 16,
            // WEP: four and four.
            _ => 8,
        };
        security + LLC
    } else {
        match body.get(LLC as usize..) {
            Some(packet) => LLC + packet_headers(packet),
            None => body.len() as u32,
        }
    };
    headers.min(frame.body_len())
}

/// IP and transport headers of a packet; 0 where it is none of TCP, UDP and ICMP.
fn packet_headers(packet: &[u8]) -> u32 {
    const ICMP: u8 = 1;
    const TCP: u8 = 6;
    const UDP: u8 = 17;
    let (length, protocol) = match *packet {
        [first, ..] if first >> 4 == 4 && packet.len() >= 20 => {
            (usize::from(first & 0x0F) * 4, packet[9])
        }
        [first, ..] if first >> 4 == 6 && packet.len() >= 40 => (40, packet[6]),
        _ => return 0,
    };
    let transport = match protocol {
        TCP => packet
            .get(length + 12)
            .map_or(20, |offset| u32::from(offset >> 4) * 4),
        UDP | ICMP => 8,
        _ => 0,
    };
    length as u32 + transport
}

/// The packets of an A-MSDU (9.3.2.2): each behind two addresses and its length, at a
/// multiple of four bytes.
fn aggregate(
    dissector: &mut Dissector,
    packet: &Packet<'_>,
    mut rest: Part<'_>,
    found: &mut Vec<Segment>,
) -> Result<(), Nothing> {
    const SUBFRAME_HEADER: usize = 14;
    while !rest.bytes.is_empty() {
        let header: &[u8; SUBFRAME_HEADER] = rest.first()?;
        let length = usize::from(u16::from_be_bytes([header[12], header[13]]));
        let body = rest.behind(SUBFRAME_HEADER)?;
        let kept = body.bytes.len().min(length);
        let msdu = Part {
            bytes: &body.bytes[..kept],
            missing: (length - kept) as u32,
        };
        let (ethertype, msdu) = link::behind_snap(msdu)?;
        link::network(dissector, packet, ethertype, msdu, found)?;
        let next = (SUBFRAME_HEADER + length).next_multiple_of(4);
        rest.bytes = rest.bytes.get(next..).unwrap_or(&[]);
        // A frame check sequence may stand behind the last.
        if rest.bytes.len() < SUBFRAME_HEADER {
            break;
        }
    }
    Ok(())
}

/// The sequence numbers last seen of each transmitter and traffic identifier: the receiver's
/// duplicate detection (10.3.2.14), kept at the sniffer. It remembers 64 numbers, as many as
/// a block acknowledgement covers, so that a retry inside a burst is recognised too.
#[derive(Debug, Default)]
pub(super) struct Retries {
    senders: Vec<Sender>,
}

#[derive(Clone, Copy, Debug)]
struct Sender {
    transmitter: u64,
    newest: u16,
    seen: u64,
}

/// Transmitters told apart at a time, a power of two; another at the same place displaces one.
const SENDERS: usize = 1024;

/// Sequence numbers are 12 bits long (9.2.4.4.2).
const SEQUENCES: u16 = 4096;

impl Retries {
    /// Notes a frame; true if its number is remembered.
    fn note(&mut self, transmitter: u64, sequence: u16) -> bool {
        let fresh = Sender {
            transmitter,
            newest: sequence,
            seen: 1,
        };
        if self.senders.is_empty() {
            self.senders = vec![
                Sender {
                    transmitter: u64::MAX,
                    ..fresh
                };
                SENDERS
            ];
        }
        // The multiplier is 2⁶⁴ over the golden ratio (Knuth, vol. 3, 6.4).
        let hash = transmitter.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54;
        let sender = &mut self.senders[hash as usize % SENDERS];
        if sender.transmitter != transmitter {
            *sender = fresh;
            return false;
        }
        let ahead = sequence.wrapping_sub(sender.newest) % SEQUENCES;
        if ahead > 0 && ahead < SEQUENCES / 2 {
            sender.seen = sender.seen.checked_shl(ahead.into()).unwrap_or(0) | 1;
            sender.newest = sequence;
            return false;
        }
        let behind = (SEQUENCES - ahead) % SEQUENCES;
        let bit = 1_u64.checked_shl(behind.into()).unwrap_or(0);
        let was_seen = sender.seen & bit != 0;
        sender.seen |= bit;
        was_seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_number_is_remembered_through_a_burst_and_across_the_wrap() {
        let mut retries = Retries::default();
        for sequence in (4080..4096).chain(0..16) {
            assert!(!retries.note(1, sequence));
        }
        assert!(retries.note(1, 4090));
        assert!(retries.note(1, 15));
        assert!(!retries.note(1, 4000), "too long ago to know");
        assert!(!retries.note(2, 15), "another transmitter");
    }
}
