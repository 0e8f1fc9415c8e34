//! Whole exchanges, to the nanosecond, on an ideal channel.

use phy::{Mode, Preamble};
use units::Time;

use super::harness::{Channel, Sent};
use super::tests::config;
use super::{MacConfig, MsduDelivery, OutcomeResult};
use crate::frame::{Address, FrameKind};
use FrameKind::{Ack, Beacon, Cts, Data, Rts};

/// A full TCP segment: 1460 bytes, TCP/IP 40, LLC/SNAP 8; an MPDU of 1536 bytes.
const SEGMENT: u16 = 1508;

/// A channel that has been quiet for a millisecond.
fn quiet(count: u16, config: &MacConfig) -> Channel {
    let mut channel = Channel::new(count, config);
    channel.run_micros(1000);
    channel
}

fn durations(sent: &[Sent]) -> Vec<u16> {
    sent.iter().map(|sent| sent.frame.duration).collect()
}

#[test]
fn data_and_ack() {
    let mut channel = quiet(2, &config());
    channel.enqueue(0, 77, 1, SEGMENT);
    channel.run_micros(10_000);

    let data_end = 1000.0 + 192.0 + 1118.0; // PLCP, 1536 bytes at 11 Mbit/s
    let ack_begin = data_end + 10.0;
    let ack_end = ack_begin + 192.0 + 56.0; // 14 bytes at 2 Mbit/s
    let expected = [(1000.0, data_end, 0, Data), (ack_begin, ack_end, 1, Ack)];
    assert_eq!(channel.timeline(), expected);
    assert_eq!(durations(&channel.sent), [10 + 248, 0]);

    let (at, delivery) = channel.stations[1].deliveries[0];
    assert_eq!(
        delivery,
        MsduDelivery {
            msdu: 77,
            from: Address(0)
        }
    );
    assert_eq!(at.as_nanos(), 2_310_000);
    let outcome = channel.stations[0].outcomes[0];
    assert_eq!(
        (outcome.msdu, outcome.result),
        (77, OutcomeResult::Delivered { attempts: 1 })
    );
}

#[test]
fn the_short_preamble_shortens_data_and_ack_by_96_us_each() {
    let mut channel = quiet(
        2,
        &MacConfig {
            preamble: Preamble::Short,
            ..config()
        },
    );
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(10_000);
    let expected = [(1000.0, 2214.0, 0, Data), (2224.0, 2376.0, 1, Ack)];
    assert_eq!(channel.timeline(), expected);
}

#[test]
fn at_1_mbit_s_every_preamble_is_long() {
    let mut channel = quiet(
        2,
        &MacConfig {
            preamble: Preamble::Short,
            rate: Mode::DSSS_1,
            ..config()
        },
    );
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(20_000);
    let expected = [(1000.0, 13_480.0, 0, Data), (13_490.0, 13_794.0, 1, Ack)];
    assert_eq!(channel.timeline(), expected);
}

#[test]
fn rts_cts_data_ack() {
    let mut channel = quiet(
        3,
        &MacConfig {
            rts_threshold: 500,
            ..config()
        },
    );
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(10_000);

    let rts_end = 1000.0 + 192.0 + 80.0; // 20 bytes at 2 Mbit/s
    let cts_end = rts_end + 10.0 + 248.0;
    let data_end = cts_end + 10.0 + 1310.0;
    let ack_end = data_end + 10.0 + 248.0;
    let expected = [
        (1000.0, rts_end, 0, Rts),
        (rts_end + 10.0, cts_end, 1, Cts),
        (cts_end + 10.0, data_end, 0, Data),
        (data_end + 10.0, ack_end, 1, Ack),
    ];
    assert_eq!(channel.timeline(), expected);

    // Every NAV ends where the ACK does.
    let navs: Vec<f64> = channel
        .timeline()
        .iter()
        .zip(&channel.sent)
        .map(|(line, sent)| line.1 + f64::from(sent.frame.duration))
        .collect();
    assert_eq!(navs, [ack_end; 4]);
    let bystander = &channel.stations[2].contention;
    assert!(!bystander.nav_busy(Time::from_nanos((ack_end * 1e3) as u64)));
}

