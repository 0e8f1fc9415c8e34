//! What radiates and sends no frames: carrier sense, and noise to receptions.

use std::sync::Arc;

use dot11::Address;
use phy::Mode;
use phy::error_model::chunk_success;
use units::{Db, Dbm, Duration, Time};

use super::at;
use super::cell::{Cell, config};
use super::ears::{Ears, NOISE, Script, curve, ended, frame, with_emitters};
use super::exchanges::{ROOM, SEGMENT};
use crate::noise::bursts::Bursts;
use crate::{Emitter, LinkBudget, Medium, ReceivedEmission};

const ENERGY_DETECTION: Dbm = Dbm(-70.0);

/// An emitter that everyone of `radios` receives with `dbm`, on during one burst.
fn emitter(radios: usize, dbm: f64, burst: [Time; 2]) -> Emitter {
    let received = vec![ReceivedEmission::new(Dbm(dbm), ENERGY_DETECTION); radios];
    Emitter::new(received, Arc::new(Bursts(vec![burst])))
}

/// The cell of three under an emitter.
fn cell_under(emitter: Emitter) -> Cell {
    let loss = ROOM.map(|row| row.map(Db).to_vec());
    let budget = LinkBudget::new(&[Dbm(20.0); 3], &loss, Dbm(-82.0), Dbm(-95.0));
    let mut cell = Cell::with(budget, &config(), Medium::begin, vec![emitter]);
    cell.run(at(1000));
    cell
}

/// Returns when a station begins that wants the medium at 1.1 ms, under an emitter from 1 to 5 ms.
fn begins_under(dbm: f64) -> Time {
    let mut cell = cell_under(emitter(3, dbm, [at(1000), at(5000)]));
    cell.radiate();
    cell.run_micros(100);
    cell.enqueue(0, 1, Address(1), SEGMENT);
    cell.run_micros(3900);
    cell.cease();
    cell.run_micros(10_000);
    cell.concluded[0].start
}

#[test]
fn a_station_defers_to_the_energy_it_detects_and_then_waits_difs_and_its_backoff() {
    let begins = begins_under(-70.0);
    let waited = (begins - at(5000)).as_micros();
    assert!((50..=50 + 31 * 20).contains(&waited), "{waited} µs");
    assert_eq!((waited - 50) % 20, 0, "DIFS and whole slots");
}

#[test]
fn nobody_defers_to_less_energy_than_is_detected() {
    assert_eq!(begins_under(-70.01), at(1100));
}

#[test]
fn an_answer_is_due_whatever_radiates() {
    let mut cell = cell_under(emitter(3, -69.0, [at(2300), at(9000)]));
    cell.enqueue(0, 1, Address(1), SEGMENT);
    cell.run_micros(1300);
    cell.radiate();
    cell.run_micros(1000);
    let starts: Vec<_> = cell.concluded.iter().map(|done| done.start).collect();
    assert_eq!(starts, [at(1000), at(2320)], "data, and its ACK after SIFS");
    assert!(cell.concluded.iter().all(|done| !done.has_collided()));
}

#[test]
fn an_emitter_is_noise_to_the_bits_it_covers() {
    // 7.5 dB above the emitter, on from half of the MPDU to its end.
    let mode = Mode::CCK_11;
    let signal = -71.0;
    let noise = (Dbm(NOISE).to_milliwatts() + Dbm(signal - 7.5).to_milliwatts()).0;
    let sinr = Dbm(signal).to_milliwatts().0 / noise;
    let chance = chunk_success(curve(mode), sinr, 4000.0);
    assert!(chance > 0.5 && chance < 0.99, "{chance}");
    let hears = |draw: f64| {
        let loss = vec![vec![Db(200.0), Db(-signal)], vec![Db(200.0); 2]];
        let budget = LinkBudget::new(&[Dbm(0.0); 2], &loss, Dbm(-82.0), Dbm(NOISE));
        let frame = frame(0, mode);
        let half = (frame.airtime() + frame.plcp_time()).as_nanos() / 2;
        let half = at(0) + Duration::from_nanos(half);
        let emitter = emitter(2, signal - 7.5, [half, at(2000)]);
        let mut medium = with_emitters(budget, vec![emitter]);
        let mut ears = Ears {
            random: Script {
                units: [draw].into(),
            },
            ..Ears::default()
        };
        medium.begin(at(0), 0, &frame);
        ended(&mut medium, at(0) + frame.airtime(), 0, &mut ears);
        assert!(ears.random.units.is_empty(), "one draw, for the MPDU");
        !ears.decoded.is_empty()
    };
    assert!(hears(chance - 1e-6));
    assert!(!hears(chance + 1e-6));
}

#[test]
fn an_emitter_has_no_code_and_weighs_as_noise_for_barker_too() {
    // 12 dB above the emitter: an interfering frame, eleven times heavier, would destroy it.
    let loss = vec![vec![Db(200.0), Db(60.0)], vec![Db(200.0); 2]];
    let budget = LinkBudget::new(&[Dbm(0.0); 2], &loss, Dbm(-82.0), Dbm(NOISE));
    let mut medium = with_emitters(budget, vec![emitter(2, -72.0, [at(0), at(9000)])]);
    let mut ears = Ears::default();
    let frame = frame(0, Mode::DSSS_1);
    medium.begin(at(10), 0, &frame);
    ended(&mut medium, at(10) + frame.airtime(), 0, &mut ears);
    assert_eq!(ears.decoded, [(1, 0)]);
}
