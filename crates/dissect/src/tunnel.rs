//! Packets that travel in other packets: IP in IP, GRE, and what is carried over UDP.
//!
//! A connection is that of the innermost packet, as in tshark. Of a packet that was fragmented
//! on its way through the tunnel the first fragment has all headers within, and every length
//! stands in them, so that the others are not needed.

use std::ops::RangeInclusive;

use super::ip::{AUTHENTICATION, IpPacket};
use super::{Dissected, Dissector, Layer, Nothing, PacketPart, icmp, link, wireless_tunnel};
use crate::read::CapturedPacket;

// Protocol numbers (RFC 5237).
const IPV4: u8 = 4;
const UDP: u8 = 17;
const IPV6: u8 = 41;
const GRE: u8 = 47;
const ETHERNET: u8 = 143;

/// Greatest depth of tunnels within each other. Real ones are two or three; a hostile packet holds
/// thousands. (Inferred.)
pub(super) const DEEPEST: u8 = 16;

/// Goes on into an IP packet that carries no TCP itself.
#[cold]
pub(super) fn enter(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    mut outer: IpPacket<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    if outer.fragment.is_some_and(|fragment| fragment.offset > 0) {
        return Err(Nothing::OtherIp);
    }
    if icmp::is_icmp(outer.protocol) {
        return icmp::take(dissector, packet, &outer, found);
    }
    dissector.descend()?;
    let part = PacketPart {
        bytes: outer.payload,
        missing: outer.payload_len - outer.payload.len() as u32,
    };
    match outer.protocol {
        IPV4 | IPV6 => dissector.take_ip(packet, part, found),
        ETHERNET => link::ethernet(dissector, packet, part, found),
        GRE => behind_gre(dissector, packet, part, found),
        UDP => behind_udp(dissector, packet, part, found),
        AUTHENTICATION => {
            outer.follow()?;
            dissector.take_datagram(packet, &outer, found)
        }
        other => {
            dissector.met.add(Layer::Ip, other.into());
            Err(Nothing::OtherIp)
        }
    }
}

/// GRE (RFC 2784 §2, with key and sequence number by RFC 2890), and that of PPTP (RFC 2637 §4.1).
fn behind_gre(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    const CHECKSUM: u8 = 0x80;
    const ROUTING: u8 = 0x40;
    const KEY: u8 = 0x20;
    const SEQUENCE: u8 = 0x10;
    const ACKNOWLEDGMENT: u8 = 0x80;
    const PPP: u16 = 0x880B;
    const BRIDGING: u16 = 0x6558;
    /// Mirrored frames (draft-foschiano-erspan): the first version has no header of its own and
    /// no sequence number, the others have 8 and 12 bytes.
    const ERSPAN: u16 = 0x88BE;
    const ERSPAN_III: u16 = 0x22EB;
    /// Ethernet over IP of MikroTik, whose key is the frame's length and the tunnel's number.
    const EOIP: u16 = 0x6400;
    /// 802.11 frames of Aruba's access points, by a number for each of their networks.
    const ARUBA: RangeInclusive<u16> = 0x8200..=0x8370;
    let &[flags, version, high, low] = part.first()?;
    let optional = match version & 0x07 {
        0 if flags & ROUTING == 0 => flags & (CHECKSUM | KEY | SEQUENCE),
        1 => flags & (KEY | SEQUENCE) | version & ACKNOWLEDGMENT,
        _ => return Err(Nothing::OtherIp),
    };
    let part = part.behind(4 + 4 * optional.count_ones() as usize)?;
    match u16::from_be_bytes([high, low]) {
        PPP => link::behind_ppp(dissector, packet, link::without_framing(part)?, found),
        BRIDGING | EOIP => link::ethernet(dissector, packet, part, found),
        ERSPAN if flags & SEQUENCE == 0 => link::ethernet(dissector, packet, part, found),
        ERSPAN => link::ethernet(dissector, packet, part.behind(8)?, found),
        ERSPAN_III => {
            let header: &[u8; 12] = part.first()?;
            let more = if header[11] & 1 != 0 { 8 } else { 0 };
            link::ethernet(dissector, packet, part.behind(12 + more)?, found)
        }
        aruba if ARUBA.contains(&aruba) && aruba & 0x0F == 0 => {
            wireless_tunnel::frame(dissector, packet, part, found)
        }
        ethertype if link::opens(ethertype) => {
            link::network(dissector, packet, ethertype, part, found)
        }
        other => {
            dissector.met.add(Layer::Gre, other.into());
            Err(Nothing::OtherNetwork)
        }
    }
}

