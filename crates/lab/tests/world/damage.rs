//! What a wire does to packets, and who notices.

use std::num::NonZeroU32;
use std::path::PathBuf;

use crate::common::{bss, bulk, flow, loses, mac, udp};
use crate::network::{LEFT, RIGHT, routed};
use crate::tshark::tshark;
use dot11::Mode;
use lab::{Metrics, NodeRole, Plan, TapPlan, TapPoint};
use net::impairment::bit_error::FrameCheck;
use net::impairment::{Config, Filter, Match, Stage, bad_fcs, bit_error};
use units::{Duration, Rate};

fn metrics(plan: &Plan) -> Metrics {
    lab::run(plan, 1, None)
        .expect("no files are written")
        .metrics
}

fn stage(impairment: Config) -> Stage {
    Stage {
        name: "noise".into(),
        filter: Filter::default(),
        impairment,
    }
}

fn flips(ber: f64, fcs: FrameCheck) -> Stage {
    stage(Config::BitError(bit_error::Config { ber, fcs }))
}

/// A download of two megabytes over a wire with a stage towards the access point.
fn download(stage: Stage) -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 100);
    plan.warmup_ns = Duration::ZERO;
    plan.wires[0].impair[0] = vec![stage];
    plan.flows.push(flow("down", 0, 2, bulk(Some(2_000_000))));
    plan
}

/// Returns what machines have discarded for a reason.
fn discards(metrics: &Metrics, reason: &str, nodes: &[&str]) -> Vec<f64> {
    let of = |node: &&str| metrics[format!("node.{node}.{reason}_discards")];
    nodes.iter().map(of).collect()
}

const BSS: [&str; 3] = ["server", "ap", "sta-1"];

#[test]
fn a_frame_with_a_recomputed_check_sequence_crosses_the_air_and_fails_at_the_station() {
    let metrics = metrics(&download(flips(1e-5, FrameCheck::Recomputed)));
    let [damaged, unnoticed, matched] = ["damaged", "unnoticed", "matched"]
        .map(|count| metrics[format!("wire.uplink.noise.{count}_from.server")]);
    assert_eq!(discards(&metrics, "fcs", &BSS), [0.0; 3]);
    let checksum = discards(&metrics, "checksum", &BSS);
    let header = discards(&metrics, "header", &BSS);
    assert_eq!(
        checksum[..2],
        [0.0; 2],
        "the access point bridges and looks at no checksum"
    );
    let accounted = checksum[2] + header.iter().sum::<f64>() + unnoticed;
    assert_eq!(accounted, damaged);
    // 1 − (1 − 10⁻⁵)^(8 · 1514) = 0.114 of the full frames, within 4 sigma.
    let share = damaged / matched;
    assert!((0.09..0.14).contains(&share), "{share} of {matched}");

    assert_eq!(metrics["flow.down.bytes"], 2_000_000.0, "TCP recovers");
    let again = metrics["flow.down.retransmissions"];
    assert!(
        again >= checksum[2],
        "{again} for {} discarded",
        checksum[2]
    );
}

#[test]
fn a_frame_with_a_wrong_check_sequence_ends_at_the_access_point() {
    let garbled = stage(Config::BadFcs(bad_fcs::Config { probability: 0.1 }));
    for stage in [flips(1e-5, FrameCheck::Wrong), garbled] {
        let metrics = metrics(&download(stage));
        let damaged = metrics["wire.uplink.noise.damaged_from.server"];
        assert!(damaged > 100.0, "{damaged}");
        assert_eq!(discards(&metrics, "fcs", &BSS), [0.0, damaged, 0.0]);
        assert_eq!(discards(&metrics, "checksum", &BSS), [0.0; 3]);
        assert_eq!(discards(&metrics, "header", &BSS), [0.0; 3]);
        assert_eq!(metrics["flow.down.bytes"], 2_000_000.0);
    }
}

/// A router looks at the 20 bytes of the IP header, the host at what is behind them.
#[test]
fn a_router_discards_by_the_sum_of_the_header_and_passes_on_what_is_wrong_behind_it() {
    let mut plan = routed(NodeRole::Host);
    plan.caches_filled = true;
    plan.wires[0].impair[0] = vec![flips(1e-5, FrameCheck::Recomputed)];
    let rate = Some(Rate::from_mbps(50.0));
    plan.flows = vec![flow("datagrams", LEFT, RIGHT, udp(1472, rate))];
    let metrics = metrics(&plan);
    let found = discards(&metrics, "checksum", &["left", "router", "right"]);
    let sent = metrics["wire.near.noise.matched_from.left"];
    let [by_header, by_datagram] = [found[1] / sent, found[2] / sent];
    assert!(sent > 40_000.0, "{sent}");
    let hit = |bytes: i32| 1.0 - (1.0 - 1e-5_f64).powi(8 * bytes);
    let is_near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.35;
    assert!(is_near(by_header, hit(20)), "{by_header}");
    assert!(
        (by_datagram / hit(1480) - 1.0).abs() < 0.05,
        "{by_datagram}"
    );
    assert_eq!(found[0], 0.0);
}

