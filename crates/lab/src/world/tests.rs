//! Every packet of a world is somewhere.

use dot11::{MacConfig, Mode};
use net::impairment::{Stage, Within, delay, duplicate, reorder};
use proptest::prelude::*;
use units::{Db, Duration, Rate};

use super::common::{
    bss, bulk, cost, drop_tail, every, fade, flow, loses, mac, radio_of, saturate_uplink, seeking,
    udp, usual_queue,
};
use super::*;
use crate::hosts::Processor;
use crate::ids::NodeId;
use crate::network::{SharedCable, WireDirection};
use crate::radios::Radio;

/// Packets in queues, on wires, with processors and with MACs.
fn under_way(world: &World) -> usize {
    let on_links: usize = world
        .network
        .links
        .iter()
        .map(WireDirection::under_way)
        .sum();
    let on_segments: usize = world
        .network
        .segments
        .iter()
        .map(SharedCable::under_way)
        .sum();
    let processors =
        (0..world.plan.nodes.len()).filter_map(|node| world.hosts.processors.get(NodeId::at(node)));
    let aside = world
        .air
        .associations
        .as_ref()
        .map_or(0, |all| all.waiting())
        + world.network.ports.waiting();
    let waiting = on_links + on_segments + processors.map(Processor::len).sum::<usize>() + aside;
    let Some(radios) = &world.air.radios else {
        return waiting;
    };
    waiting + radios.each.iter().map(Radio::queue_len).sum::<usize>()
}

/// Stages that hold packets, put them back and copy them.
fn holds() -> Vec<Stage> {
    let late = reorder::Config {
        probability: 0.1,
        displacement: [1, 7].into(),
        within: Within::Connection,
        longest_wait: Duration::from_millis(100),
    };
    let twins = duplicate::Config {
        probability: 0.1,
        copies: [1, 3].into(),
    };
    let delay = Duration::from_millis(20);
    vec![
        every("late", late.into()),
        every("twins", twins.into()),
        every(
            "far",
            delay::Config {
                delay,
                changes: None,
            }
            .into(),
        ),
    ]
}

/// IEEE 802.11-2007 §9.2.8: a beacon instead of the ACK is a failure of the attempt. Where it
/// is the last, the packet has left the queue when the beacon ends, and not some time later.
#[test]
fn a_station_that_decodes_a_beacon_in_place_of_its_ack_is_done_with_its_packet_at_once() {
    let config = MacConfig {
        short_retry_limit: 1,
        ..mac(Mode::CCK_11, Mode::DSSS_2)
    };
    let mut plan = bss(&config, 1, 2);
    radio_of(&mut plan, 1).beacon_interval_ns = Some(Duration::from_micros(3072));
    plan.air.as_mut().expect("there are radios").loss_db[2][1] = Db(150.0);
    saturate_uplink(&mut plan, 100);
    let mut world = World::new(plan, 1);
    let station = |world: &World| {
        let station = &world.air.radios.as_ref().expect("there are radios").each[1];
        let drops = station.mac().counters().short_retry_drops;
        let queues = (station.mac().queue_len(), station.queue.length as usize);
        (drops, station.mac().wake_at(), queues)
    };
    let mut not_at_timeouts = 0;
    while world.now() < world.end {
        let (drops, timeout, _) = station(&world);
        let next = world.next_wake();
        world.run_until(next);
        let (drops_then, _, (in_mac, metered)) = station(&world);
        not_at_timeouts += u32::from(drops_then > drops && next != timeout);
        assert_eq!(in_mac, metered);
    }
    assert!(not_at_timeouts > 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Every packet offered is delivered, dropped, or still under way: none is lost
    /// track of, and none is freed twice. A packet that a radio has passed on is with
    /// its sender's MAC as well until the acknowledgement: one for each radio at most.
    #[test]
    fn no_packet_gets_lost_in_the_world(
        seed: u64,
        stations in 1usize..5,
        queue_packets in 1u32..30,
        wire_queue in 1u32..20,
        fragmentation_threshold in 256u16..2346,
        rts_threshold in 0u16..2347,
        loss_db in 48.0f64..105.0,
        hidden: bool,
        fades: bool,
        seeks in proptest::option::of(any::<bool>()),
        per_packet_us in proptest::option::of(0u64..2000),
        disciplines in proptest::option::of([0..net::queue::KINDS.len(), 0..net::queue::KINDS.len()]),
        millis in 200u64..1500,
    ) {
        let config = MacConfig {
            queue_packets,
            fragmentation_threshold,
            rts_threshold,
            ..mac(Mode::CCK_11, Mode::DSSS_2)
        };
        let mut plan = bss(&config, stations, 2);
        plan.wires[0].queue = drop_tail(wire_queue);
        plan.wires[0].impair = [vec![loses(0.03)], holds()];
        if let Some(kinds) = disciplines {
            let [on_the_wire, at_the_radio] =
                kinds.map(|kind| usual_queue(net::queue::KINDS[kind].name));
            plan.wires[0].queue[1] = on_the_wire;
            radio_of(&mut plan, 1).queue = Some(at_the_radio);
        }
        plan.wires[0].rate_bps = Rate::from_mbps(10.0);
        let air = plan.air.as_mut().expect("there are radios");
        air.preamble_detection_dbm = units::Dbm(-95.0);
        air.loss_db[1][2] = Db(loss_db);
        for (node, queue_packets) in [(0, 1000), (1, 5), (2, 20)] {
            plan.nodes[node].cost = per_packet_us.map(|micros| cost(micros, queue_packets));
        }
        if hidden && stations > 1 {
            (air.loss_db[2][3], air.loss_db[3][2]) = (Db(150.0), Db(150.0));
        }
        if fades {
            fade(&mut plan, [1, 2], ::air::fading::rayleigh::Config { doppler: 20.0 }.into());
        }
        if let Some(keeps_queue) = seeks {
            radio_of(&mut plan, 1).beacon_interval_ns = Some(Duration::from_millis(20));
            plan.associations = Some(seeking(&[2], &[1], keeps_queue));
        }
        saturate_uplink(&mut plan, 700);
        let last = plan.nodes.len() - 1;
        plan.flows.push(flow("down", 0, 2, bulk(None)));
        plan.flows.push(flow("across", last, 0, bulk(Some(100_000))));
        plan.flows.push(flow("udp", 0, 2, udp(1400, Some(Rate::from_mbps(3.0)))));
        let mut world = World::new(plan, seed);
        world.run_until(Time::ZERO + Duration::from_millis(millis));
        let (alive, under_way) = (world.packets.alive(), under_way(&world));
        let least = under_way.saturating_sub(stations + 1);
        prop_assert!((least..=under_way).contains(&alive), "{alive} of {under_way}");
    }
}
