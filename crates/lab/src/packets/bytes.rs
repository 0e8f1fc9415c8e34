//! Packets as bytes, where a tap or a port needs them.

use std::net::Ipv4Addr;

use capture::packet::{
    EtherType, IcmpEcho, IcmpError, Ipv4Fields, Payload, SackOptionBlock, TcpFields, TcpFlags,
    TcpOptions, TimestampsOption, TransportFields, UdpFields, ethernet,
};
use net::icmp::Error;
use net::impairment::Damage;
use net::mobile_ip::Message;
use tcp::{Flags, Segment};
use wire::icmp::Quoted;
use wire::{Headers, Patch};

use super::{Body, Packet, Packets, SegmentPorts};

/// Returns what a packet is to whoever looks at a frame that carries it.
pub fn ether_type(packet: &Packet) -> EtherType {
    let sound = kind(packet);
    if packet.damage.any_of(Damage::TYPE) {
        EtherType(sound.0 ^ 1)
    } else {
        sound
    }
}

fn kind(packet: &Packet) -> EtherType {
    match packet.body {
        Body::Arp(_) => EtherType::ARP,
        Body::Foreign(foreign) => foreign.kind,
        _ => EtherType::IPV4,
    }
}

/// Appends a packet, at most `snap` bytes of it, to `out`; answers its whole length. Of one that
/// is damaged the checksums that tell it are wrong.
pub fn write_packet(packets: &Packets, packet: &Packet, snap: usize, out: &mut Vec<u8>) -> usize {
    if packet.damage.is_none() && packet.load.is_none() {
        return write_own(packets, packet, snap, out);
    }
    let start = out.len();
    match packets.bytes(packet) {
        Some(bytes) => out.extend_from_slice(bytes),
        None => _ = write_own(packets, packet, usize::MAX, out),
    }
    let length = out.len() - start;
    let data = &mut out[start..];
    let headers = Headers::read(kind(packet), data);
    let mut patch = Patch::new(headers, data);
    if packet.load.is_some() {
        bring_up_to_date(&mut patch, packet);
    }
    spoil(packet.damage, &mut patch);
    out.truncate(start.saturating_add(snap));
    length
}

/// Appends a packet as the Ethernet frame of its hop, without the check sequence, at most `snap`
/// bytes of it; answers its whole length.
pub fn write_ethernet(packets: &Packets, packet: &Packet, snap: usize, out: &mut Vec<u8>) -> usize {
    let hop = packet.hop;
    let header = ethernet(hop.source, hop.destination, ether_type(packet));
    out.extend_from_slice(&header);
    let room = snap.saturating_sub(header.len());
    header.len() + write_packet(packets, packet, room, out)
}

/// Writes into the bytes of a real packet what has changed since it came. Where no header is as
/// the packet says, as with what is no IPv4, only its differentiated service and ECN can have.
fn bring_up_to_date(patch: &mut Patch<'_>, packet: &Packet) {
    if let Body::Foreign(foreign) = packet.body
        && foreign.protocol == u8::MAX
    {
        return;
    }
    patch.set_service(packet.dscp << 2 | packet.ecn() as u8);
    if kind(packet) != EtherType::IPV4 {
        return;
    }
    patch.set_source(packet.source);
    patch.set_destination(packet.destination);
    patch.set_identification(packet.identification);
    patch.set_ttl(packet.ttl);
    match packet.body {
        Body::Tcp(ports, _) => patch.set_ports([ports.source, ports.destination]),
        Body::Udp(datagram) => {
            patch.set_ports([datagram.source_port, datagram.destination_port]);
        }
        Body::Echo(identifier, echo) => {
            let kind = if echo.reply {
                wire::icmp::ECHO_REPLY
            } else {
                wire::icmp::ECHO
            };
            patch.set_echo(kind, identifier);
        }
        _ => {}
    }
}

/// Flips the last bit of each checksum that tells the damage, or of the packet where there is no
/// such checksum: which bits were hit means nothing where a payload is a length.
fn spoil(damage: Damage, patch: &mut Patch<'_>) {
    if damage.any_of(Damage::IP_HEADER) {
        patch.spoil_network();
    }
    if damage.any_of(Damage::SEGMENT) {
        patch.spoil_transport();
    }
}

