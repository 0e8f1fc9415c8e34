//! What two captures of one path tell, against what the simulation knows.

use std::path::{Path, PathBuf};

use crate::common::{bss, bulk, drop_tail, end, flow, mac, node};
use capture::pcapng::{CaptureInterface, CapturedFrame, LinkType, Writer};
use dissect::read::PacketReader;
use dot11::Mode;
use lab::{NodeRole, Plan, Record, RoutePlan, TapPlan, TapPoint, WirePlan};
use pair::{Clocks, Comparison, PairLimits, PathDirection, compare, compare_paths};
use units::{Duration, Rate, Time};

const BYTES: u64 = 1_000_000;

/// A server behind a fast wire, a client behind a slow one whose router has a short queue; taps
/// at both hosts.
fn both_ends(stack: &str, queue_packets: u32) -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 0, 60);
    plan.warmup_ns = Duration::ZERO;
    let address = |last| std::net::Ipv4Addr::new(10, 0, 1, last);
    let mut router = node("router", NodeRole::Router, 5, vec![None, None]);
    router.interfaces[1].address = address(5);
    let mut client = node("client", NodeRole::Host, 9, vec![None]);
    client.interfaces[0].address = address(9);
    plan.nodes = vec![plan.nodes[0].clone(), router, client];
    let subnets = plan.nodes.iter_mut().flat_map(|node| &mut node.interfaces);
    subnets.for_each(|interface| interface.prefix_length = 24);
    let gateway = |gateway| RoutePlan {
        to: gateway,
        prefix_length: 0,
        gateway,
        interface: 0,
    };
    plan.nodes[0].routes = vec![gateway(plan.nodes[1].address())];
    plan.nodes[2].routes = vec![gateway(address(5))];
    plan.air = None;
    for node in &mut plan.nodes {
        node.stack = tcp::profile(stack);
    }
    plan.wires[0].queue = drop_tail(1000);
    plan.wires[0].ends = [end(0, 0), end(1, 0)];
    let lan = plan.wires[0].clone();
    plan.wires.push(WirePlan {
        name: "access".into(),
        ends: [end(2, 0), end(1, 1)],
        rate_bps: Rate::from_mbps(10.0),
        delay_ns: Duration::from_millis(7),
        queue: drop_tail(queue_packets),
        ..lan
    });
    for name in ["one", "two", "three"] {
        let app = bulk(Some(BYTES));
        plan.flows.push(flow(name, 0, 2, app));
    }
    plan.taps = ["server", "client"]
        .into_iter()
        .enumerate()
        .map(|(wire, name)| TapPlan {
            name: name.into(),
            at: TapPoint::Wire(wire),
            snap_bytes: 100,
        })
        .collect();
    plan
}

fn run(plan: &Plan, name: &str) -> (Record, [PathBuf; 2]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let record = lab::run(plan, 1, Some(&folder)).expect("the folder can be written");
    let file = |tap: &TapPlan| folder.join(format!("{}.pcapng", tap.name));
    (record, [file(&plan.taps[0]), file(&plan.taps[1])])
}

fn compared(files: &[PathBuf; 2]) -> Comparison {
    compare_paths([&files[0], &files[1]], PairLimits::default(), true)
        .expect("both are of one path")
}

/// The packets of a capture with other times.
fn retimed(file: &Path, time: impl Fn(u64) -> u64) -> Vec<u8> {
    let mut reader = PacketReader::open(file).expect("the tap wrote a file");
    let mut written = Writer::new(Vec::new(), None).expect("memory can be written");
    let wire = written
        .add_interface(&CaptureInterface::new(LinkType::Ethernet, "retimed"))
        .expect("likewise");
    while let Some(packet) = reader.next() {
        let frame = CapturedFrame {
            interface: wire,
            time: Time::from_nanos(time(packet.time_ns)),
            bytes: packet.data,
            original_len: packet.original_len,
            comment: None,
        };
        written.frame(&frame).expect("likewise");
    }
    written.finish().expect("likewise")
}

