//! Applications over whole worlds: what reaches the other end, and what is told of it.

use crate::common::{bss, bulk, flow, mac, udp};
use dot11::Mode;
use lab::{Plan, Record};
use traffic::Config;
use units::{Duration, Rate};

fn run(plan: &Plan) -> Record {
    lab::run(plan, 1, None).expect("no files are written")
}

/// The server, an access point and two stations, for so many seconds without warm-up.
fn office(seconds: u64) -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 2, seconds);
    plan.warmup_ns = Duration::ZERO;
    plan
}

#[test]
fn datagrams_of_an_idle_channel_take_the_wire_and_the_air_and_hardly_vary() {
    let mut plan = office(10);
    plan.flows = vec![flow("voice", 0, 2, udp(160, Some(Rate::from_mbps(0.064))))];
    let metrics = run(&plan).metrics;
    assert_eq!(metrics["flow.voice.datagram_loss"], 0.0);
    assert_eq!(metrics["flow.voice.datagrams_sent"], 500.0);
    // 1 ms of wire, (160 + 28 + 38) * 8 / 100 us on it, and a frame of 160 + 28 + 36 bytes.
    let idle = 1.0 + 226.0 * 8e-5 + 0.192 + 224.0 * 8.0 / 11e3;
    let delay = metrics["flow.voice.delay_ms_mean"];
    // Where the channel has been idle for DIFS there is no backoff (IEEE 802.11-2007 §9.2.5.1).
    assert!((delay - idle).abs() < 0.02, "{delay} ms, not {idle} ms");
    assert!(metrics["flow.voice.jitter_ms_mean"] < 0.02);
}

#[test]
fn a_flow_that_stops_sends_nothing_more_and_all_that_was_sent_arrives() {
    let mut plan = office(6);
    plan.flows = vec![
        flow("file", 0, 2, bulk(None)),
        flow("load", 3, 0, udp(1000, None)),
    ];
    for flow in &mut plan.flows {
        flow.stop_ns = Some(Duration::from_secs(2));
    }
    let record = run(&plan);
    let metrics = &record.metrics;
    // The end that closed last is over first: the other one stays in TIME-WAIT.
    let [receiver, sender] = &record.transfers[..] else {
        panic!("one connection has two ends");
    };
    assert_eq!(sender.bytes_sent, receiver.bytes_received);
    assert_eq!(metrics["flow.file.bytes"], receiver.bytes_received as f64);
    assert!(receiver.ended_s.is_some());
    let last = receiver.last_read_s.expect("it has read").as_secs_f64();
    assert!(
        (2.0..2.5).contains(&last),
        "the send buffer has run empty at {last} s"
    );
    assert_eq!(metrics["flow.load.datagram_loss"], 0.0);
    // A frame of 1000 bytes takes 192 us + 1064 * 8 / 11 us, and as much again around it at most.
    let most = 2.0 * 2e6 / (192.0 + 1064.0 * 8.0 / 11.0);
    assert!(metrics["flow.load.datagrams_sent"] < most);
}

/// Two or more runs one after another, and a window that ends with them.
#[test]
fn nttcp_runs_one_connection_after_another_and_is_over_after_the_last() {
    let mut plan = office(20);
    plan.flows = vec![flow(
        "measured",
        0,
        2,
        Config::Nttcp(traffic::Nttcp {
            buffers: 64,
            buffer_size: 4096,
            repetitions: Some(3),
            pause: Duration::from_millis(500),
        }),
    )];
    let record = run(&plan);
    assert_eq!(record.metrics["flow.measured.records"], 3.0);
    assert_eq!(record.metrics["flow.measured.bytes"], 3.0 * 64.0 * 4096.0);
    let starts: Vec<f64> = (record.timing_records.iter())
        .map(|run| run.start_s.as_secs_f64())
        .collect();
    let ends = (record.timing_records.iter())
        .map(|run| run.start_s.as_secs_f64() + run.elapsed_s.as_secs_f64());
    for (end, next) in ends.zip(&starts[1..]) {
        assert!(
            (next - end - 0.5).abs() < 1e-9,
            "{next} s, half a second after {end} s"
        );
    }
}

#[test]
fn a_game_on_an_idle_channel_misses_nothing_and_its_rates_are_those_of_its_paper() {
    let mut plan = office(60);
    let game = traffic::Game {
        event_payload: 42,
        event_interval: Duration::from_millis(60),
        update_payload: 200,
        update_interval: Duration::from_millis(50),
        deadline: Duration::from_millis(75),
    };
    plan.flows = vec![flow("match", 2, 0, Config::Game(game))];
    let metrics = run(&plan).metrics;
    for late in ["late_updates", "late_events"] {
        assert!(metrics[format!("flow.match.{late}")] < 0.001);
    }
    // 5.6 kbit/s up, 32 kbit/s down.
    assert_eq!(
        metrics["flow.match.datagrams_sent"] * 42.0 * 8.0 / 60e3,
        5.6
    );
    assert_eq!(
        metrics["flow.match.answers.datagrams_sent"] * 200.0 * 8.0 / 60e3,
        32.0
    );
}