/// Writes a packet that is no more than what it says.
fn write_own(packets: &Packets, packet: &Packet, snap: usize, out: &mut Vec<u8>) -> usize {
    if let Body::Arp(arp) = packet.body {
        let bytes = arp.bytes();
        out.extend_from_slice(&bytes[..bytes.len().min(snap)]);
        return bytes.len();
    }
    let carried = carried(packets, packet);
    let mut sack = [SackOptionBlock { left: 0, right: 0 }; tcp::SackBlocks::MAX];
    let datagram = Ipv4Fields {
        source: packet.source,
        destination: packet.destination,
        identification: packet.identification,
        ttl: packet.ttl,
        tos: packet.dscp << 2 | packet.ecn() as u8,
        transport: transport(packet, &mut sack),
        payload: match packet.body {
            Body::MobileIp(_) | Body::Tunnel => Payload::Bytes(&carried),
            _ => Payload::Zeros(packet.payload() as usize),
        },
    };
    datagram
        .write(snap, out)
        .expect("a simulated packet fits its length fields")
}

/// Returns what a packet carries behind its transport header, where that is no length alone.
fn carried(packets: &Packets, packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    match (packet.body, packet.load) {
        (Body::MobileIp(message), _) if message.is_icmp() => {
            bytes.extend_from_slice(&message.body()[ICMP_HEADER..]);
        }
        (Body::MobileIp(message), _) => bytes = message.body(),
        (Body::Tunnel, Some(load)) => {
            write_packet(packets, packets.get(load.packet()), usize::MAX, &mut bytes);
        }
        _ => {}
    }
    bytes
}

/// Bytes of an ICMP message that are its header (RFC 792).
const ICMP_HEADER: usize = 8;

/// The beginning of the packet that an ICMP error is about.
pub fn quoted(error: &[u8]) -> Option<Quoted> {
    let headers = Headers::read(EtherType::IPV4, error);
    Quoted::read(error.get(headers.transport_at() + ICMP_HEADER..)?)
}

/// Appends the bytes of an ICMP error that tells `to` of the packet whose beginning is `quoted`.
pub fn write_error(error: Error, from: [Ipv4Addr; 2], quoted: &[u8], out: &mut Vec<u8>) {
    let (kind, code) = error.type_and_code();
    let [source, destination] = from;
    let datagram = Ipv4Fields {
        source,
        destination,
        identification: 0,
        ttl: 0,
        tos: 0,
        transport: TransportFields::IcmpError(IcmpError {
            kind,
            code,
            next_hop_mtu: match error {
                Error::FragmentationNeeded { next_hop_mtu } => next_hop_mtu,
                _ => 0,
            },
        }),
        payload: Payload::Bytes(quoted),
    };
    (datagram.write(usize::MAX, out)).expect("it quotes no more than a header");
}

fn transport<'a>(packet: &Packet, sack: &'a mut [SackOptionBlock; 4]) -> TransportFields<'a> {
    match packet.body {
        Body::Tcp(ports, segment) => TransportFields::Tcp(tcp_header(&segment, ports, sack)),
        Body::Udp(datagram) => TransportFields::Udp(UdpFields {
            source_port: datagram.source_port,
            destination_port: datagram.destination_port,
        }),
        Body::Echo(identifier, echo) => TransportFields::IcmpEcho(IcmpEcho {
            reply: echo.reply,
            identifier,
            sequence: echo.sequence as u16,
        }),
        Body::MobileIp(message) if message.is_icmp() => {
            let body = message.body();
            TransportFields::Icmp(body[..ICMP_HEADER].try_into().expect("it has a header"))
        }
        // The other port of a registration is any (RFC 5944 §3.3).
        Body::MobileIp(_) => TransportFields::Udp(UdpFields {
            source_port: Message::PORT,
            destination_port: Message::PORT,
        }),
        Body::Tunnel => TransportFields::Ipv4,
        Body::Arp(_) | Body::Management(_) | Body::Error(_) | Body::Foreign(_) => {
            unreachable!("they are no IP packets of ours")
        }
    }
}

fn tcp_header<'a>(
    segment: &Segment,
    ports: SegmentPorts,
    sack: &'a mut [SackOptionBlock; 4],
) -> TcpFields<'a> {
    let blocks = segment.options.sack.as_slice();
    for (out, block) in sack.iter_mut().zip(blocks) {
        *out = SackOptionBlock {
            left: block.start.0,
            right: block.end.0,
        };
    }
    let has = |flag| segment.flags.contains(flag);
    TcpFields {
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
            timestamps: segment.options.timestamps.map(|stamps| TimestampsOption {
                value: stamps.value,
                echo: stamps.echo,
            }),
            sack: &sack[..blocks.len()],
        },
    }
}
