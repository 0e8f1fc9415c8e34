//! Saturated stations against Bianchi's model of DCF.

use crate::common::{bss, mac, saturate_uplink};
use crate::ofdm::ofdm_mac;
use dot11::{MacConfig, Mode, Standard};

/// Replications of each point, and their simulated length: together they bring the 95 %
/// half-width of the throughput under 0.5 %.
const SEEDS: u64 = 6;
const SECONDS: u64 = 41;

/// Student's t for 95 % and five degrees of freedom.
const T_95: f64 = 2.571;

/// A saturated uplink under the models' assumptions: equal powers, retries without end.
fn config() -> MacConfig {
    endless(mac(Mode::CCK_11, Mode::DSSS_2))
}

fn endless(config: MacConfig) -> MacConfig {
    MacConfig {
        short_retry_limit: 255,
        long_retry_limit: 255,
        ..config
    }
}

struct Measured {
    /// Mbit/s over the 1500 bytes the published tables count, of the 1508 of the MSDU.
    throughput: f64,
    half_width: f64,
    collision_probability: f64,
}

fn saturated(stations: usize, config: &MacConfig) -> Measured {
    const PAYLOAD: u32 = 1472;
    let mut plan = bss(config, stations, SECONDS);
    saturate_uplink(&mut plan, PAYLOAD);
    let records: Vec<_> = (1..=SEEDS)
        .map(|seed| {
            lab::run(&plan, seed, None)
                .expect("no files are written")
                .metrics
        })
        .collect();
    let n = SEEDS as f64;
    let throughputs: Vec<f64> = records
        .iter()
        .map(|metrics| metrics["goodput_mbps"] * 1500.0 / f64::from(PAYLOAD))
        .collect();
    let throughput = throughputs.iter().sum::<f64>() / n;
    let variance = throughputs
        .iter()
        .map(|each| (each - throughput).powi(2))
        .sum::<f64>()
        / (n - 1.0);
    Measured {
        throughput,
        half_width: T_95 * (variance / n).sqrt(),
        collision_probability: records
            .iter()
            .map(|m| m["collision_probability"])
            .sum::<f64>()
            / n,
    }
}

/// The model of Bianchi and Tinnirello (2005): Bianchi's fixed point of 2000, and after each
/// success the chance 1/W of another frame without contention. A slot follows a success and none a
/// collision, as in the published tables.
struct Model {
    stations: i32,
    /// CWmin + 1, and how often it doubles.
    window: f64,
    stages: i32,
    slot: f64,
    /// Durations in µs: a success, and a collision for those who wait DIFS, or EIFS.
    success: f64,
    collision: [f64; 2],
}

impl Model {
    fn basic(stations: usize) -> Model {
        let (data, ack) = (1310.0, 248.0);
        Model {
            success: data + 10.0 + ack + 50.0,
            collision: [data + 50.0, data + 10.0 + ack + 50.0],
            ..Model::of_802_11b(stations)
        }
    }

    const fn of_802_11b(stations: usize) -> Model {
        Model {
            stations: stations as i32,
            window: 32.0,
            stages: 5,
            slot: 20.0,
            success: 0.0,
            collision: [0.0; 2],
        }
    }

    /// 54 Mbit/s of 802.11g with short slots.
    fn erp(stations: usize) -> Model {
        let (data, ack) = (254.0, 34.0);
        Model {
            stations: stations as i32,
            window: 16.0,
            stages: 6,
            slot: 9.0,
            success: data + 10.0 + ack + 28.0,
            collision: [data + 28.0, data + 10.0 + ack + 28.0],
        }
    }

    fn rts_cts(stations: usize) -> Model {
        let (data, ack, rts, cts) = (1310.0, 248.0, 272.0, 248.0);
        Model {
            success: rts + 10.0 + cts + 10.0 + data + 10.0 + ack + 50.0,
            collision: [rts + 50.0, rts + 10.0 + cts + 50.0],
            ..Model::of_802_11b(stations)
        }
    }

