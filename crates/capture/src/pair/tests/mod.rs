//! Small captures of one path, made by hand, and what is told of them.

use std::net::Ipv4Addr;

use units::Time;

use super::*;
use crate::packet::{
    Datagram, MacAddress, Payload, Tcp, TcpFlags, TcpOptions, Timestamps, Transport, ethernet,
};
use crate::pcapng::{Frame, Interface, InterfaceId, LinkType, Writer};

mod large;

const MS: u64 = 1_000_000;

/// When the first packet is sent; it takes 5 ms to the second point, and 5 ms back.
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

/// What a capture has: packets, each with the time at its point, and its addresses there.
struct Capture {
    file: Writer<Vec<u8>>,
    wire: InterfaceId,
    client: (Ipv4Addr, u16),
    shift: u32,
}

impl Capture {
    fn new() -> Self {
        let mut file = Writer::new(Vec::new(), None).unwrap();
        let wire = file
            .add_interface(&Interface::new(LinkType::Ethernet, "wire"))
            .unwrap();
        Capture {
            file,
            wire,
            client: (Ipv4Addr::new(10, 0, 0, 1), 4000),
            shift: 0,
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
        let timestamps = sent.clock.map(|value| Timestamps { value, echo: 9 });
        let tcp = Tcp {
            source_port: from.1,
            destination_port: to.1,
            sequence: shifted(sent.seq, sent.is_client),
            acknowledgment: shifted(sent.ack, !sent.is_client && flags.ack),
            flags,
            window: 1000,
            options: TcpOptions {
                mss: sent.mss,
                timestamps,
                ..TcpOptions::default()
            },
        };
        let datagram = Datagram {
            source: from.0,
            destination: to.0,
            identification: sent.id,
            ttl: if sent.is_client { 64 } else { 60 },
            transport: Transport::Tcp(tcp),
            payload: Payload::Zeros(sent.payload as usize),
        };
        let mut bytes = ethernet(MacAddress::of_node(1), MacAddress::of_node(2)).to_vec();
        datagram.write(usize::MAX, &mut bytes).unwrap();
        self.file
            .frame(&Frame::whole(self.wire, Time::from_nanos(at_ns), &bytes))
            .unwrap();
    }
}

/// When the first point, and the second, sees a packet.
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
            |side| Reader::new(&files[side][..]),
            Limits::default(),
            true,
        )
        .unwrap()
    }
}

