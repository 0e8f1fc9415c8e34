//! What the passive analysis tells of a tap's capture, against what the simulated ends know.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::common::{bss, bulk, end, flow, mac};
use analysis::{Analysis, Cause, ConnectionStage, DirectionCounters, TrackerLimits, analyse};
use dissect::read::PacketReader;
use dot11::Mode;
use lab::{Plan, Record, TapPlan, TapPoint};
use units::Duration;

const BYTES: u64 = 1_500_000;

/// Downloads through an access point with a short queue, which drops: losses in plenty, all
/// behind the tap at the server.
fn downloads(stack: &str, stations: usize, queue_packets: u32) -> Plan {
    let mut config = mac(Mode::CCK_11, Mode::DSSS_2);
    config.queue_packets = queue_packets;
    let mut plan = bss(&config, stations, 60);
    plan.warmup_ns = Duration::ZERO;
    for node in &mut plan.nodes {
        node.stack = tcp::profile(stack);
    }
    for station in 2..2 + stations {
        let app = bulk(Some(BYTES));
        plan.flows
            .push(flow(&format!("down-{station}"), 0, station, app));
    }
    let at = TapPoint::Wire(0);
    plan.taps.push(TapPlan {
        name: "server".into(),
        at,
        snap_bytes: 96,
    });
    plan
}

fn run(plan: &Plan, name: &str) -> (Record, Analysis) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let record = lab::run(plan, 1, Some(&folder)).expect("the folder can be written");
    let mut reader =
        PacketReader::open(&folder.join("server.pcapng")).expect("the tap wrote a file");
    (record, analyse(&mut reader, TrackerLimits::default()))
}

/// The sum over all connections of what is counted of their clients, who send the data.
fn clients(analysis: &Analysis, count: impl Fn(&DirectionCounters) -> u64) -> f64 {
    analysis
        .connections
        .iter()
        .map(|connection| count(&connection.client.counters))
        .sum::<u64>() as f64
}

/// Everything the server's TCP did stands in the capture at its wire; what it meant by it is
/// told from the outside, and told right.
#[track_caller]
fn agrees_with_the_ends(stack: &str, stations: usize, queue_packets: u32) {
    let plan = downloads(stack, stations, queue_packets);
    let (record, analysis) = run(
        &plan,
        &format!("analysis-{stack}-{stations}-{queue_packets}"),
    );
    let truth = |name: &str| record.metrics[name];

    assert_eq!(analysis.warnings, []);
    assert_eq!(analysis.connections.len(), stations);
    for (connection, planned) in analysis.connections.iter().zip(&plan.flows) {
        let sent = &connection.client.counters;
        assert_eq!(connection.outcome, ConnectionStage::Closed);
        assert_eq!(sent.bytes_unique, BYTES);
        assert_eq!(sent.packets_out_of_order, 0);
        assert_eq!(connection.client.bytes_missed, 0);
        let again = truth(&format!("flow.{}.retransmissions", planned.name));
        assert_eq!(sent.packets_retransmitted as f64, again);
        assert_eq!(sent.causes.iter().sum::<u64>() as f64, again);
    }
    let fast = |c: &DirectionCounters| c.cause(Cause::Fast) + c.cause(Cause::Rack);
    assert_eq!(
        clients(&analysis, |c| c.packets_data),
        truth("tcp.segments_sent")
    );
    assert_eq!(clients(&analysis, fast), truth("tcp.retransmissions_fast"));
    assert_eq!(
        clients(&analysis, |c| c.cause(Cause::Timeout)),
        truth("tcp.retransmissions_timeout")
    );
    assert_eq!(clients(&analysis, |c| c.timeouts), truth("tcp.timeouts"));
    // The ends count an acknowledgment sent at once even where it tells of a segment that was
    // still to be acknowledged, which makes it no duplicate.
    assert!(clients(&analysis, |c| c.duplicate_acks) <= truth("tcp.duplicate_acks"));
}

#[test]
fn causes_agree_with_a_sender_that_retransmits_after_three_duplicates() {
    agrees_with_the_ends("rfc", 1, 8);
    agrees_with_the_ends("rfc", 3, 10);
    agrees_with_the_ends("rfc", 6, 20);
}

#[test]
fn causes_agree_with_a_sender_that_retransmits_after_two() {
    agrees_with_the_ends("windows-xp", 1, 8);
    agrees_with_the_ends("windows-xp", 3, 10);
    agrees_with_the_ends("windows-xp", 6, 20);
}

