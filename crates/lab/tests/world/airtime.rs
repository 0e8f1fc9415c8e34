//! The ledger adds up, exactly, whatever happens on the air.

use crate::common::{bss, bulk, end, flow, mac, node, radio, radio_of, saturate_uplink};
use crate::ping;
use dot11::{MacConfig, Mode};
use lab::{NodeRole, Plan, Record};
use units::{Db, Duration};

fn nanos(seconds: f64) -> i64 {
    (seconds * 1e9).round() as i64
}

/// Returns what the columns of each ledger add up to, and the time that was measured, in
/// nanoseconds. The ledger of the only vantage point is that of the channel, which else is a mean.
pub fn sums_and_time(record: &Record) -> (Vec<i64>, i64) {
    let of = |(name, _): (&str, f64)| Some(name.strip_suffix("idle_s")?.to_owned());
    let mut ledgers: Vec<String> = (record.metrics.iter())
        .filter(|(name, _)| name.contains("airtime."))
        .filter_map(of)
        .collect();
    if ledgers.len() > 1 {
        ledgers.retain(|ledger| ledger.starts_with("node."));
    }
    (
        ledgers.iter().map(|ledger| sum(record, ledger)).collect(),
        nanos(record.metrics["measured_s"]),
    )
}

fn sum(record: &Record, ledger: &str) -> i64 {
    let columns = record.metrics.iter().filter(|(name, _)| {
        name.strip_prefix(ledger)
            .is_some_and(|of| of.ends_with("_s") && !of.starts_with("tcp_"))
    });
    columns.map(|(_, seconds)| nanos(seconds)).sum()
}

fn check(plan: &Plan) -> Record {
    let record = lab::run(plan, 5, None).expect("no files");
    let (sums, time) = sums_and_time(&record);
    assert!(sums.iter().all(|&sum| sum == time), "{sums:?} of {time}");
    assert!(
        record
            .metrics
            .iter()
            .all(|(_, value)| value >= 0.0 || value.is_nan())
    );
    record
}

#[test]
fn twenty_saturated_stations() {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 20, 3);
    saturate_uplink(&mut plan, 1000);
    let record = check(&plan);
    assert!(
        record.metrics["airtime.collision_share"] > 0.1,
        "of 20 stations many collide"
    );
    assert_eq!(
        record.metrics["airtime.idle_s"], 0.0,
        "there is always something to send"
    );
}

#[test]
fn fragments_rts_beacons_and_tcp() {
    let config = MacConfig {
        rts_threshold: 0,
        fragmentation_threshold: 256,
        ..mac(Mode::CCK_11, Mode::DSSS_2)
    };
    let mut plan = bss(&config, 2, 3);
    radio_of(&mut plan, 1).beacon_interval_ns = Some(Duration::from_micros(102_400));
    plan.flows.push(flow("down", 0, 2, bulk(None)));
    plan.flows.push(flow("up", 3, 0, bulk(None)));
    let record = check(&plan);
    assert!(record.metrics["airtime.rts_cts_share"] > 0.1);
    assert!(record.metrics["airtime.beacon_s"] > 0.0);
}

/// A step may end within a silence or a frame, whose parts belong to the steps they are in.
#[test]
fn every_step_of_the_series_adds_up() {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 11);
    let interval_ns = Duration::from_secs(1);
    plan.flows.push(flow("ping", 2, 0, ping(interval_ns)));
    plan.series_step_ns = Some(Duration::from_millis(7));
    let record = check(&plan);
    let shares: Vec<_> = (record.series.iter())
        .filter(|(name, _)| name.starts_with("airtime."))
        .map(|(_, shares)| shares)
        .collect();
    let steps = record.series[0].1.len();
    assert!(steps > 1000);
    for step in 0..steps {
        let all: f64 = shares.iter().map(|each| each[step]).sum();
        assert!((all - 1.0).abs() < 1e-9, "step {step}: {all}");
    }
}

/// Two stations that do not hear each other: frames overlap from any point on.
#[test]
fn hidden_stations() {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 2, 3);
    let loss = &mut plan.air.as_mut().expect("there are radios").loss_db;
    (loss[2][3], loss[3][2]) = (Db(150.0), Db(150.0));
    saturate_uplink(&mut plan, 1000);
    let hidden = check(&plan);
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 2, 3);
    saturate_uplink(&mut plan, 1000);
    let heard = check(&plan);
    assert!(hidden.metrics["collision_probability"] > 2.0 * heard.metrics["collision_probability"]);
    assert!(hidden.metrics["goodput_mbps"] < 0.7 * heard.metrics["goodput_mbps"]);
}

