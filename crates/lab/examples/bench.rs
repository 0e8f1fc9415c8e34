//! The workloads of the speed table: `bench A 60`, and so on.
//!
//! A: one bulk TCP download over 802.11b at 11 Mbit/s, long preamble, MAC ACKs at 2 Mbit/s,
//! a window of 64 kbyte, delayed ACKs, a wire of 100 Mbit/s and 1 ms.
//! B: 50 stations that saturate the uplink with 1000-byte datagrams.
//! W: a wire of 1 Gbit/s that carries 12,500 datagrams of 1000 bytes a second.
//! I: the same, and one in a hundred is lost, copied, or overtaken by others.
//! D: the same as W, and each is delayed by 10 to 30 ms.
//! All with all metrics and the airtime ledger on and no taps.

#[path = "../tests/world/common.rs"]
#[expect(dead_code, reason = "tests need more kinds of plans")]
mod common;

use std::process::exit;
use std::time::Instant;

use common::{bss, bulk, end, every, flow, loses, mac, node, saturate_uplink, udp};
use dot11::Mode;
use lab::{Plan, Role};
use net::impairment::{Stage, Within, duplicate, reorder, uniform_delay};
use units::{Duration, Rate};

fn download(seconds: u64) -> Plan {
    let mut plan = bss(&mac(Mode::Cck11, Mode::Dsss2), 1, seconds);
    for node in &mut plan.nodes {
        if let Some(stack) = &mut node.stack {
            stack.receive_window_bytes = 65_535;
        }
    }
    plan.flows.push(flow("download", 0, 2, bulk(None)));
    plan
}

fn uplink(seconds: u64) -> Plan {
    let mut plan = bss(&mac(Mode::Cck11, Mode::Dsss2), 50, seconds);
    saturate_uplink(&mut plan, 1000);
    plan
}

fn wire(seconds: u64, chain: Vec<Stage>) -> Plan {
    let mut plan = bss(&mac(Mode::Cck11, Mode::Dsss2), 0, seconds);
    plan.air = None;
    plan.nodes = vec![
        node("left", Role::Host, 0, vec![None]),
        node("right", Role::Host, 1, vec![None]),
    ];
    plan.wires[0].ends = [end(0, 0), end(1, 0)];
    plan.wires[0].rate_bps = Rate::from_mbps(1000.0);
    plan.wires[0].impair[0] = chain;
    let datagrams = udp(1000, Some(Rate::from_mbps(100.0)));
    plan.flows.push(flow("datagrams", 0, 1, datagrams));
    plan
}

/// Three impairments, each of one packet in a hundred.
fn impaired() -> Vec<Stage> {
    let twins = duplicate::Config {
        probability: 0.01,
        copies: [1, 1].into(),
    };
    let late = reorder::Config {
        probability: 0.01,
        displacement: [1, 7].into(),
        within: Within::Link,
        longest_wait: Duration::from_millis(100),
    };
    vec![
        loses(0.01),
        every("twins", twins.into()),
        every("late", late.into()),
    ]
}

fn delayed() -> Vec<Stage> {
    let delay = uniform_delay::Config {
        delay: [10, 30].map(Duration::from_millis).into(),
        keep_order: true,
    };
    vec![every("delay", delay.into())]
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (workload, seconds) = (
        arguments.next(),
        arguments.next().and_then(|s| s.parse().ok()),
    );
    let (plan, segment) = match (workload.as_deref(), seconds) {
        (Some("A"), Some(seconds)) => (download(seconds), 1460.0),
        (Some("B"), Some(seconds)) => (uplink(seconds), 1000.0),
        (Some("W"), Some(seconds)) => (wire(seconds, Vec::new()), 1000.0),
        (Some("I"), Some(seconds)) => (wire(seconds, impaired()), 1000.0),
        (Some("D"), Some(seconds)) => (wire(seconds, delayed()), 1000.0),
        _ => {
            eprintln!("usage: bench A|B|W|I|D SECONDS");
            exit(2);
        }
    };
    let began = Instant::now();
    let record = lab::run(&plan, 1, None).expect("no files are written");
    let wall = began.elapsed().as_secs_f64();
    let goodput = record.metrics["goodput_mbps"];
    let segments = goodput * 1e6 / 8.0 * record.metrics["measured_s"] / segment;
    println!("segments={segments:.0} goodput_mbps={goodput:.4} wall_s={wall:.4}");
}