#[test]
fn rts_is_for_frames_longer_than_the_threshold() {
    let kinds = |rts_threshold| {
        let mut channel = quiet(
            2,
            &MacConfig {
                rts_threshold,
                ..config()
            },
        );
        channel.enqueue(0, 1, 1, SEGMENT);
        channel.run_micros(10_000);
        channel
            .sent
            .iter()
            .map(|sent| sent.frame.kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds(1536), [Data, Ack]);
    assert_eq!(kinds(1535), [Rts, Cts, Data, Ack]);
}

#[test]
fn a_burst_of_three_fragments_is_spaced_by_sifs() {
    let mut channel = quiet(
        2,
        &MacConfig {
            fragmentation_threshold: 768,
            ..config()
        },
    );
    channel.enqueue(0, 5, 1, SEGMENT);
    channel.run_micros(10_000);

    let full = 192.0 + 559.0; // 768 bytes: 558.5 µs, rounded up
    let last = 192.0 + 41.0; // 56 bytes: 40.7 µs
    let mut at = 1000.0;
    let mut expected = Vec::new();
    for airtime in [full, full, last] {
        expected.push((at, at + airtime, 0, Data));
        expected.push((at + airtime + 10.0, at + airtime + 258.0, 1, Ack));
        at += airtime + 258.0 + 10.0;
    }
    assert_eq!(channel.timeline(), expected);

    let ack = 10 + 248;
    let with_next = |next| ack + 10 + next + ack;
    let data_navs = [with_next(751), with_next(233), ack];
    let ack_navs = [with_next(751) - ack, with_next(233) - ack, 0];
    let expected: Vec<u16> = data_navs
        .into_iter()
        .zip(ack_navs)
        .flat_map(|n| [n.0, n.1])
        .collect();
    assert_eq!(durations(&channel.sent), expected);

    let data: Vec<_> = channel
        .sent
        .iter()
        .map(|s| s.frame)
        .filter(|f| f.kind == Data)
        .collect();
    assert!(
        data.iter()
            .all(|frame| frame.sequence == data[0].sequence && !frame.retry)
    );
    let parts: Vec<_> = data
        .iter()
        .map(|f| (f.fragment, f.body_offset, f.body_bytes))
        .collect();
    assert_eq!(parts, [(0, 0, 740), (1, 740, 740), (2, 1480, 28)]);
    assert_eq!(
        data.iter().map(|f| f.more_fragments).collect::<Vec<_>>(),
        [true, true, false]
    );
    assert_eq!(
        channel.stations[1].deliveries.len(),
        1,
        "one MSDU, at the last fragment"
    );
}

#[test]
fn a_burst_behind_an_rts_has_one_rts_only() {
    let config = MacConfig {
        fragmentation_threshold: 768,
        rts_threshold: 0,
        ..config()
    };
    let mut channel = quiet(2, &config);
    channel.enqueue(0, 5, 1, SEGMENT);
    channel.run_micros(10_000);
    let kinds: Vec<_> = channel.sent.iter().map(|sent| sent.frame.kind).collect();
    assert_eq!(kinds, [Rts, Cts, Data, Ack, Data, Ack, Data, Ack]);
}

#[test]
fn a_post_backoff_separates_the_frames_of_one_station() {
    let mut channel = quiet(2, &config());
    channel.backoffs(0, &[7]);
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.enqueue(0, 2, 1, SEGMENT);
    channel.run_micros(10_000);
    let first_ack_end = 1000.0 + 1310.0 + 258.0;
    assert_eq!(channel.timeline()[2].0, first_ack_end + 50.0 + 7.0 * 20.0);
    let sequences: Vec<_> = channel
        .sent
        .iter()
        .map(|sent| sent.frame.sequence)
        .collect();
    assert_eq!((sequences[0], sequences[2]), (0, 1));
}

#[test]
fn the_receiver_answers_while_it_counts_down_itself() {
    let mut channel = quiet(2, &config());
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(100);
    channel.backoffs(1, &[3]);
    channel.enqueue(1, 2, 0, 84);
    channel.run_micros(10_000);
    let lines = channel.timeline();
    let ack_end = 1000.0 + 1310.0 + 258.0;
    assert_eq!((lines[1].1, lines[1].3), (ack_end, Ack));
    assert_eq!((lines[2].0, lines[2].2), (ack_end + 50.0 + 60.0, 1));
}

#[test]
fn a_beacon_overtakes_the_queue_but_not_an_exchange() {
    let mut channel = quiet(
        2,
        &MacConfig {
            fragmentation_threshold: 768,
            ..config()
        },
    );
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.enqueue(0, 2, 1, SEGMENT);
    channel.run_micros(100);
    let station = &mut channel.stations[0];
    let backoffs = &mut station.backoffs;
    station
        .mac
        .send_beacon(channel.now, 60, &mut station.contention, backoffs);
    channel.run_micros(20_000);
    let kinds: Vec<_> = channel.sent.iter().map(|sent| sent.frame.kind).collect();
    let burst = [Data, Ack, Data, Ack, Data, Ack];
    assert_eq!(kinds, [&burst[..], &[Beacon], &burst[..]].concat());
    let beacon = channel.sent[6].frame;
    assert_eq!((beacon.mode(), beacon.bytes), (Mode::DSSS_1, 60 + 28));
    assert_eq!(channel.stations[0].mac.counters().beacons_sent, 1);
}

#[test]
fn sequence_numbers_wrap_after_4095() {
    let mut channel = quiet(
        2,
        &MacConfig {
            queue_packets: 5000,
            ..config()
        },
    );
    for id in 0..4098 {
        channel.enqueue(0, id, 1, 36);
    }
    channel.run_micros(4_000_000);
    let data = channel.sent.iter().filter(|sent| sent.frame.kind == Data);
    let sequences: Vec<u16> = data.map(|sent| sent.frame.sequence).collect();
    assert_eq!(sequences[4094..], [4094, 4095, 0, 1]);
    assert_eq!(channel.stations[1].mac.counters().delivered, 4098);
}

#[test]
fn a_full_queue_gives_the_packet_back() {
    let mut channel = quiet(
        2,
        &MacConfig {
            queue_packets: 2,
            ..config()
        },
    );
    channel.enqueue(0, 1, 1, 100);
    channel.enqueue(0, 2, 1, 100);
    let station = &mut channel.stations[0];
    let third = super::Msdu::data(3, Address(1), 100);
    let refused = station.mac.enqueue(
        channel.now,
        third,
        &mut station.contention,
        &mut station.backoffs,
    );
    assert_eq!(refused, Err(third));
    assert_eq!(
        (station.mac.counters().queue_drops, station.mac.queue_len()),
        (1, 2)
    );
}
