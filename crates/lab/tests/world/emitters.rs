//! What radiates at stated times: stations wait for it, frames fail under it, the ledger has it.

use air::noise::signal_generator::{BurstFrame, Config};
use air::noise::{bluetooth, bursts, microwave_oven};
use dot11::Mode;
use lab::{EmitterPlan, Plan, Record};
use units::{Dbm, Duration, Spans, Time};

use crate::common::{bss, mac, saturate_uplink};

const BURSTS_MS: [[u64; 2]; 2] = [[100, 140], [300, 320]];

/// Two stations that saturate the uplink, and an emitter with this power everywhere.
fn under(power: Dbm) -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 2, 1);
    plan.warmup_ns = Duration::ZERO;
    saturate_uplink(&mut plan, 1000);
    plan.tables.attempts = true;
    let received_dbm = vec![power; plan.nodes.len()];
    plan.air.as_mut().expect("there are radios").emitters = vec![EmitterPlan {
        name: "generator".into(),
        received_dbm,
        noise: bursts().into(),
    }];
    plan
}

fn bursts() -> bursts::Config {
    let times = BURSTS_MS.map(|burst| burst.map(Duration::from_millis));
    bursts::Config {
        times: Spans(times.to_vec()),
    }
}

fn run(plan: &Plan) -> Record {
    lab::run(plan, 1, None).expect("no files are written")
}

/// Returns how many frames begin while the emitter is on, and how many are lost that nobody
/// overlapped.
fn begun_and_corrupted(record: &Record) -> (usize, usize) {
    let is_on = |at: Time| {
        let on = BURSTS_MS.map(|burst| burst.map(|ms| Time::ZERO + Duration::from_millis(ms)));
        // What is committed within the CCA time of 15 µs goes.
        on.iter()
            .any(|[on, off]| (*on + Duration::from_micros(15)..*off).contains(&at))
    };
    let begun = record.attempts.iter().filter(|row| is_on(row.start_s));
    let corrupted =
        (record.attempts.iter()).filter(|row| row.outcome == lab::AttemptOutcome::Corrupted);
    (begun.count(), corrupted.count())
}

#[test]
fn stations_defer_to_what_they_detect_and_go_on_when_it_is_over() {
    let record = run(&under(Dbm(-70.0)));
    assert_eq!(begun_and_corrupted(&record), (0, 0));
    let last = record.attempts.last().expect("they send").start_s;
    assert!(last > Time::ZERO + Duration::from_millis(990));
    // All of the bursts but the ends of exchanges that had begun.
    let noise = record.metrics["airtime.noise_s"];
    assert!((0.056..=0.060).contains(&noise), "{noise}");
}

#[test]
fn what_is_too_weak_to_be_detected_and_to_disturb_changes_nothing() {
    let weak = run(&under(Dbm(-70.1)));
    assert!(begun_and_corrupted(&weak).0 > 10);
    let mut without = under(Dbm(-70.1));
    without
        .air
        .as_mut()
        .expect("there are radios")
        .emitters
        .clear();
    assert_eq!(weak.attempts, run(&without).attempts);
}

#[test]
fn what_only_the_receiver_hears_destroys_frames() {
    // As strong as the stations at the access point, and nothing at the stations.
    let mut plan = under(Dbm(-120.0));
    let air = plan.air.as_mut().expect("there are radios");
    air.emitters[0].received_dbm[1] = Dbm(15.0 - 48.0);
    let (begun, corrupted) = begun_and_corrupted(&run(&plan));
    assert!(begun > 5, "they do not hear it: {begun}");
    assert!(corrupted >= begun / 2, "{corrupted} of {begun}");
}

#[test]
fn the_ledger_adds_up_under_an_emitter() {
    let metrics = run(&under(Dbm(-60.0))).metrics;
    let spent: f64 = metrics
        .iter()
        .filter(|(name, _)| name.starts_with("airtime.") && name.ends_with("_share"))
        .map(|(_, share)| share)
        .sum();
    assert!((spent - 1.0).abs() < 1e-9, "{spent}");
}

/// A generator that everybody hears with this power, on this frequency.
fn under_a_generator(power: f64, rate: f64, frame: BurstFrame, frequency: Option<u16>) -> Plan {
    let mut plan = under(Dbm(power));
    let generator = Config {
        rate,
        burst: Duration::from_micros(if frame == BurstFrame::Ofdm { 30 } else { 400 }),
        frame,
        frequency,
        phase: Duration::ZERO,
    };
    plan.air.as_mut().expect("there are radios").emitters[0].noise = generator.into();
    plan
}

