//! What a sniffer's capture tells of the air, against what the simulated stations know.

use std::path::{Path, PathBuf};

use crate::common::{bss, bulk, end, flow, mac, radio_of, udp};
use crate::tshark::tshark;
use analysis::watch::ColumnValues;
use analysis::wifi::{AirStation, FRAME_KINDS, ObservedUse, Wifi};
use analysis::{Analysis, Cause, TrackerLimits, analyse};
use capture::pcapng::{CaptureInterface, CapturedFrame, LinkType, Writer};
use dissect::read::PacketReader;
use dot11::{MacConfig, Mode};
use lab::{Plan, Record, TapPlan, TapPoint};
use units::{Db, Dbm, Duration, Rate, Time};

/// Runs a plan from its first instant with a tap at the antenna of `node`.
fn sniff(plan: &Plan, node: usize, name: &str) -> (Record, PathBuf) {
    let mut plan = plan.clone();
    plan.warmup_ns = Duration::ZERO;
    plan.taps.push(TapPlan {
        name: "air".into(),
        at: TapPoint::Air(end(node, 0)),
        snap_bytes: 200,
    });
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let record = lab::run(&plan, 1, Some(&folder)).expect("the folder can be written");
    (record, folder.join("air.pcapng"))
}

fn analysed(file: &Path) -> Analysis {
    let mut reader = PacketReader::open(file).expect("the tap wrote a file");
    analyse(&mut reader, TrackerLimits::default())
}

fn wifi(file: &Path) -> Wifi {
    analysed(file).wifi.expect("802.11 frames")
}

/// The station of a node.
fn station(wifi: &Wifi, node: u8) -> &AirStation {
    let is_it = |station: &&AirStation| station.address.is_some_and(|a| a.0[5] == node);
    wifi.stations.iter().find(is_it).expect("it was heard")
}

/// The third station hears RTS, CTS, fragments and ACKs one by one, each a SIFS behind the other,
/// and with Duration fields that end where the ACK does (IEEE 802.11-2007 §9.2.5.4).
#[test]
fn frames_are_listed_with_their_times_and_headers() {
    let (_, file) = sniff(&busy(), 4, "wifi-frames");
    let frames = analysis::wifi::frames_of_path(&file).expect("the tap wrote a file");
    let columns = frames.columns();
    let numbers = |name: &str| -> Vec<i64> {
        let (_, column) = columns
            .iter()
            .find(|each| each.0 == name)
            .expect("a column");
        match column {
            ColumnValues::Whole(bytes) | ColumnValues::Optional(bytes, _) => (bytes
                .chunks_exact(8))
            .map(|each| i64::from_le_bytes(each.try_into().expect("eight bytes")))
            .collect(),
            ColumnValues::Codes(bytes) => bytes.iter().map(|&code| code.into()).collect(),
        }
    };
    let (kinds, starts, ends) = (numbers("kind"), numbers("start_ns"), numbers("end_ns"));
    let durations = numbers("duration_us");
    let code = |name: &str| {
        FRAME_KINDS
            .iter()
            .position(|each| *each == name)
            .map(|at| at as i64)
    };
    let (rts, cts) = (code("rts"), code("cts"));
    let answered: Vec<usize> = (1..kinds.len())
        .filter(|&at| Some(kinds[at - 1]) == rts && Some(kinds[at]) == cts)
        .collect();
    assert!(answered.len() > 100, "{}", answered.len());
    for at in answered {
        assert_eq!(starts[at] - ends[at - 1], 10_000);
        let nav = |at: usize| ends[at] + 1_000 * durations[at];
        assert_eq!(nav(at), nav(at - 1));
    }
}

fn beacons(plan: &mut Plan) {
    let radio = radio_of(plan, 1);
    radio.beacon_interval_ns = Some(Duration::from_micros(102_400));
}

/// A download and an upload with RTS and fragments among three stations, the last of which
/// only listens: collisions, and frames that are missed with them.
fn busy() -> Plan {
    let config = MacConfig {
        rts_threshold: 600,
        fragmentation_threshold: 800,
        ..mac(Mode::CCK_11, Mode::DSSS_2)
    };
    let mut plan = bss(&config, 3, 10);
    beacons(&mut plan);
    let bulk = bulk(Some(1_000_000));
    plan.flows.push(flow("down", 0, 2, bulk.clone()));
    plan.flows.push(flow("up", 3, 0, bulk));
    plan
}

/// A download over a link that loses a quarter of the long frames and some of the short ones,
/// next to a second station that hears all of it.
fn lossy() -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 2, 10);
    beacons(&mut plan);
    let air = plan.air.as_mut().expect("there are radios");
    (air.loss_db[1][2], air.loss_db[2][1]) = (Db(102.5), Db(102.5));
    air.preamble_detection_dbm = Dbm(-95.0);
    let bytes = Some(300_000);
    plan.flows.push(flow("down", 0, 2, bulk(bytes)));
    plan
}

