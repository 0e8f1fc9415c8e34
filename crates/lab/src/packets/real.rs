//! Packets of real machines: what their headers say becomes a packet like any other, which keeps
//! the bytes.

use net::arp::Arp;
use net::icmp::{Echo, Error};
use tcp::{
    Cookie, Ecn, FastOpenOption, Flags, Options, SackBlock, Segment, SendCause, Seq, Timestamps,
};
use units::Time;
use wire::ethernet::EtherType;
use wire::icmp::{ECHO_REPLY, Icmp};
use wire::tcp::{Tcp, TcpOption};
use wire::{Headers, NetworkHeader, TransportHeader, protocol};

use super::packet::mixed;
use super::{Body, ForeignPacket, InterfaceHop, Packet, Packets, SegmentPorts};

/// The packet in a frame's data, without the padding behind it; the caller has a hold on its bytes.
pub fn packet(
    now: Time,
    hop: InterfaceHop,
    kind: EtherType,
    data: &[u8],
    packets: &mut Packets,
) -> Packet {
    let arp = (kind == EtherType::ARP).then(|| Arp::read(data)).flatten();
    if let Some(arp) = arp {
        return Packet {
            hop,
            load: Some(packets.keep(&arp.bytes())),
            body: Body::Arp(arp),
            ..Packet::of_link(net::arp::ARP_BYTES as u16)
        };
    }
    let headers = Headers::read(kind, data);
    let data = &data[..headers.end().unwrap_or(data.len())];
    let service = headers.service().unwrap_or(0);
    let link = Packet {
        hop,
        dscp: service >> 2,
        ecn: ecn(service),
        load: Some(packets.keep(data)),
        ..Packet::of_link(data.len() as u16)
    };
    match headers.network {
        NetworkHeader::Ipv4(ip) if headers.network_at == 0 => Packet {
            source: ip.source,
            destination: ip.destination,
            identification: ip.identification,
            ttl: ip.ttl,
            body: body(now, &headers, data).unwrap_or(Body::Foreign(foreign(kind, &headers))),
            ..link
        },
        _ => Packet {
            body: Body::Foreign(foreign(kind, &headers)),
            ..link
        },
    }
}

/// Returns what an IPv4 packet carries, where machines here take part in that.
fn body(now: Time, headers: &Headers, data: &[u8]) -> Option<Body> {
    let payload = u32::from(headers.payload());
    match headers.transport {
        TransportHeader::Tcp(tcp) => {
            let ports = SegmentPorts {
                source: tcp.source_port,
                destination: tcp.destination_port,
            };
            Some(Body::Tcp(ports, segment(headers, &tcp, data)))
        }
        TransportHeader::Udp(udp) => Some(Body::Udp(net::Datagram {
            source_port: udp.source_port,
            destination_port: udp.destination_port,
            payload,
            number: 0,
            sent: now,
            tag: 0,
        })),
        TransportHeader::Icmp(icmp) if icmp.is_echo() => {
            let echo = Echo {
                reply: icmp.kind == ECHO_REPLY,
                sequence: icmp.number.into(),
                payload,
            };
            Some(Body::Echo(icmp.identifier, echo))
        }
        TransportHeader::Icmp(icmp) => error(icmp).map(Body::Error),
        TransportHeader::IcmpV6(_) | TransportHeader::Other => None,
    }
}

/// The segment as an endpoint takes it.
fn segment(headers: &Headers, tcp: &Tcp, data: &[u8]) -> Segment {
    let payload = u32::from(headers.payload());
    let flags = Flags(tcp.flags);
    Segment {
        seq: Seq(tcp.sequence),
        ack: Seq(tcp.acknowledgment),
        payload,
        window: tcp.window,
        flags,
        kind: match payload {
            _ if flags.intersects(Flags::SYN | Flags::RST) => SendCause::Control,
            0 if flags.contains(Flags::FIN) => SendCause::Control,
            0 => SendCause::Ack,
            _ => SendCause::Data,
        },
        ecn: ecn(headers.service().unwrap_or(0)),
        options: options(&data[headers.transport_at()..], tcp),
    }
}

