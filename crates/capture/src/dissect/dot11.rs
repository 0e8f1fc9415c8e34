//! IEEE 802.11 data frames and what sniffers put in front of them.
//!
//! Clauses are those of IEEE 802.11-2020.

use super::{Dissector, Nothing, Part, Segment, link};
use crate::read::Packet;

/// Whether the body begins at a multiple of four bytes (radiotap's flag 0x20).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    None,
    ToFourBytes,
}

// Frame control, 9.2.4.1: two bytes, of which the first has version, type and subtype.
const TYPE_MASK: u8 = 0x0F;
const DATA: u8 = 0x08;
const SUBTYPE_NO_DATA: u8 = 0x40;
const SUBTYPE_QOS: u8 = 0x80;
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const RETRY: u8 = 0x08;
const PROTECTED: u8 = 0x40;
const HT_CONTROL: u8 = 0x80;

// QoS control, 9.2.4.5.
const QOS_TID: u8 = 0x0F;
const QOS_AMSDU: u8 = 0x80;

/// Frame control, duration, three addresses, sequence control.
const HEADER: usize = 24;

/// Takes an 802.11 frame.
pub(super) fn enter(
    dissector: &mut Dissector,
    packet: &Packet<'_>,
    part: Part<'_>,
    padding: Padding,
    found: &mut Vec<Segment>,
) -> Result<(), Nothing> {
    let control: &[u8; 2] = part.first()?;
    if control[0] & TYPE_MASK != DATA || control[0] & SUBTYPE_NO_DATA != 0 {
        return Err(Nothing::OtherNetwork);
    }
    let header: &[u8; HEADER] = part.first()?;
    let (length, qos) = header_len(part.bytes, control)?;
    let sequence = u16::from_le_bytes([header[22], header[23]]);
    if sequence & 0x0F != 0 {
        return Err(Nothing::MacFragment);
    }
    let transmitter = u64::from_be_bytes([
        0,
        qos & QOS_TID,
        header[10],
        header[11],
        header[12],
        header[13],
        header[14],
        header[15],
    ]);
    let was_seen = dissector.retries.note(transmitter, sequence >> 4);
    if control[1] & RETRY != 0 && was_seen {
        return Err(Nothing::MacRetry);
    }
    if control[1] & PROTECTED != 0 {
        return Err(Nothing::Encrypted);
    }
    let length = match padding {
        Padding::None => length,
        Padding::ToFourBytes => length.next_multiple_of(4),
    };
    let body = part.behind(length)?;
    if qos & QOS_AMSDU != 0 {
        return aggregate(dissector, packet, body, found);
    }
    let (ethertype, body) = link::behind_snap(body)?;
    link::network(dissector, packet, ethertype, body, found)
}

/// Length of the MAC header (9.3.2.1), and the first byte of its QoS control.
fn header_len(bytes: &[u8], control: &[u8; 2]) -> Result<(usize, u8), Nothing> {
    let mut length = HEADER;
    if control[1] & (TO_DS | FROM_DS) == TO_DS | FROM_DS {
        length += 6;
    }
    if control[0] & SUBTYPE_QOS == 0 {
        return Ok((length, 0));
    }
    let &qos = bytes.get(length).ok_or(Nothing::Cut)?;
    length += 2;
    if control[1] & HT_CONTROL != 0 {
        length += 4;
    }
    Ok((length, qos))
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

// Radiotap: <https://www.radiotap.org>.
const RADIOTAP_TSFT: u32 = 1 << 0;
const RADIOTAP_FLAGS: u32 = 1 << 1;
const RADIOTAP_MORE: u32 = 1 << 31;
const FLAG_DATA_PAD: u8 = 0x20;
const FLAG_BAD_FCS: u8 = 0x40;

/// The frame behind a radiotap header.
pub(super) fn behind_radiotap(part: Part<'_>) -> Result<(Part<'_>, Padding), Nothing> {
    let header: &[u8; 8] = part.first()?;
    let length = usize::from(u16::from_le_bytes([header[2], header[3]]));
    if header[0] != 0 || length < header.len() {
        return Err(Nothing::Malformed);
    }
    let frame = part.behind(length)?;
    let flags = radiotap_flags(&part.bytes[..length]);
    if flags & FLAG_BAD_FCS != 0 {
        return Err(Nothing::BadFcs);
    }
    let padding = if flags & FLAG_DATA_PAD != 0 {
        Padding::ToFourBytes
    } else {
        Padding::None
    };
    Ok((frame, padding))
}

/// The flags field, zero without one. Only the timer may stand before it, at a multiple of
/// eight bytes.
fn radiotap_flags(header: &[u8]) -> u8 {
    let present = |at: usize| {
        let word = header.get(at..at + 4)?;
        Some(u32::from_le_bytes(word.try_into().expect("four bytes")))
    };
    let Some(first) = present(4) else { return 0 };
    if first & RADIOTAP_FLAGS == 0 {
        return 0;
    }
    let mut at = 4;
    while let Some(word) = present(at) {
        at += 4;
        if word & RADIOTAP_MORE == 0 {
            break;
        }
    }
    if first & RADIOTAP_TSFT != 0 {
        at = at.next_multiple_of(8) + 8;
    }
    header.get(at).copied().unwrap_or(0)
}

/// The frame behind a Prism or an AVS header, which share the link type. The upper bits of
/// AVS's magic number are fixed and big-endian, and its length follows in that order; Prism's
/// numbers are in the order of the machine that captured.
pub(super) fn behind_prism(part: Part<'_>) -> Result<Part<'_>, Nothing> {
    const AVS: [u8; 3] = [0x80, 0x21, 0x10];
    let header: &[u8; 8] = part.first()?;
    let word = [header[4], header[5], header[6], header[7]];
    let big = u32::from_be_bytes(word);
    let length = if header.starts_with(&AVS) {
        big
    } else {
        big.min(u32::from_le_bytes(word))
    };
    if length < 8 {
        return Err(Nothing::Malformed);
    }
    part.behind(length as usize)
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

    #[test]
    fn radiotap_flags_stand_behind_all_present_words_and_the_timer() {
        let words = [0_u8, 0, 25, 0, 3, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0];
        let header = [&words[..], &[9; 8], &[FLAG_BAD_FCS]].concat();
        assert_eq!(radiotap_flags(&header), FLAG_BAD_FCS);
        assert_eq!(radiotap_flags(&[0, 0, 9, 0, 2, 0, 0, 0, 0x10]), 0x10);
        assert_eq!(radiotap_flags(&[0, 0, 8, 0, 2, 0, 0, 0]), 0, "cut off");
    }
}
