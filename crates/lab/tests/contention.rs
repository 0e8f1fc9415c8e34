//! Saturated stations against Bianchi's model of DCF.

mod common;

use common::{bss, mac, saturate_uplink};
use dot11::{MacConfig, Mode};

/// What a saturated BSS of `n` stations delivers, in Mbit/s of MSDU without LLC (1500 of the
/// 1508 bytes) as the published tables count, and the probability that an attempt collides.
///
/// Unlimited retries, equal powers: the model's assumptions.
fn saturated(n: usize, config: &MacConfig, seconds: u64, seed: u64) -> (f64, f64) {
    let mut plan = bss(config, n, seconds);
    saturate_uplink(&mut plan, 1472);
    let record = lab::run(&plan, seed, None).expect("no files are written");
    (
        record.metrics["goodput_mbps"] * 1500.0 / 1472.0,
        record.metrics["collision_probability"],
    )
}

fn config() -> MacConfig {
    MacConfig {
        short_retry_limit: 255,
        long_retry_limit: 255,
        ..mac(Mode::Cck11, Mode::Dsss2)
    }
}

/// Bianchi's fixed point (2000) with the collision probability of a station's attempt.
fn bianchi(n: usize, window: f64, stages: i32) -> (f64, f64) {
    let tau_of = |p: f64| {
        let sum: f64 = (0..stages).map(|i| (2.0 * p).powi(i)).sum();
        2.0 / (1.0 + window + p * window * sum)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let p: f64 = (low + high) / 2.0;
        let attempted: f64 = 1.0 - (1.0 - tau_of(p)).powi(n as i32 - 1);
        if attempted > p { low = p } else { high = p }
    }
    (tau_of(low), low)
}

#[test]
fn print_all() {
    for (n, dif, eifs) in [
        (5, 6.4735, 6.3821),
        (10, 6.1775, 6.0269),
        (20, 5.7830, 5.5777),
        (50, 5.1726, 4.9083),
    ] {
        let (s, p) = saturated(n, &config(), 61, 1);
        let (_, pb) = bianchi(n, 32.0, 5);
        println!(
            "n={n} s={s:.4} dif={:.4} eifs={:.4} p={p:.4} bianchi={pb:.4}",
            s / dif - 1.0,
            s / eifs - 1.0
        );
    }
}