/// Returns what the ports of UDP are registered for.
fn behind_udp(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    /// VXLAN (RFC 7348 §5), and the port that Linux used before one was registered.
    const VXLAN: [u16; 2] = [4789, 8472];
    /// The draft draft-ietf-nvo3-vxlan-gpe, §9.
    const VXLAN_GPE: u16 = 4790;
    /// RFC 8926 §3.3.
    const GENEVE: u16 = 6081;
    /// 3GPP TS 29.281, 4.4.2.
    const GTP_U: u16 = 2152;
    /// RFC 2661 §8.1.
    const L2TP: u16 = 1701;
    /// RFC 4380 §2.7.
    const TEREDO: u16 = 3544;
    /// RFC 8086 §3.
    const GRE_IN_UDP: u16 = 4754;
    /// RFC 7510 §3.
    const MPLS_IN_UDP: u16 = 6635;
    /// RFC 5415 §14.
    const CAPWAP_DATA: u16 = 5247;
    /// Where tools listen for TZSP.
    const TZSP: u16 = 37008;
    let header: &[u8; 8] = part.first()?;
    let [source, port] = [0, 2].map(|at| u16::from_be_bytes([header[at], header[at + 1]]));
    let part = part.behind(8)?;
    match port {
        port if VXLAN.contains(&port) => behind_vxlan(dissector, packet, part, found),
        VXLAN_GPE => behind_vxlan_gpe(dissector, packet, part, found),
        GENEVE => behind_geneve(dissector, packet, part, found),
        GTP_U => behind_gtp(dissector, packet, part, found),
        GRE_IN_UDP => behind_gre(dissector, packet, part, found),
        MPLS_IN_UDP => link::behind_mpls(dissector, packet, part, found),
        _ if [source, port].contains(&TZSP) => {
            wireless_tunnel::behind_tzsp(dissector, packet, part, found)
        }
        _ if [source, port].contains(&CAPWAP_DATA) => {
            wireless_tunnel::behind_capwap(dissector, packet, part, found)
        }
        _ if source == GTP_U => behind_gtp(dissector, packet, part, found),
        _ if [source, port].contains(&L2TP) => behind_l2tp(dissector, packet, part, found),
        _ if [source, port].contains(&TEREDO) => behind_teredo(dissector, packet, part, found),
        _ => {
            dissector.met.add_ports([source, port]);
            Err(Nothing::OtherIp)
        }
    }
}

/// VXLAN (RFC 7348 §5).
fn behind_vxlan(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    const HAS_NETWORK: u8 = 0x08;
    let header: &[u8; 8] = part.first()?;
    if header[0] & HAS_NETWORK == 0 {
        return Err(Nothing::OtherIp);
    }
    link::ethernet(dissector, packet, part.behind(8)?, found)
}

/// VXLAN with other packets than those of Ethernet (draft-ietf-nvo3-vxlan-gpe, §3).
fn behind_vxlan_gpe(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    const HAS_PROTOCOL: u8 = 0x04;
    let &[flags, _, _, protocol] = part.first()?;
    if flags & HAS_PROTOCOL == 0 {
        return behind_vxlan(dissector, packet, part, found);
    }
    link::behind_next_protocol(dissector, packet, protocol, part.behind(8)?, found)
}

/// Geneve (RFC 8926 §3.4).
fn behind_geneve(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    const BRIDGING: u16 = 0x6558;
    let header: &[u8; 8] = part.first()?;
    if header[0] >> 6 != 0 {
        return Err(Nothing::OtherIp);
    }
    let options = usize::from(header[0] & 0x3F) * 4;
    let part = part.behind(8 + options)?;
    match u16::from_be_bytes([header[2], header[3]]) {
        BRIDGING => link::ethernet(dissector, packet, part, found),
        ethertype => link::network(dissector, packet, ethertype, part, found),
    }
}

/// A user's packet in GTP version 1 (3GPP TS 29.281, 5.1 and 5.2).
fn behind_gtp(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    const G_PDU: u8 = 255;
    const VERSION_1: u8 = 0x30;
    const OPTIONAL: u8 = 0x07;
    let header: &[u8; 8] = part.first()?;
    if header[0] & 0xF0 != VERSION_1 || header[1] != G_PDU {
        return Err(Nothing::OtherIp);
    }
    let mut part = part.behind(8)?;
    if header[0] & OPTIONAL != 0 {
        let &[_, _, _, mut next] = part.first()?;
        part = part.behind(4)?;
        // Each extension has its length in words of four bytes in front, and the next one's
        // type at its end.
        while next != 0 {
            let length = usize::from(part.first::<1>()?[0]) * 4;
            if length == 0 {
                return Err(Nothing::Malformed);
            }
            next = *part.bytes.get(length - 1).ok_or(Nothing::Cut)?;
            part = part.behind(length)?;
        }
    }
    dissector.take_ip(packet, part, found)
}

/// A data message of L2TP version 2 (RFC 2661 §3.1).
fn behind_l2tp(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    const CONTROL: u8 = 0x80;
    const LENGTH: u8 = 0x40;
    const SEQUENCE: u8 = 0x08;
    const OFFSET: u8 = 0x02;
    let &[flags, version] = part.first()?;
    if flags & CONTROL != 0 || version & 0x0F != 2 {
        return Err(Nothing::OtherIp);
    }
    // Flags, the length if there, tunnel and session, both numbers if there.
    let mut length = 6;
    for (bit, bytes) in [(LENGTH, 2), (SEQUENCE, 4)] {
        if flags & bit != 0 {
            length += bytes;
        }
    }
    if flags & OFFSET != 0 {
        let offset: &[u8; 2] = part.behind(length)?.first()?;
        length += 2 + usize::from(u16::from_be_bytes(*offset));
    }
    let part = link::without_framing(part.behind(length)?)?;
    link::behind_ppp(dissector, packet, part, found)
}

/// Teredo (RFC 4380 §5.1.1): an authentication and the client's outer address may stand in front.
fn behind_teredo(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    mut part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    // An authentication begins with 0 and 1 and has both its lengths behind; an origin with two
    // zeros.
    if let Some(&[0, 1, client, value]) = part.bytes.first_chunk() {
        part = part.behind(13 + usize::from(client) + usize::from(value))?;
    }
    if part.bytes.starts_with(&[0, 0]) {
        part = part.behind(8)?;
    }
    match part.bytes.first() {
        Some(first) if first >> 4 == 6 => dissector.take_ip(packet, part, found),
        _ => Err(Nothing::OtherIp),
    }
}
