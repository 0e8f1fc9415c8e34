//! Headers in front of an IP packet: link types as numbered by
//! <https://www.tcpdump.org/linktypes.html>.

use super::{
    Dissected, Dissector, Layer, Nothing, PacketPart, RadioReception, dot11, media, radio,
};
use crate::read::CapturedPacket;

const NULL: u32 = 0;
const ETHERNET: u32 = 1;
/// Raw IP has the numbers 12 and 14 in files of some BSDs.
const RAW: [u32; 5] = [101, 12, 14, 228, 229];
/// PPP, and PPP in frames like those of HDLC.
const PPP: [u32; 2] = [9, 50];
const IEEE802_11: u32 = 105;
const LOOP: u32 = 108;
const LINUX_SLL: u32 = 113;
pub(super) const IEEE802_11_PRISM: u32 = 119;
const IEEE802_11_RADIOTAP: u32 = 127;
pub(super) const IEEE802_11_AVS: u32 = 163;
const PPI: u32 = 192;
const LINUX_SLL2: u32 = 276;

// EtherTypes, registered by IEEE.
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86DD;
const PPPOE_SESSION: u16 = 0x8864;
/// 802.1Q, 802.1ad, and what was used for the outer tag before it.
const VLAN: [u16; 4] = [0x8100, 0x88A8, 0x9100, 0x9200];
const MPLS: [u16; 2] = [0x8847, 0x8848];
/// Tags that stand in front of another EtherType, with so many bytes between: Cisco's metadata
/// (TrustSec) and VN-Tag (fabric extenders), high-availability rings (IEC 62439-3), the E-Tag of bridge
/// port extension (802.1BR), and the R-Tag of frames that go several ways (802.1CB).
const TAGS: [(u16, usize); 5] = [
    (0x8909, 6),
    (0x8926, 4),
    (0x892F, 4),
    (0x893F, 6),
    (0xF1C1, 4),
];
/// Chains of service functions (RFC 8300).
const SERVICE_CHAIN: u16 = 0x894F;
/// A provider's tag (802.1ah) and that of Cisco's FabricPath: another Ethernet frame follows.
const BACKBONE: u16 = 0x88E7;
const FABRIC_PATH: u16 = 0x8903;

/// Below this the field is a length and LLC follows (IEEE 802.3, 3.2.6).
const LEAST_ETHERTYPE: u16 = 0x0600;

/// LLC and SNAP in front of an EtherType (RFC 1042), and the organization code that bridges
/// use for the same (802.1H).
const SNAP: [&[u8; 6]; 2] = [&[0xAA, 0xAA, 3, 0, 0, 0], &[0xAA, 0xAA, 3, 0, 0, 0xF8]];

/// Address families of IP: 2 for version 4 everywhere; for version 6 those of Linux, OpenBSD,
/// FreeBSD and macOS.
const FAMILIES: [u32; 5] = [2, 10, 24, 28, 30];

/// Goes through the link's headers to the IP packets behind them.
#[inline]
pub(super) fn enter(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    match packet.link_type {
        ETHERNET => {
            let header: &[u8; 14] = part.first()?;
            let ethertype = u16::from_be_bytes([header[12], header[13]]);
            network(dissector, packet, ethertype, part.behind(14)?, found)
        }
        IEEE802_11_RADIOTAP => behind_radiotap(dissector, packet, part, found),
        _ => enter_other(dissector, packet, part, found),
    }
}

/// An 802.11 frame behind radiotap, which nearly every sniffer writes.
#[inline(never)]
fn behind_radiotap(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    let (part, header) = radio::behind_radiotap(part)?;
    let radio = |layouts: &mut _, radio: &mut _| radio::read_radiotap(header, layouts, radio);
    dot11::enter(dissector, packet, part, radio, found)
}