#[test]
fn a_path_without_losses_is_told_so() {
    agrees_with_the_ends("windows-2000", 1, 100);
}

/// The duplicate acknowledgements that tshark finds in a file, less those that come when
/// nothing is outstanding: RFC 5681 §2 (a) does not count these, tshark does.
fn found_by_tshark(file: &Path) -> usize {
    let mut command = Command::new("tshark");
    command
        .args(["-T", "fields", "-E", "separator=,", "-r"])
        .arg(file);
    for field in [
        "stream",
        "dstport",
        "seq",
        "len",
        "ack",
        "analysis.duplicate_ack_num",
    ] {
        command.arg("-e").arg(format!("tcp.{field}"));
    }
    let output = command
        .output()
        .expect("tshark is installed by `make test`");
    let mut sent = BTreeMap::new();
    let mut found = 0;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let field: Vec<u64> = line
            .split(',')
            .map(|text| text.parse().unwrap_or(0))
            .collect();
        let [stream, port, seq, length, ack, duplicate] = field[..] else {
            continue;
        };
        let highest = sent.entry(stream).or_insert(0);
        if port < 49_152 {
            *highest = (seq + length).max(*highest);
        } else {
            found += usize::from(duplicate > 0 && ack < *highest);
        }
    }
    found
}

#[test]
fn duplicate_acknowledgments_are_those_that_tshark_finds() {
    for stack in ["rfc", "windows-xp"] {
        let name = format!("analysis-{stack}-tshark");
        let (_, analysis) = run(&downloads(stack, 4, 10), &name);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let found = found_by_tshark(&folder.join("server.pcapng"));
        assert!(found > 300, "{found}");
        assert_eq!(
            clients(&analysis, |c| c.duplicate_acks),
            found as f64,
            "{stack}"
        );
    }
}

#[test]
fn an_upload_is_told_as_well_at_its_receiver() {
    let mut plan = downloads("windows-xp", 1, 100);
    plan.flows[0] = flow("up", 2, 0, bulk(Some(BYTES)));
    let (record, analysis) = run(&plan, "analysis-upload");
    let [connection] = &analysis.connections[..] else {
        panic!("one connection")
    };
    let (sent, rtt) = (
        &connection.client.counters,
        connection.client.rtt.expect("samples"),
    );
    assert_eq!((sent.bytes_unique, sent.packets_retransmitted), (BYTES, 0));
    assert_eq!(
        sent.packets_data as f64,
        record.metrics["tcp.segments_sent"]
    );
    // From the server's wire to the server there is no way to go, but its delayed
    // acknowledgments wait up to 200 ms.
    assert!(rtt.min_ms < 0.001 && rtt.max_ms <= 200.0, "{rtt:?}");
    // The handshake passes the wire's 1 ms and the air, both ways.
    assert!(connection.handshake_ms.expect("a whole handshake") > 2.0);
}

#[test]
fn a_sniffer_at_the_access_point_tells_of_the_same_connection() {
    let mut plan = downloads("windows-xp", 1, 8);
    for node in &mut plan.nodes {
        for radio in node
            .interfaces
            .iter_mut()
            .filter_map(|each| each.radio.as_mut())
        {
            radio.mac.fragmentation_threshold = 800;
        }
    }
    plan.taps.push(TapPlan {
        name: "air".into(),
        at: TapPoint::Air(end(1, 0)),
        snap_bytes: 200,
    });
    let name = "analysis-air";
    let (record, wire) = run(&plan, name);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(name)
        .join("air.pcapng");
    let air = analyse(
        &mut PacketReader::open(&file).expect("the tap wrote a file"),
        TrackerLimits::default(),
    );

    let [wire, air] = [&wire, &air].map(|told| told.connections[0].client.counters);
    assert_eq!((wire.bytes_unique, air.bytes_unique), (BYTES, BYTES));
    let dropped = record.metrics["node.ap.drops_queue"];
    assert!(dropped > 10.0);
    assert_eq!((wire.packets_data - air.packets_data) as f64, dropped);
    // What the queue dropped is missing on the air until it is retransmitted.
    assert_eq!(
        air.packets_out_of_order + air.packets_retransmitted,
        wire.packets_retransmitted
    );
}
