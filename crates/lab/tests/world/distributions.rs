//! How long things take, each time: percentiles beside the raw times and closed forms.

use crate::common::{bss, bulk, flow, loses, mac, saturate_uplink, udp};
use crate::ping;
use dot11::Mode;
use lab::{Moment, Plan, Record, TableValues, WindowPlan};
use units::histogram::RELATIVE_ERROR;
use units::{Duration, Rate};

const SHARES: [(&str, f64); 4] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999)];

fn run(plan: &Plan) -> Record {
    lab::run(plan, 7, None).expect("no files")
}

fn kept(mut plan: Plan) -> Plan {
    plan.tables.distributions = true;
    plan
}

/// A download, a call and pings, all from the start of the measuring on.
fn three() -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 2, 20);
    let rate = Some(Rate::from_mbps(0.5));
    plan.flows.push(flow("call", 0, 2, udp(500, rate)));
    let interval = Duration::from_millis(20);
    plan.flows.push(flow("probe", 2, 0, ping(interval)));
    plan.flows.push(flow("download", 0, 3, bulk(None)));
    for flow in &mut plan.flows {
        flow.start_ns = plan.warmup_ns;
    }
    kept(plan)
}

/// The least of these that at least a share of them do not exceed.
fn exact(times: &[f64], share: f64) -> f64 {
    times[(share * times.len() as f64).ceil() as usize - 1]
}

fn assert_agree(record: &Record, quantity: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    assert!(times.len() > 500);
    for (name, share) in SHARES {
        let told = record.metrics[format!("{quantity}_{name}")];
        let exact = exact(&times, share);
        assert!(
            (told - exact).abs() <= RELATIVE_ERROR * exact,
            "{quantity}, {name}: {told} is not {exact}"
        );
    }
}

#[test]
fn percentiles_of_delays_are_those_of_the_datagrams() {
    let mut plan = three();
    plan.tables.datagrams = true;
    let record = run(&plan);
    for (flow, quantity) in [(0, "flow.call.delay_ms"), (1, "flow.probe.rtt_ms")] {
        let times = (record.datagrams.iter())
            .filter(|row| row.flow.0 == flow)
            .filter_map(|row| Some((row.received_s? - row.sent_s).as_secs_f64() * 1e3));
        assert_agree(&record, quantity, times.collect());
    }
}

#[test]
fn percentiles_of_windows_are_those_of_what_happened_in_them() {
    let mut plan = three();
    plan.flows[2].start_ns = Duration::from_secs(10);
    let at = |seconds| Moment::AtNs(Duration::from_secs(seconds));
    let window = |name: &str, from, until| WindowPlan {
        name: name.into(),
        from: at(from),
        until: at(until),
    };
    plan.windows = vec![window("idle", 1, 10), window("loaded", 10, 20)];
    let metrics = run(&plan).metrics;
    let of = |name: &str| metrics[format!("flow.probe.rtt_ms_p50{name}")];
    assert!(of("@idle") < 5.0 && of("@loaded") > 20.0);
    assert!(of("@idle") < of("") && of("") < of("@loaded"));
}

/// IEEE 802.11-2007 §9.2.5.2: a backoff of 0 to 31 slots of 20 µs precedes each frame of a station
/// that always has one, and none is repeated. So half are served within the mean service time.
#[test]
fn a_lone_station_serves_half_of_its_packets_within_their_mean_time() {
    let mut plan = kept(bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 10));
    saturate_uplink(&mut plan, 1000);
    let metrics = run(&plan).metrics;
    let mean = metrics["measured_s"] * 1e3 / metrics["mac.frames_per_s"] / metrics["measured_s"];
    let [half, nearly_all] = ["p50", "p999"].map(|name| metrics[format!("mac.service_ms_{name}")]);
    let slot = 0.02;
    assert!((half - mean).abs() < slot, "{half} and {mean} ms");
    let longest = mean + 15.5 * slot;
    assert!((nearly_all - longest).abs() < RELATIVE_ERROR * longest + 0.001);
}

#[test]
fn a_transfer_takes_from_its_opening_to_its_last_byte() {
    let mut plan = kept(bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 5));
    plan.flows.push(flow("short", 0, 2, bulk(Some(100_000))));
    plan.flows.push(flow("long", 2, 0, bulk(None)));
    plan.flows[0].start_ns = plan.warmup_ns;
    let record = run(&plan);
    let metrics = &record.metrics;
    assert_eq!(metrics["flow.short.transfers"], 1.0);
    assert_eq!(metrics["tcp.transfers"], 1.0, "the other one goes on");
    let read = (record.transfers.iter())
        .filter(|end| end.flow.0 == 0)
        .find_map(|end| end.last_read_s);
    let took = (read.expect("all was read") - (units::Time::ZERO + plan.warmup_ns)).as_secs_f64();
    let told = metrics["flow.short.transfer_s_mean"];
    assert!(
        (told - took).abs() < 0.02,
        "the FIN comes with the last byte or behind it"
    );
    let once = metrics["flow.short.transfer_s_p50"];
    assert!((once - told).abs() <= RELATIVE_ERROR * told);
}

#[test]
fn gaps_between_losses_lie_around_their_mean() {
    let mut plan = kept(bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 20));
    plan.wires[0].impair = [vec![loses(0.01)], Vec::new()];
    plan.flows.push(flow("long", 0, 2, bulk(None)));
    let metrics = run(&plan).metrics;
    let again = metrics["tcp.retransmissions"];
    let mean_gap = metrics["measured_s"] / again;
    assert!(metrics["flow.long.loss_gap_s_p50"] < mean_gap);
    assert!(metrics["flow.long.loss_gap_s_p99"] > mean_gap);
}

#[test]
fn the_table_has_each_value_in_its_bucket() {
    let record = run(&three());
    let tables = record.tables();
    let table = (tables.iter().find(|table| table.name == "distributions")).expect("is kept");
    let [name, from, to, count] = &table.columns[..] else {
        panic!("four columns");
    };
    let (TableValues::Text { codes, dictionary }, TableValues::Whole(count)) = (&name.1, &count.1)
    else {
        panic!("names and counts");
    };
    let (TableValues::Real(from), TableValues::Real(to)) = (&from.1, &to.1) else {
        panic!("bounds");
    };
    let all = |wanted: &str| -> i64 {
        (codes.iter().zip(count))
            .filter(|(code, _)| dictionary[**code as usize] == wanted)
            .map(|(_, count)| count)
            .sum()
    };
    assert_eq!(
        all("flow.probe.rtt_ms"),
        949,
        "19 s of 50 a second, and the last is under way"
    );
    for name in [
        "wire.uplink.queue_ms_from.server",
        "node.ap.queue_ms",
        "rtt_ms",
    ] {
        assert!(all(name) > 949, "{name}");
    }
    let is_narrow = |(from, to): (&f64, &f64)| (to - from) * 127.9 <= from.max(256e-6);
    assert!(from.iter().zip(to).all(is_narrow));
}

#[test]
fn nothing_is_kept_that_nobody_asked_for() {
    let mut plan = three();
    plan.tables.distributions = false;
    let record = run(&plan);
    assert!(
        record
            .metrics
            .iter()
            .all(|(name, _)| !name.contains("_p50"))
    );
    assert!(
        record
            .tables()
            .iter()
            .all(|table| table.name != "distributions")
    );
}
