//! Headers within a frame's body.

use super::Dot11Frame;

/// Headers in a body in which no TCP segment was found, or not looked for because the frame is
/// a retry.
pub(super) fn inner_headers(frame: &Dot11Frame, body: &[u8]) -> u32 {
    /// LLC and SNAP.
    const LLC: u32 = 8;
    /// The initialization vectors in front (12.3.2.2, 12.5.3.2); a bit tells the long one.
    const EXTENDED_IV: u8 = 0x20;
    let headers = if frame.fragment != 0 {
        0
    } else if frame.is_protected() {
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
