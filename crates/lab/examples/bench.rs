//! The two workloads of the speed table: `bench A 60` or `bench B 60`.
//!
//! A: one bulk TCP download over 802.11b at 11 Mbit/s, long preamble, MAC ACKs at 2 Mbit/s,
//! a window of 64 kbyte, delayed ACKs, a wire of 100 Mbit/s and 1 ms.
//! B: 50 stations that saturate the uplink with 1000-byte datagrams.
//! Both with all metrics and the airtime ledger on and no taps.

#[path = "../tests/world/common.rs"]
#[expect(dead_code, reason = "tests need more kinds of plans")]
mod common;

use std::process::exit;
use std::time::Instant;

use common::{bss, bulk, flow, mac, saturate_uplink};
use dot11::Mode;
use lab::Plan;

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

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (workload, seconds) = (
        arguments.next(),
        arguments.next().and_then(|s| s.parse().ok()),
    );
    let (plan, segment) = match (workload.as_deref(), seconds) {
        (Some("A"), Some(seconds)) => (download(seconds), 1460.0),
        (Some("B"), Some(seconds)) => (uplink(seconds), 1000.0),
        _ => {
            eprintln!("usage: bench A|B SECONDS");
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