#[inline(never)]
fn enter_other(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    match packet.link_type {
        link if RAW.contains(&link) => dissector.take_ip(packet, part, found),
        link if PPP.contains(&link) => match part.bytes {
            // Cisco's HDLC begins with another address (RFC 1547 §4.3).
            [0x0F | 0x8F, ..] => media::behind_cisco_hdlc(dissector, packet, part, found),
            _ => behind_ppp(dissector, packet, without_framing(part)?, found),
        },
        NULL | LOOP => {
            let family: &[u8; 4] = part.first()?;
            let is_ip = [u32::from_le_bytes(*family), u32::from_be_bytes(*family)]
                .iter()
                .any(|family| FAMILIES.contains(family));
            if !is_ip {
                return Err(Nothing::OtherNetwork);
            }
            dissector.take_ip(packet, part.behind(4)?, found)
        }
        LINUX_SLL => {
            let header: &[u8; 16] = part.first()?;
            dissector.place = u32::from(header[1]);
            let ethertype = u16::from_be_bytes([header[14], header[15]]);
            network(dissector, packet, ethertype, part.behind(16)?, found)
        }
        LINUX_SLL2 => {
            let header: &[u8; 20] = part.first()?;
            let interface = u32::from_be_bytes([header[4], header[5], header[6], header[7]]);
            dissector.place = interface << 8 | u32::from(header[10]);
            let ethertype = u16::from_be_bytes([header[0], header[1]]);
            network(dissector, packet, ethertype, part.behind(20)?, found)
        }
        IEEE802_11 => air(dissector, packet, part, RadioReception::default(), found),
        IEEE802_11_PRISM | IEEE802_11_AVS => {
            let (part, radio) = radio::behind_prism(part)?;
            air(dissector, packet, part, radio, found)
        }
        PPI => {
            let (link_type, part, radio) = radio::behind_ppi(part)?;
            match link_type {
                IEEE802_11 => air(dissector, packet, part, radio, found),
                PPI => Err(Nothing::Malformed),
                _ => {
                    let inner = CapturedPacket {
                        link_type,
                        ..*packet
                    };
                    enter(dissector, &inner, part, found)
                }
            }
        }
        _ => media::enter(dissector, packet, part, found),
    }
}

/// An 802.11 frame behind anything but radiotap.
#[inline(never)]
pub(super) fn air(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    radio: RadioReception,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    dot11::enter(dissector, packet, part, |_, place| *place = radio, found)
}

/// An Ethernet frame that something else carries.
pub(super) fn ethernet(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    dissector.descend()?;
    let header: &[u8; 14] = part.first()?;
    let ethertype = u16::from_be_bytes([header[12], header[13]]);
    network(dissector, packet, ethertype, part.behind(14)?, found)
}

/// Goes on from an EtherType.
#[inline]
pub(super) fn network(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    mut ethertype: u16,
    mut part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    loop {
        match ethertype {
            IPV4 | IPV6 => return dissector.take_ip(packet, part, found),
            PPPOE_SESSION => return behind_pppoe(dissector, packet, part, found),
            tag if VLAN.contains(&tag) => {
                let header: &[u8; 4] = part.first()?;
                dissector.move_into(u16::from_be_bytes([header[0] & 0x0F, header[1]]));
                ethertype = u16::from_be_bytes([header[2], header[3]]);
                part = part.behind(4)?;
            }
            label if MPLS.contains(&label) => {
                return behind_mpls(dissector, packet, part, found);
            }
            SERVICE_CHAIN => return behind_nsh(dissector, packet, part, found),
            BACKBONE => return ethernet(dissector, packet, part.behind(4)?, found),
            FABRIC_PATH => return ethernet(dissector, packet, part.behind(2)?, found),
            length if length < LEAST_ETHERTYPE => {
                (ethertype, part) = behind_snap(dissector, part)?;
                if ethertype < LEAST_ETHERTYPE {
                    return Err(Nothing::OtherNetwork);
                }
            }
            other => (ethertype, part) = behind_tag(dissector, other, part)?,
        }
    }
}

/// Returns whether [`network`] goes on from an EtherType.
pub(super) fn opens(ethertype: u16) -> bool {
    const OTHERS: [u16; 6] = [
        IPV4,
        IPV6,
        PPPOE_SESSION,
        SERVICE_CHAIN,
        BACKBONE,
        FABRIC_PATH,
    ];
    let lists = [&OTHERS[..], &VLAN, &MPLS];
    lists.iter().any(|list| list.contains(&ethertype))
        || TAGS.iter().any(|(tag, _)| *tag == ethertype)
}

