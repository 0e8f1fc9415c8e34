//! Packets as bytes, where a tap or a port needs them.

use capture::packet::{
    Datagram, IcmpEcho, Payload, SackBlock, Tcp, TcpFlags, TcpOptions, Timestamps, Transport, Udp,
};
use tcp::{Flags, Segment};

use crate::foreign::Foreign;
use crate::packet::{Body, Packet, Ports};
use crate::plan::Plan;

/// Time to live of a packet. Bridges do not lower it; 128 is what Windows starts with.
const TTL: u8 = 128;

/// Appends the IPv4 packet, at most `snap` bytes of it, to `out`; answers its whole length.
pub fn write_packet(
    plan: &Plan,
    foreign: &Foreign,
    packet: &Packet,
    snap: usize,
    out: &mut Vec<u8>,
) -> usize {
    if let Body::Foreign(number) = packet.body {
        let bytes = foreign.bytes(number);
        out.extend_from_slice(&bytes[..bytes.len().min(snap)]);
        return bytes.len();
    }
    let mut sack = [SackBlock { left: 0, right: 0 }; tcp::SackBlocks::MAX];
    let datagram = Datagram {
        source: plan.nodes[usize::from(packet.from)].address,
        destination: plan.nodes[usize::from(packet.to)].address,
        identification: packet.identification,
        ttl: TTL,
        transport: transport(packet, &mut sack),
        payload: Payload::Zeros(packet.payload() as usize),
    };
    datagram
        .write(snap, out)
        .expect("a simulated packet fits its length fields")
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
        Body::Foreign(_) => unreachable!("foreign packets are bytes already"),
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
            ece: false,
            cwr: false,
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
