//! Stations that are sent away, come back, and change their access point.

use dot11::{FrameKind, MacConfig, Mode};
use lab::{LossPlan, NodeRole, Plan, Record, Why, WirePlan};
use units::{Db, Dbm, Duration, Rate};

use crate::common::{bss, drop_tail, end, flow, mac, node, radio, seeking, udp};

const AP: usize = 1;
const STATION: usize = 2;

fn plain() -> MacConfig {
    MacConfig {
        queue_packets: 20,
        ..mac(Mode::CCK_11, Mode::DSSS_2)
    }
}

/// A datagram of 1000 bytes to a station every 8 ms for a second, of which those from the
/// twentieth on get lost, and nothing else, until its access point has lost three.
fn sent_away(keeps_queue: bool) -> Plan {
    let mut plan = bss(&plain(), 1, 3);
    plan.warmup_ns = Duration::ZERO;
    plan.tables.datagrams = true;
    let mut down = flow("down", 0, STATION, udp(1000, Some(Rate::from_mbps(1.0))));
    down.stop_ns = Some(Duration::from_secs(1));
    plan.flows.push(down);
    plan.associations = Some(seeking(&[STATION], &[AP], keeps_queue));
    plan.air
        .as_mut()
        .expect("there are radios")
        .lose
        .push(LossPlan {
            name: "hole".into(),
            senders: vec![AP],
            receivers: Vec::new(),
            frames: vec![FrameKind::Data],
            msdu: vec![20, 21, 22],
            fragment: Vec::new(),
            attempt: Vec::new(),
            number: Vec::new(),
        });
    plan
}

fn run(plan: &Plan) -> Record {
    lab::run(plan, 1, None).expect("no files are written")
}

fn came(record: &Record) -> usize {
    let datagrams = record.datagrams.iter();
    datagrams.filter(|each| each.received_s.is_some()).count()
}

#[test]
fn a_station_whose_packets_get_lost_is_sent_away_and_comes_back() {
    let record = run(&sent_away(false));
    let [roam] = record.roams[..] else {
        panic!("{:?}", record.roams);
    };
    assert_eq!((roam.why, roam.from), (Why::Deauthenticated, roam.to));
    // 5 ms until it scans, 2 and 10 ms on the channel, then authentication and association.
    let joined = roam.associated_s.expect("it does so");
    let away = (joined - roam.left_s).as_secs_f64();
    assert!((0.017..0.025).contains(&away), "{away}");
    assert!(roam.found_s < roam.authenticated_s);
    assert!(roam.authenticated_s < roam.associated_s);
    assert!(roam.associated_s < roam.served_s);
    assert_eq!(record.metrics["node.sta-1.associations"], 1.0);
    assert!((record.metrics["node.sta-1.outage_s"] - away).abs() < 1e-9);
}

/// Three packets were given up; what came while it was away went nowhere, or was kept.
#[test]
fn what_waits_for_a_station_that_is_away_is_dropped_or_kept() {
    let dropped = run(&sent_away(false));
    let kept = run(&sent_away(true));
    let sent = dropped.datagrams.len();
    assert!(sent - 3 > came(&dropped), "{} of {sent}", came(&dropped));
    assert!(came(&kept) >= came(&dropped));
    assert!(came(&kept) <= sent - 3);
}

/// Two access points at one switch, and a station that hears both; that of its own weakly.
pub fn between_two(roams: bool) -> Plan {
    let mut plan = bss(&plain(), 0, 3);
    plan.warmup_ns = Duration::ZERO;
    plan.tables.datagrams = true;
    let mut access_point = radio(&plain(), None);
    access_point.beacon_interval_ns = Some(Duration::from_millis(50));
    plan.nodes[AP].interfaces[0].radio = Some(access_point.clone());
    plan.nodes.push(node(
        "sta-1",
        NodeRole::Sta,
        2,
        vec![Some(radio(&plain(), Some(end(AP, 0))))],
    ));
    plan.nodes.push(node(
        "other",
        NodeRole::Ap,
        3,
        vec![Some(access_point), None],
    ));
    plan.nodes
        .push(node("hall", NodeRole::Switch, 4, vec![None, None, None]));
    let wire = |name: &str, ends| WirePlan {
        name: name.into(),
        ends,
        rate_bps: Rate::from_mbps(100.0),
        delay_ns: Duration::ZERO,
        queue: drop_tail(1000),
        impair: [Vec::new(), Vec::new()],
    };
    plan.wires = vec![
        wire("server", [end(0, 0), end(4, 0)]),
        wire("west", [end(AP, 1), end(4, 1)]),
        wire("east", [end(3, 1), end(4, 2)]),
    ];
    let air = plan.air.as_mut().expect("there are radios");
    air.loss_db = vec![vec![Db(70.0); 5]; 5];
    for (one, other) in [(AP, STATION), (STATION, AP)] {
        air.loss_db[one][other] = Db(90.0);
    }
    air.preamble_detection_dbm = Dbm(-94.0);
    plan.flows.push(flow(
        "down",
        0,
        STATION,
        udp(1000, Some(Rate::from_mbps(1.0))),
    ));
    let mut associations = seeking(&[STATION], &[AP, 3], false);
    if !roams {
        associations.stations[0].by.roam_below_dbm = None;
    }
    plan.associations = Some(associations);
    plan
}

#[test]
fn a_station_goes_to_the_access_point_that_it_hears_better_and_its_packets_follow() {
    let record = run(&between_two(true));
    let [roam] = record.roams[..] else {
        panic!("{:?}", record.roams);
    };
    assert_eq!(roam.why, Why::Signal);
    assert_eq!((roam.from.0, roam.to.0), (AP as u16, 3));
    let lost = record.datagrams.len() - came(&record);
    assert!(lost <= 2, "the switch knows the way at once: {lost}");
    assert_eq!(run(&between_two(false)).roams, []);
}

/// A datagram is one MSDU: what its receiver has decoded came, unless that belonged to another
/// access point by then.
#[test]
fn nothing_is_delivered_twice() {
    for seed in 0..8 {
        let record = lab::run(&between_two(true), seed, None).expect("no files are written");
        let count = |name: &str| record.metrics[name];
        let discarded = count("node.sta-1.drops_unassociated");
        assert_eq!(count("mac.data_msdus"), came(&record) as f64 + discarded);
    }
}