/// The EtherType behind a tag of another kind than a VLAN's; such networks are told apart as those
/// are.
#[cold]
fn behind_tag<'a>(
    dissector: &mut Dissector,
    ethertype: u16,
    part: PacketPart<'a>,
) -> Result<(u16, PacketPart<'a>), Nothing> {
    let Some((_, length)) = TAGS.iter().find(|(tag, _)| *tag == ethertype) else {
        dissector.met.add(Layer::Ethertype, ethertype.into());
        return Err(Nothing::OtherNetwork);
    };
    dissector.move_into(u16::from_be_bytes(*part.first()?));
    let part = part.behind(*length)?;
    Ok((u16::from_be_bytes(*part.first()?), part.behind(2)?))
}

/// The header of a chain of service functions (RFC 8300 §2.2), whose length stands in words.
pub(super) fn behind_nsh(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    let &[_, length, _, protocol] = part.first()?;
    let words = usize::from(length & 0x3F);
    if words < 2 {
        return Err(Nothing::Malformed);
    }
    behind_next_protocol(dissector, packet, protocol, part.behind(4 * words)?, found)
}

/// Returns what follows by the numbers that VXLAN-GPE and NSH share (draft-ietf-nvo3-vxlan-gpe, RFC
/// 8300 §2.2).
pub(super) fn behind_next_protocol(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    protocol: u8,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    match protocol {
        1 | 2 => dissector.take_ip(packet, part, found),
        3 => ethernet(dissector, packet, part, found),
        4 => {
            dissector.descend()?;
            behind_nsh(dissector, packet, part, found)
        }
        5 => behind_mpls(dissector, packet, part, found),
        _ => Err(Nothing::OtherIp),
    }
}

/// Goes on behind LLC and SNAP.
#[inline]
pub(super) fn behind_llc(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    let (ethertype, part) = behind_snap(dissector, part)?;
    match ethertype {
        // At once, as nearly always.
        IPV4 => dissector.take_ip(packet, part, found),
        _ => network(dissector, packet, ethertype, part, found),
    }
}

/// The EtherType behind LLC and SNAP.
#[inline]
fn behind_snap<'a>(
    dissector: &mut Dissector,
    part: PacketPart<'a>,
) -> Result<(u16, PacketPart<'a>), Nothing> {
    let header: &[u8; 8] = part.first()?;
    if !SNAP.iter().any(|snap| header.starts_with(&snap[..])) {
        dissector.met.add(Layer::Llc, header[0].into());
        return Err(Nothing::OtherNetwork);
    }
    Ok((u16::from_be_bytes([header[6], header[7]]), part.behind(8)?))
}

/// Labels of MPLS (RFC 3032 §2.1), and what their path carries: IP, or Ethernet with or without a
/// control word in front, which begins with four zeros (RFC 4448 §4.6, RFC 4928 §2).
pub(super) fn behind_mpls(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    mut part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    const LAST: u8 = 0x01;
    loop {
        let label: &[u8; 4] = part.first()?;
        part = part.behind(4)?;
        if label[2] & LAST != 0 {
            break;
        }
    }
    match part.first::<1>()?[0] >> 4 {
        4 | 6 => dissector.take_ip(packet, part, found),
        0 => ethernet(dissector, packet, part.behind(4)?, found),
        _ => ethernet(dissector, packet, part, found),
    }
}

/// PPPoE (RFC 2516 §4).
pub(super) fn behind_pppoe(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    behind_ppp(dissector, packet, part.behind(6)?, found)
}

/// Returns what stands behind PPP's address and control, which are left out where both ends agree
/// (RFC 1661 §6.6).
pub(super) fn without_framing(part: PacketPart<'_>) -> Result<PacketPart<'_>, Nothing> {
    let framing = if part.bytes.starts_with(&[0xFF, 3]) {
        2
    } else {
        0
    };
    part.behind(framing)
}

/// The protocol numbers of PPP (RFC 1332, RFC 3032 §4.3, RFC 5072), of which the first byte may be
/// left out: they are odd, and their first byte is even (RFC 1661 §2).
pub(super) fn behind_ppp(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    let (protocol, length) = match part.first::<1>()? {
        [odd] if odd & 1 != 0 => (u16::from(*odd), 1),
        _ => (u16::from_be_bytes(*part.first()?), 2),
    };
    let part = part.behind(length)?;
    match protocol {
        0x0021 | 0x0057 => dissector.take_ip(packet, part, found),
        0x0281 | 0x0283 => behind_mpls(dissector, packet, part, found),
        _ => Err(Nothing::OtherNetwork),
    }
}
