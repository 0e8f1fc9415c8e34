//! How fast captures are analysed: `cargo run --release -p anechoic-capture --example bench`.
//!
//! It makes captures in memory with few and with many connections, whose segments take turns
//! and of which some are lost and sent again, analyses them, and walks the same bytes with a
//! bare loop that only sums the headers. Arguments: packets per capture (default 4,000,000)
//! and, to keep a capture for other programs, a folder.

use std::collections::VecDeque;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use capture::analysis::{Limits, Tracker, feed};
use capture::read::Reader;
use capture::wifi::Sniffer;

/// Bytes kept of a packet, as `tcpdump -s 96` does.
const SNAP: usize = 96;
const MSS: u32 = 1448;

/// One packet in this many is lost between the tap and the receiver, and sent again.
const LOSS_INTERVAL: u64 = 500;

/// Segments in flight of each connection.
const WINDOW: usize = 20;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let packets: u64 = arguments
        .next()
        .map_or(4_000_000, |text| text.parse().expect("a number of packets"));
    let folder = arguments.next();
    println!("{packets} packets of {SNAP} bytes; best of three; million packets a second");
    println!(
        "{:>11} {:>7} {:>9} {:>7}",
        "connections", "bare", "analysed", "share"
    );
    for connections in [1, 200, 20_000] {
        let file = make(packets, connections);
        let bare = best(|| walk(&file));
        let analysed = best(|| analysed(&file, u64::from(connections)));
        let rate = |seconds: f64| packets as f64 / seconds / 1e6;
        let share = bare / analysed;
        println!(
            "{connections:>11} {:>7.2} {:>9.2} {share:>7.2}",
            rate(bare),
            rate(analysed)
        );
        if let Some(folder) = &folder {
            let name = format!("bench-{connections}.pcap");
            std::fs::File::create(Path::new(folder).join(name))?.write_all(&file)?;
        }
    }
    Ok(())
}

fn best(mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..3).map(time).fold(f64::INFINITY, f64::min)
}

/// The bare loop: every packet is found and the first 54 bytes of each are summed.
fn walk(file: &[u8]) {
    let mut reader = Reader::new(file).expect("a capture");
    let mut sum = 0_u64;
    while let Some(packet) = reader.next() {
        let headers = &packet.data[..54];
        sum = headers
            .iter()
            .fold(sum, |sum, &byte| sum.wrapping_add(byte.into()));
    }
    std::hint::black_box(sum);
}

fn analysed(file: &[u8], connections: u64) {
    let mut reader = Reader::new(file).expect("a capture");
    let (mut found, mut again) = (0, 0);
    let tracker = Tracker::new(Limits::default(), |summary| {
        found += 1;
        again += summary.client.counters.packets_retransmitted;
    });
    let (tally, _) = feed(&mut reader, tracker, &mut Sniffer::default());
    assert_eq!((found, tally.tcp), (connections, tally.packets));
    assert!(
        again > tally.packets / 2 / LOSS_INTERVAL,
        "losses are repaired"
    );
}

/// One sender and its receiver, as far as a capture at the sender shows them.
struct Conversation {
    client: [u8; 4],
    port: u16,
    next: u32,
    in_flight: VecDeque<u32>,
    lost: Option<u32>,
    duplicates: u32,
}

/// A capture in which `connections` take turns, each sending two segments and getting one
/// acknowledgment.
fn make(packets: u64, connections: u32) -> Vec<u8> {
    let mut file = Vec::with_capacity(packets as usize * (SNAP + 16) + 24);
    for word in [0xA1B2_3C4D_u32, 0x0004_0002, 0, 0, SNAP as u32, 1] {
        file.extend(word.to_le_bytes());
    }
    let mut all: Vec<Conversation> = (0..connections)
        .map(|n| Conversation {
            client: [10, 1, (n >> 8) as u8, n as u8],
            port: 20_000 + (n >> 16) as u16,
            next: n.wrapping_mul(0x9E37_79B9),
            in_flight: VecDeque::new(),
            lost: None,
            duplicates: 0,
        })
        .collect();
    let mut written = 0;
    let mut out = |client: &Conversation, to_server: bool, seq, ack, length| {
        if written < packets {
            record(&mut file, written, client, to_server, (seq, ack, length));
            written += 1;
        }
        written
    };
    loop {
        for one in &mut all {
            if one.turn(&mut out) >= packets {
                return file;
            }
        }
    }
}

impl Conversation {
    fn turn(&mut self, out: &mut impl FnMut(&Self, bool, u32, u32, u32) -> u64) -> u64 {
        let mut written = 0;
        while self.in_flight.len() < WINDOW && self.lost.is_none() {
            written = out(self, true, self.next, 1, MSS);
            self.in_flight.push_back(self.next);
            self.next = self.next.wrapping_add(MSS);
            if written % LOSS_INTERVAL == 0 {
                self.lost = Some(self.in_flight[0]);
                self.duplicates = 0;
            }
            if self.in_flight.len() % 2 == 0 {
                break;
            }
        }
        if let Some(lost) = self.lost {
            self.duplicates += 1;
            written = out(self, false, 1, lost, 0);
            if self.duplicates > 3 {
                written = out(self, true, lost, 1, MSS);
                self.lost = None;
            }
        } else if self.in_flight.len() >= WINDOW {
            self.in_flight.drain(..2);
            let ack = self.in_flight.front().copied().unwrap_or(self.next);
            written = out(self, false, 1, ack, 0);
        }
        written
    }
}

fn record(
    file: &mut Vec<u8>,
    number: u64,
    client: &Conversation,
    to_server: bool,
    (seq, ack, length): (u32, u32, u32),
) {
    const SERVER: [u8; 4] = [10, 0, 0, 1];
    const SERVER_PORT: u16 = 5001;
    let original = 14 + 20 + 32 + length;
    let kept = original.min(SNAP as u32);
    let time = number * 2_000;
    for word in [
        (time / 1_000_000_000) as u32,
        (time % 1_000_000_000) as u32,
        kept,
        original,
    ] {
        file.extend(word.to_le_bytes());
    }
    let end = file.len() + kept as usize;
    let ends = [(client.client, client.port), (SERVER, SERVER_PORT)];
    let [from, to] = if to_server { ends } else { [ends[1], ends[0]] };
    file.extend([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0]);
    file.extend((original as u16 - 14).to_be_bytes());
    file.extend((number as u16).to_be_bytes());
    file.extend([0x40, 0, 64, 6, 0, 0]);
    file.extend(from.0);
    file.extend(to.0);
    file.extend(from.1.to_be_bytes());
    file.extend(to.1.to_be_bytes());
    file.extend(seq.to_be_bytes());
    file.extend(ack.to_be_bytes());
    file.extend([0x80, 0x10, 0xFF, 0xFF, 0, 0, 0, 0, 1, 1, 8, 10]);
    file.extend(((time / 1_000_000) as u32).to_be_bytes());
    file.extend(1_u32.to_be_bytes());
    file.resize(end, 0);
}