/// Two stations that do not hear each other. What one sends is silence to the other, and what the
/// access point has as collisions each has of its own frames alone.
#[test]
fn a_hidden_station_is_silence_where_it_is_not_sensed() {
    let ledgers = |is_hidden: bool| {
        let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 2, 3);
        radio_of(&mut plan, 2).ledger = Some("near".into());
        if is_hidden {
            let loss = &mut plan.air.as_mut().expect("there are radios").loss_db;
            (loss[2][3], loss[3][2]) = (Db(150.0), Db(150.0));
        }
        saturate_uplink(&mut plan, 1000);
        let ap = plan.nodes[1].name.clone();
        let record = check(&plan);
        ["payload", "collision", "backoff"]
            .map(|of| [&ap, "near"].map(|at| record.metrics[format!("node.{at}.airtime.{of}_s")]))
    };
    let [payload, collision, backoff] = ledgers(true);
    assert!(payload[1] < 0.7 * payload[0], "{payload:?}");
    assert!(
        collision[0] > 0.3 && collision[1] < collision[0],
        "{collision:?}"
    );
    assert!(backoff[1] > backoff[0], "{backoff:?}");
    // Where all sense each other, both vantage points sense the same.
    for [at_ap, at_station] in ledgers(false) {
        assert!((at_ap - at_station).abs() < 1e-9, "{at_ap} {at_station}");
    }
}

/// A cell on the next channel, 5 MHz off, is energy without a preamble.
#[test]
fn a_neighbour_on_another_channel_is_energy_alone() {
    let config = mac(Mode::CCK_11, Mode::DSSS_2);
    let mut plan = bss(&config, 1, 3);
    for (index, role, of) in [(3, NodeRole::Ap, None), (4, NodeRole::Sta, Some(end(3, 0)))] {
        let mut radio = radio(&config, of);
        radio.frequency_mhz += 5;
        plan.nodes.push(node(
            &format!("next-{index}"),
            role,
            index,
            vec![Some(radio)],
        ));
    }
    let loss = &mut plan.air.as_mut().expect("there are radios").loss_db;
    *loss = vec![vec![Db(60.0); 5]; 5];
    plan.flows
        .push(flow("next", 4, 3, crate::common::udp(1000, None)));
    let record = check(&plan);
    let ap = &plan.nodes[1].name;
    assert!(record.metrics[format!("node.{ap}.airtime.energy_share")] > 0.5);
    assert_eq!(record.metrics[format!("node.{ap}.airtime.payload_s")], 0.0);
    assert_eq!(record.metrics["node.next-3.airtime.energy_s"], 0.0);
    let mean = record.metrics["airtime.energy_s"];
    let own = record.metrics[format!("node.{ap}.airtime.energy_s")];
    assert!(
        (2.0 * mean - own).abs() < 1e-9,
        "the mean of two access points"
    );
}

#[test]
fn a_ping_a_second_leaves_the_channel_idle() {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 11);
    let interval_ns = Duration::from_secs(1);
    plan.flows.push(flow("ping", 2, 0, ping(interval_ns)));
    let record = check(&plan);
    assert!(record.metrics["airtime.idle_share"] > 0.995);
    // An exchange of 92 + 28 bytes each way at 11 Mbit/s, immediate access, and 2 × 1 ms of wire.
    let exchange_ms = (280.0 + 10.0 + 248.0) / 1e3;
    let wire_ms = 2.0 * (1.0 + 8.0 * 122.0 / 100e3);
    let rtt = record.metrics["rtt_ms_mean"];
    let (least, most) = (
        2.0 * 0.280 + wire_ms,
        2.0 * exchange_ms + wire_ms + 2.0 * 0.36,
    );
    assert!(
        (least..most).contains(&rtt),
        "{rtt} ms is not within {least} to {most}"
    );
}

/// A link too weak for its rate: frames are lost and nothing overlaps.
#[test]
fn losses_without_overlap_are_errors() {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 3);
    let loss = &mut plan.air.as_mut().expect("there are radios").loss_db;
    // 15 dBm - 102 dB = -87 dBm: 26 % of 1078 byte frames are lost at 11 Mbit/s.
    (loss[1][2], loss[2][1]) = (Db(102.0), Db(102.0));
    plan.air
        .as_mut()
        .expect("there are radios")
        .preamble_detection_dbm = units::Dbm(-95.0);
    saturate_uplink(&mut plan, 1000);
    let record = check(&plan);
    assert!(record.metrics["airtime.error_share"] > 0.05);
    assert_eq!(record.metrics["airtime.collision_s"], 0.0);
}
