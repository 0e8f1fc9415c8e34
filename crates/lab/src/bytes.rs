//! Packets as bytes, where a tap or a port needs them.

use std::net::Ipv4Addr;

use capture::packet::{
    Datagram, EtherType, IcmpEcho, IcmpError, Payload, SackBlock, Tcp, TcpFlags, TcpOptions,
    Timestamps, Transport, Udp, ethernet,
};
use net::arp::{ARP_BYTES, Arp, Operation};
use net::icmp::Error;
use net::impairment::Damage;
use net::mobile_ip::Message;
use net::nat::Protocol;
use tcp::{Flags, Segment, Seq};
use units::MacAddress;

use crate::foreign::Foreign;
use crate::packet::{Body, Packet, Ports};

/// What a packet is to whoever looks at a frame that carries it.
pub fn ether_type(packet: &Packet) -> EtherType {
    let sound = match packet.body {
        Body::Arp(_) => EtherType::ARP,
        Body::Foreign(kind, _) => kind,
        _ => EtherType::IPV4,
    };
    if packet.damage.any_of(Damage::TYPE) {
        EtherType(sound.0 ^ 1)
    } else {
        sound
    }
}

/// Appends a packet, at most `snap` bytes of it, to `out`; answers its whole length. Of one that
/// is damaged the checksums that tell it are wrong.
pub fn write_packet(foreign: &Foreign, packet: &Packet, snap: usize, out: &mut Vec<u8>) -> usize {
    let start = out.len();
    let length = write_sound(foreign, packet, snap, out);
    if !packet.damage.is_none() {
        spoil(packet.damage, &mut out[start..]);
    }
    length
}

/// Appends a packet as the Ethernet frame of its hop, without the check sequence, at most `snap`
/// bytes of it; answers its whole length.
pub fn write_ethernet(foreign: &Foreign, packet: &Packet, snap: usize, out: &mut Vec<u8>) -> usize {
    let hop = packet.hop;
    let header = ethernet(hop.source, hop.destination, ether_type(packet));
    out.extend_from_slice(&header);
    let room = snap.saturating_sub(header.len());
    header.len() + write_packet(foreign, packet, room, out)
}

/// Flips the last bit of each checksum that tells the damage, or of the packet where there is no
/// such checksum: which bits were hit means nothing where a payload is a length.
fn spoil(damage: Damage, bytes: &mut [u8]) {
    const PROTOCOL: usize = 9;
    const IP_CHECKSUM: usize = 11;
    const BEHIND_IP: usize = net::IPV4_HEADER as usize;
    let checksum = match bytes.get(PROTOCOL) {
        Some(6) => BEHIND_IP + 17,
        Some(17) => BEHIND_IP + 7,
        Some(1) => BEHIND_IP + 3,
        _ => bytes.len().saturating_sub(1),
    };
    let told_by = [
        (Damage::IP_HEADER, IP_CHECKSUM),
        (Damage::SEGMENT, checksum),
    ];
    for (_, place) in told_by.iter().filter(|(what, _)| damage.any_of(*what)) {
        if let Some(byte) = bytes.get_mut(*place) {
            *byte ^= 1;
        }
    }
}

fn write_sound(foreign: &Foreign, packet: &Packet, snap: usize, out: &mut Vec<u8>) -> usize {
    let mut whole = |bytes: &[u8]| {
        out.extend_from_slice(&bytes[..bytes.len().min(snap)]);
        bytes.len()
    };
    match packet.body {
        Body::Foreign(_, number) => return whole(foreign.bytes(number)),
        Body::Arp(arp) => return whole(&arp_bytes(&arp)),
        _ => {}
    }
    let carried = carried(foreign, packet);
    let mut sack = [SackBlock { left: 0, right: 0 }; tcp::SackBlocks::MAX];
    let datagram = Datagram {
        source: packet.source,
        destination: packet.destination,
        identification: packet.identification,
        ttl: packet.ttl,
        tos: packet.dscp << 2 | packet.ecn() as u8,
        transport: transport(packet, &mut sack),
        payload: match packet.body {
            Body::Error(_, quoted) => Payload::Bytes(foreign.bytes(quoted)),
            Body::MobileIp(_) | Body::Tunnel(_) => Payload::Bytes(&carried),
            _ => Payload::Zeros(packet.payload() as usize),
        },
    };
    datagram
        .write(snap, out)
        .expect("a simulated packet fits its length fields")
}