#[test]
fn every_packet_of_a_path_with_losses_is_accounted_for() {
    for (stack, queue_packets) in [("linux-6", 12), ("windows-xp", 6), ("freebsd-4.9", 20)] {
        let plan = both_ends(stack, queue_packets);
        let (record, files) = run(&plan, &format!("pair-{stack}"));
        let told = compared(&files);
        assert_eq!(told.clock.clocks, Clocks::Same);
        let [forth, back] = &told.ways;
        let drops = record.metrics["wire.access.drops_from.router"];
        assert!(drops > 10.0, "{drops}");
        assert_eq!(forth.lost as f64, drops);
        assert_eq!((back.lost, back.appeared, forth.appeared), (0, 0, 0));
        for way in [forth, back] {
            assert_eq!(
                (
                    way.uncaptured,
                    way.doubled,
                    way.outside,
                    way.late,
                    way.ambiguous
                ),
                (0, 0, 0, 0, 0)
            );
        }
        assert_eq!(
            forth.passed + forth.lost + back.passed,
            told.captures[0].tally.tcp
        );
        assert_eq!(forth.passed + back.passed, told.captures[1].tally.tcp);
        // Whatever was missing came through in the end.
        let repaired = forth
            .lost_times
            .iter()
            .zip(1..)
            .map(|(&count, times)| count * times);
        assert_eq!(repaired.sum::<u64>(), forth.lost_data - forth.lost_needless);
        assert!(forth.lost_for_good_times.is_empty());
    }
}

#[test]
fn one_way_delays_are_the_simulation_s_to_the_nanosecond() {
    let (_, files) = run(&both_ends("linux-6", 12), "pair-delays");
    let told = compared(&files);
    let back = told.ways[1].delay.expect("acknowledgments");
    // The smallest is that of a bare acknowledgment with timestamps, 52 bytes of IP, which with
    // Ethernet's overhead of 38 take 72 µs at 10 Mbit/s and 7.2 µs at 100, and 8 ms of wire.
    assert_eq!(back.min_ns, 72_000 + 7_200 + 8_000_000);
    let rows = &told.rows;
    let mut way = way_of(&files[0]);
    let mut forth: Vec<usize> = (0..rows.way.len())
        .filter(|&row| rows.way[row] == PathDirection::Forth as u8)
        .collect();
    forth.sort_unstable_by_key(|&row| rows.number_first[row]);
    for row in forth {
        let (number, expected) = way.next().expect("a packet of the server");
        assert_eq!(rows.number_first[row], number);
        assert_eq!(
            (number, rows.delay_ns[row]),
            (number, expected.unwrap_or(i64::MIN))
        );
    }
    assert_eq!(way.next(), None);
}

/// By the queues and wires of [`both_ends`], how long each packet takes that its first tap has:
/// its number in the file, and none if it is dropped.
fn way_of(file: &Path) -> impl Iterator<Item = (i64, Option<i64>)> + use<> {
    let mut reader = PacketReader::open(file).expect("the tap wrote a file");
    let (mut number, mut free) = (0, [0.0_f64; 2]);
    let mut leaving = Vec::new();
    std::iter::from_fn(move || {
        loop {
            let packet = reader.next()?;
            number += 1;
            // What the server sends has its address, 10.0.0.0, as the source.
            if packet.data[26..30] != [10, 0, 0, 0] {
                continue;
            }
            // Preamble, frame check sequence and gap are not captured: 24 bytes.
            let bits = f64::from(packet.original_len + 24) * 8.0;
            let sent = packet.time_ns as f64;
            free[0] = free[0].max(sent) + bits * 10.0;
            let at_router = free[0].floor() + 1e6;
            leaving.retain(|&time| time > at_router);
            if leaving.len() > 12 {
                return Some((number, None));
            }
            free[1] = free[1].max(at_router) + bits * 100.0;
            leaving.push(free[1]);
            return Some((number, Some((free[1] + 7e6 - sent) as i64)));
        }
    })
}