fn options(segment: &[u8], header: &Tcp) -> Options {
    let is_syn = Flags(header.flags).contains(Flags::SYN);
    let mut options = Options::default();
    let mut fast_open = None;
    for option in wire::tcp::options(segment, header) {
        match option {
            TcpOption::MaximumSegmentSize(mss) if is_syn => options.mss = Some(mss),
            TcpOption::WindowScale(shift) if is_syn => options.window_scale = Some(shift),
            TcpOption::SackPermitted if is_syn => options.sack_permitted = true,
            TcpOption::Timestamps(value, echo) => {
                options.timestamps = Some(Timestamps { value, echo });
            }
            TcpOption::Sack(blocks) => {
                for block in blocks.chunks_exact(8) {
                    let number = |at: usize| {
                        let [a, b, c, d] = [block[at], block[at + 1], block[at + 2], block[at + 3]];
                        Seq(u32::from_be_bytes([a, b, c, d]))
                    };
                    let [start, end] = [number(0), number(4)];
                    options.sack.push(SackBlock { start, end });
                }
            }
            TcpOption::FastOpen(cookie, is_experimental) if is_syn => {
                fast_open = Cookie::new(cookie).map(|cookie| FastOpenOption {
                    cookie,
                    is_experimental,
                });
            }
            _ => {}
        }
    }
    // A SYN has no SACK blocks, in whose place the cookie stands.
    if let Some(option) = fast_open {
        options.set_fast_open(option);
    }
    options
}

/// The errors that machines here tell as well; others are for who looks at their bytes.
fn error(icmp: Icmp) -> Option<Error> {
    let next_hop_mtu = icmp.number;
    let known = [
        Error::NetUnreachable,
        Error::HostUnreachable,
        Error::PortUnreachable,
        Error::FragmentationNeeded { next_hop_mtu },
        Error::TimeExceeded,
    ];
    let number = (icmp.kind, icmp.code);
    (known.into_iter()).find(|error| error.type_and_code() == number)
}

fn ecn(service: u8) -> Ecn {
    match service & 0b11 {
        0b00 => Ecn::NotCapable,
        0b01 => Ecn::Capable1,
        0b10 => Ecn::Capable,
        _ => Ecn::Congestion,
    }
}

/// Returns what is asked of a packet on its way that no machine here takes part in.
fn foreign(kind: EtherType, headers: &Headers) -> ForeignPacket {
    let (addresses, protocol) = match headers.network {
        NetworkHeader::Ipv4(ip) => {
            let words = [ip.source, ip.destination].map(u32::from);
            (mixed(words), ip.protocol)
        }
        NetworkHeader::Ipv6(ip) => {
            let words = [ip.source, ip.destination].map(|address| {
                let address = address.to_bits();
                (address ^ address >> 32 ^ address >> 64 ^ address >> 96) as u32
            });
            (mixed(words), ip.protocol)
        }
        NetworkHeader::Other(_) => return ForeignPacket::of_kind(kind),
    };
    let (ports, flags) = match headers.transport {
        TransportHeader::Tcp(tcp) => ([tcp.source_port, tcp.destination_port], tcp.flags),
        TransportHeader::Udp(udp) => ([udp.source_port, udp.destination_port], 0),
        TransportHeader::Icmp(icmp) | TransportHeader::IcmpV6(icmp) => ([icmp.identifier, 0], 0),
        TransportHeader::Other => ([0; 2], 0),
    };
    let [source, destination] = ports.map(u32::from);
    ForeignPacket {
        kind,
        protocol,
        flags,
        payload: headers.payload(),
        flow: addresses ^ (source << 16 | destination) ^ u32::from(protocol) << 24,
    }
}

/// Returns whether a packet is an error of ICMP, about which none is told (RFC 1122 §3.2.2).
pub fn is_error(packet: &Packet, packets: &Packets) -> bool {
    match packet.body {
        Body::Error(_) => true,
        Body::Foreign(foreign) if foreign.protocol == protocol::ICMP => {
            let headers = (packets.bytes(packet)).map(|bytes| Headers::read(foreign.kind, bytes));
            headers.is_some_and(|headers| match headers.transport {
                TransportHeader::Icmp(icmp) => icmp.is_error(),
                _ => false,
            })
        }
        _ => false,
    }
}
