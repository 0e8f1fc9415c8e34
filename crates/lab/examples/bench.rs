//! The workloads of the speed table: `bench A 60`, and so on.
//!
//! A: one bulk TCP download over 802.11b at 11 Mbit/s, long preamble, MAC ACKs at 2 Mbit/s,
//! a window of 64 kbyte, delayed ACKs, a wire of 100 Mbit/s and 1 ms.
//! K: the same, with time series in steps of half a second and distributions.
//! R: the same under Rayleigh fading of 10 Hz.
//! M: the same with fades of 1 to 4 s, 6 dB deep.
//! V: the same under a signal generator's 1908 bursts a second, 5 dB below what either side gets.
//! B: 50 stations that saturate the uplink with 1000-byte datagrams.
//! S-n: the same with n stations.
//! N-n: one station that saturates the uplink, beside n that are idle.
//! C-n: n cells of ten saturated stations, of which none hears another.
//! G-n: n such cells in a square grid, so close that they interfere.
//! W: a wire of 1 Gbit/s that carries 12,500 datagrams of 1000 bytes a second.
//! I: the same, and one in a hundred is lost, copied, or overtaken by others.
//! D: the same as W, and each is delayed by 10 to 30 ms.
//! All with all metrics and the airtime ledger on and no taps; K alone with series.

#[path = "../tests/world/common.rs"]
#[expect(dead_code, reason = "tests need more kinds of plans")]
mod common;

use std::process::exit;
use std::time::Instant;

use air::noise::signal_generator;
use common::{bss, bulk, end, every, fade, flow, loses, mac, node, radio, saturate_uplink, udp};
use dot11::Mode;
use lab::{EmitterPlan, NodeRole, Plan};
use net::impairment::{Stage, Within, duplicate, reorder, uniform_delay};
use units::{Db, Dbm, Duration, Rate};

fn download(seconds: u64) -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, seconds);
    for node in &mut plan.nodes {
        if let Some(stack) = &mut node.stack {
            stack.receive_window_bytes = 65_535;
        }
    }
    plan.flows.push(flow("download", 0, 2, bulk(None)));
    plan
}

/// Returns what a scenario keeps that says nothing of it.
fn kept_by_default(mut plan: Plan) -> Plan {
    plan.series_step_ns = Some(Duration::from_millis(500));
    plan.tables.distributions = true;
    plan
}

/// A download whose link fades by `process`.
fn faded(seconds: u64, process: air::fading::Config) -> Plan {
    let mut plan = download(seconds);
    fade(&mut plan, [1, 2], process);
    plan
}

fn rayleigh() -> air::fading::Config {
    air::fading::rayleigh::Config { doppler: 10.0 }.into()
}

fn fades() -> air::fading::Config {
    let seconds = |ends: [u64; 2]| ends.map(Duration::from_secs).into();
    air::fading::fades::Config {
        depth: Db(6.0),
        faded: seconds([1, 4]),
        clear: seconds([1, 4]),
        transition: Duration::from_millis(200),
    }
    .into()
}

/// A download under a generator that nobody senses.
fn under_noise(seconds: u64) -> Plan {
    let mut plan = download(seconds);
    let generator = signal_generator::Config {
        rate: 1908.0,
        burst: Duration::from_micros(30),
        frame: signal_generator::BurstFrame::Ofdm,
        frequency: None,
        phase: Duration::ZERO,
    };
    let nodes = plan.nodes.len();
    let air = plan.air.as_mut().expect("there are radios");
    air.energy_detection_dbm = Dbm(20.0);
    air.emitters.push(EmitterPlan {
        name: "generator".into(),
        received_dbm: vec![Dbm(-38.0); nodes],
        noise: generator.into(),
    });
    plan
}

fn uplink(stations: usize, seconds: u64) -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), stations, seconds);
    saturate_uplink(&mut plan, 1000);
    plan
}

fn one_among(idle: usize, seconds: u64) -> Plan {
    let mut plan = uplink(1 + idle, seconds);
    plan.flows.truncate(1);
    plan
}

/// Stations of a cell.
const STATIONS: usize = 10;