/// What a packet carries behind its transport header, where that is no length alone.
fn carried(foreign: &Foreign, packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    match packet.body {
        Body::MobileIp(message) if message.is_icmp() => {
            bytes.extend_from_slice(&message.body()[ICMP_HEADER..]);
        }
        Body::MobileIp(message) => bytes = message.body(),
        Body::Tunnel(number) => {
            write_packet(foreign, foreign.wrapped(number), usize::MAX, &mut bytes);
        }
        _ => {}
    }
    bytes
}

/// Bytes of an ICMP message that are its header (RFC 792).
const ICMP_HEADER: usize = 8;

/// RFC 826, "Packet format", for Ethernet (1) and IPv4.
fn arp_bytes(arp: &Arp) -> [u8; ARP_BYTES as usize] {
    let operation = match arp.operation {
        Operation::Request => 1,
        Operation::Reply => 2,
    };
    let mut bytes = [0; ARP_BYTES as usize];
    bytes[..8].copy_from_slice(&[0, 1, 0x08, 0x00, 6, 4, 0, operation]);
    bytes[8..14].copy_from_slice(&arp.sender_mac.0);
    bytes[14..18].copy_from_slice(&arp.sender_ip.octets());
    bytes[18..24].copy_from_slice(&arp.target_mac.0);
    bytes[24..].copy_from_slice(&arp.target_ip.octets());
    bytes
}

/// What an ARP packet for IPv4 over Ethernet says; none of what is no such packet.
pub fn read_arp(bytes: &[u8]) -> Option<Arp> {
    let bytes: &[u8; ARP_BYTES as usize] = bytes.get(..ARP_BYTES as usize)?.try_into().ok()?;
    let operation = match bytes[..8] {
        [0, 1, 0x08, 0x00, 6, 4, 0, 1] => Operation::Request,
        [0, 1, 0x08, 0x00, 6, 4, 0, 2] => Operation::Reply,
        _ => return None,
    };
    let mac = |at: usize| MacAddress(bytes[at..at + 6].try_into().expect("six of them"));
    let ip = |at: usize| Ipv4Addr::new(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
    Some(Arp {
        operation,
        sender_mac: mac(8),
        sender_ip: ip(14),
        target_mac: mac(18),
        target_ip: ip(24),
    })
}

/// A segment, as far as an ICMP error shows it: its way and its number.
pub struct QuotedSegment {
    /// Whom it was for.
    pub destination: Ipv4Addr,
    /// Its ports.
    pub ports: Ports,
    /// Its sequence number.
    pub seq: Seq,
}

/// The segment whose IP header and first eight bytes these are (RFC 792); none of what is no such
/// beginning.
pub fn read_quoted_segment(bytes: &[u8]) -> Option<QuotedSegment> {
    const TCP: u8 = 6;
    let header = usize::from(bytes.first()? & 0x0F) * 4;
    let destination: [u8; 4] = bytes.get(16..20)?.try_into().ok()?;
    let beginning: [u8; 8] = bytes.get(header..header + 8)?.try_into().ok()?;
    let [a, b, c, d, seq @ ..] = beginning;
    (bytes[9] == TCP).then(|| QuotedSegment {
        destination: destination.into(),
        ports: Ports {
            source: u16::from_be_bytes([a, b]),
            destination: u16::from_be_bytes([c, d]),
        },
        seq: Seq(u32::from_be_bytes(seq)),
    })
}

/// Who has sent a packet, by its port or identifier, as an ICMP error quotes it.
pub fn quoted_sender(bytes: &[u8]) -> Option<(Protocol, u16)> {
    let (protocol, place) = sender_in(bytes)?;
    let port = bytes.get(place..place + 2)?;
    Some((protocol, u16::from_be_bytes([port[0], port[1]])))
}

/// The same beginning of a packet, from someone else (RFC 5508 REQ-4); the sum of its IP header
/// holds again, that of what follows is not whole anyway.
pub fn rewrite_quoted_sender(bytes: &[u8], address: Ipv4Addr, port: u16) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let Some((_, place)) = sender_in(&bytes) else {
        return bytes;
    };
    if bytes.len() < place + 2 {
        return bytes;
    }
    bytes[12..16].copy_from_slice(&address.octets());
    bytes[place..place + 2].copy_from_slice(&port.to_be_bytes());
    let header = usize::from(bytes[0] & 0x0F) * 4;
    bytes[10..12].fill(0);
    let words = bytes[..header].chunks_exact(2);
    let sum: u32 = words
        .map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])))
        .sum();
    let folded = (sum & 0xFFFF) + (sum >> 16);
    let sum = !((folded & 0xFFFF) + (folded >> 16)) as u16;
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// What the packet is of that these bytes begin, and where its sender's port or identifier stands.
fn sender_in(bytes: &[u8]) -> Option<(Protocol, usize)> {
    let header = usize::from(bytes.first()? & 0x0F) * 4;
    match bytes.get(9)? {
        1 => Some((Protocol::Icmp, header + 4)),
        6 => Some((Protocol::Tcp, header)),
        17 => Some((Protocol::Udp, header)),
        _ => None,
    }
}

