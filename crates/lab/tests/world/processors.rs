//! Machines that take time: what passes through them, and how long it is on its way.

use crate::common::{bss, cost, drop_tail, flow, mac, saturate_uplink, udp};
use crate::network::{LEFT, RIGHT, ROUTER, routed};
use crate::ping;
use dot11::Mode;
use lab::{CostPlan, Metrics, NodeRole, Plan, Record};
use units::{Duration, Rate};

fn run(plan: &Plan) -> Record {
    lab::run(plan, 1, None).expect("no files are written")
}

/// A router between two hosts that know each other's addresses.
fn two_networks() -> Plan {
    let mut plan = routed(NodeRole::Host);
    plan.caches_filled = true;
    plan
}

fn close(measured: f64, expected: f64, tolerance: f64) {
    let error = (measured / expected - 1.0).abs();
    assert!(error < tolerance, "{measured} against {expected}");
}

#[test]
fn a_router_passes_on_one_packet_for_each_time_of_its_processor() {
    let mut plan = two_networks();
    plan.warmup_ns = Duration::from_secs(1);
    plan.nodes[ROUTER].cost = Some(cost(100, 50));
    let offered = Some(Rate::from_mbps(16.0));
    plan.flows.push(flow("udp", LEFT, RIGHT, udp(100, offered)));
    let metrics = run(&plan).metrics;
    // 100 us for each: 10,000 packets of 100 bytes a second, of 20,000 that come.
    close(metrics["goodput_mbps"], 8.0, 1e-4);
    close(metrics["node.router.processor_busy"], 1.0, 1e-9);
    close(metrics["node.router.processor_drops"], 90_000.0, 1e-4);
    // Of 50 places one becomes free every 100 us, and is taken again within 50 us.
    assert_eq!(metrics["node.router.processor_queue_max_packets"], 50.0);
    close(metrics["node.router.processor_time_ms_mean"], 5.0, 0.01);
}

#[test]
fn who_sends_whenever_there_is_room_waits_for_its_own_processor() {
    let mut plan = two_networks();
    plan.nodes[LEFT].cost = Some(cost(100, 50));
    plan.flows.push(flow("udp", LEFT, RIGHT, udp(100, None)));
    let metrics = run(&plan).metrics;
    close(metrics["goodput_mbps"], 8.0, 1e-3);
    assert_eq!(metrics["node.left.processor_drops"], 0.0);
}

fn round_trip_us(costs: &[(usize, u64)]) -> f64 {
    let mut plan = two_networks();
    for &(node, per_packet_us) in costs {
        plan.nodes[node].cost = Some(cost(per_packet_us, 100));
    }
    let interval = Duration::from_secs(1);
    plan.flows.push(flow("ping", LEFT, RIGHT, ping(interval)));
    run(&plan).metrics["flow.ping.rtt_ms_mean"] * 1e3
}

#[test]
fn an_idle_machine_adds_its_cost_once_for_each_packet() {
    let free = round_trip_us(&[]);
    let added = |costs: &[(usize, u64)]| (round_trip_us(costs) - free).round();
    assert_eq!(added(&[(ROUTER, 100)]), 2.0 * 100.0, "both are passed on");
    assert_eq!(
        added(&[(LEFT, 20)]),
        2.0 * 20.0,
        "one is made, one received"
    );
    assert_eq!(
        added(&[(RIGHT, 30)]),
        2.0 * 30.0,
        "and here the other way round"
    );
    assert_eq!(added(&[(LEFT, 20), (ROUTER, 100), (RIGHT, 30)]), 300.0);
}

#[test]
fn an_access_point_adds_its_cost_to_what_it_bridges() {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 2, 10);
    let interval = Duration::from_millis(100);
    plan.flows.push(flow("ping", 0, 2, ping(interval)));
    let free = run(&plan).metrics["flow.ping.rtt_ms_mean"];
    plan.nodes[1].cost = Some(cost(400, 100));
    let metrics = run(&plan).metrics;
    close(metrics["flow.ping.rtt_ms_mean"] - free, 0.8, 1e-6);
    // Neither acknowledgements nor what the other station overhears are packets for a processor.
    assert_eq!(metrics["node.ap.processor_packets"], 2.0 * 90.0);
    close(
        metrics["node.ap.processor_busy"],
        180.0 * 0.4e-3 / 9.0,
        1e-6,
    );
}

