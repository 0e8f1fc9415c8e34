//! What taps write, as tshark reads it.

use std::path::PathBuf;

use crate::common::{bss, bulk, end, flow, loses, mac, radio_of, udp};
use crate::ping;
use crate::tshark::tshark;
use dot11::{MacConfig, Mode};
use lab::{Plan, TapPlan, TapPoint};
use units::Duration;

/// TCP in fragments behind RTS with losses at a short queue, pings, datagrams, beacons;
/// tapped on the wire, at the access point and at the station.
fn plan() -> Plan {
    let config = MacConfig {
        rts_threshold: 600,
        fragmentation_threshold: 800,
        queue_packets: 8,
        ..mac(Mode::CCK_11, Mode::DSSS_2)
    };
    let mut plan = bss(&config, 1, 3);
    radio_of(&mut plan, 1).beacon_interval_ns = Some(Duration::from_micros(102_400));
    plan.flows.push(flow("down", 0, 2, bulk(Some(300_000))));
    let interval_ns = Duration::from_millis(100);
    plan.flows.push(flow("ping", 2, 0, ping(interval_ns)));
    let rate_bps = Some(units::Rate::from_mbps(0.1));
    plan.flows
        .push(flow("datagrams", 0, 2, udp(1200, rate_bps)));
    for (name, at) in [
        ("wire", TapPoint::Wire(0)),
        ("ap", TapPoint::Air(end(1, 0))),
        ("sta", TapPoint::Air(end(2, 0))),
    ] {
        plan.taps.push(TapPlan {
            name: name.into(),
            at,
            snap_bytes: 65_535,
        });
    }
    plan
}

/// The plan with a tap at the IP of the server and of the station besides.
fn with_stacks() -> Plan {
    let mut plan = plan();
    for (name, node) in [("server", 0), ("laptop", 2)] {
        plan.taps.push(TapPlan {
            name: name.into(),
            at: TapPoint::Stack(node),
            snap_bytes: 128,
        });
    }
    plan
}

#[test]
fn what_is_kept_in_memory_is_what_the_files_hold() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("captures-in-memory");
    let written = lab::run(&with_stacks(), 1, Some(&folder)).expect("the folder can be written");
    let (record, captures) = lab::run_captured(&with_stacks(), 1);
    assert_eq!(record.metrics, written.metrics);
    assert_eq!(captures.len(), 5);
    for (tap, bytes) in captures {
        let file = folder.join(format!("{tap}.pcapng"));
        assert!(
            std::fs::read(file).expect("the tap wrote it") == bytes,
            "{tap}"
        );
    }
}

/// What the wire carried and the queue did not drop arrives at the station's IP, whole packets
/// instead of fragments and once each; what the wire did not lose is what the server's IP saw.
#[test]
fn a_tap_at_a_machines_ip_sees_the_packets_it_sends_and_takes() {
    let (_, captures) = lab::run_captured(&with_stacks(), 1);
    let data = |tap: &str, from: usize| {
        let (_, bytes) = captures.iter().find(|each| each.0 == tap).expect("a tap");
        let analysis = analysis::analyse_bytes(bytes, analysis::TrackerLimits::default());
        let analysis = analysis.expect("a capture");
        let connection = &analysis.connections[0];
        [&connection.client, &connection.server][from]
            .counters
            .packets_data
    };
    let [at_server, on_wire, at_laptop] = ["server", "wire", "laptop"].map(|tap| data(tap, 0));
    assert_eq!(at_server, on_wire);
    assert!(
        at_laptop < on_wire && at_laptop > on_wire * 9 / 10,
        "{at_laptop} of {on_wire}"
    );
}

fn count(file: &PathBuf, filter: &str) -> usize {
    tshark(file, &["-Y", filter]).len()
}