/// The same link with datagrams, to which nobody answers: nothing collides. They end before the run
/// does, since of an exchange that it cut nobody could say how it ended.
fn one_way() -> Plan {
    let mut plan = lossy();
    let app = udp(1000, Some(Rate::from_mbps(1.0)));
    plan.flows = vec![flow("down", 0, 2, app)];
    plan.flows[0].stop_ns = Some(plan.duration_ns - Duration::from_secs(1));
    plan
}

/// Airtime in the record and in the sniffer's ledger, in nanoseconds.
fn airtime(record: &Record, wifi: &Wifi, on: ObservedUse) -> (i64, i64) {
    let name = ObservedUse::ALL[on as usize].1;
    let truth = record.metrics[&format!("airtime.{name}_s")];
    let told = wifi.channels[0].ledger.spent_ns(on);
    ((truth * 1e9).round() as i64, told as i64)
}

#[test]
fn an_access_point_counts_its_own_attempts_as_its_sniffer_does() {
    for (plan, name) in [(busy(), "wifi-busy"), (lossy(), "wifi-lossy")] {
        let (record, file) = sniff(&plan, 1, name);
        let wifi = wifi(&file);
        let told = station(&wifi, 1);
        let truth = |metric: &str| record.metrics[&format!("node.ap.{metric}")];
        assert_eq!(told.data_frames as f64, truth("attempts"));
        assert_eq!(told.retries as f64, truth("retries"));
        assert_eq!(told.rts as f64, truth("rts_frames"));
        assert_eq!(told.msdus_given_up as f64, truth("drops_retry_limit"));
        assert_eq!(told.frames_missed, 0);
        assert!(told.is_access_point);
        assert_eq!(wifi.cells[0].ssid.as_deref(), Some("chamber"));
        assert_eq!(
            (wifi.cells[0].channel, wifi.cells[0].beacons),
            (Some(6), 97)
        );
    }
}

#[test]
fn the_ledger_agrees_with_the_simulation_s_to_the_nanosecond_where_a_sniffer_knows() {
    for (plan, node, name) in [
        (busy(), 1, "wifi-busy-ap"),
        (busy(), 4, "wifi-busy-beside"),
        (lossy(), 3, "wifi-lossy-beside"),
    ] {
        let (record, file) = sniff(&plan, node, name);
        let wifi = wifi(&file);
        let uses = [
            ObservedUse::Payload,
            ObservedUse::Header,
            ObservedUse::Preamble,
            ObservedUse::Ack,
            ObservedUse::RtsCts,
            ObservedUse::Duplicate,
        ];
        for on in uses {
            let (truth, told) = airtime(&record, &wifi, on);
            assert!(
                (truth - told).abs() <= 1_000,
                "{name} {on:?}: {truth} {told}"
            );
        }
    }
}

/// What the simulation calls collision and what it calls error is one to a sniffer, and where
/// it hears every frame, as where nothing collides, it is the same.
#[test]
fn lost_frames_and_the_silence_around_them_agree_where_nothing_is_missed() {
    let (record, file) = sniff(&one_way(), 3, "wifi-one-way");
    let wifi = wifi(&file);
    let ledger = &wifi.channels[0].ledger;
    let truth = |name: &str| (record.metrics[&format!("airtime.{name}_s")] * 1e9).round() as i64;
    assert!(truth("error") > 50_000_000);
    let lost = ledger.spent_ns(ObservedUse::CollisionOrError) as i64;
    assert!((lost - truth("collision") - truth("error")).abs() <= 1_000);
    let (timeout, told) = airtime(&record, &wifi, ObservedUse::Timeout);
    assert!((timeout - told).abs() < timeout / 50, "{timeout} {told}");
    // The sniffer takes an arrival during what would be backoff for backoff.
    let (ifs, told) = airtime(&record, &wifi, ObservedUse::Ifs);
    assert!((ifs - told).abs() < ifs / 20, "{ifs} {told}");
    let (backoff, told) = airtime(&record, &wifi, ObservedUse::Backoff);
    assert!((backoff - told).abs() < backoff / 5, "{backoff} {told}");
}

#[test]
fn a_segment_given_up_on_the_air_is_one_that_tcp_retransmits_after_a_timeout() {
    let (record, file) = sniff(&lossy(), 1, "wifi-bursts");
    let analysis = analysed(&file);
    let bursts = &analysis.wifi.as_ref().expect("802.11 frames").bursts;
    let given_up: Vec<_> = bursts
        .iter()
        .filter(|burst| !burst.is_delivered && burst.is_from_client && burst.payload > 0)
        .collect();
    assert!(!given_up.is_empty());
    let drops = record.metrics["node.ap.drops_retry_limit"];
    assert!(given_up.len() as f64 <= drops);
    for burst in &given_up {
        assert_eq!(
            (burst.connection, burst.attempts),
            (Some(0), 7),
            "the short retry limit"
        );
        let again = burst.again.expect("TCP repairs it");
        assert!(
            again
                .cause
                .is_some_and(|cause| matches!(cause, Cause::Timeout | Cause::Fast | Cause::Rack))
        );
        assert!(again.after_ms > 1.0);
    }
    let sent = &analysis.connections[0].client;
    let first = given_up[0];
    assert_eq!(
        first.relative_seq,
        Some(first.seq.wrapping_sub(sent.isn.expect("a SYN")))
    );
}

