//! One slow station among fast ones.

use crate::common::{bss, mac, radio_of, saturate_uplink};
use dot11::Mode;

/// Per-station throughput over 1500 bytes in Mbit/s, of the first the slow one's.
fn throughputs(stations: usize, slow: Mode) -> Vec<f64> {
    const PAYLOAD: u32 = 1472;
    let fast = mac(Mode::CCK_11, Mode::DSSS_2);
    let mut plan = bss(&fast, stations, 121);
    radio_of(&mut plan, 2).mac.rate = slow;
    saturate_uplink(&mut plan, PAYLOAD);
    let metrics = lab::run(&plan, 1, None)
        .expect("no files are written")
        .metrics;
    (2..2 + stations)
        .map(|node| metrics[&format!("flow.up-{node}.goodput_mbps")] * 1500.0 / f64::from(PAYLOAD))
        .collect()
}

/// Returns how evenly a sum is divided (R. Jain, D. Chiu and W. Hawe, 1984): 1 for equal shares.
fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    sum * sum / (shares.len() as f64 * squares)
}

/// M. Heusse, F. Rousseau, G. Berger-Sabbatel and A. Duda, "Performance Anomaly of 802.11b",
/// INFOCOM 2003: throughput of each station, one of them slow, by their closed form.
#[test]
fn a_slow_station_slows_all_others_as_published() {
    let published = [
        (Mode::DSSS_1, [0.767, 0.659, 0.575, 0.509]),
        (Mode::DSSS_2, [1.332, 1.077, 0.898, 0.766]),
        (Mode::CCK_5_5, [2.470, 1.776, 1.372, 1.109]),
    ];
    for (slow, by_stations) in published {
        for (stations, expected) in (2..).zip(by_stations) {
            let shares = throughputs(stations, slow);
            let mean = shares.iter().sum::<f64>() / shares.len() as f64;
            let error = mean / expected - 1.0;
            println!(
                "{stations} stations, one at {slow}: {mean:.3} Mbit/s, {:+.1} %, Jain {:.4}",
                100.0 * error,
                jain(&shares)
            );
            assert!(
                error.abs() < 0.05,
                "{stations}, {slow}: {mean} for {expected}"
            );
            assert!(jain(&shares) > 0.99, "{stations}, {slow}: {shares:?}");
        }
    }
}