#[test]
fn another_clock_is_put_right_within_the_bound_that_is_told() {
    let (_, files) = run(&both_ends("linux-6", 12), "pair-clock");
    let truth = compared(&files);
    for (offset, ppm) in [
        (20_000_000_i64, 30.0),
        (3_600_000_000_000, -80.0),
        (45_000_000, 0.0),
    ] {
        let first = std::fs::read(&files[0]).expect("the tap wrote a file");
        let ahead = |time: u64| offset as f64 + time as f64 * ppm * 1e-6;
        let second = retimed(&files[1], |time| (time as f64 + ahead(time)).round() as u64);
        let open =
            |side: usize| PacketReader::new(if side == 0 { &first[..] } else { &second[..] });
        let told = compare(open, PairLimits::default(), true).expect("both are of one path");
        assert_eq!(told.clock.clocks, Clocks::Aligned);
        assert!(
            (told.clock.drift_ppm - ppm).abs() < 2.0,
            "{} {ppm}",
            told.clock.drift_ppm
        );
        let [least, most] = told.clock.drift_bounds_ppm.expect("both directions");
        assert!(least <= ppm + 0.01 && ppm - 0.01 <= most, "{least} {most}");
        let error = told.clock.error_ns.expect("both directions");
        // The rows come in the same order but for ties of the clocks: by their packets.
        let delays = |told: &Comparison| {
            let rows = &told.rows;
            let key = |row: usize| (rows.number_first[row], rows.number_second[row]);
            let mut delays: Vec<_> = (0..rows.way.len())
                .map(|row| (key(row), rows.delay_ns[row]))
                .collect();
            delays.sort_unstable();
            delays
        };
        let (right, put_right) = (delays(&truth), delays(&told));
        assert_eq!(right.len(), put_right.len());
        for ((packet, right), (same, delay)) in right.into_iter().zip(put_right) {
            assert_eq!(packet, same);
            assert!(
                (delay - right).abs() <= error,
                "{packet:?}: {delay} {right} ± {error}"
            );
        }
        let lost = |told: &Comparison| [told.ways[0].lost, told.ways[1].lost];
        assert_eq!(lost(&told), lost(&truth));
    }
}

/// An access point with a short queue, tapped at its wire and at its antenna, and stations of
/// which some are so far away that the access point gives frames up.
fn wire_and_air(stations: usize, loss_db: f64) -> Plan {
    let mut config = mac(Mode::CCK_11, Mode::DSSS_2);
    config.queue_packets = 10;
    let mut plan = bss(&config, stations, 60);
    plan.warmup_ns = Duration::ZERO;
    let air = plan.air.as_mut().expect("an access point has air");
    for row in &mut air.loss_db {
        row.fill(units::Db(loss_db));
    }
    air.noise_figure_db = units::Db(17.0);
    plan.wires[0].ends = [end(1, 1), end(0, 0)];
    for station in 2..2 + stations {
        let app = bulk(Some(BYTES));
        plan.flows
            .push(flow(&format!("down-{station}"), 0, station, app));
    }
    let points = [
        ("wire", TapPoint::Wire(0)),
        ("air", TapPoint::Air(end(1, 0))),
    ];
    plan.taps = points
        .into_iter()
        .map(|(name, at)| TapPlan {
            name: name.into(),
            at,
            snap_bytes: 200,
        })
        .collect();
    plan
}

/// Preamble and header of 192 µs and 14 bytes at 2 Mbit/s.
const ACK_NS: u64 = 192_000 + 14 * 8 * 500;

#[test]
fn the_access_point_s_queue_its_drops_and_its_attempts_are_the_simulation_s() {
    // At 93 dB most frames are too weak for the noise, and the access point gives many up.
    for (stations, loss_db, gives_up) in [(1, 48.0, false), (3, 48.0, false), (2, 93.0, true)] {
        let plan = wire_and_air(stations, loss_db);
        let (record, files) = run(&plan, &format!("pair-air-{stations}-{loss_db}"));
        let told = compared(&files);
        let truth = |name: &str| record.metrics[&format!("node.ap.{name}")];
        let forth = &told.ways[0];
        let air = forth
            .air
            .as_ref()
            .expect("the second capture is of the air");
        assert_eq!(told.clock.clocks, Clocks::Same);
        assert_eq!(forth.lost as f64, truth("drops_queue"));
        assert_eq!(air.unacknowledged as f64, truth("drops_retry_limit"));
        assert_eq!(air.unacknowledged > 0, gives_up);
        assert_eq!(air.frames as f64, truth("attempts"));
        assert_eq!(air.retries as f64, truth("retries"));
        assert_eq!(forth.appeared + told.ways[1].appeared + forth.uncaptured, 0);
        if !gives_up {
            // The queue's length over time is the time that packets spend in it (Little), from
            // their arrival to the end of their acknowledgments, whose beginning is captured.
            let waited = air.wire_to_acknowledgment.expect("acknowledged frames");
            let told_ns = waited.total_ns as f64 + (waited.count * ACK_NS) as f64;
            let area_ns = truth("queue_mean_packets") * record.metrics["measured_s"] * 1e9;
            assert!((told_ns - area_ns).abs() < 1.0, "{told_ns} {area_ns}");
        }
    }
}
