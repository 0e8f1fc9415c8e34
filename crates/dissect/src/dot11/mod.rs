//! IEEE 802.11 frames and the packets in them.
//!
//! Clauses are those of IEEE 802.11-2020.

mod fcs;
mod frame;
mod headers;
mod retries;

use super::radio::Layouts;
use super::{Dissected, Dissector, Nothing, PacketPart, RadioReception, link};
use crate::read::CapturedPacket;

use frame::read_header;
use headers::inner_headers;

pub(super) use fcs::Sequences;
pub(super) use retries::Retries;

pub use frame::{Dot11Frame, kind};

/// Takes an 802.11 frame, of which `read_radio` tells what the radio knew. It is read where it
/// stays, as it is too large to be handed around.
#[inline(always)]
pub(super) fn enter(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    read_radio: impl FnOnce(&mut Layouts, &mut RadioReception),
    found: &mut Dissected,
) -> Result<(), Nothing> {
    let frame = Dot11Frame::begin(&mut found.frames, dissector.tally.packets, packet);
    read_radio(&mut dissector.radiotap, &mut frame.radio);
    frame.measure(packet, part);
    if frame.radio.bad_fcs || dissector.sequences.tell_against(part, &frame.radio) {
        return Err(Nothing::BadFcs);
    }
    let start = frame.body_at;
    read_header(frame, part.bytes)?;
    // What an access point hands on within its cell is on the air twice.
    dissector.place = frame.way().into();
    if !frame.has_data() {
        return Err(Nothing::OtherNetwork);
    }
    let body = part.behind((frame.body_at - start) as usize)?;
    let before = found.segments.len();
    let outcome = match content(frame, &mut dissector.retries) {
        Ok(BodyContent::Packet) => link::behind_llc(dissector, packet, body, found),
        Ok(BodyContent::Packets) => aggregate(dissector, packet, body, found),
        Err(nothing) => Err(nothing),
    };
    if let Some(frame) = found.frames.last_mut() {
        frame.inner_headers = match found.segments.get(before..) {
            // A first fragment has only a part of its segment's payload.
            Some(segments @ [_, ..]) if !frame.has_more_fragments() => {
                let payload = segments.iter().map(|segment| segment.payload).sum();
                frame.body_len().saturating_sub(payload)
            }
            _ => inner_headers(frame, body.bytes),
        };
    }
    outcome
}

/// Contents of the body of a data frame.
enum BodyContent {
    Packet,
    /// An A-MSDU.
    Packets,
}

/// Returns what stands in the body of a data frame, if it can be read and was not captured before.
fn content(frame: &Dot11Frame, retries: &mut Retries) -> Result<BodyContent, Nothing> {
    if frame.fragment != 0 {
        return Err(Nothing::MacFragment);
    }
    let was_seen = retries.note(frame);
    if frame.is_retry() && was_seen {
        return Err(Nothing::MacRetry);
    }
    if frame.is_protected() {
        return Err(Nothing::Encrypted);
    }
    Ok(if frame.is_aggregate() {
        BodyContent::Packets
    } else {
        BodyContent::Packet
    })
}

/// The packets of an A-MSDU (9.3.2.2): each behind two addresses and its length, at a
/// multiple of four bytes.
fn aggregate(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    mut rest: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    const SUBFRAME_HEADER: usize = 14;
    while !rest.bytes.is_empty() {
        let header: &[u8; SUBFRAME_HEADER] = rest.first()?;
        let length = usize::from(u16::from_be_bytes([header[12], header[13]]));
        let body = rest.behind(SUBFRAME_HEADER)?;
        let kept = body.bytes.len().min(length);
        let msdu = PacketPart {
            bytes: &body.bytes[..kept],
            missing: (length - kept) as u32,
        };
        link::behind_llc(dissector, packet, msdu, found)?;
        let next = (SUBFRAME_HEADER + length).next_multiple_of(4);
        rest.bytes = rest.bytes.get(next..).unwrap_or(&[]);
        // A frame check sequence may stand behind the last.
        if rest.bytes.len() < SUBFRAME_HEADER {
            break;
        }
    }
    Ok(())
}
