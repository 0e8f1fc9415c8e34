//! Link types that are seen now and then: other media, tunnels of a kernel, logs of its filters.
//! Their numbers and headers are those of <https://www.tcpdump.org/linktypes.html>.

use super::link::{behind_llc, behind_ppp, behind_pppoe, enter as enter_link, network};
use super::{Dissected, Dissector, Layer, Nothing, PacketPart};
use crate::read::CapturedPacket;

const TOKEN_RING: u32 = 6;
const SLIP: u32 = 8;
const FDDI: u32 = 10;
/// ATM adaptation layer 5 has the number 11 in files of some BSDs.
const LLC: [u32; 2] = [100, 11];
const PPPOE: u32 = 51;
const CISCO_HDLC: u32 = 104;
const FRAME_RELAY: u32 = 107;
/// OpenBSD's encapsulating interface.
const ENC: u32 = 109;
const PFLOG: u32 = 117;
const FIBRE_CHANNEL: u32 = 122;
/// Linux's netfilter log: `tcpdump -i nflog`.
const NFLOG: u32 = 239;
/// IP over InfiniBand.
const IPOIB: u32 = 242;
/// Apple's capture of all interfaces.
const PKTAP: u32 = 258;

/// Goes through the link's headers to the IP packets behind them.
#[cold]
pub(super) fn enter(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    match packet.link_type {
        TOKEN_RING => behind_token_ring(dissector, packet, part, found),
        // Frame control and two addresses.
        FDDI => behind_llc(dissector, packet, part.behind(13)?, found),
        link if LLC.contains(&link) => behind_llc(dissector, packet, part, found),
        FIBRE_CHANNEL => behind_llc(dissector, packet, part.behind(16)?, found),
        // Direction, and the header as it was compressed (RFC 1144).
        SLIP => dissector.take_ip(packet, part.behind(16)?, found),
        PPPOE => behind_pppoe(dissector, packet, part, found),
        CISCO_HDLC => behind_cisco_hdlc(dissector, packet, part, found),
        FRAME_RELAY => behind_frame_relay(dissector, packet, part, found),
        ENC => dissector.take_ip(packet, part.behind(12)?, found),
        PFLOG => {
            // Its first byte is the header's length without the padding to words.
            let length = usize::from(part.first::<1>()?[0]).next_multiple_of(4);
            dissector.take_ip(packet, part.behind(length)?, found)
        }
        NFLOG => dissector.take_ip(packet, logged_packet(part)?, found),
        IPOIB => {
            // The pseudo header of the interface, then an EtherType in four bytes (RFC 4391 §6).
            let header: &[u8; 44] = part.first()?;
            let ethertype = u16::from_be_bytes([header[40], header[41]]);
            network(dissector, packet, ethertype, part.behind(44)?, found)
        }
        PKTAP => behind_pktap(dissector, packet, part, found),
        unknown => {
            dissector.met.add(Layer::Link, unknown);
            Err(Nothing::UnknownLink)
        }
    }
}

/// Access and frame control, two addresses; the top bit of the second tells of a route, whose
/// length stands in its first five bits (IEEE 802.5, 3.3).
fn behind_token_ring(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    const LLC_FRAME: u8 = 0x40;
    let header: &[u8; 14] = part.first()?;
    if header[1] & 0xC0 != LLC_FRAME {
        return Err(Nothing::OtherNetwork);
    }
    let mut behind = part.behind(14)?;
    if header[8] & 0x80 != 0 {
        let route = usize::from(behind.first::<1>()?[0] & 0x1F);
        behind = behind.behind(route)?;
    }
    behind_llc(dissector, packet, behind, found)
}

/// Address, control, and an EtherType (RFC 1547 §4.3).
pub(super) fn behind_cisco_hdlc(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    let header: &[u8; 4] = part.first()?;
    let ethertype = u16::from_be_bytes([header[2], header[3]]);
    network(dissector, packet, ethertype, part.behind(4)?, found)
}

/// Address, control, perhaps padding, and a protocol (RFC 2427 §3 and §4); Cisco's form has an
/// EtherType behind the address.
fn behind_frame_relay(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    const LAST_OF_ADDRESS: u8 = 0x01;
    const UNNUMBERED: u8 = 0x03;
    const IPV4: u8 = 0xCC;
    const IPV6: u8 = 0x8E;
    const PPP: u8 = 0xCF;
    const SNAP: u8 = 0x80;
    let address = part.bytes.iter().take(4);
    let address = address
        .take_while(|byte| **byte & LAST_OF_ADDRESS == 0)
        .count()
        + 1;
    let part = part.behind(address)?;
    let &[control, mut next] = part.first()?;
    if control != UNNUMBERED {
        let ethertype = u16::from_be_bytes([control, next]);
        return network(dissector, packet, ethertype, part.behind(2)?, found);
    }
    let mut part = part.behind(2)?;
    if next == 0 {
        next = part.first::<1>()?[0];
        part = part.behind(1)?;
    }
    match next {
        IPV4 | IPV6 => dissector.take_ip(packet, part, found),
        PPP => behind_ppp(dissector, packet, part, found),
        SNAP => {
            let header: &[u8; 5] = part.first()?;
            let ethertype = u16::from_be_bytes([header[3], header[4]]);
            network(dissector, packet, ethertype, part.behind(5)?, found)
        }
        _ => Err(Nothing::OtherNetwork),
    }
}

/// The packet in a record of netfilter's log: behind four bytes a list of attributes, each with
/// its length and type in the capturing machine's order and padded to words.
fn logged_packet(part: PacketPart<'_>) -> Result<PacketPart<'_>, Nothing> {
    const PAYLOAD: u16 = 9;
    let mut rest = part.behind(4)?;
    loop {
        let &[a, b, c, d] = rest.first()?;
        let little = u16::from_le_bytes([c, d]);
        let (length, kind) = if little < 0x100 {
            (u16::from_le_bytes([a, b]), little)
        } else {
            (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]))
        };
        if length < 4 {
            return Err(Nothing::Malformed);
        }
        if kind == PAYLOAD {
            return rest.behind(4);
        }
        rest = rest.behind(usize::from(length).next_multiple_of(4))?;
    }
}

/// Length, kind of record, and the link type of what follows, in the capturing machine's order,
/// which today is little-endian everywhere.
fn behind_pktap(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    part: PacketPart<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    let header: &[u8; 12] = part.first()?;
    let [length, _, link_type] = [0, 4, 8].map(|at| {
        let word = header[at..at + 4].try_into().expect("four bytes");
        u32::from_le_bytes(word)
    });
    if (length as usize) < header.len() || link_type == PKTAP {
        return Err(Nothing::Malformed);
    }
    let inner = CapturedPacket {
        link_type,
        ..*packet
    };
    enter_link(dissector, &inner, part.behind(length as usize)?, found)
}
