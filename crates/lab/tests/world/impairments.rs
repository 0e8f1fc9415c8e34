//! What impairments of a wire do to traffic, and what the record says of it.

use crate::common::{bss, bulk, drop_tail, end, every, flow, mac, node, udp};
use crate::ping;
use dot11::Mode;
use lab::{NodeRole, Plan, Record, WirePlan};
use net::impairment::{Config, delay, duplicate, rate, uniform_delay};
use units::{Duration, Rate};

/// Two hosts and a gigabit wire without length between them.
fn wired(seconds: u64) -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 0, seconds);
    plan.air = None;
    plan.nodes = vec![
        node("left", NodeRole::Host, 0, vec![None]),
        node("right", NodeRole::Host, 1, vec![None]),
    ];
    plan.wires = vec![WirePlan {
        name: "wan".into(),
        ends: [end(0, 0), end(1, 0)],
        rate_bps: Rate::from_mbps(1000.0),
        delay_ns: Duration::ZERO,
        queue: drop_tail(1000),
        impair: [Vec::new(), Vec::new()],
    }];
    plan
}

fn run(plan: &Plan) -> Record {
    lab::run(plan, 1, None).expect("no files are written")
}

fn delays(millis: u64) -> Config {
    let delay = Duration::from_millis(millis);
    delay::Config {
        delay,
        changes: None,
    }
    .into()
}

/// Both ways are delayed by half the round trip.
fn with_round_trip(mut plan: Plan, millis: u64) -> Plan {
    plan.wires[0].impair = [0, 1].map(|_| vec![every("far", delays(millis / 2))]);
    plan
}

#[test]
fn the_round_trip_takes_the_delays_of_both_ways() {
    let mut plan = with_round_trip(wired(10), 50);
    plan.flows = vec![flow("ping", 0, 1, ping(Duration::from_secs(1)))];
    let metrics = run(&plan).metrics;
    // And twice 122 bytes of frame, preamble and gap at 1 Gbit/s.
    let rtt = metrics["flow.ping.rtt_ms_mean"];
    assert!((rtt - 50.001_952).abs() < 1e-6, "{rtt} ms");
}

/// A window of twelve segments is under way at a time.
#[test]
fn goodput_is_the_window_over_the_round_trip() {
    for millis in [10, 20, 50, 100, 200, 500] {
        let mut plan = with_round_trip(wired(20 + millis), millis);
        plan.warmup_ns = Duration::from_secs(10);
        for node in &mut plan.nodes {
            node.stack = tcp::profile("windows-xp").map(|profile| tcp::Profile {
                receive_window_bytes: 12 * 1460,
                ..profile
            });
        }
        plan.flows = vec![flow("down", 0, 1, bulk(None))];
        let found = run(&plan).metrics["goodput_mbps"];
        let expected = 12.0 * 1460.0 * 8.0 / (millis as f64 * 1e3);
        let error = found / expected - 1.0;
        assert!(
            error.abs() < 0.01,
            "{found} of {expected} Mbit/s at {millis} ms"
        );
    }
}

#[test]
fn the_record_tells_what_each_stage_did() {
    let mut plan = wired(20);
    plan.warmup_ns = Duration::ZERO;
    let copies = duplicate::Config {
        probability: 0.5,
        copies: [2, 2].into(),
    };
    let varies = uniform_delay::Config {
        delay: [5, 15].map(Duration::from_millis).into(),
        keep_order: false,
    };
    let slow = rate::Config {
        rate: Rate::from_mbps(1.0),
        changes: None,
        packets: 10,
        bytes: None,
        counts: rate::RateUnit::Frames,
    };
    plan.wires[0].impair[0] = vec![
        every("copies", copies.into()),
        every("varies", varies.into()),
        every("slow", slow.into()),
    ];
    plan.flows = vec![flow("up", 0, 1, udp(1000, Some(Rate::from_mbps(1.0))))];
    let metrics = run(&plan).metrics;
    let of = |what: &str| metrics[&format!("wire.wan.{what}_from.left")];
    let sent = of("copies.matched");
    assert!((of("copies.duplicated") / sent - 0.5).abs() < 3.0 * 0.5 / sent.sqrt());
    assert_eq!(of("copies.copies"), 2.0 * of("copies.duplicated"));
    assert_eq!(of("varies.matched"), sent + of("copies.copies"));
    let mean = of("varies.delay_us") / of("varies.delayed");
    assert!((mean / 10_000.0 - 1.0).abs() < 0.02, "{mean} us");
    // What it let through in twenty seconds is its rate: 1066 bytes of a megabit each.
    let passed = of("slow.matched") - of("slow.dropped");
    assert!(
        (passed * 1066.0 * 8.0 / 20e6 - 1.0).abs() < 0.01,
        "{passed}"
    );
}
