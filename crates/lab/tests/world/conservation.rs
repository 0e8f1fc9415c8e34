//! Whatever cells, channels and noise there are: no MSDU is lost track of, and every ledger adds up.

use air::noise::signal_generator::{BurstFrame, Config};
use dot11::{MacConfig, Mode};
use lab::{EmitterPlan, NodeRole, Plan};
use proptest::prelude::*;
use units::{Db, Dbm, Duration, Rate};

use crate::airtime::sums_and_time;
use crate::common::{bss, end, flow, mac, node, radio, udp};

/// How many stations a cell has, and how many channels above the first it is.
type Cell = (usize, u16);

/// Radios that a plan may have at most: three cells of an access point and three stations.
const MOST: usize = 12;

/// What a radio's queue holds.
const QUEUE: u32 = 5;

/// Cells whose stations offer datagrams, as does the access point to the first of them, in the
/// first second of eight.
fn world(cells: &[Cell], losses: &[f64], fragmentation_threshold: u16) -> Plan {
    let mac = MacConfig {
        queue_packets: QUEUE,
        fragmentation_threshold,
        ..mac(Mode::CCK_11, Mode::DSSS_2)
    };
    let mut plan = bss(&mac, 0, 8);
    plan.warmup_ns = Duration::ZERO;
    plan.tables.datagrams = true;
    plan.nodes.clear();
    plan.wires.clear();
    for &(stations, channel) in cells {
        let access_point = plan.nodes.len();
        for index in access_point..=access_point + stations {
            let is_station = index > access_point;
            let role = if is_station {
                NodeRole::Sta
            } else {
                NodeRole::Ap
            };
            let mut radio = radio(&mac, is_station.then(|| end(access_point, 0)));
            radio.frequency_mhz = 2412 + 5 * channel;
            let name = format!("radio-{index}");
            // Each access point keeps a ledger, and the first station of each.
            radio.ledger = (index <= access_point + 1).then(|| name.clone());
            plan.nodes.push(node(&name, role, index, vec![Some(radio)]));
            let ends = match is_station {
                true => (index, access_point),
                false => (index, index + 1),
            };
            let datagrams = udp(700, Some(Rate::from_mbps(1.0)));
            let mut offered = flow(&format!("flow-{index}"), ends.0, ends.1, datagrams);
            offered.stop_ns = Some(Duration::from_secs(1));
            plan.flows.push(offered);
        }
    }
    let nodes = plan.nodes.len();
    let loss = |one: usize, other: usize| Db(losses[one.min(other) * MOST + one.max(other)]);
    let row = |one| (0..nodes).map(|other| loss(one, other)).collect();
    plan.air.as_mut().expect("there are radios").loss_db = (0..nodes).map(row).collect();
    plan
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A datagram is one MSDU. One that was given up may have been delivered, as its last ACK may
    /// be what was lost; so those that never came are no more than those dropped with a cause or
    /// still queued, as where noise holds the channel busy, and those that a full queue refused
    /// never come.
    #[test]
    fn every_msdu_is_delivered_once_or_dropped_with_a_cause(
        cells in prop::collection::vec((1usize..4, 0u16..13), 1..4),
        losses in prop::collection::vec(45.0f64..110.0, MOST * MOST),
        fragmentation_threshold in 256u16..2346,
        rate in 0.0f64..4000.0,
        power in -100.0f64..-30.0,
        is_cck: bool,
        seed: u64,
    ) {
        let mut plan = world(&cells, &losses, fragmentation_threshold);
        let generator = Config {
            rate,
            burst: Duration::from_micros(200),
            frame: if is_cck { BurstFrame::Cck } else { BurstFrame::Ofdm },
            frequency: Some(2437),
            phase: Duration::ZERO,
        };
        let received_dbm = vec![Dbm(power); plan.nodes.len()];
        plan.air.as_mut().expect("there are radios").emitters.push(EmitterPlan {
            name: "generator".into(),
            received_dbm,
            noise: generator.into(),
        });
        let record = lab::run(&plan, seed, None).expect("no files are written");
        let came = record.datagrams.iter().filter(|each| each.received_s.is_some()).count();
        let never_came = (record.datagrams.len() - came) as f64;
        let count = |name: &str| record.metrics[name];
        let refused = count("mac.drops_queue");
        let dropped = refused + count("mac.drops_retry_limit") + count("mac.drops_lifetime");
        prop_assert_eq!(count("mac.data_msdus"), came as f64);
        let queued = f64::from(QUEUE) * plan.nodes.len() as f64;
        let most = dropped + queued;
        prop_assert!((refused..=most).contains(&never_came), "{} of {}", never_came, most);
        let (sums, time) = sums_and_time(&record);
        prop_assert_eq!(sums.len(), 2 * cells.len());
        prop_assert!(sums.iter().all(|&sum| sum == time), "{:?} of {}", sums, time);
    }
}
