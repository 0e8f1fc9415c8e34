//! 802.11 frames in tunnels: what sniffers send of what they hear, and access points to their
//! controllers.

use super::{Dissected, Dissector, Layer, Nothing, PacketPart, RadioReception, link, radio};
use crate::read::CapturedPacket;

/// TaZmen Sniffer Protocol, UDP port 37008: a sniffer sends what it heard, with what its radio knew
/// in tags in front.
pub(super) fn behind_tzsp(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    const VERSION: u8 = 1;
    /// Packets that were received, and those that are to be sent.
    const PACKETS: [u8; 2] = [0, 1];
    let &[version, kind, high, low] = part.first()?;
    if version != VERSION || !PACKETS.contains(&kind) {
        return Err(Nothing::OtherIp);
    }
    let (part, radio) = radio::behind_tags(part.behind(4)?)?;
    let of_link = |link_type| CapturedPacket {
        link_type,
        ..*packet
    };
    match u16::from_be_bytes([high, low]) {
        0x01 => link::ethernet(dissector, packet, part, found),
        0x12 => link::air(dissector, packet, part, radio, found),
        0x77 => link::enter(dissector, &of_link(link::IEEE802_11_PRISM), part, found),
        0x7F => link::enter(dissector, &of_link(link::IEEE802_11_AVS), part, found),
        _ => Err(Nothing::OtherIp),
    }
}

/// CAPWAP's data (RFC 5415 §4.3, RFC 5416 §2), UDP port 5247: frames between an access point and its
/// controller, of 802.11 or already of Ethernet.
pub(super) fn behind_capwap(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    /// First byte in front of a header, and not of DTLS.
    const CLEAR: u8 = 0;
    const NATIVE: u8 = 0x01;
    const FRAGMENT: u8 = 0x80;
    const KEEP_ALIVE: u8 = 0x08;
    const IEEE802_11: u8 = 1;
    let &[preamble, lengths, binding, flags, _, _, high, low] = part.first()?;
    if preamble & 0x0F != CLEAR {
        return Err(Nothing::Encrypted);
    }
    let is_later = flags & FRAGMENT != 0 && u16::from_be_bytes([high, low]) >> 3 != 0;
    if is_later || flags & KEEP_ALIVE != 0 {
        dissector.met.add(Layer::Udp, 5247);
        return Err(Nothing::OtherIp);
    }
    let part = part.behind(4 * usize::from(lengths >> 3))?;
    match (binding & NATIVE != 0, binding >> 1 & 0x1F) {
        (false, _) => link::ethernet(dissector, packet, part, found),
        (true, IEEE802_11) => frame(dissector, packet, part, found),
        (true, _) => Err(Nothing::OtherNetwork),
    }
}

/// A frame of 802.11 between an access point and its controller: it is not on the air there, so
/// that it is none of the frames of the capture.
pub(super) fn frame(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    let number = dissector.tally.packets;
    let on_air = found.frames.last().filter(|frame| frame.number == number);
    let on_air = on_air.copied();
    let outcome = match part.bytes {
        [first, second, ..] if is_swapped(*first, *second) => {
            let mut bytes = part.bytes.to_vec();
            bytes.swap(0, 1);
            let swapped = PacketPart {
                bytes: &bytes,
                ..part
            };
            let inner = CapturedPacket {
                data: &bytes,
                ..*packet
            };
            link::air(dissector, &inner, swapped, RadioReception::default(), found)
        }
        _ => link::air(dissector, packet, part, RadioReception::default(), found),
    };
    if found
        .frames
        .last()
        .is_some_and(|frame| frame.number == number)
    {
        found.frames.pop();
    }
    found.frames.extend(on_air);
    outcome
}

/// Returns whether the two bytes of the frame control field stand in the other order, as some
/// controllers of Cisco write them: the first two bits of the field are its version, and zero (IEEE
/// 802.11-2020, 9.2.4.1.2).
const fn is_swapped(first: u8, second: u8) -> bool {
    first & 0x03 != 0 && second & 0x03 == 0
}
