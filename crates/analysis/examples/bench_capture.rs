//! Makes large captures and reads them: what `benches/captures.py` measures.
//!
//! ```text
//! bench_capture make FILE CONNECTIONS MEBIBYTES [wifi]    bulk transfers that take turns, with losses
//! bench_capture flood FILE FLOWS                          SYNs that nobody answers
//! bench_capture scan FILE FLOWS                           SYNs that are refused
//! bench_capture walk FILE                                 the bare loop: sum every packet's headers
//! bench_capture analyse FILE                              the analysis of all connections
//! ```
//!
//! The same arguments give the same file, and a smaller file is the front of a larger one, so
//! that slow programs may be given a part of the same traffic.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use analysis::wifi::Sniffer;
use analysis::{Tracker, TrackerLimits, feed};
use dissect::read::PacketReader;

/// Bytes kept of a packet, as `tcpdump -s 96` does; in monitor mode there is more in front.
const SNAP: usize = 96;
const SNAP_WIFI: usize = 144;
const MSS: u32 = 1448;

/// One packet in this many is lost between the tap and the receiver, and retransmitted.
const LOSS_INTERVAL: u64 = 500;

/// Segments in flight of each connection.
const WINDOW: usize = 20;

/// Stations of the 802.11 capture.
const STATIONS: u32 = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["make", file, connections, size] => {
            make(
                Trace::new(file, false)?,
                connections.parse()?,
                size.parse()?,
            )?;
        }
        ["make", file, connections, size, "wifi"] => {
            make(Trace::new(file, true)?, connections.parse()?, size.parse()?)?;
        }
        ["flood", file, flows] => flood(Trace::new(file, false)?, flows.parse()?, false)?,
        ["scan", file, flows] => flood(Trace::new(file, false)?, flows.parse()?, true)?,
        ["walk", file] => walk(PacketReader::new(File::open(file)?)?),
        ["analyse", file] => tell(PacketReader::new(File::open(file)?)?),
        _ => return Err("usage: bench_capture make|flood|scan|walk|analyse FILE …".into()),
    }
    Ok(())
}

/// The bare loop: every packet is found and the bytes of its headers are summed.
fn walk(mut reader: PacketReader<File>) {
    /// Ethernet, IPv4, and TCP with timestamps.
    const HEADERS: usize = 14 + 20 + 32;
    let (mut packets, mut sum) = (0_u64, 0_u64);
    while let Some(packet) = reader.next() {
        let headers = &packet.data[..packet.data.len().min(HEADERS)];
        let add = |sum: u64, &byte: &u8| sum.wrapping_add(byte.into());
        sum = headers.iter().fold(sum, add);
        packets += 1;
    }
    println!("packets={packets} sum={sum}");
}

fn tell(mut reader: PacketReader<File>) {
    let (mut found, mut again) = (0_u64, 0_u64);
    let tracker = Tracker::new(TrackerLimits::default(), |summary| {
        found += 1;
        again += summary.client.counters.packets_retransmitted;
    });
    let (dissector, evicted) = feed(&mut reader, tracker, &mut Sniffer::default());
    let tally = dissector.tally();
    println!(
        "packets={} tcp={} connections={found} again={again} evicted={evicted}",
        tally.packets, tally.tcp
    );
}

/// Writes packets, as a wire's tap or as a sniffer in monitor mode would.
struct Trace {
    file: BufWriter<File>,
    is_wifi: bool,
    packets: u64,
    bytes: u64,
    /// The last sequence number of each count: the stations', and the access point's for each.
    sequences: [[u16; STATIONS as usize]; 2],
}

/// The fields of a segment.
#[derive(Clone, Copy)]
struct Segment {
    /// The client's address and port; the server is always the same.
    client: ([u8; 4], u16),
    to_server: bool,
    seq: u32,
    ack: u32,
    flags: u8,
    length: u32,
    /// The timestamp that is echoed: the latest that the other end sent.
    echo: u32,
}

const ACK: u8 = 0x10;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;

impl Trace {
    fn new(path: &str, is_wifi: bool) -> io::Result<Self> {
        let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
        let (snap, link) = if is_wifi { (SNAP_WIFI, 127) } else { (SNAP, 1) };
        for word in [0xA1B2_3C4D_u32, 0x0004_0002, 0, 0, snap as u32, link] {
            file.write_all(&word.to_le_bytes())?;
        }
        Ok(Trace {
            file,
            is_wifi,
            packets: 0,
            bytes: 24,
            sequences: [[0; STATIONS as usize]; 2],
        })
    }