/// From a station to another of its cell every segment is on the air twice, and the access point's
/// queue, which is short, drops some in between.
#[test]
fn what_stations_of_a_cell_send_each_other_is_counted_once() {
    let config = |queue_packets| MacConfig {
        queue_packets,
        ..mac(Mode::CCK_11, Mode::DSSS_2)
    };
    let mut plan = bss(&config(1000), 2, 20);
    radio_of(&mut plan, 1).mac = config(8);
    let bytes = 1_000_000;
    let app = bulk(Some(bytes));
    plan.flows.push(flow("copy", 2, 3, app));
    let (record, file) = sniff(&plan, 2, "wifi-relay");

    let told = analysed(&file);
    let [copy] = &told.connections[..] else {
        panic!("{} connections", told.connections.len());
    };
    let sent = &copy.client.counters;
    let again = record.metrics["flow.copy.retransmissions"];
    assert!(again > 0.0, "the queue is too long for the test");
    assert_eq!(
        sent.packets_data as f64,
        record.metrics["tcp.segments_sent"]
    );
    assert_eq!(sent.packets_retransmitted as f64, again);
    assert_eq!(sent.cause(Cause::NetworkDuplicate), 0);
    assert_eq!(sent.bytes_unique, bytes);
    assert!(told.tally.doubled > sent.packets_data / 2);
}

/// The same capture without some of its frames.
fn thinned(file: &Path, keeps: impl Fn(u64) -> bool) -> Vec<u8> {
    let mut reader = PacketReader::open(file).expect("the tap wrote a file");
    let mut out = Writer::new(Vec::new(), None).expect("memory");
    let air = CaptureInterface::new(LinkType::Ieee80211Radiotap, "air");
    let interface = out.add_interface(&air).expect("memory");
    let mut number = 0;
    while let Some(packet) = reader.next() {
        number += 1;
        if keeps(number) {
            out.frame(&CapturedFrame {
                interface,
                time: Time::from_nanos(packet.time_ns),
                bytes: packet.data,
                original_len: packet.original_len,
                comment: None,
            })
            .expect("memory");
        }
    }
    out.finish().expect("memory")
}

/// Of an MSDU whose attempts are all missed only one is told, so the estimate is low, the more
/// the more is missed.
#[test]
fn frames_that_a_sniffer_misses_are_told_by_those_it_does_not() {
    let (record, file) = sniff(&busy(), 1, "wifi-thinned");
    let beacons = station(&wifi(&file), 1).beacons;
    for one_in in [20, 10, 4] {
        // Which are missed has no rhythm of its own: the multiplier is that of Knuth's hash.
        let is_missed =
            |number: u64| (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40).is_multiple_of(one_in);
        let bytes = thinned(&file, |number| !is_missed(number));
        let mut reader = PacketReader::new(&bytes[..]).expect("a capture");
        let analysis = analyse(&mut reader, TrackerLimits::default());
        let thinned = analysis.wifi.expect("802.11 frames");
        for (node, name, beacons) in [(1, "ap", beacons), (2, "sta-1", 0), (3, "sta-2", 0)] {
            let station = station(&thinned, node);
            let sent = record.metrics[&format!("node.{name}.attempts")] + beacons as f64;
            let missed = sent - (station.data_frames + station.beacons) as f64;
            let told = station.frames_missed as f64;
            assert!(
                told <= missed && told >= missed * 0.85,
                "1 in {one_in}, {name}: {missed} missed, {told} told"
            );
        }
    }
}

#[test]
fn tshark_counts_the_same_frames_retries_rates_and_powers() {
    let (_, file) = sniff(&busy(), 1, "wifi-tshark");
    let wifi = wifi(&file);
    let count = |filter: &str| tshark(&file, &["-Y", filter]).len() as u64;
    assert_eq!(wifi.frames, count("wlan"));
    for node in [1, 2, 3] {
        let told = station(&wifi, node);
        let from = format!("wlan.ta == 02:00:00:00:00:0{node}");
        assert_eq!(
            told.retries,
            count(&format!(
                "{from} && wlan.fc.retry == 1 && wlan.fc.type == 2"
            ))
        );
        assert_eq!(
            told.data_frames,
            count(&format!("{from} && wlan.fc.type_subtype == 32"))
        );
        assert_eq!(
            told.rts,
            count(&format!("{from} && wlan.fc.type_subtype == 27"))
        );
        assert_eq!(
            told.beacons,
            count(&format!("{from} && wlan.fc.type_subtype == 8"))
        );
        let at_11 = format!("{from} && wlan.fc.type_subtype == 32 && radiotap.datarate == 11");
        assert_eq!(told.rates[0].frames, count(&at_11));
    }
    let signals = tshark(
        &file,
        &[
            "-Y",
            "wlan.ta == 02:00:00:00:00:02",
            "-T",
            "fields",
            "-e",
            "radiotap.dbm_antsignal",
        ],
    );
    let signal = station(&wifi, 2).signal.expect("it is not the sniffer");
    assert_eq!(signals[0], signal.min_dbm.to_string());
}