#[test]
fn tshark_decodes_every_frame_of_every_tap() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("captures");
    let record = lab::run(&plan(), 1, Some(&folder)).expect("the folder can be written");
    let [wire, ap, sta] = ["wire", "ap", "sta"].map(|tap| folder.join(format!("{tap}.pcapng")));

    for file in [&wire, &ap, &sta] {
        let wrong = "_ws.malformed || _ws.expert.severity >= error || wlan.fcs.status == bad";
        let checksums = [
            "-o",
            "ip.check_checksum:TRUE",
            "-o",
            "tcp.check_checksum:TRUE",
        ];
        let wrong = tshark(
            file,
            &[
                &checksums[..],
                &["-o", "wlan.check_checksum:TRUE", "-Y", wrong],
            ]
            .concat(),
        );
        assert!(wrong.is_empty(), "{}: {}", file.display(), wrong.join("\n"));
    }

    let fields = [
        "-Y",
        "tcp",
        "-T",
        "fields",
        "-e",
        "tcp.flags",
        "-e",
        "tcp.len",
    ];
    let handshake = &tshark(&wire, &fields)[..3];
    assert_eq!(
        handshake,
        ["0x0002\t0", "0x0012\t0", "0x0010\t0"],
        "SYN, SYN-ACK, ACK"
    );
    assert!(
        count(&wire, "tcp.options.sack_le") > 0,
        "the short queue drops, the receiver SACKs"
    );
    assert!(count(&wire, "icmp.type == 0") > 20);
    assert!(count(&ap, "wlan.fc.type_subtype == 8") >= 28, "beacons");
    assert!(
        count(&ap, "wlan.fc.type_subtype == 27") > 0
            && count(&ap, "wlan.fc.type_subtype == 28") > 0
    );
    assert!(count(&ap, "wlan.frag > 0") > 100, "fragments");
    assert!(
        count(&sta, "radiotap.dbm_antsignal == -33") > 100,
        "15 dBm less 48 dB"
    );
    assert_eq!(
        count(&sta, "radiotap.dbm_antnoise == -94"),
        count(&sta, "radiotap.dbm_antsignal"),
        "-174 dBm/Hz in 22 MHz and a noise figure of 7 dB, beside every signal"
    );

    // The station decodes all but what collides, and tshark puts the fragments together:
    // it sees the data segments that the wire carried, less what the queue dropped.
    let on_wire = count(&wire, "tcp.len > 0");
    let at_station = count(&sta, "tcp.len > 0 && wlan.fc.fromds == 1");
    assert!(
        at_station <= on_wire && at_station > on_wire * 9 / 10,
        "{at_station} of {on_wire}"
    );
    assert_eq!(record.metrics["connections_failed"], 0.0);
}

/// Every drop that is counted is a packet or a frame of the tap, with its cause as the comment.
#[test]
fn a_tap_of_what_is_dropped_names_each_cause() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("captures-of-drops");
    let mut plan = plan();
    plan.flows.push(flow("up", 2, 0, udp(1472, None)));
    let offered = Some(units::Rate::from_mbps(8.0));
    plan.flows[0] = flow("down", 0, 2, udp(1472, offered));
    plan.warmup_ns = Duration::ZERO;
    radio_of(&mut plan, 1).mac.short_retry_limit = 2;
    radio_of(&mut plan, 1).mac.rts_threshold = 2347;
    radio_of(&mut plan, 2).mac.rts_threshold = 2347;
    plan.wires[0].impair[0] = vec![loses(0.1)];
    for (name, node) in [("server", 0), ("ap", 1), ("sta-1", 2)] {
        plan.taps.push(TapPlan {
            name: format!("drops-{name}"),
            at: TapPoint::Drops(node),
            snap_bytes: 128,
        });
    }
    let record = lab::run(&plan, 1, Some(&folder)).expect("the folder can be written");
    let count = |of: &str, comment: &str| {
        let file = folder.join(format!("drops-{of}.pcapng"));
        count(&file, &format!("frame.comment == \"{comment}\"")) as f64
    };
    let of = |metric: &str| record.metrics[metric];
    let full = "dropped: the queue was full";
    assert!(of("node.ap.drops_queue") > 100.0);
    assert_eq!(count("ap", full), of("node.ap.drops_queue"));
    assert_eq!(count("sta-1", full), of("node.sta-1.drops_queue"));
    let given_up = of("node.ap.drops_retry_limit");
    assert!(given_up > 0.0);
    let retries = ["short", "long"].map(|of| format!("dropped: {of} retry limit"));
    let told: f64 = retries.iter().map(|why| count("ap", why)).sum();
    assert_eq!(told, given_up);
    assert_eq!(
        count("ap", "lost: impairment of the wire"),
        of(&format!(
            "wire.{}.loss.dropped_from.{}",
            plan.wires[0].name, plan.nodes[0].name
        ))
    );
    let file = folder.join("drops-ap.pcapng");
    let overlapped = "frame.comment == \"lost: overlapped by another frame\"";
    let signal = "radiotap.dbm_antsignal == -33 && radiotap.flags.badfcs == 1";
    assert!(count("ap", "lost: overlapped by another frame") > 10.0);
    assert_eq!(
        count("ap", "lost: overlapped by another frame"),
        tshark(&file, &["-Y", &format!("{overlapped} && {signal}")]).len() as f64
    );
}