#[test]
fn a_station_processes_the_next_packet_while_its_radio_sends_one() {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 11);
    plan.nodes[2].cost = Some(cost(5_000, 100));
    saturate_uplink(&mut plan, 1472);
    // 5 ms for each, which is longer than any exchange here takes.
    close(
        run(&plan).metrics["goodput_mbps"],
        200.0 * 1472.0 * 8e-6,
        1e-3,
    );
}

/// A script of files from the left to the right host.
fn script() -> Plan {
    let mut plan = two_networks();
    let script = traffic::ChariotThroughput {
        file_size: 100_000,
        transactions_per_record: 2,
        timing_records: Some(10),
        confirmation_size: 100,
        write_size: 32_768,
    };
    let app = traffic::Config::ChariotThroughput(script);
    plan.flows.push(flow("pair", LEFT, RIGHT, app));
    plan
}

fn of_host(per_connection: Duration, per_record: Duration) -> Option<CostPlan> {
    Some(CostPlan {
        per_connection_ns: per_connection,
        per_record_ns: per_record,
        ..cost(0, 1000)
    })
}

#[test]
fn both_ends_of_a_connection_take_their_time_to_set_it_up() {
    let mut plan = script();
    let setup = |plan: &Plan| run(plan).metrics["flow.pair.setup_ms_mean"];
    let free = setup(&plan);
    plan.nodes[LEFT].cost = of_host(Duration::from_millis(3), Duration::ZERO);
    close(setup(&plan) - free, 3.0, 1e-6);
    plan.nodes[RIGHT].cost = of_host(Duration::from_millis(5), Duration::ZERO);
    close(setup(&plan) - free, 3.0 + 5.0, 1e-6);
}

#[test]
fn a_timing_record_makes_a_gap_before_the_next() {
    let gaps = |plan: &Plan| -> Vec<Duration> {
        let records = run(plan).timing_records;
        let pairs = records.windows(2);
        let gap =
            |pair: &[lab::TimedRecord]| pair[1].start_s - (pair[0].start_s + pair[0].elapsed_s);
        pairs.map(gap).collect()
    };
    let mut plan = script();
    assert_eq!(gaps(&plan), [Duration::ZERO; 9]);
    let per_record = Duration::from_millis(7);
    plan.nodes[LEFT].cost = of_host(Duration::ZERO, per_record);
    assert_eq!(gaps(&plan), [per_record; 9]);
}

/// Returns what is measured besides the processors.
fn others(metrics: &Metrics) -> Vec<(String, f64)> {
    let all = metrics
        .iter()
        .filter(|(name, _)| !name.contains("processor"));
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}

#[test]
fn a_processor_that_costs_nothing_changes_nothing() {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 2, 3);
    plan.wires[0].queue = drop_tail(20);
    saturate_uplink(&mut plan, 700);
    plan.flows
        .push(flow("down", 0, 2, crate::common::bulk(None)));
    let without = run(&plan).metrics;
    for node in &mut plan.nodes {
        node.cost = Some(cost(0, 1));
    }
    let with = run(&plan).metrics;
    assert_eq!(
        format!("{:?}", others(&with)),
        format!("{:?}", others(&without))
    );
    assert_eq!(with["node.ap.processor_busy"], 0.0);
    assert!(without.get("node.ap.processor_busy").is_none());
}

#[test]
fn costs_have_limits() {
    let refused = |node: usize, own: CostPlan| {
        let mut plan = two_networks();
        plan.nodes[LEFT].role = NodeRole::Port;
        plan.nodes[node].cost = Some(own);
        let json = serde_json::to_string(&plan).expect("a plan is JSON");
        Plan::parse(&json).err().map(|error| error.to_string())
    };
    assert_eq!(refused(ROUTER, cost(1_000_000, 1)), None);
    assert_eq!(
        refused(ROUTER, cost(1_000_001, 1)).as_deref(),
        Some("nodes[1]: cost: at most a second for each packet, connection and record")
    );
    assert_eq!(
        refused(RIGHT, cost(20, 0)).as_deref(),
        Some("nodes[2]: cost.queue_packets: must be above zero")
    );
    assert_eq!(
        refused(LEFT, cost(20, 1)).as_deref(),
        Some("nodes[0]: cost: a port has no processor")
    );
}