/// Fates in the order of the rows, of one way.
fn fates(told: &Comparison, way: Way) -> Vec<Fate> {
    let rows = &told.rows;
    let of_way = (0..rows.way.len()).filter(|&row| rows.way[row] == way as u8);
    of_way
        .map(|row| Fate::ALL[usize::from(rows.fate[row])])
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

#[test]
fn a_path_without_losses_takes_as_long_as_it_takes() {
    let told = Both::new().see(&three(), |_, _| true).told();
    assert_eq!(told.clock.clocks, Clocks::Same);
    assert_eq!(counts(&told), [[5, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0]]);
    for way in &told.ways {
        let delay = way.delay.unwrap();
        assert_eq!((delay.min_ns, delay.max_ns), (DELAY as i64, DELAY as i64));
    }
    assert_eq!(told.connections[0].lanes[0].hops, Some(0));
}

/// A segment that is lost twice and comes through the third time, with `clock` or without.
fn lost_twice(clock: Option<u32>, ids: bool) -> Comparison {
    let mut sent = three();
    // The segment is number 5, and its acknowledgment number 6.
    let lost = sent[5];
    sent.retain(|each| each.at_ms < 40);
    for (number, at_ms) in [40, 240, 640].into_iter().enumerate() {
        let clock = clock.map(|clock| clock + at_ms as u32);
        sent.push(Sent {
            at_ms,
            id: 10 + number as u16,
            clock,
            ..lost
        });
    }
    sent.push(Sent {
        at_ms: 646,
        seq: 1,
        ack: 2001,
        id: 9,
        ..ACK
    });
    if !ids {
        sent.iter_mut().for_each(|each| each.id = 0);
    }
    let lost = [sent.len() - 4, sent.len() - 3];
    Both::new()
        .see(&sent, |point, number| point == 0 || !lost.contains(&number))
        .told()
}

#[test]
fn each_transmission_of_the_same_bytes_has_its_own_fate() {
    for (clock, ids) in [(None, true), (Some(1), false), (Some(1), true)] {
        let told = lost_twice(clock, ids);
        assert_eq!(counts(&told)[0], [4, 2, 0, 0, 0, 0], "{clock:?} {ids}");
        assert_eq!(told.ways[0].delay.unwrap().max_ns, DELAY as i64);
        assert_eq!(
            (&told.ways[0].lost_times[..], told.ways[0].ambiguous),
            (&[0, 1][..], 0)
        );
    }
}

#[test]
fn without_anything_to_tell_them_by_the_usual_delay_decides_and_is_counted() {
    let told = lost_twice(None, false);
    assert_eq!(counts(&told)[0], [4, 2, 0, 0, 0, 0]);
    assert_eq!(told.ways[0].ambiguous, 1);
}

#[test]
fn what_was_acknowledged_and_not_captured_was_not_lost() {
    let told = Both::new()
        .see(&three(), |point, number| (point, number) != (1, 5))
        .told();
    assert_eq!(counts(&told)[0], [4, 0, 1, 0, 0, 0]);
}

#[test]
fn an_acknowledgment_that_is_lost_was_not_sent_needlessly() {
    let told = Both::new()
        .see(&three(), |point, number| (point, number) != (0, 4))
        .told();
    assert_eq!(counts(&told)[1], [3, 1, 0, 0, 0, 0]);
    assert_eq!(told.ways[1].lost_needless, 0);
}

#[test]
fn what_appears_behind_the_path_was_missed_before_it() {
    let told = Both::new()
        .see(&three(), |point, number| (point, number) != (0, 5))
        .told();
    assert_eq!(counts(&told)[0], [4, 0, 0, 1, 0, 0]);
}

#[test]
fn a_packet_that_is_doubled_on_the_way_is_told_once_more() {
    let sent = three();
    let mut both = Both::new().see(&sent, |_, _| true);
    both.0[1].add(START + 200 * MS, &sent[7]);
    assert_eq!(counts(&both.told())[0], [5, 0, 0, 0, 1, 0]);
}

#[test]
fn a_packet_that_is_overtaken_is_late() {
    let sent = conversation(&[0, 1].map(|n| Sent {
        seq: 1 + 1000 * n,
        ..DATA
    }));
    let mut both = Both::new().see(&sent, |point, number| point == 0 || number != 3);
    both.0[1].add(START + 70 * MS, &sent[3]);
    let told = both.told();
    assert_eq!(
        (counts(&told)[0], told.ways[0].late),
        ([4, 0, 0, 0, 0, 0], 1)
    );
}

#[test]
fn connections_are_numbered_from_one() {
    let told = Both::new().see(&three(), |_, _| true).told();
    assert_eq!(told.connections[0].number, 1);
    assert!(told.rows.connection.iter().all(|&number| number == 1));
}

#[test]
fn time_counts_from_the_first_tcp_segment() {
    let mut both = Both::new();
    let wire = both.0[1].wire;
    let arp = [0_u8; 42];
    let early = Frame::whole(wire, Time::from_nanos(START - 300 * MS), &arp);
    both.0[1].file.frame(&early).unwrap();
    let told = both.see(&three(), |_, _| true).told();
    assert_eq!(told.over_time.start_ns, START as i64);
}

#[test]
fn a_connection_is_recognised_behind_a_translator_of_addresses() {
    let sent = three();
    let mut both = Both::new();
    both.0[1].client = (Ipv4Addr::new(203, 0, 113, 7), 61_000);
    let told = both.see(&sent, |_, _| true).told();
    assert_eq!(counts(&told), [[5, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0]]);
    let [connection] = &told.connections[..] else {
        panic!("one connection")
    };
    assert_eq!(connection.ends[0].1, 4000);
    assert_eq!(connection.ends_second.unwrap()[0].1, 61_000);
}

#[test]
fn a_connection_that_each_capture_knew_by_itself_is_recognised_too() {
    let mut both = Both::new();
    both.0[1].client = (Ipv4Addr::new(203, 0, 113, 7), 61_000);
    // The first capture begins behind the SYN, so each knows the connection by itself at first.
    let told = both
        .see(&three(), |point, number| point == 1 || number > 0)
        .told();
    assert_eq!(counts(&told), [[4, 0, 0, 0, 0, 1], [4, 0, 0, 0, 0, 0]]);
    assert_eq!(told.connections.len(), 1);
}

#[test]
fn sequence_numbers_that_are_changed_on_the_way_are_found() {
    for from in [0, 3] {
        let mut both = Both::new();
        both.0[1].shift = 3_000_000_000;
        let sent = three();
        // Midway the first packets wait until both directions' numbers are known.
        let told = both.see(&sent, |_, number| number >= from).told();
        let [forth, back] = counts(&told);
        assert_eq!(
            forth[0] + back[0],
            sent.len() as u64 - from as u64,
            "{forth:?} {back:?}"
        );
        let shift = Alteration::SequenceNumbers {
            shift: 3_000_000_000,
        };
        assert_eq!(told.connections[0].lanes[0].alterations, [shift]);
        assert_eq!(told.connections[0].lanes[1].alterations, []);
    }
}

#[test]
fn what_passes_one_point_only_is_not_lost() {
    let sent = three();
    let mut both = Both::new().see(&sent, |_, _| true);
    both.0[0].client.1 = 4001;
    for each in &sent {
        both.0[0].add(times(each)[0] + 300 * MS, each);
    }
    let told = both.told();
    assert_eq!(counts(&told)[0], [5, 0, 0, 0, 0, 0]);
    assert_eq!(
        (told.connections_alone, told.packets_alone),
        ([1, 0], [9, 0])
    );
}

#[test]
fn what_passed_before_the_other_capture_began_is_outside() {
    let told = Both::new()
        .see(&three(), |point, number| point == 0 || number > 4)
        .told();
    assert_eq!(counts(&told), [[2, 0, 0, 0, 0, 3], [2, 0, 0, 0, 0, 2]]);
    assert_eq!(
        fates(&told, Way::Forth)
            .iter()
            .filter(|&&fate| fate == Fate::Lost)
            .count(),
        0
    );
}

#[test]
fn captures_without_a_common_packet_are_refused() {
    let both = Both::new().see(&three(), |point, _| point == 0);
    let files = both.0.map(|capture| capture.file.finish().unwrap());
    let refused = compare(
        |side| Reader::new(&files[side][..]),
        Limits::default(),
        false,
    );
    assert!(matches!(refused, Err(CompareError::NothingInCommon)));
}
