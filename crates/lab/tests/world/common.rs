//! Plans for tests: one BSS behind a wire.

use std::net::Ipv4Addr;

use dot11::rate_control::{RateControlConfig, fixed};
use dot11::{MacConfig, Mode, Preamble, Privacy, Protection, Standard, association};
use lab::{
    AdmittingPlan, AirPlan, AssociationPlan, CostPlan, EndPlan, FadingPlan, FlowPlan,
    InterfacePlan, LongTables, NodePlan, NodeRole, Plan, ProcessPlan, RadioPlan, SeekingPlan,
    WirePlan,
};
use net::impairment::{self, Filter, Stage, drop};
use net::queue::{self, drop_tail};
use phy::ErrorModel;
use units::declaration;
use units::{Db, Dbm, Duration, Rate};

/// An 802.11b MAC at a fixed rate, control frames at `basic`, no RTS, no fragmentation.
pub fn mac(mode: Mode, basic: Mode) -> MacConfig {
    MacConfig {
        standard: Standard::Dot11b,
        band: None,
        aggregation: None,
        coding: None,
        short_slot: false,
        protection: Protection::None,
        preamble: Preamble::Long,
        basic_rates: vec![basic],
        rate: mode,
        rate_control: RateControlConfig::Fixed(fixed::Config {}),
        rts_threshold: 2347,
        fragmentation_threshold: 2346,
        short_retry_limit: 7,
        long_retry_limit: 4,
        msdu_lifetime_ns: None,
        privacy: Privacy::None,
        queue_packets: 100,
        cw_min: 31,
        cw_max: 1023,
        edca: None,
    }
}

/// An access point and `stations` stations, all 48 dB apart, a server behind a wire,
/// no traffic yet. Node 0 is the server, 1 the access point, 2 the first station.
pub fn bss(mac: &MacConfig, stations: usize, seconds: u64) -> Plan {
    let access = radio(mac, None);
    let mut nodes = vec![
        node("server", NodeRole::Host, 0, vec![None]),
        node("ap", NodeRole::Ap, 1, vec![Some(access), None]),
    ];
    for index in 2..2 + stations {
        let name = format!("sta-{}", index - 1);
        nodes.push(node(
            &name,
            NodeRole::Sta,
            index,
            vec![Some(radio(mac, Some(end(1, 0))))],
        ));
    }
    let loss_db = vec![vec![Db(48.0); nodes.len()]; nodes.len()];
    Plan {
        version: Plan::VERSION,
        duration_ns: Duration::from_secs(seconds),
        warmup_ns: Duration::from_secs(1),
        series_step_ns: None,
        tcp_info_step_ns: None,
        nodes,
        wires: vec![WirePlan {
            name: "uplink".into(),
            ends: [end(0, 0), end(1, 1)],
            rate_bps: Rate::from_mbps(100.0),
            delay_ns: Duration::from_millis(1),
            queue: drop_tail(1000),
            impair: [Vec::new(), Vec::new()],
        }],
        segments: Vec::new(),
        emulation: None,
        caches_filled: true,
        air: Some(AirPlan {
            motion: None,
            error_model: ErrorModel::Nist,
            thresholds: None,
            ssid: "chamber".into(),
            noise_figure_db: Db(7.0),
            preamble_detection_dbm: Dbm(-82.0),
            detection_margin_db: Db(4.0),
            capture: air::Until::Detection,
            capture_margin_db: Db(0.0),
            energy_detection_dbm: Dbm(-70.0),
            loss_db,
            emitters: Vec::new(),
            fading: Vec::new(),
            levels: Default::default(),
            lose: Vec::new(),
        }),
        traces: Default::default(),
        flows: Vec::new(),
        taps: Vec::new(),
        mobile_ip: None,
        associations: None,
        windows: Vec::new(),
        tables: LongTables::default(),
    }
}

/// The radio of an access point, or of a station of one.
pub fn radio(mac: &MacConfig, access_point: Option<EndPlan>) -> RadioPlan {
    RadioPlan {
        receivers: Vec::new(),
        mac: mac.clone(),
        queue: None,
        name: String::new(),
        frequency_mhz: 2437,
        tx_power_dbm: Dbm(15.0),
        beacon_interval_ns: None,
        categories: Vec::new(),
        ledger: None,
        access_point,
        freeze_below_dbm: None,
    }
}

/// The node of an index, whose address is made of it, with these interfaces.
pub fn node(name: &str, role: NodeRole, index: usize, radios: Vec<Option<RadioPlan>>) -> NodePlan {
    let address = Ipv4Addr::new(10, 0, (index >> 8) as u8, index as u8);
    let interface = |radio: Option<RadioPlan>| InterfacePlan {
        address,
        prefix_length: 16,
        mtu: 1500,
        radio: radio.map(|radio| RadioPlan {
            name: name.into(),
            ledger: (radio.ledger.clone()).or_else(|| (role == NodeRole::Ap).then(|| name.into())),
            ..radio
        }),
    };
    NodePlan {
        name: name.into(),
        role,
        stack: tcp::profile("windows-xp"),
        interfaces: radios.into_iter().map(interface).collect(),
        routes: Vec::new(),
        cost: None,
        nat: None,
    }
}

/// One end of a wire.
pub fn end(node: usize, interface: usize) -> EndPlan {
    EndPlan { node, interface }
}