    /// The fixed point: how likely a station transmits in a slot, and how likely that collides.
    fn fixed_point(&self) -> (f64, f64) {
        let attempts = |p: f64| {
            let stages: f64 = (0..self.stages).map(|i| (2.0 * p).powi(i)).sum();
            2.0 / (1.0 + self.window + p * self.window * stages)
        };
        let collides = |tau: f64| 1.0 - (1.0 - tau).powi(self.stations - 1);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let p: f64 = (low + high) / 2.0;
            if collides(attempts(p)) > p {
                low = p;
            } else {
                high = p;
            }
        }
        (attempts(low), low)
    }

    /// Throughput in Mbit/s when colliding stations' neighbours wait DIFS, and EIFS.
    fn throughput(&self) -> [f64; 2] {
        const PAYLOAD_BITS: f64 = 12_000.0;
        let (tau, _) = self.fixed_point();
        let again = 1.0 / self.window;
        let busy = 1.0 - (1.0 - tau).powi(self.stations);
        let alone = f64::from(self.stations) * tau * (1.0 - tau).powi(self.stations - 1) / busy;
        let payload = PAYLOAD_BITS / (1.0 - again);
        let success = self.success / (1.0 - again) + self.slot;
        self.collision.map(|collision| {
            let slot = (1.0 - busy) * self.slot
                + busy * alone * success
                + busy * (1.0 - alone) * collision;
            alone * busy * payload / slot
        })
    }
}

fn agrees(measured: &Measured, variants: [f64; 2], what: &str) {
    let nearer = variants.map(|variant| measured.throughput / variant - 1.0);
    let error = nearer[0].abs().min(nearer[1].abs());
    println!(
        "{what}: {:.4} ± {:.4} Mbit/s, {:+.2} % from DIFS, {:+.2} % from EIFS, p = {:.4}",
        measured.throughput,
        measured.half_width,
        100.0 * nearer[0],
        100.0 * nearer[1],
        measured.collision_probability
    );
    assert!(
        error < 0.015,
        "{what}: {:+.4} and {:+.4}",
        nearer[0],
        nearer[1]
    );
    assert!(
        measured.half_width < 0.005 * measured.throughput,
        "{what}: too uncertain"
    );
}

fn collides_as_often(measured: &Measured, p: f64, stations: usize) {
    let error = measured.collision_probability / p - 1.0;
    println!(
        "{stations} stations: p is {:+.2} % from {p:.4}",
        100.0 * error
    );
    assert!(
        error.abs() < 0.02,
        "{stations} stations: {error:+.4} from {p:.4}"
    );
}

#[test]
fn the_model_is_the_published_one() {
    // Exact columns for 11 Mbit/s of the tables that the ns-3 project validates against.
    for (stations, difs, eifs) in [
        (5, 6.4735, 6.3821),
        (10, 6.1775, 6.0269),
        (20, 5.7830, 5.5777),
        (50, 5.1726, 4.9083),
    ] {
        let ours = Model::basic(stations).throughput();
        assert!(
            (ours[0] / difs - 1.0).abs() < 1e-4,
            "{stations}: {} {difs}",
            ours[0]
        );
        assert!(
            (ours[1] / eifs - 1.0).abs() < 1e-4,
            "{stations}: {} {eifs}",
            ours[1]
        );
    }
    // The same at 54 Mbit/s of 802.11g.
    for (stations, difs, eifs) in [
        (5, 29.8332, 29.2871),
        (10, 28.1488, 27.3729),
        (20, 26.2976, 25.3381),
        (50, 23.5486, 22.4023),
    ] {
        let ours = Model::erp(stations).throughput();
        assert!(
            (ours[0] / difs - 1.0).abs() < 1e-4 && (ours[1] / eifs - 1.0).abs() < 5e-4,
            "{stations}: {ours:?}"
        );
    }
}

#[test]
fn ofdm_at_54_mbit_s_saturates_as_modelled() {
    let config = endless(ofdm_mac(Standard::Dot11g, Mode::ERP_54, Mode::DSSS_2));
    for stations in [5, 10, 20, 50] {
        let model = Model::erp(stations);
        let measured = saturated(stations, &config);
        let what = format!("{stations} stations of 802.11g");
        agrees(&measured, model.throughput(), &what);
        let (_, p) = model.fixed_point();
        collides_as_often(&measured, p, stations);
    }
}

#[test]
fn basic_access_saturates_as_modelled() {
    for stations in [5, 10, 20, 50] {
        let model = Model::basic(stations);
        let measured = saturated(stations, &config());
        agrees(
            &measured,
            model.throughput(),
            &format!("{stations} stations"),
        );
        let (_, p) = model.fixed_point();
        collides_as_often(&measured, p, stations);
    }
}

#[test]
fn rts_cts_access_saturates_as_modelled() {
    let config = MacConfig {
        rts_threshold: 0,
        ..config()
    };
    for stations in [5, 10, 20, 50] {
        let model = Model::rts_cts(stations);
        let measured = saturated(stations, &config);
        agrees(
            &measured,
            model.throughput(),
            &format!("{stations} stations, RTS/CTS"),
        );
        let (_, p) = model.fixed_point();
        collides_as_often(&measured, p, stations);
    }
}
