//! Queues in front of wires and radios.

use crate::common::{bss, bulk, drop_tail, flow, mac, radio_of, saturate_uplink, usual_queue};
use crate::ping;
use dot11::Mode;
use lab::{Plan, Record};
use net::queue::Config;
use units::{Duration, Rate};

/// Each drops early or by the wait, none by length alone.
const ACTIVE: [&str; 4] = ["red", "codel", "fq-codel", "pie"];

fn run(plan: &Plan) -> Record {
    lab::run(plan, 3, None).expect("no files are written")
}

fn metric(record: &Record, name: &str) -> f64 {
    let value = record.metrics.get(name);
    value.unwrap_or_else(|| panic!("there is no {name}"))
}

/// Downloads, and pings the same way, with a Linux of today and a round trip of 20 ms.
fn downloads(connections: usize) -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 60);
    plan.warmup_ns = Duration::from_secs(20);
    plan.wires[0].delay_ns = Duration::from_millis(10);
    for node in &mut plan.nodes {
        node.stack = tcp::profile("linux-6");
    }
    for number in 1..=connections {
        let name = format!("down-{number}");
        plan.flows.push(flow(&name, 0, 2, bulk(None)));
    }
    plan.flows
        .push(flow("probe", 0, 2, ping(Duration::from_millis(100))));
    plan
}

/// Goodput, the pings' mean round trip, and the mean wait in the queue at the bottleneck.
fn felt(record: &Record, queue: &str) -> (f64, f64, f64) {
    let of = |name| metric(record, name);
    let wait = of(queue);
    (of("goodput_mbps"), of("flow.probe.rtt_ms_mean"), wait)
}

/// Bufferbloat: where a queue holds as much as it can, every round trip waits for all of it; an
/// active one lets the sender know, which gives way at the same goodput.
fn relieves(bloated: &Record, active: impl Fn(&str) -> Record, queue: &str) {
    let (goodput, rtt_ms, wait_ms) = felt(bloated, queue);
    assert!(
        rtt_ms > 200.0 && wait_ms > 180.0,
        "{rtt_ms} ms, {wait_ms} ms"
    );
    for kind in ACTIVE {
        let (own, own_rtt_ms, own_wait_ms) = felt(&active(kind), queue);
        assert!(own_rtt_ms < 65.0, "{kind}: {own_rtt_ms} ms");
        assert!(own_wait_ms < 35.0, "{kind}: {own_wait_ms} ms");
        let apart = own / goodput - 1.0;
        assert!(
            apart.abs() < 0.03,
            "{kind}: {own} instead of {goodput} Mbit/s"
        );
    }
}

#[test]
fn on_a_wire_every_active_queue_takes_hundreds_of_milliseconds_down_to_tens() {
    let over_the_line = |queue| {
        let mut plan = downloads(4);
        plan.wires[0].rate_bps = Rate::from_mbps(4.0);
        plan.wires[0].queue = queue;
        run(&plan)
    };
    let active = |kind: &str| over_the_line([usual_queue(kind), usual_queue(kind)]);
    let queue = "wire.uplink.queue_ms_mean_from.server";
    relieves(&over_the_line(drop_tail(1000)), active, queue);
}

#[test]
fn at_an_access_point_every_active_queue_takes_hundreds_of_milliseconds_down_to_tens() {
    // What comes in order arrives in lots, of a queue of two seconds at most: long enough for these
    // to be a hundredth of the whole.
    let by_radio = |queue: Config| {
        let mut plan = downloads(1);
        plan.duration_ns = Duration::from_secs(220);
        radio_of(&mut plan, 1).queue = Some(queue);
        run(&plan)
    };
    let [bloated, _] = drop_tail(1000);
    let queue = "node.ap.queue.queue_ms_mean";
    relieves(
        &by_radio(bloated),
        |kind| by_radio(usual_queue(kind)),
        queue,
    );
}

/// A drop-tail queue in front of a MAC that holds the packet in service is as the MAC's own, which
/// counts that packet among its own.
#[test]
fn a_drop_tail_queue_of_its_own_changes_nothing_at_a_radio() {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 3, 6);
    for node in 1..5 {
        radio_of(&mut plan, node).mac.queue_packets = 20;
    }
    saturate_uplink(&mut plan, 700);
    for station in 2..5 {
        let name = format!("down-{station}");
        plan.flows.push(flow(&name, 0, station, bulk(None)));
    }
    let own_of_the_mac = run(&plan).metrics;
    assert!(own_of_the_mac["node.ap.drops_queue"] > 10.0);
    for node in 1..5 {
        let [queue, _] = drop_tail(19);
        let radio = radio_of(&mut plan, node);
        (radio.queue, radio.mac.queue_packets) = (Some(queue), 1);
    }
    let in_front = run(&plan).metrics;
    let drops = in_front["node.ap.queue.drops_full"];
    assert_eq!(drops, in_front["node.ap.drops_queue"]);
    let others = in_front
        .iter()
        .filter(|(name, _)| !name.contains(".queue."));
    assert!(others.eq(own_of_the_mac.iter()));
}
