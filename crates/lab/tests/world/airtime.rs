//! The ledger adds up, exactly, whatever happens on the air.

use crate::common::{bss, bulk, flow, mac, radio_of, saturate_uplink};
use crate::ping;
use dot11::{MacConfig, Mode};
use lab::{Plan, Record};
use units::{Db, Duration};

fn nanos(seconds: f64) -> i64 {
    (seconds * 1e9).round() as i64
}

/// What the ledger's columns add up to, and the time that was measured, in nanoseconds.
pub fn sum_and_time(record: &Record) -> (i64, i64) {
    (sum(record, "airtime."), nanos(record.metrics["measured_s"]))
}

/// The same of the ledger of each node that has one, where there are several.
pub fn sums_and_time(record: &Record) -> (Vec<i64>, i64) {
    let ledgers = record.metrics.iter().filter_map(|(name, _)| {
        let node = name.strip_suffix("airtime.idle_s")?;
        (!node.is_empty()).then(|| format!("{node}airtime."))
    });
    (
        ledgers.map(|ledger| sum(record, &ledger)).collect(),
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
    let (sum, time) = sum_and_time(&record);
    assert_eq!(sum, time);
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
    let mut plan = bss(&mac(Mode::Cck11, Mode::Dsss2), 20, 3);
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
        ..mac(Mode::Cck11, Mode::Dsss2)
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
    let mut plan = bss(&mac(Mode::Cck11, Mode::Dsss2), 1, 11);
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
    let mut plan = bss(&mac(Mode::Cck11, Mode::Dsss2), 2, 3);
    let loss = &mut plan.air.as_mut().expect("there are radios").loss_db;
    (loss[2][3], loss[3][2]) = (Db(150.0), Db(150.0));
    saturate_uplink(&mut plan, 1000);
    let hidden = check(&plan);
    let mut plan = bss(&mac(Mode::Cck11, Mode::Dsss2), 2, 3);
    saturate_uplink(&mut plan, 1000);
    let heard = check(&plan);
    assert!(hidden.metrics["collision_probability"] > 2.0 * heard.metrics["collision_probability"]);
    assert!(hidden.metrics["goodput_mbps"] < 0.7 * heard.metrics["goodput_mbps"]);
}

#[test]
fn a_ping_a_second_leaves_the_channel_idle() {
    let mut plan = bss(&mac(Mode::Cck11, Mode::Dsss2), 1, 11);
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
    let mut plan = bss(&mac(Mode::Cck11, Mode::Dsss2), 1, 3);
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