fn transport<'a>(packet: &Packet, sack: &'a mut [SackBlock; 4]) -> Transport<'a> {
    match packet.body {
        Body::Tcp(ports, segment) => Transport::Tcp(tcp_header(&segment, ports, sack)),
        Body::Udp(datagram) => Transport::Udp(Udp {
            source_port: datagram.source_port,
            destination_port: datagram.destination_port,
        }),
        Body::Echo(identifier, echo) => Transport::IcmpEcho(IcmpEcho {
            reply: echo.reply,
            identifier,
            sequence: echo.sequence as u16,
        }),
        Body::Error(error, _) => {
            let (kind, code) = error.type_and_code();
            Transport::IcmpError(IcmpError {
                kind,
                code,
                next_hop_mtu: match error {
                    Error::FragmentationNeeded { next_hop_mtu } => next_hop_mtu,
                    _ => 0,
                },
            })
        }
        Body::MobileIp(message) if message.is_icmp() => {
            let body = message.body();
            Transport::Icmp(body[..ICMP_HEADER].try_into().expect("it has a header"))
        }
        // The other port of a registration is any (RFC 5944 §3.3).
        Body::MobileIp(_) => Transport::Udp(Udp {
            source_port: Message::PORT,
            destination_port: Message::PORT,
        }),
        Body::Tunnel(_) => Transport::Ipv4,
        Body::Arp(_) | Body::Management(_) | Body::Foreign(..) => {
            unreachable!("they are no IP packets of ours")
        }
    }
}

fn tcp_header<'a>(segment: &Segment, ports: Ports, sack: &'a mut [SackBlock; 4]) -> Tcp<'a> {
    let blocks = segment.options.sack.as_slice();
    for (out, block) in sack.iter_mut().zip(blocks) {
        *out = SackBlock {
            left: block.start.0,
            right: block.end.0,
        };
    }
    let has = |flag| segment.flags.contains(flag);
    Tcp {
        source_port: ports.source,
        destination_port: ports.destination,
        sequence: segment.seq.0,
        acknowledgment: segment.ack.0,
        flags: TcpFlags {
            fin: has(Flags::FIN),
            syn: has(Flags::SYN),
            rst: has(Flags::RST),
            psh: has(Flags::PSH),
            ack: has(Flags::ACK),
            ece: has(Flags::ECE),
            cwr: has(Flags::CWR),
        },
        window: segment.window,
        options: TcpOptions {
            mss: segment.options.mss,
            window_scale: segment.options.window_scale,
            sack_permitted: segment.options.sack_permitted,
            timestamps: segment.options.timestamps.map(|stamps| Timestamps {
                value: stamps.value,
                echo: stamps.echo,
            }),
            sack: &sack[..blocks.len()],
        },
    }
}
