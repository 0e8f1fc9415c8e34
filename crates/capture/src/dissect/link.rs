//! What stands in front of an IP packet: link types as numbered by
//! <https://www.tcpdump.org/linktypes.html>.

use super::{Dissector, Nothing, Part, Radio, Segment, dot11, radio};
use crate::read::Packet;

const NULL: u32 = 0;
const ETHERNET: u32 = 1;
/// Raw IP has the numbers 12 and 14 in files of some BSDs.
const RAW: [u32; 5] = [101, 12, 14, 228, 229];
/// PPP, and PPP in frames like those of HDLC.
const PPP: [u32; 2] = [9, 50];
const IEEE802_11: u32 = 105;
const LOOP: u32 = 108;
const LINUX_SLL: u32 = 113;
const IEEE802_11_PRISM: u32 = 119;
const IEEE802_11_RADIOTAP: u32 = 127;
const IEEE802_11_AVS: u32 = 163;
const PPI: u32 = 192;
const LINUX_SLL2: u32 = 276;

// EtherTypes, registered by IEEE.
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86DD;
const PPPOE_SESSION: u16 = 0x8864;
/// 802.1Q, 802.1ad, and what was used for the outer tag before it.
const VLAN: [u16; 4] = [0x8100, 0x88A8, 0x9100, 0x9200];

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
    packet: &Packet<'_>,
    part: Part<'_>,
    found: &mut Vec<Segment>,
) -> Result<(), Nothing> {
    if packet.link_type == ETHERNET {
        let header: &[u8; 14] = part.first()?;
        let ethertype = u16::from_be_bytes([header[12], header[13]]);
        return network(dissector, packet, ethertype, part.behind(14)?, found);
    }
    enter_other(dissector, packet, part, found)
}

fn enter_other(
    dissector: &mut Dissector,
    packet: &Packet<'_>,
    part: Part<'_>,
    found: &mut Vec<Segment>,
) -> Result<(), Nothing> {
    match packet.link_type {
        link if RAW.contains(&link) => dissector.take_ip(packet, part, found),
        link if PPP.contains(&link) => {
            // Address and control are left out where both ends agree (RFC 1661 §6.6).
            let framing = if part.bytes.starts_with(&[0xFF, 3]) {
                2
            } else {
                0
            };
            behind_ppp(dissector, packet, part.behind(framing)?, found)
        }
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
            let ethertype = u16::from_be_bytes([header[14], header[15]]);
            network(dissector, packet, ethertype, part.behind(16)?, found)
        }
        LINUX_SLL2 => {
            let header: &[u8; 20] = part.first()?;
            let ethertype = u16::from_be_bytes([header[0], header[1]]);
            network(dissector, packet, ethertype, part.behind(20)?, found)
        }
        IEEE802_11 => dot11::enter(dissector, packet, part, Radio::default(), found),
        IEEE802_11_RADIOTAP => {
            let (part, radio) = radio::behind_radiotap(part, &mut dissector.radiotap)?;
            dot11::enter(dissector, packet, part, radio, found)
        }
        IEEE802_11_PRISM | IEEE802_11_AVS => {
            let (part, radio) = radio::behind_prism(part)?;
            dot11::enter(dissector, packet, part, radio, found)
        }
        PPI => {
            let (link_type, part, radio) = radio::behind_ppi(part)?;
            match link_type {
                IEEE802_11 => dot11::enter(dissector, packet, part, radio, found),
                PPI => Err(Nothing::Malformed),
                _ => {
                    let inner = Packet {
                        link_type,
                        ..*packet
                    };
                    enter(dissector, &inner, part, found)
                }
            }
        }
        _ => Err(Nothing::UnknownLink),
    }
}

/// Goes on from an EtherType.
#[inline]
pub(super) fn network(
    dissector: &mut Dissector,
    packet: &Packet<'_>,
    mut ethertype: u16,
    mut part: Part<'_>,
    found: &mut Vec<Segment>,
) -> Result<(), Nothing> {
    loop {
        match ethertype {
            IPV4 | IPV6 => return dissector.take_ip(packet, part, found),
            PPPOE_SESSION => return behind_pppoe(dissector, packet, part, found),
            tag if VLAN.contains(&tag) => {
                let header: &[u8; 4] = part.first()?;
                ethertype = u16::from_be_bytes([header[2], header[3]]);
                part = part.behind(4)?;
            }
            length if length < LEAST_ETHERTYPE => {
                (ethertype, part) = behind_snap(part)?;
                if ethertype < LEAST_ETHERTYPE {
                    return Err(Nothing::OtherNetwork);
                }
            }
            _ => return Err(Nothing::OtherNetwork),
        }
    }
}

/// The EtherType behind LLC and SNAP.
#[inline]
pub(super) fn behind_snap(part: Part<'_>) -> Result<(u16, Part<'_>), Nothing> {
    let header: &[u8; 8] = part.first()?;
    if !SNAP.iter().any(|snap| header.starts_with(&snap[..])) {
        return Err(Nothing::OtherNetwork);
    }
    Ok((u16::from_be_bytes([header[6], header[7]]), part.behind(8)?))
}

/// PPPoE (RFC 2516 §4).
fn behind_pppoe(
    dissector: &mut Dissector,
    packet: &Packet<'_>,
    part: Part<'_>,
    found: &mut Vec<Segment>,
) -> Result<(), Nothing> {
    behind_ppp(dissector, packet, part.behind(6)?, found)
}

/// The protocol numbers of PPP (RFC 1332, RFC 5072).
fn behind_ppp(
    dissector: &mut Dissector,
    packet: &Packet<'_>,
    part: Part<'_>,
    found: &mut Vec<Segment>,
) -> Result<(), Nothing> {
    let protocol: &[u8; 2] = part.first()?;
    match u16::from_be_bytes(*protocol) {
        0x0021 | 0x0057 => dissector.take_ip(packet, part.behind(2)?, found),
        _ => Err(Nothing::OtherNetwork),
    }
}
