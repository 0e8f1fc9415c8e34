//! ICMP (RFC 792) and ICMPv6 (RFC 4443) that speaks of a TCP segment, whose beginning they quote.

use serde::Serialize;

use super::ip::{self, IpPacket};
use super::{ConnectionEnd, Dissected, Dissector, IpAddress, Layer, Nothing, PacketPart};
use crate::read::CapturedPacket;

const ICMP: u8 = 1;
const ICMPV6: u8 = 58;

/// Returns whether a packet of this protocol may speak of another.
pub(super) const fn is_icmp(protocol: u8) -> bool {
    matches!(protocol, ICMP | ICMPV6)
}

/// Kind of a message about a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Complaint {
    /// It is larger than the next link takes, which may not cut it (RFC 1191 §4, RFC 8201 §4); 0
    /// where a router does not say how much that takes.
    TooBig {
        /// The largest packet.
        mtu: u32,
    },
    /// There is no route to the network or host.
    NoRoute,
    /// The host does not answer, or not on this link.
    HostUnreachable,
    /// Nobody listens at the port, or the host has no TCP.
    PortUnreachable,
    /// A filter forbids it.
    Prohibited,
    /// It was under way for too many hops, or too long in parts.
    TimeExceeded,
}

/// Message of a router or host about a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpReport {
    /// Time when it was captured, in nanoseconds since 1970.
    pub time_ns: u64,
    /// Number of its packet in the file, from 1.
    pub number: u64,
    /// Who said it.
    pub reporter: IpAddress,
    /// Who sent the segment.
    pub source: ConnectionEnd,
    /// Who was to get it.
    pub destination: ConnectionEnd,
    /// Its sequence number.
    pub seq: u32,
    /// Kind of the message.
    pub complaint: Complaint,
}

/// Takes a message of ICMP.
#[cold]
pub(super) fn take(
    dissector: &mut Dissector,
    packet: &CapturedPacket<'_>,
    outer: &IpPacket<'_>,
    found: &mut Dissected,
) -> Result<(), Nothing> {
    let message = PacketPart {
        bytes: outer.payload,
        missing: 0,
    };
    let report = complaint(outer.protocol, message).and_then(|complaint| {
        let quoted = quoted(message.behind(8).ok()?)?;
        Some(IcmpReport {
            time_ns: packet.time_ns,
            number: dissector.tally.packets,
            reporter: outer.source,
            complaint,
            ..quoted
        })
    });
    let Some(report) = report else {
        dissector.met.add(Layer::Ip, outer.protocol.into());
        return Err(Nothing::OtherIp);
    };
    found.reports.push(report);
    Err(Nothing::Report)
}

fn complaint(protocol: u8, message: PacketPart<'_>) -> Option<Complaint> {
    let &[kind, code, _, _, a, b, c, d] = message.first().ok()?;
    let (low, long) = ([c, d], [a, b, c, d]);
    Some(match (protocol, kind, code) {
        (ICMP, 3, 4) => Complaint::TooBig {
            mtu: u16::from_be_bytes(low).into(),
        },
        (ICMP, 3, 0 | 6 | 8 | 11) | (ICMPV6, 1, 0 | 2) => Complaint::NoRoute,
        (ICMP, 3, 1 | 7 | 12) | (ICMPV6, 1, 3) => Complaint::HostUnreachable,
        (ICMP, 3, 2 | 3) | (ICMPV6, 1, 4) => Complaint::PortUnreachable,
        (ICMP, 3, 9 | 10 | 13) | (ICMPV6, 1, 1 | 5 | 6) => Complaint::Prohibited,
        (ICMP, 11, _) | (ICMPV6, 3, _) => Complaint::TimeExceeded,
        (ICMPV6, 2, _) => Complaint::TooBig {
            mtu: u32::from_be_bytes(long),
        },
        _ => return None,
    })
}

/// Whose segment it is that is quoted: of TCP at least the ports and the sequence number are
/// (RFC 792).
fn quoted(part: PacketPart<'_>) -> Option<IcmpReport> {
    let datagram = match part.bytes.first()? >> 4 {
        4 => ip::v4(part).ok()?,
        6 => ip::v6(part).ok()?,
        _ => return None,
    };
    let &[a, b, c, d, seq @ ..] = datagram.payload.first_chunk::<8>()?;
    let is_first = datagram
        .fragment
        .is_none_or(|fragment| fragment.offset == 0);
    let end = |address, port| ConnectionEnd {
        address,
        port: u16::from_be_bytes(port),
    };
    (datagram.protocol == ip::TCP && is_first).then(|| IcmpReport {
        time_ns: 0,
        number: 0,
        reporter: IpAddress(0),
        source: end(datagram.source, [a, b]),
        destination: end(datagram.destination, [c, d]),
        seq: u32::from_be_bytes(seq),
        complaint: Complaint::NoRoute,
    })
}