/// The radio of a node that has one.
pub fn radio_of(plan: &mut Plan, node: usize) -> &mut RadioPlan {
    let mut interfaces = plan.nodes[node].interfaces.iter_mut();
    interfaces
        .find_map(|each| each.radio.as_mut())
        .expect("it has one")
}

/// A flow that starts at once.
pub fn flow(name: &str, from: usize, to: usize, app: traffic::Config) -> FlowPlan {
    FlowPlan {
        name: name.into(),
        from,
        to,
        start_ns: Duration::ZERO,
        start_within_ns: Duration::ZERO,
        start_jitter_ns: Duration::ZERO,
        jitter_ns: Duration::ZERO,
        stop_ns: None,
        dscp: 0,
        stacks: [None, None],
        opener: None,
        app,
    }
}

/// Every station saturates the uplink with datagrams of `payload` bytes.
pub fn saturate_uplink(plan: &mut Plan, payload: u32) {
    for station in 2..plan.nodes.len() {
        let name = format!("up-{station}");
        plan.flows.push(flow(&name, station, 1, udp(payload, None)));
    }
}

/// Stations that look for their access points on channel 6, quickly, as do these access points:
/// three packets lost in a row have them send a station away.
pub fn seeking(stations: &[usize], access_points: &[usize], keeps_queue: bool) -> AssociationPlan {
    let by = association::AssociationConfig {
        channels: vec![2437],
        scan: association::Scan::Active,
        probe_delay_ns: Duration::from_millis(2),
        dwell_ns: Duration::from_millis(10),
        beacons_missed: 3,
        roam_below_dbm: Some(Dbm(-60.0)),
        hysteresis_db: Db(5.0),
        rescan_ns: Duration::from_millis(200),
        rejoin_delay_ns: Duration::from_millis(5),
        pause_ns: Duration::from_millis(50),
        timeout_ns: Duration::from_millis(20),
        tries: 3,
        keeps_queue,
    };
    let station = |&node: &usize| SeekingPlan {
        at: end(node, 0),
        by: by.clone(),
    };
    let access_point = |&node: &usize| AdmittingPlan {
        at: end(node, 0),
        lost_packets: Some(3),
        keeps_queue,
    };
    AssociationPlan {
        access_points: access_points.iter().map(access_point).collect(),
        stations: stations.iter().map(station).collect(),
    }
}

/// One connection that sends so many bytes, or until the run ends.
pub fn bulk(bytes: Option<u64>) -> traffic::Config {
    traffic::Config::Bulk(traffic::Bulk { bytes })
}

/// Datagrams at a rate, or as many as the interface takes.
pub fn udp(payload: u32, rate: Option<Rate>) -> traffic::Config {
    traffic::Config::Udp(traffic::Udp { payload, rate })
}

/// Queues of so many packets at both ends of a wire.
pub fn drop_tail(packets: u32) -> [queue::Config; 2] {
    let config = drop_tail::Config {
        packets,
        bytes: None,
    };
    [config.clone().into(), config.into()]
}

/// The queue of a kind with the defaults of its declaration, as a plan has them.
pub fn usual_queue(kind: &str) -> queue::Config {
    let declared = queue::KINDS.iter().find(|each| each.name == kind);
    let fields = declared.expect("it is in the list").fields;
    let mut plan: serde_json::Map<_, _> = (fields.iter())
        .map(|field| {
            let value = match field.default {
                declaration::Default::Absent => serde_json::Value::Null,
                declaration::Default::Count(count) => count.into(),
                declaration::Default::Number(number) => number.into(),
                declaration::Default::Flag(flag) => flag.into(),
                declaration::Default::Text(text) => nanoseconds(text).into(),
                other => panic!("{}: {other:?}", field.name),
            };
            (field.name.to_owned(), value)
        })
        .collect();
    plan.insert("kind".into(), kind.into());
    serde_json::from_value(plan.into()).expect("it is as a plan has it")
}

fn nanoseconds(text: &str) -> u64 {
    let millis: f64 = text
        .strip_suffix(" ms")
        .expect("ms")
        .parse()
        .expect("a number");
    (millis * 1e6) as u64
}

/// A cost of so many microseconds for each packet, and room for so many packets.
pub fn cost(per_packet_us: u64, queue_packets: u32) -> CostPlan {
    CostPlan {
        per_packet_ns: Duration::from_micros(per_packet_us),
        per_connection_ns: Duration::ZERO,
        per_record_ns: Duration::ZERO,
        queue_packets,
    }
}

/// Lets the link between two nodes fade.
pub fn fade(plan: &mut Plan, between: [usize; 2], process: air::fading::Config) {
    let air = plan.air.as_mut().expect("there are radios");
    air.fading.push(FadingPlan {
        between: vec![between],
        by: vec![ProcessPlan {
            name: "fading".into(),
            process,
        }],
    });
}

/// A stage called "loss" that loses packets with a probability.
pub fn loses(probability: f64) -> Stage {
    let drops = drop::Config {
        probability: Some(probability),
        every: None,
        packets: None,
    };
    every("loss", drops.into())
}

/// A stage for every packet.
pub fn every(name: &str, impairment: impairment::Config) -> Stage {
    Stage {
        name: name.into(),
        filter: Filter::default(),
        impairment,
    }
}
