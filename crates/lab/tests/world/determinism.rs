//! The same plan and seed give the same record, bit for bit.

use crate::common::{bss, bulk, flow, loses, mac, radio_of, saturate_uplink, udp};
use crate::ping;
use dot11::{MacConfig, Mode};
use lab::{Plan, World};
use units::{Duration, Time};

/// Every mechanism at once: TCP both ways, datagrams, pings, fragments, RTS, beacons,
/// losses on the wire, series.
pub fn everything() -> Plan {
    let config = MacConfig {
        rts_threshold: 500,
        fragmentation_threshold: 512,
        ..mac(Mode::CCK_11, Mode::DSSS_2)
    };
    let mut plan = bss(&config, 3, 4);
    plan.series_step_ns = Some(Duration::from_millis(500));
    plan.tcp_info_step_ns = Some(Duration::from_millis(300));
    plan.wires[0].impair = [vec![loses(0.01)], vec![loses(0.01)]];
    radio_of(&mut plan, 1).beacon_interval_ns = Some(Duration::from_micros(102_400));
    plan.flows.push(flow("down", 0, 2, bulk(None)));
    plan.flows.push(flow("up", 3, 0, bulk(Some(500_000))));
    plan.flows.push(flow("datagrams", 4, 2, udp(700, None)));
    let interval_ns = Duration::from_millis(20);
    plan.flows.push(flow("ping", 4, 0, ping(interval_ns)));
    plan
}

fn fingerprint(record: &lab::Record) -> String {
    // Numbers that do not exist (0/0) differ from themselves; their text does not.
    format!("{record:?}")
}

#[test]
fn a_run_can_be_repeated_on_any_number_of_threads() {
    let plan = everything();
    let alone = fingerprint(&lab::run(&plan, 7, None).expect("no files"));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let plan = plan.clone();
            std::thread::spawn(move || fingerprint(&lab::run(&plan, 7, None).expect("no files")))
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().expect("it ran"), alone);
    }
    assert_ne!(
        fingerprint(&lab::run(&plan, 8, None).expect("no files")),
        alone,
        "another seed"
    );
}

#[test]
fn a_run_in_steps_is_the_same_run() {
    let plan = everything();
    let whole = lab::run(&plan, 7, None).expect("no files");
    let mut world = World::new(plan, 7);
    let end = Time::ZERO + Duration::from_secs(4);
    while world.next_wake() <= end {
        let wake = world.next_wake();
        world.run_until(wake);
    }
    world.run_until(end);
    assert_eq!(
        fingerprint(&world.finish().expect("no files")),
        fingerprint(&whole)
    );
}

/// Adding a station that stays silent shifts nobody's random numbers.
#[test]
fn a_silent_station_changes_nothing_for_the_others() {
    let goodput = |silent: usize| {
        let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 5, 5);
        saturate_uplink(&mut plan, 1000);
        let more = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 5 + silent, 5);
        (plan.nodes, plan.air) = (more.nodes, more.air);
        lab::run(&plan, 3, None).expect("no files").metrics["goodput_mbps"].to_bits()
    };
    assert_eq!(goodput(0), goodput(20));
}
