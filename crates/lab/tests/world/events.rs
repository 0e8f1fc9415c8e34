//! What a station's radio reports: levels of its access point, and the frames it gives up.

use std::path::PathBuf;

use dot11::{FrameKind, Mode};
use lab::{LossPlan, Plan, TapPlan, TapPoint};
use units::{Duration, Rate};

use crate::common::{bss, end, flow, mac, radio_of, udp};

const STATION: usize = 2;

/// A datagram every 8 ms up, of which the third and the fifth are lost whenever they are sent; the
/// access point sends beacons.
fn plan() -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 2);
    radio_of(&mut plan, 1).beacon_interval_ns = Some(Duration::from_micros(102_400));
    let every_8_ms = udp(1000, Some(Rate::from_mbps(1.0)));
    plan.flows.push(flow("up", STATION, 0, every_8_ms));
    plan.air.as_mut().expect("there are radios").lose = vec![LossPlan {
        name: "listed".into(),
        senders: vec![STATION],
        receivers: Vec::new(),
        frames: vec![FrameKind::Data],
        msdu: vec![3, 5],
        fragment: Vec::new(),
        attempt: Vec::new(),
        number: Vec::new(),
    }];
    plan
}

fn logged() -> Plan {
    let mut plan = plan();
    plan.taps.push(TapPlan {
        name: "card".into(),
        at: TapPoint::Events(end(STATION, 0)),
        snap_bytes: 65_535,
    });
    plan
}

fn log() -> String {
    let (_, mut captures) = lab::run_captured(&logged(), 1);
    let (name, bytes) = captures.pop().expect("there is one tap");
    assert_eq!((name.as_str(), captures.len()), ("card", 0));
    String::from_utf8(bytes).expect("a text")
}

#[test]
fn each_packet_that_the_mac_gave_up_is_told_once() {
    let log = log();
    let dropped: Vec<&str> = (log.lines())
        .filter(|line| line.contains("dropped"))
        .collect();
    assert_eq!(dropped.len(), 2);
    for line in dropped {
        assert!(
            line.ends_with("   wlan0    Tx packet dropped:02:00:00:00:00:01"),
            "{line}"
        );
    }
}

/// 15 dBm less 48 dB, at each beacon if nothing else is heard; noise of -174 dBm/Hz, 22 MHz and
/// 7 dB.
#[test]
fn levels_are_told_ten_times_a_second_at_most() {
    let log = log();
    let levels: Vec<&str> = (log.lines()).filter(|line| line.contains("Link")).collect();
    assert!(
        levels
            .iter()
            .all(|line| line.ends_with("Link Signal level=-33 dBm  Noise level=-94 dBm")),
        "{levels:?}"
    );
    assert!((16..=20).contains(&levels.len()), "{} in 2 s", levels.len());
}

#[test]
fn a_file_holds_the_same_and_a_log_changes_nothing() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("events");
    let written = lab::run(&logged(), 1, Some(&folder)).expect("the folder can be written");
    let file = std::fs::read_to_string(folder.join("card.iwevent")).expect("the tap wrote it");
    assert!(file == log());
    let without = lab::run(&plan(), 1, None).expect("no files are written");
    // What there is none of is NaN, which nothing equals.
    let [with, without] = [written, without].map(|record| format!("{:?}", record.metrics));
    assert!(with == without);
}
