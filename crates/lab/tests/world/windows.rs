//! Parts of the measured time have metrics of their own, which add up to those of the whole.

use crate::common::{bss, bulk, flow, mac, udp};
use crate::ping;
use dot11::Mode;
use lab::{Moment, Plan, Record, WindowPlan};
use units::{Duration, Rate, Time};

/// Datagrams and pings all the time, and a transfer that begins after two of ten seconds.
fn transfer_beside_others() -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 2, 10);
    let rate = Some(Rate::from_mbps(0.5));
    plan.flows.push(flow("others", 0, 2, udp(500, rate)));
    let interval = Duration::from_millis(50);
    plan.flows.push(flow("probe", 2, 0, ping(interval)));
    plan.flows
        .push(flow("transfer", 0, 3, bulk(Some(1_000_000))));
    plan.flows[2].start_ns = Duration::from_secs(2);
    let (begin, end) = (Moment::Start(vec![2]), Moment::End(vec![2]));
    let at = |seconds| Moment::AtNs(Duration::from_secs(seconds));
    plan.windows = vec![
        window("before", at(0), begin.clone()),
        window("during", begin, end.clone()),
        window("after", end, at(10)),
    ];
    plan
}

fn window(name: &str, from: Moment, until: Moment) -> WindowPlan {
    WindowPlan {
        name: name.into(),
        from,
        until,
    }
}

fn run(plan: &Plan) -> Record {
    lab::run(plan, 3, None).expect("no files")
}

const NAMES: [&str; 3] = ["before", "during", "after"];

#[test]
fn the_transfer_lies_in_its_window() {
    let record = run(&transfer_beside_others());
    let in_window = |metric: &str| NAMES.map(|name| record.metrics[format!("{metric}@{name}")]);
    assert_eq!(in_window("flow.transfer.bytes"), [0.0, 1_000_000.0, 0.0]);
    let [before, during, after] = in_window("measured_s");
    assert_eq!(
        before, 1.0,
        "from the end of the warm-up to the transfer's start"
    );
    let transfer = record
        .transfers
        .iter()
        .find(|end| end.last_read_s.is_some());
    let last_byte = transfer
        .and_then(|end| end.last_read_s)
        .expect("it was read");
    let over = Time::ZERO + Duration::from_nanos(((2.0 + during) * 1e9) as u64);
    assert!(over.saturating_since(last_byte) < Duration::from_millis(20));
    assert!((before + during + after - 9.0).abs() < 1e-9);
    let [alone, beside, again] = in_window("flow.probe.rtt_ms_mean");
    assert!(
        beside > 2.0 * alone && beside > 2.0 * again,
        "its queue is before the pings"
    );
}

#[test]
fn windows_that_adjoin_add_up_to_the_whole() {
    let record = run(&transfer_beside_others());
    let nanos = |seconds: f64| (seconds * 1e9).round();
    for (name, whole) in record
        .metrics
        .iter()
        .filter(|(name, _)| !name.contains('@'))
    {
        let parts = NAMES.map(|window| record.metrics.get(&format!("{name}@{window}")));
        let parts = parts.iter().flatten();
        if name.starts_with("airtime.") && name.ends_with("_s") {
            assert_eq!(
                parts.map(|&part| nanos(part)).sum::<f64>(),
                nanos(whole),
                "{name}"
            );
        } else if is_count(name) {
            assert_eq!(parts.sum::<f64>(), whole, "{name}");
        } else if name.ends_with("_max") || name.ends_with("max_packets") {
            assert_eq!(
                parts.fold(0.0, |most: f64, &part| most.max(part)),
                whole,
                "{name}"
            );
        }
    }
}

fn is_count(name: &str) -> bool {
    let counts = [
        "bytes",
        "requests",
        "attempts",
        "pure_acks",
        "exchanges",
        "data_msdus",
    ];
    counts.iter().any(|count| name.ends_with(count))
}

#[test]
fn airtime_adds_up_to_the_length_of_each_window() {
    let mut plan = transfer_beside_others();
    // Edges anywhere in a frame or in the silence between two.
    plan.windows = (0..40)
        .map(|number| {
            let at =
                |number: u64| Moment::AtNs(Duration::from_nanos(2_500_000_000 + number * 137_911));
            window(&format!("w{number}"), at(number), at(number + 1))
        })
        .collect();
    let record = run(&plan);
    for number in 0..40 {
        let of_window = format!("_s@w{number}");
        let spent = record.metrics.iter().filter(|(name, _)| {
            name.starts_with("airtime.") && name.ends_with(&of_window) && !name.contains("tcp_")
        });
        let nanos = spent.map(|(name, seconds)| {
            assert!(seconds >= 0.0, "{name}");
            (seconds * 1e9).round()
        });
        assert_eq!(nanos.sum::<f64>(), 137_911.0);
    }
}

#[test]
fn looking_closer_changes_nothing() {
    let plan = transfer_beside_others();
    let unseen = run(&Plan {
        windows: Vec::new(),
        ..plan.clone()
    });
    let seen = run(&plan);
    for (name, value) in unseen.metrics.iter() {
        assert!(
            seen.metrics[name] == value || value.is_nan(),
            "{name} is not {value}"
        );
    }
}

#[test]
fn a_window_that_never_begins_has_no_metrics() {
    let mut plan = transfer_beside_others();
    plan.flows[2].app = bulk(None);
    let record = run(&plan);
    assert!(record.metrics.get("goodput_mbps@during").is_some());
    assert_eq!(record.metrics.get("goodput_mbps@after"), None);
    let names = lab::metric_names(&plan);
    assert!(names.iter().any(|name| name == "goodput_mbps@after"));
}

#[test]
fn a_window_of_a_flow_that_is_not_there_is_refused() {
    let mut plan = transfer_beside_others();
    plan.windows[0].until = Moment::End(vec![7]);
    let json = serde_json::to_string(&plan).expect("a plan is JSON");
    let refused = Plan::parse(&json).err().map(|error| error.to_string());
    assert_eq!(
        refused.as_deref(),
        Some("windows.before.until: [7] are not some of the 3 flows")
    );
}