/// The part of what is sent that is lost though nobody overlaps it.
fn corrupted(plan: &Plan) -> f64 {
    let attempts = run(plan).attempts;
    let is_lost = |row: &&lab::Attempt| row.outcome == lab::AttemptOutcome::Corrupted;
    attempts.iter().filter(is_lost).count() as f64 / attempts.len() as f64
}

/// At −72 dBm stations do not defer to it, but of frames at −73 dBm nothing survives under it.
#[test]
fn more_bursts_destroy_more_frames_and_fewer_from_the_next_channel() {
    let weak = |rate, frequency| {
        let mut plan = under_a_generator(-72.0, rate, BurstFrame::Ofdm, frequency);
        plan.air.as_mut().expect("there are radios").loss_db = vec![vec![units::Db(88.0); 4]; 4];
        corrupted(&plan)
    };
    let [none, some, more] = [0.0, 300.0, 600.0].map(|rate| weak(rate, None));
    assert_eq!(none, 0.0);
    assert!(some > 0.2 && more > 1.5 * some, "{some}, {more}");
    assert_eq!(weak(600.0, Some(2437)), more);
    assert!(weak(600.0, Some(2462)) < 0.01);
}

/// A piconet of Bluetooth that the access point alone hears, 20 dB above the stations: a frame is lost
/// if any of the packets that it meets is on one of 22 channels of 79. A frame of T, as one is sent at
/// any time, meets (T + 366 µs) / 625 µs of them.
#[test]
fn hopping_destroys_a_frame_with_the_chance_that_a_packet_on_its_channel_meets_it() {
    let mut plan = under(Dbm(-120.0));
    plan.duration_ns = Duration::from_millis(20_000);
    let air = plan.air.as_mut().expect("there are radios");
    air.emitters[0].noise = bluetooth::Config {
        load: 1.0,
        packet: Duration::from_micros(366),
    }
    .into();
    air.emitters[0].received_dbm[1] = Dbm(15.0 - 48.0 + 20.0);
    let attempts = run(&plan).attempts;
    let of = |outcome| attempts.iter().filter(move |row| row.outcome == outcome);
    let lost = of(lab::AttemptOutcome::Corrupted).count() as f64;
    let alone = (attempts.len() - of(lab::AttemptOutcome::Collided).count()) as f64;
    let frame = attempts[0].end_s - attempts[0].start_s;
    let met = (frame.as_nanos() as f64 + 366e3) / 625e3;
    let passes = 1.0 - 22.0 / 79.0_f64;
    let expected = 1.0 - passes.powf(met.floor()) * (1.0 - met.fract() * (1.0 - passes));
    let found = lost / alone;
    let spread = (expected * (1.0 - expected) / alone).sqrt();
    assert!(
        (found - expected).abs() < 4.0 * spread,
        "{found}, expected {expected} ± {spread}"
    );
}

/// An oven that all hear well is on for half of the time, in which nobody sends.
#[test]
fn stations_share_the_air_with_an_oven() {
    let noise_share = |frequency| {
        let mut plan = under(Dbm(-60.0));
        plan.duration_ns = Duration::from_millis(2_000);
        plan.air.as_mut().expect("there are radios").emitters[0].noise = microwave_oven::Config {
            mains: 50.0,
            magnetrons: 1,
            burst: None,
            frequency,
            sweep: 0,
        }
        .into();
        run(&plan).metrics["airtime.noise_share"]
    };
    // Less the ends of exchanges that had begun, a millisecond of each ten.
    let there = noise_share(2437);
    assert!((0.43..=0.5).contains(&there), "{there}");
    assert_eq!(noise_share(2450), 0.0);
}

/// The preamble of CCK is heard where the energy of OFDM is not.
#[test]
fn stations_defer_to_frames_of_cck() {
    let noise_s =
        |frame| run(&under_a_generator(-80.0, 500.0, frame, None)).metrics["airtime.noise_s"];
    assert_eq!(noise_s(BurstFrame::Ofdm), 0.0);
    assert!(noise_s(BurstFrame::Cck) > 0.05);
}