    fn segment(&mut self, segment: &Segment) -> io::Result<()> {
        let number = self.packets;
        let ip = ip(segment, number);
        if !self.is_wifi {
            let ethernet = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
            return self.record(&[&ethernet, &ip], segment.length, SNAP);
        }
        let station = u32::from_be_bytes(segment.client.0) % STATIONS;
        let last = &mut self.sequences[usize::from(segment.to_server)][station as usize];
        *last = last.wrapping_add(1);
        let sequence = (*last << 4).to_le_bytes();
        let (station, access_point) = ([2, 0, 0, 0, 1, station as u8], [2, 0, 0, 0, 0, 1]);
        let (receiver, sender) = match segment.to_server {
            true => (access_point, station),
            false => (station, access_point),
        };
        let toward = 2 - u8::from(segment.to_server);
        self.record(
            &[
                &radiotap(number * 2),
                &[0x88, toward, 44, 0],
                &receiver,
                &sender,
                &[2, 0, 0, 0, 0, 2],
                &sequence,
                &[0, 0, 0xAA, 0xAA, 3, 0, 0, 0, 8, 0],
                &ip,
            ],
            segment.length,
            SNAP_WIFI,
        )?;
        let control = [&[0xD4, 0, 0, 0][..], &sender].concat();
        self.record(&[&radiotap(number * 2 + 1), &control], 0, SNAP_WIFI)
    }

    /// A packet of these headers and `payload` bytes, of which `snap` are kept.
    fn record(&mut self, parts: &[&[u8]], payload: u32, snap: usize) -> io::Result<()> {
        const PADDING: [u8; SNAP_WIFI] = [0; SNAP_WIFI];
        let headers: usize = parts.iter().map(|part| part.len()).sum();
        let original = headers + payload as usize;
        let kept = original.min(snap);
        let time = self.packets * 2_000;
        let seconds = (time / 1_000_000_000) as u32;
        let nanoseconds = (time % 1_000_000_000) as u32;
        for word in [seconds, nanoseconds, kept as u32, original as u32] {
            self.file.write_all(&word.to_le_bytes())?;
        }
        for part in parts {
            self.file.write_all(part)?;
        }
        self.file.write_all(&PADDING[..kept - headers])?;
        self.packets += 1;
        self.bytes += 16 + kept as u64;
        Ok(())
    }
}

/// Timer, flags, rate, channel and signal, as most drivers give them.
fn radiotap(microseconds: u64) -> [u8; 24] {
    let mut header = [0; 24];
    header[2] = 24;
    header[4] = 0b10_1111;
    header[8..16].copy_from_slice(&microseconds.to_le_bytes());
    header[17] = 22;
    header[18..20].copy_from_slice(&2437_u16.to_le_bytes());
    header[20] = 0xA0;
    header[22] = 0xC4;
    header
}

/// The headers of IPv4 and of TCP with timestamps.
fn ip(segment: &Segment, number: u64) -> [u8; 52] {
    const SERVER: ([u8; 4], u16) = ([10, 0, 0, 1], 5001);
    let ends = [segment.client, SERVER];
    let [from, to] = if segment.to_server {
        ends
    } else {
        [ends[1], ends[0]]
    };
    let mut header = [0; 52];
    header[0] = 0x45;
    header[2..4].copy_from_slice(&(52 + segment.length as u16).to_be_bytes());
    header[4..6].copy_from_slice(&(number as u16).to_be_bytes());
    header[6..10].copy_from_slice(&[0x40, 0, 64, 6]);
    header[12..16].copy_from_slice(&from.0);
    header[16..20].copy_from_slice(&to.0);
    header[20..22].copy_from_slice(&from.1.to_be_bytes());
    header[22..24].copy_from_slice(&to.1.to_be_bytes());
    header[24..28].copy_from_slice(&segment.seq.to_be_bytes());
    header[28..32].copy_from_slice(&segment.ack.to_be_bytes());
    header[32..36].copy_from_slice(&[0x80, segment.flags, 0xFF, 0xFF]);
    header[40..44].copy_from_slice(&[1, 1, 8, 10]);
    header[44..48].copy_from_slice(&clock(number).to_be_bytes());
    header[48..52].copy_from_slice(&segment.echo.to_be_bytes());
    header
}

/// Returns what the clocks of both ends show at a packet of this number: milliseconds, as packets
/// are 2 µs apart.
const fn clock(number: u64) -> u32 {
    1 + (number / 500) as u32
}