#[test]
fn a_world_without_damage_counts_none() {
    let metrics = metrics(&download(loses(0.01)));
    assert_eq!(metrics.get("node.sta-1.checksum_discards"), None);
    assert_eq!(metrics["wire.uplink.loss.damaged_from.server"], 0.0);
}

/// An upload, as the tap at the server's end of the wire sees it behind the emulator.
#[test]
fn tshark_finds_the_wrong_checksums_that_the_server_discards() {
    let mut plan = download(loses(0.0));
    plan.flows[0] = flow("up", 2, 0, bulk(Some(2_000_000)));
    plan.wires[0].impair = [Vec::new(), vec![flips(1e-5, FrameCheck::Recomputed)]];
    plan.taps.push(TapPlan {
        name: "damaged".into(),
        at: TapPoint::Wire(0),
        snap_bytes: 65_535,
    });
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("damaged");
    let metrics = lab::run(&plan, 1, Some(&folder))
        .expect("the folder can be written")
        .metrics;
    let wrong = [
        ["-o", "ip.check_checksum:TRUE"],
        ["-o", "tcp.check_checksum:TRUE"],
        ["-Y", "ip.checksum.status == 0 || tcp.checksum.status == 0"],
    ];
    let found = tshark(&folder.join("damaged.pcapng"), &wrong.concat()).len();
    assert!(found > 100, "{found}");
    assert_eq!(found as f64, metrics["node.server.checksum_discards"]);
}

/// Two downloads, of which a filter is to tell one.
fn two_downloads(filter: Filter) -> Metrics {
    let stage = Stage {
        filter,
        ..loses(0.05)
    };
    let mut plan = download(stage);
    plan.flows[0] = flow("first", 0, 2, bulk(Some(1_000_000)));
    plan.flows.push(flow("second", 0, 2, bulk(Some(1_000_000))));
    metrics(&plan)
}

#[test]
fn a_filter_for_a_flow_or_a_connection_touches_nothing_else() {
    let of_flow = Filter {
        flows: Some([1].into()),
        ..Filter::default()
    };
    let of_connection = Filter {
        connection: NonZeroU32::new(2),
        ..Filter::default()
    };
    for filter in [of_flow, of_connection] {
        let metrics = two_downloads(filter);
        assert_eq!(metrics["flow.first.retransmissions"], 0.0);
        let lost = metrics["wire.uplink.loss.dropped_from.server"];
        assert!(lost > 20.0, "{lost}");
        assert!(metrics["flow.second.retransmissions"] >= lost - 1.0);
    }
}

#[test]
fn a_filter_for_sizes_and_flags_touches_nothing_else() {
    let large = two_downloads(Filter {
        min_bytes: Some(1500),
        ..Filter::default()
    });
    let data = two_downloads(Filter {
        kinds: vec![Match::TcpData],
        ..Filter::default()
    });
    let [large, data] = [large, data].map(|of| of["wire.uplink.loss.matched_from.server"]);
    assert!(
        large > 1_300.0 && large < data,
        "{large} of {data}: each download ends with a rest"
    );
    let opening = two_downloads(Filter {
        kinds: vec![Match::TcpSyn],
        ..Filter::default()
    });
    assert_eq!(opening["wire.uplink.loss.matched_from.server"], 2.0);
}

#[test]
fn packets_of_a_list_that_never_come_are_told() {
    let mut plan = download(loses(0.0));
    let impair = &mut plan.wires[0].impair[0][0];
    impair.filter.kinds = vec![Match::TcpSyn];
    let Config::Drop(drop) = &mut impair.impairment else {
        unreachable!("it loses");
    };
    drop.packets = Some([1, 7, 9].map(|n| n.try_into().expect("not zero")).into());
    let awaited = "wire.uplink.loss.awaited_from.server";
    assert_eq!(metrics(&plan)[awaited], 2.0);
    assert_eq!(metrics(&download(loses(0.0))).get(awaited), None);
}
