//! Tables that a run leaves, and what TCP, MACs and pairs are measured by.

use crate::common::{bss, bulk, drop_tail, flow, loses, mac, saturate_uplink, udp};
use crate::ping;
use dot11::{MacConfig, Mode};
use lab::{AttemptKind, AttemptOutcome, LongTables, Outcome, Plan, Record, TableValues};
use units::table::Row;
use units::{Duration, Rate, Time};

fn run(plan: &Plan) -> Record {
    lab::run(plan, 5, None).expect("no files")
}

fn cell() -> Plan {
    bss(&mac(Mode::CCK_11, Mode::DSSS_2), 2, 5)
}

#[test]
fn a_transfer_is_told_from_its_opening_to_its_end() {
    let mut plan = cell();
    plan.flows.push(flow("copy", 0, 2, bulk(Some(300_000))));
    plan.flows[0].start_ns = Duration::from_secs(2);
    let record = run(&plan);
    let [receiver, sender] = &record.transfers[..] else {
        panic!("both ends of one connection: {:?}", record.transfers);
    };
    assert!(sender.opener && !receiver.opener);
    assert_eq!(sender.opened_s, Time::ZERO + Duration::from_secs(2));
    assert_eq!(
        (sender.bytes_sent, receiver.bytes_received),
        (300_000, 300_000)
    );
    assert_eq!(receiver.outcome, Outcome::Closed);
    assert_eq!(sender.outcome, Outcome::Open, "in TIME-WAIT");
    let setup = sender.established_s.expect("it was") - sender.opened_s;
    let expected = setup.as_secs_f64() * 1e3;
    let mut whole = plan.clone();
    whole.warmup_ns = Duration::from_secs(1);
    assert_eq!(run(&whole).metrics["flow.copy.setup_ms_mean"], expected);
    assert!(receiver.last_read_s < receiver.ended_s);
}

#[test]
fn a_sender_that_hears_nothing_is_stalled_until_the_end() {
    let mut plan = cell();
    plan.flows.push(flow("copy", 0, 2, bulk(None)));
    plan.wires[0].impair = [vec![loses(1.0)], Vec::new()];
    plan.wires[0].impair[0][0].filter.from = Duration::from_secs(2);
    let record = run(&plan);
    let metrics = &record.metrics;
    let stalled = metrics["flow.copy.stalled_s"];
    let last_read = record.transfers[1].last_read_s.expect("it was read");
    let silent = 5.0 - last_read.as_secs_f64();
    // The receiver may delay its last acknowledgement, and timers run in ticks of 100 ms.
    assert!((silent - stalled).abs() < 0.3, "{stalled} of {silent}");
    assert_eq!(metrics["tcp.stalled_s"], stalled);
    assert!(
        (3.9..=4.0).contains(&metrics["flow.copy.blocked_s"]),
        "it always has data"
    );
}

#[test]
fn a_connection_whose_peer_never_answers_times_out() {
    let mut plan = cell();
    plan.duration_ns = Duration::from_secs(300);
    plan.wires[0].impair = [vec![loses(1.0)], Vec::new()];
    plan.flows.push(flow("copy", 0, 2, bulk(None)));
    let record = run(&plan);
    assert_eq!(record.metrics["connections_failed"], 1.0);
    assert_eq!(record.metrics["flow.copy.failed_timed_out"], 1.0);
    assert_eq!(record.metrics["tcp.failed_refused"], 0.0);
    assert_eq!(record.transfers[0].outcome, Outcome::TimedOut);
    assert_eq!(record.metrics.get("flow.copy.setup_ms_mean"), None);
}

#[test]
fn windows_are_those_of_the_sender_and_of_the_receiver() {
    let mut plan = cell();
    for node in &mut plan.nodes {
        node.stack = tcp::profile("windows-xp");
    }
    plan.flows.push(flow("copy", 0, 2, bulk(None)));
    let metrics = run(&plan).metrics;
    let advertised = metrics["flow.copy.rwnd_bytes_max"];
    let (mean, most) = (
        metrics["flow.copy.cwnd_bytes_mean"],
        metrics["flow.copy.cwnd_bytes_max"],
    );
    assert_eq!(
        advertised % 1460.0,
        0.0,
        "a multiple of the MSS: {advertised}"
    );
    assert!(
        mean <= most && most >= advertised,
        "{mean} {most} {advertised}"
    );
    assert_eq!(metrics["flow.copy.reordered"], 0.0);
}

#[test]
fn confirmations_acknowledge_the_files_they_confirm() {
    let mut plan = cell();
    let script = traffic::ChariotThroughput {
        file_size: 1000,
        transactions_per_record: 10,
        timing_records: None,
        confirmation_size: 100,
        write_size: 1000,
    };
    let app = traffic::Config::ChariotThroughput(script);
    plan.flows.push(flow("pair", 0, 2, app));
    let record = run(&plan);
    let metrics = &record.metrics;
    let of = |metric: &str| metrics[format!("flow.pair.{metric}")];
    let both_ways = of("piggybacked_acks") / of("segments_sent");
    assert!(
        both_ways > 0.99,
        "{both_ways}: each segment answers the one before"
    );
    let response_s = of("response_ms_mean") / 1e3;
    assert!((of("transactions_per_s") * response_s - 1.0).abs() < 1e-9);
    let mbps = of("record_mbps_min")..=of("record_mbps_max");
    assert!(mbps.contains(&of("record_mbps_mean")));
    let range = of("record_mbps_max") - of("record_mbps_min");
    assert!((0.0..=range).contains(&of("record_mbps_sd")));
    assert!((0.0..5.0).contains(&of("relative_precision")));
    assert_eq!(of("records"), record.timing_records.len() as f64);
}