fn flood(mut trace: Trace, flows: u32, is_refused: bool) -> io::Result<()> {
    for number in 0..flows {
        let [a, b, c, d] = number.to_be_bytes();
        let attempt = Segment {
            client: ([11, b, c, d], 1024 + u16::from(a)),
            to_server: true,
            seq: number.wrapping_mul(0x9E37_79B9),
            ack: 0,
            flags: SYN,
            length: 0,
            echo: 0,
        };
        trace.segment(&attempt)?;
        if is_refused {
            trace.segment(&Segment {
                to_server: false,
                seq: 0,
                ack: attempt.seq.wrapping_add(1),
                flags: RST | ACK,
                ..attempt
            })?;
        }
    }
    trace.file.flush()
}

/// One sender and its receiver, as far as a capture at the sender shows them.
struct Conversation {
    client: ([u8; 4], u16),
    next: u32,
    in_flight: VecDeque<u32>,
    lost: Option<u32>,
    duplicates: u32,
    /// The latest timestamps of the client and of the server.
    clocks: [u32; 2],
}

/// A capture in which `connections` take turns, each sending two segments and getting one
/// acknowledgment.
fn make(mut trace: Trace, connections: u32, mebibytes: u64) -> io::Result<()> {
    let mut all: Vec<Conversation> = (0..connections)
        .map(|n| Conversation {
            client: ([10, 1, (n >> 8) as u8, n as u8], 20_000 + (n >> 16) as u16),
            next: n.wrapping_mul(0x9E37_79B9),
            in_flight: VecDeque::new(),
            lost: None,
            duplicates: 0,
            clocks: [0; 2],
        })
        .collect();
    for step in [
        Conversation::open,
        Conversation::answer,
        Conversation::accept,
    ] {
        for one in &mut all {
            step(one, &mut trace)?;
        }
    }
    loop {
        for one in &mut all {
            one.turn(&mut trace)?;
            if trace.bytes >= mebibytes << 20 {
                return trace.file.flush();
            }
        }
    }
}

impl Conversation {
    fn open(&mut self, trace: &mut Trace) -> io::Result<()> {
        let isn = self.next.wrapping_sub(1);
        self.say(trace, true, [isn, 0], SYN)
    }

    fn answer(&mut self, trace: &mut Trace) -> io::Result<()> {
        self.say(trace, false, [0, self.next], SYN | ACK)
    }

    fn accept(&mut self, trace: &mut Trace) -> io::Result<()> {
        self.say(trace, true, [self.next, 1], ACK)
    }

    fn data(&mut self, trace: &mut Trace, seq: u32) -> io::Result<()> {
        self.send(trace, true, [seq, 1], ACK, MSS)
    }

    fn acknowledge(&mut self, trace: &mut Trace, ack: u32) -> io::Result<()> {
        self.say(trace, false, [1, ack], ACK)
    }

    /// Sends a segment without data.
    fn say(
        &mut self,
        trace: &mut Trace,
        to_server: bool,
        numbers: [u32; 2],
        flags: u8,
    ) -> io::Result<()> {
        self.send(trace, to_server, numbers, flags, 0)
    }

    fn send(
        &mut self,
        trace: &mut Trace,
        to_server: bool,
        [seq, ack]: [u32; 2],
        flags: u8,
        length: u32,
    ) -> io::Result<()> {
        let echo = self.clocks[usize::from(to_server)];
        self.clocks[usize::from(!to_server)] = clock(trace.packets);
        trace.segment(&Segment {
            client: self.client,
            to_server,
            seq,
            ack,
            flags,
            length,
            echo,
        })
    }

    fn turn(&mut self, trace: &mut Trace) -> io::Result<()> {
        while self.in_flight.len() < WINDOW && self.lost.is_none() {
            self.data(trace, self.next)?;
            self.in_flight.push_back(self.next);
            self.next = self.next.wrapping_add(MSS);
            if trace.packets.is_multiple_of(LOSS_INTERVAL) {
                self.lost = Some(self.in_flight[0]);
                self.duplicates = 0;
            }
            if self.in_flight.len().is_multiple_of(2) {
                break;
            }
        }
        if let Some(lost) = self.lost {
            self.duplicates += 1;
            self.acknowledge(trace, lost)?;
            if self.duplicates > 3 {
                self.data(trace, lost)?;
                self.lost = None;
            }
        } else if self.in_flight.len() >= WINDOW {
            self.in_flight.drain(..2);
            let ack = self.in_flight.front().copied().unwrap_or(self.next);
            self.acknowledge(trace, ack)?;
        }
        Ok(())
    }
}
