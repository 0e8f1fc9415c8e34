//! Links that fade, against what links that do not would give.

use air::fading::{fades, rayleigh};
use dot11::{MacConfig, Mode};
use lab::{AttemptKind, AttemptOutcome, Plan, Record};
use phy::error_model::chunk_success;
use phy::{ErrorModel, Preamble, TxVector};
use units::{Db, Dbm, Duration, Rate};

use crate::common::{bss, bulk, fade, flow, mac, saturate_uplink, udp};

fn run(plan: &Plan) -> Record {
    lab::run(plan, 3, None).expect("no files")
}

/// A process that changes nothing costs nothing but its time: not in a pair, nor where stations
/// that hear the same go in step.
#[test]
fn fades_of_no_depth_are_none() {
    let seconds = |ends: [u64; 2]| ends.map(Duration::from_secs).into();
    let still = fades::Config {
        depth: Db(0.0),
        faded: seconds([1, 2]),
        clear: seconds([1, 2]),
        transition: Duration::from_millis(100),
    };
    for stations in [1, 12] {
        let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), stations, 3);
        saturate_uplink(&mut plan, 700);
        plan.flows.push(flow("down", 0, 2, bulk(None)));
        let without = format!("{:?}", run(&plan));
        for station in 0..stations {
            fade(&mut plan, [1, 2 + station], still.clone().into());
        }
        assert_eq!(format!("{:?}", run(&plan)), without);
    }
}

/// Of the power x over its mean, whose density is e^(−x), a frame survives with the chance that the
/// error model gives it: the mean over x is what arrives.
#[test]
fn rayleigh_fading_loses_the_share_of_frames_that_its_distribution_says() {
    let config = MacConfig {
        short_retry_limit: 1,
        ..mac(Mode::CCK_11, Mode::DSSS_2)
    };
    let mut plan = bss(&config, 1, 400);
    // One every 20 ms, whatever becomes of it: a sender that tries again looks at fades more often.
    let rate = Rate::from_mbps(0.4);
    plan.flows.push(flow("up", 2, 1, udp(1000, Some(rate))));
    plan.tables.attempts = true;
    let air = plan.air.as_mut().expect("there are radios");
    // 15 dB above a noise of −93.55 dBm, and whatever is left of it is sensed.
    let ratio_db = 15.0;
    air.preamble_detection_dbm = Dbm(-130.0);
    for (from, to) in [(1, 2), (2, 1)] {
        air.loss_db[from][to] = Db(15.0 + 93.552_3 - ratio_db);
    }
    fade(&mut plan, [1, 2], rayleigh::Config { doppler: 50.0 }.into());
    let record = run(&plan);
    let data = record
        .attempts
        .iter()
        .filter(|row| row.kind == AttemptKind::Data);
    let lost = data
        .clone()
        .filter(|row| row.outcome == AttemptOutcome::Corrupted)
        .count();
    let found = lost as f64 / data.count() as f64;
    // IP, UDP, LLC and MAC headers and the FCS around 1000 bytes; preamble and header of 192 bits.
    let bits = 8.0 * f64::from(1000 + 28 + 8 + 28);
    let survives = |x: f64| {
        let ratio = 10.0_f64.powf(ratio_db / 10.0) * x;
        {
            let [header, mpdu] = [Mode::DSSS_1, Mode::CCK_11]
                .map(|mode| TxVector::of(mode, Preamble::Long).curve(ErrorModel::Nist));
            chunk_success(header, ratio, 192.0) * chunk_success(mpdu, ratio, bits)
        }
    };
    let step = 1e-3;
    let places = (0..20_000).map(|place| (f64::from(place) + 0.5) * step);
    let arrives: f64 = places.map(|x| (-x).exp() * survives(x) * step).sum();
    let expected = 1.0 - arrives;
    assert!(
        (found / expected - 1.0).abs() < 0.05,
        "{found}, not {expected}"
    );
}
