//! What connections report of themselves, and connections with a TCP of their own.

use crate::common::{bss, bulk, drop_tail, flow, loses, mac};
use dot11::Mode;
use lab::{Plan, Record, TcpSample, TransferEnd};
use tcp::{CongestionAlgorithm, TcpInfo};
use units::{Duration, Time};

/// A download of five seconds over a wire that is slower than the air and drops.
fn download() -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 5);
    plan.wires[0].rate_bps = units::Rate::from_mbps(2.0);
    plan.wires[0].queue = drop_tail(10);
    for node in &mut plan.nodes {
        node.stack = tcp::profile("linux-6");
    }
    plan.flows.push(flow("down", 0, 2, bulk(None)));
    plan
}

fn run(plan: &Plan) -> Record {
    lab::run(plan, 1, None).expect("no files are written")
}

fn sent(samples: &[TcpSample]) -> Vec<&TcpSample> {
    samples
        .iter()
        .filter(|sample| sample.end == TransferEnd::Sender)
        .collect()
}

#[test]
fn both_ends_are_sampled_at_every_step_and_at_the_end_of_the_run() {
    let mut plan = download();
    plan.tcp_info_step_ns = Some(Duration::from_millis(2_000));
    let samples = run(&plan).tcp_info;
    let times: Vec<f64> = samples.iter().map(|each| each.at.as_secs_f64()).collect();
    assert_eq!(times, [2.0, 2.0, 4.0, 4.0, 5.0, 5.0]);
    let ends: Vec<TransferEnd> = samples.iter().map(|each| each.end).collect();
    assert_eq!(ends, [TransferEnd::Sender, TransferEnd::Receiver].repeat(3));
}

#[test]
fn the_two_ends_tell_of_the_same_connection() {
    let mut plan = download();
    plan.tcp_info_step_ns = Some(plan.duration_ns);
    let samples = run(&plan).tcp_info;
    let [sender, receiver] = &samples[..] else {
        panic!("one step and one connection");
    };
    let acked = sender.info.tcpi_bytes_acked - 1; // Linux counts the SYN
    assert!(acked <= receiver.info.tcpi_bytes_received);
    assert!(receiver.info.tcpi_bytes_received <= sender.info.tcpi_bytes_sent);
    assert_eq!(sender.info.tcpi_snd_mss, 1448, "1460 less timestamps");
    assert!(sender.info.tcpi_total_retrans > 0, "the wire drops");
    let counts = &sender.counts;
    let causes =
        counts.fast_retransmissions + counts.timeout_retransmissions + counts.syn_retransmissions;
    assert_eq!(u64::from(sender.info.tcpi_total_retrans), causes);
}

#[test]
fn a_lossy_wire_loses_its_share_of_the_packets() {
    let mut plan = download();
    plan.wires[0].queue = drop_tail(1000);
    plan.wires[0].impair = [vec![loses(0.02)], Vec::new()];
    let metrics = run(&plan).metrics;
    assert_eq!(metrics["wire.uplink.drops_from.server"], 0.0);
    let (lost, sent) = (
        metrics["wire.uplink.loss.dropped_from.server"],
        metrics["tcp.segments_sent"],
    );
    // 670 segments: 13 lost, with a deviation of 3.6.
    assert!((3.0..26.0).contains(&lost), "{lost} of {sent}");
    assert!(metrics["tcp.retransmissions"] >= lost - 3.0);
}

#[test]
fn looking_changes_nothing() {
    let mut plan = download();
    let unseen = run(&plan);
    assert!(unseen.tcp_info.is_empty());
    plan.tcp_info_step_ns = Some(Duration::from_millis(7));
    assert_eq!(unseen.metrics, run(&plan).metrics);
}

#[test]
fn a_connection_is_not_sampled_before_it_is_opened() {
    let mut plan = download();
    plan.flows[0].start_ns = Duration::from_secs(3);
    plan.tcp_info_step_ns = Some(Duration::from_secs(1));
    let first = run(&plan).tcp_info[0];
    assert_eq!(first.at, Time::ZERO + Duration::from_secs(3));
}

#[test]
fn a_connection_may_have_a_tcp_of_its_own() {
    let mut plan = download();
    let own = tcp::profile("rfc").map(|profile| tcp::Profile {
        mss_bytes: 536,
        congestion_control: CongestionAlgorithm::Vegas,
        ..profile
    });
    plan.flows[0].stacks = [own, None];
    plan.tcp_info_step_ns = Some(plan.duration_ns);
    let record = run(&plan);
    let sender = sent(&record.tcp_info)[0].info;
    assert_eq!(sender.tcpi_advmss, 536);
    assert_eq!(sender.tcpi_options & TcpInfo::OPT_TIMESTAMPS, 0);
    assert_eq!(record.tcp_info[1].info.tcpi_advmss, 1460, "the node's");
}

#[test]
fn the_stacks_of_a_connection_suffice() {
    let mut plan = download();
    for node in &mut plan.nodes {
        node.stack = None;
    }
    let refused = |plan: &Plan| {
        let json = serde_json::to_string(plan).expect("a plan is JSON");
        Plan::parse(&json).err().map(|error| error.to_string())
    };
    assert_eq!(
        refused(&plan).as_deref(),
        Some("flows[0]: app: both ends need a TCP stack")
    );
    plan.flows[0].stacks = [tcp::profile("rfc"), tcp::profile("windows-xp")];
    assert_eq!(refused(&plan), None);
    assert!(run(&plan).metrics["goodput_mbps"] > 1.0);
}
