//! Small captures of one path, made by hand, and what is told of them.

use std::net::Ipv4Addr;

use units::{MacAddress, Time};

use super::*;
use capture::packet::{
    EtherType, Ipv4Fields, Payload, SackOptionBlock, TcpFields, TcpFlags, TcpOptions,
    TimestampsOption, TransportFields, ethernet,
};
use capture::pcapng::{CaptureInterface, CapturedFrame, InterfaceId, LinkType, Writer};

mod copies;
mod cut;
mod hostile;
mod large;
mod order;
mod outcomes;
mod renamed;
mod tails;
mod whole;

const MS: u64 = 1_000_000;

/// Time when the first packet is sent; it takes 5 ms to the second point, and 5 ms back.
const START: u64 = 1_000_000 * MS;
const DELAY: u64 = 5 * MS;

/// A packet of the client, who is at the first point, or of the server at the second.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at_ms: u64,
    is_client: bool,
    syn: bool,
    fin: bool,
    mss: Option<u16>,
    seq: u32,
    ack: u32,
    payload: u32,
    id: u16,
    clock: Option<u32>,
    /// Range that the receiver reports to have twice.
    report: Option<(u32, u32)>,
}

const DATA: Sent = Sent {
    at_ms: 0,
    is_client: true,
    syn: false,
    fin: false,
    mss: None,
    seq: 1,
    ack: 1,
    payload: 1000,
    id: 0,
    clock: None,
    report: None,
};

const ACK: Sent = Sent {
    is_client: false,
    payload: 0,
    ..DATA
};

/// Handshake, and an acknowledgment from the server for each of `data`, which is sent in steps
/// of 20 ms.
fn conversation(data: &[Sent]) -> Vec<Sent> {
    let mut all = vec![
        Sent {
            syn: true,
            seq: 0,
            ack: 0,
            payload: 0,
            id: 1,
            ..DATA
        },
        Sent {
            at_ms: 5,
            syn: true,
            seq: 0,
            ack: 1,
            id: 1,
            ..ACK
        },
        Sent {
            at_ms: 10,
            payload: 0,
            id: 2,
            ..DATA
        },
    ];
    for (step, &sent) in (1..).zip(data) {
        let at_ms = 20 * step;
        all.push(Sent {
            at_ms,
            id: 2 + step as u16,
            ..sent
        });
        let ack = sent.seq + sent.payload;
        all.push(Sent {
            at_ms: at_ms + 6,
            seq: 1,
            ack,
            id: 1 + step as u16,
            ..ACK
        });
    }
    all
}

/// Three segments, one after the other.
fn three() -> Vec<Sent> {
    conversation(&[0, 1, 2].map(|n| Sent {
        seq: 1 + 1000 * n,
        ..DATA
    }))
}

/// A capture: packets, each with the time at its point, and its addresses there.
struct Capture {
    file: Writer<Vec<u8>>,
    wire: InterfaceId,
    client: (Ipv4Addr, u16),
    shift: u32,
    /// The time to live of the client's packets, and of the server's.
    ttl: [u8; 2],
    /// Bytes that are kept of a packet.
    kept: usize,
}

impl Capture {
    fn new() -> Self {
        let mut file = Writer::new(Vec::new(), None).unwrap();
        let wire = file
            .add_interface(&CaptureInterface::new(LinkType::Ethernet, "wire"))
            .unwrap();
        Capture {
            file,
            wire,
            client: (Ipv4Addr::new(10, 0, 0, 1), 4000),
            shift: 0,
            ttl: [64, 60],
            kept: usize::MAX,
        }
    }

    fn add(&mut self, at_ns: u64, sent: &Sent) {
        let server = (Ipv4Addr::new(10, 0, 0, 2), 80);
        let (from, to) = if sent.is_client {
            (self.client, server)
        } else {
            (server, self.client)
        };
        let shifted = |number: u32, is_shifted: bool| {
            if is_shifted {
                number.wrapping_add(self.shift)
            } else {
                number
            }
        };
        let flags = TcpFlags {
            syn: sent.syn,
            fin: sent.fin,
            ack: !sent.syn || sent.ack > 0,
            ..TcpFlags::default()
        };
        let timestamps = sent.clock.map(|value| TimestampsOption { value, echo: 9 });
        let report = sent
            .report
            .map(|(left, right)| SackOptionBlock { left, right });
        let tcp = TcpFields {
            source_port: from.1,
            destination_port: to.1,
            sequence: shifted(sent.seq, sent.is_client),
            acknowledgment: shifted(sent.ack, !sent.is_client && flags.ack),
            flags,
            window: 1000,
            options: TcpOptions {
                mss: sent.mss,
                timestamps,
                sack: report.as_slice(),
                ..TcpOptions::default()
            },
        };
        let datagram = Ipv4Fields {
            source: from.0,
            destination: to.0,
            identification: sent.id,
            ttl: self.ttl[usize::from(!sent.is_client)],
            tos: 0,
            transport: TransportFields::Tcp(tcp),
            payload: Payload::Zeros(sent.payload as usize),
        };
        let mut bytes = ethernet(
            MacAddress::of_node(1),
            MacAddress::of_node(2),
            EtherType::IPV4,
        )
        .to_vec();
        datagram.write(usize::MAX, &mut bytes).unwrap();
        let mut frame = CapturedFrame::whole(self.wire, Time::from_nanos(at_ns), &bytes);
        frame.bytes = &bytes[..bytes.len().min(self.kept)];
        self.file.frame(&frame).unwrap();
    }
}

/// Returns when the first point, and the second, sees a packet.
fn times(sent: &Sent) -> [u64; 2] {
    let at = START + sent.at_ms * MS;
    if sent.is_client {
        [at, at + DELAY]
    } else {
        [at + DELAY, at]
    }
}

/// Captures of packets that pass both points.
struct Both([Capture; 2]);

impl Both {
    fn new() -> Self {
        Both([Capture::new(), Capture::new()])
    }

    /// Each point sees the packets for which `sees` holds, with its number.
    fn see(mut self, sent: &[Sent], sees: impl Fn(usize, usize) -> bool) -> Self {
        for point in 0..2 {
            let mut seen: Vec<(u64, usize)> = (0..sent.len())
                .filter(|&number| sees(point, number))
                .map(|number| (times(&sent[number])[point], number))
                .collect();
            seen.sort_unstable();
            for (at_ns, number) in seen {
                self.0[point].add(at_ns, &sent[number]);
            }
        }
        self
    }

    fn told(self) -> Comparison {
        let files = self.0.map(|capture| capture.file.finish().unwrap());
        compare(
            |side| PacketReader::new(&files[side][..]),
            PairLimits::default(),
            true,
        )
        .unwrap()
    }
}

/// Fates in the order of the rows, of one way.
fn fates(told: &Comparison, way: PathDirection) -> Vec<PacketOutcome> {
    let rows = &told.rows;
    let of_way = (0..rows.way.len()).filter(|&row| rows.way[row] == way as u8);
    of_way
        .map(|row| PacketOutcome::ALL[usize::from(rows.fate[row])])
        .collect()
}

fn counts(told: &Comparison) -> [[u64; 6]; 2] {
    told.ways.each_ref().map(|way| {
        [
            way.passed,
            way.lost,
            way.uncaptured,
            way.appeared,
            way.doubled,
            way.outside,
        ]
    })
}