#[test]
fn every_datagram_and_request_is_told_where_asked_for() {
    let mut plan = cell();
    plan.wires[0].impair = [vec![loses(0.3)], Vec::new()];
    let rate = Some(Rate::from_mbps(0.4));
    plan.flows.push(flow("voice", 0, 2, udp(500, rate)));
    plan.flows
        .push(flow("probe", 2, 0, ping(Duration::from_millis(100))));
    assert!(run(&plan).datagrams.is_empty());
    plan.tables.datagrams = true;
    let record = run(&plan);
    let voice: Vec<_> = (record.datagrams.iter())
        .filter(|row| row.flow.0 == 0)
        .collect();
    assert!(
        voice
            .iter()
            .enumerate()
            .all(|(place, row)| row.number == place as u64)
    );
    let arrived = voice.iter().filter(|row| row.received_s.is_some()).count();
    let share = arrived as f64 / voice.len() as f64;
    assert!((0.6..0.8).contains(&share), "{share}");
    assert!(
        record
            .datagrams
            .iter()
            .all(|row| row.received_s.is_none_or(|at| at > row.sent_s))
    );
    let requests = record
        .datagrams
        .iter()
        .filter(|row| row.flow.0 == 1)
        .count();
    assert_eq!(requests, 51, "one at the start, then ten a second");
}

#[test]
fn every_attempt_is_told_where_asked_for() {
    let config = MacConfig {
        rts_threshold: 500,
        fragmentation_threshold: 512,
        ..mac(Mode::CCK_11, Mode::DSSS_2)
    };
    let mut plan = bss(&config, 3, 3);
    // Nothing is measured, and nothing left out, from the start on.
    plan.warmup_ns = Duration::ZERO;
    plan.tables = LongTables {
        attempts: true,
        ..LongTables::default()
    };
    saturate_uplink(&mut plan, 1200);
    let record = run(&plan);
    let count = |kind, outcome: Option<AttemptOutcome>| {
        let is = |row: &&lab::Attempt| row.kind == kind && outcome.is_none_or(|o| o == row.outcome);
        record.attempts.iter().filter(is).count() as f64
    };
    // A frame may be on the air when the run ends.
    let near = |told: f64, metric: &str| (record.metrics[metric] - told).abs() <= 1.0;
    assert!(near(count(AttemptKind::Data, None), "mac.attempts"));
    assert!(near(count(AttemptKind::Rts, None), "mac.rts_frames"));
    let collided = count(AttemptKind::Rts, Some(AttemptOutcome::Collided));
    assert!(collided > 0.0 && near(collided, "mac.collisions"));
    assert!(record.attempts.iter().any(|row| row.fragment == 2));
    assert_eq!(record.metrics["mac.fragment_gap_us_min"], 10.0, "SIFS");
    assert_eq!(record.metrics["mac.fragment_gap_us_mean"], 10.0);
}

#[test]
fn frames_are_told_by_their_rates() {
    let mut plan = cell();
    saturate_uplink(&mut plan, 1000);
    let metrics = run(&plan).metrics;
    assert_eq!(metrics["mac.attempts_11mbps"], metrics["mac.attempts"]);
    assert_eq!(metrics["mac.attempts_5_5mbps"], 0.0);
    assert_eq!(metrics["mac.rate_changes"], 0.0);
    let frames = metrics["mac.frames_per_s"] * metrics["measured_s"];
    assert!((frames - metrics["mac.attempts"]).abs() < 1e-6);
}

#[test]
fn the_columns_of_a_table_are_of_one_length_and_texts_are_in_their_dictionary() {
    let mut plan = cell();
    plan.flows.push(flow("copy", 0, 2, bulk(Some(100_000))));
    plan.flows
        .push(flow("probe", 2, 0, ping(Duration::from_millis(100))));
    plan.wires[0].queue = drop_tail(5);
    plan.series_step_ns = Some(Duration::from_secs(1));
    plan.tcp_info_step_ns = Some(Duration::from_secs(1));
    plan.tables = LongTables {
        datagrams: true,
        attempts: true,
        distributions: true,
    };
    let tables = run(&plan).tables();
    let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
    let expected = [
        "series",
        "distributions",
        "transfers",
        "tcp_info",
        "datagrams",
        "attempts",
    ];
    assert_eq!(names, expected, "no timing records, hence no table of them");
    for table in &tables {
        let length = |values: &TableValues| match values {
            TableValues::Real(values) => values.len(),
            TableValues::Whole(values) => values.len(),
            TableValues::Text { codes, dictionary } => {
                assert!(codes.iter().all(|&code| (code as usize) < dictionary.len()));
                codes.len()
            }
        };
        let lengths: Vec<usize> = table
            .columns
            .iter()
            .map(|(_, values)| length(values))
            .collect();
        assert!(
            lengths.iter().all(|&each| each == lengths[0]),
            "{}",
            table.name
        );
    }
    let attempts = tables
        .iter()
        .find(|table| table.name == "attempts")
        .expect("is there");
    let declared = lab::Attempt::columns();
    let given = attempts.columns.iter().map(|(name, _)| name.as_str());
    assert!(given.eq(declared.iter().map(|column| column.name)));
}