/// Cells of ten saturated stations each, with a loss from each node to each.
fn cells(count: usize, seconds: u64, loss: impl Fn(usize, usize) -> Db) -> Plan {
    let mac = mac(Mode::CCK_11, Mode::DSSS_2);
    let mut plan = bss(&mac, 0, seconds);
    plan.nodes.clear();
    plan.wires.clear();
    for cell in 0..count {
        let access_point = plan.nodes.len();
        for index in access_point..=access_point + STATIONS {
            let role = if index == access_point {
                NodeRole::Ap
            } else {
                NodeRole::Sta
            };
            let ends_at = (role == NodeRole::Sta).then(|| end(access_point, 0));
            let name = format!("radio-{index}");
            plan.nodes
                .push(node(&name, role, index, vec![Some(radio(&mac, ends_at))]));
        }
        for station in access_point + 1..=access_point + STATIONS {
            let name = format!("up-{cell}-{station}");
            plan.flows
                .push(flow(&name, station, access_point, udp(1000, None)));
        }
    }
    let nodes = plan.nodes.len();
    let row = |from| (0..nodes).map(|to| loss(from, to)).collect();
    let air = plan.air.as_mut().expect("there are radios");
    air.loss_db = (0..nodes).map(row).collect();
    plan
}

fn apart(from: usize, to: usize) -> Db {
    let cell = |node: usize| node / (1 + STATIONS);
    Db(if cell(from) == cell(to) { 48.0 } else { 200.0 })
}

/// Access points 50 m apart in a square, their stations on a circle of 10 m, 40 dB of loss at a
/// metre and 3.5 times ten decibels for each factor of ten: some hear some of the next cells, and
/// nearly all are noise to all.
fn in_a_grid(cells: usize) -> impl Fn(usize, usize) -> Db {
    let columns = (1..).find(|side| side * side >= cells).unwrap_or(1);
    let place = move |node: usize| {
        let (cell, member) = (node / (1 + STATIONS), node % (1 + STATIONS));
        let radius = if member == 0 { 0.0 } else { 10.0 };
        let angle = std::f64::consts::TAU * (member as f64 / STATIONS as f64);
        let x = 50.0 * (cell % columns) as f64 + radius * angle.cos();
        let y = 50.0 * (cell / columns) as f64 + radius * angle.sin();
        (x, y)
    };
    move |from, to| {
        let ((x, y), (u, v)) = (place(from), place(to));
        let metres = (x - u).hypot(y - v).max(1.0);
        Db(40.0 + 35.0 * metres.log10())
    }
}

fn wire(seconds: u64, chain: Vec<Stage>) -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 0, seconds);
    plan.air = None;
    plan.nodes = vec![
        node("left", NodeRole::Host, 0, vec![None]),
        node("right", NodeRole::Host, 1, vec![None]),
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

fn of_a_size(workload: &str, seconds: u64) -> Option<Plan> {
    let (kind, size) = workload.split_once('-')?;
    let size = size.parse().ok()?;
    match kind {
        "S" => Some(uplink(size, seconds)),
        "N" => Some(one_among(size, seconds)),
        "C" => Some(cells(size, seconds, apart)),
        "G" => Some(cells(size, seconds, in_a_grid(size))),
        _ => None,
    }
}

fn usage<T>() -> T {
    eprintln!("usage: bench A|K|R|M|V|B|S-n|N-n|C-n|G-n|W|I|D SECONDS");
    exit(2);
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (workload, seconds) = (
        arguments.next(),
        arguments.next().and_then(|s| s.parse().ok()),
    );
    let (plan, segment) = match (workload.as_deref(), seconds) {
        (Some("A"), Some(seconds)) => (download(seconds), 1460.0),
        (Some("K"), Some(seconds)) => (kept_by_default(download(seconds)), 1460.0),
        (Some("R"), Some(seconds)) => (faded(seconds, rayleigh()), 1460.0),
        (Some("M"), Some(seconds)) => (faded(seconds, fades()), 1460.0),
        (Some("V"), Some(seconds)) => (under_noise(seconds), 1460.0),
        (Some("B"), Some(seconds)) => (uplink(50, seconds), 1000.0),
        (Some("W"), Some(seconds)) => (wire(seconds, Vec::new()), 1000.0),
        (Some("I"), Some(seconds)) => (wire(seconds, impaired()), 1000.0),
        (Some("D"), Some(seconds)) => (wire(seconds, delayed()), 1000.0),
        (Some(sized), Some(seconds)) => (of_a_size(sized, seconds).unwrap_or_else(usage), 1000.0),
        _ => usage(),
    };
    let began = Instant::now();
    let record = lab::run(&plan, 1, None).expect("no files are written");
    let wall = began.elapsed().as_secs_f64();
    let goodput = record.metrics["goodput_mbps"];
    let segments = goodput * 1e6 / 8.0 * record.metrics["measured_s"] / segment;
    let attempts = record.metrics.get("mac.attempts").unwrap_or(0.0);
    println!(
        "segments={segments:.0} attempts={attempts:.0} goodput_mbps={goodput:.4} wall_s={wall:.4}"
    );
}
