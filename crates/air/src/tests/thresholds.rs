//! One frame on the air: powers, carrier sense, the chance to be decoded.

use phy::Mode;
use phy::error_model::{CERTAIN_SINR, chunk_success};
use units::{Db, Dbm, Milliwatts, Time};

use super::at;
use super::ears::{
    CARRIER_SENSE, Ears, NOISE, Script, channel, curve, decoded, frame, play, with_budget,
};
use crate::LinkBudget;
use crate::errors::{is_certain, sinr};

/// Where nothing arrives.
const SILENCE: f64 = -200.0;

#[test]
fn what_arrives_is_what_was_sent_less_the_loss_of_that_way() {
    let transmit = [Dbm(15.0), Dbm(20.0)];
    let loss = [[0.0, 48.0], [60.0, 0.0]].map(|row| row.map(Db).to_vec());
    let mut budget = LinkBudget::new(&transmit, &loss, Dbm(-82.0), Dbm(-95.0));
    let mut received = |from: usize, to: usize| budget.power(from, to).to_dbm().0;
    assert!((received(0, 1) - -33.0).abs() < 1e-9);
    assert!((received(1, 0) - -40.0).abs() < 1e-9);
}

#[test]
fn carrier_sense_begins_at_its_threshold() {
    // A station with ten slots to count, and a frame 100 µs into its countdown.
    let access_at = |signal: f64| {
        let mut medium = channel([[SILENCE, signal], [SILENCE, SILENCE]]);
        medium.change(1, |contention| {
            contention.start_backoff(Time::ZERO, 31, &mut Ten);
            contention.request_access(Time::ZERO, &mut Ten);
        });
        assert_eq!(medium.next_act(), (at(50 + 10 * 20), 1));
        medium.begin(at(100), 0, &frame(0, Mode::CCK_11));
        medium.next_act().0
    };
    assert_eq!(access_at(CARRIER_SENSE), Time::NEVER);
    assert_eq!(access_at(CARRIER_SENSE - 0.01), at(250));
}

/// Energy says busy of a frame too that is not detected as one; nobody receives it.
#[test]
fn what_is_no_preamble_to_a_receiver_may_be_energy() {
    let reaches = |power: f64, preamble: f64, energy: f64| {
        let loss = vec![vec![Db(-power); 2]; 2];
        let budget = LinkBudget::new(&[Dbm(0.0); 2], &loss, Dbm(preamble), Dbm(NOISE))
            .detecting_energy(Dbm(energy));
        (budget.is_sensed(0, 1), budget.is_received(0, 1))
    };
    assert_eq!(reaches(-75.0, -94.0, -70.0), (true, true));
    assert_eq!(reaches(-75.0, -60.0, -70.0), (false, false));
    assert_eq!(reaches(-65.0, -60.0, -70.0), (true, false));
}

/// A radio of DSSS alone has no more than energy of OFDM, whatever it has of the same sender's DSSS.
#[test]
fn frames_of_ofdm_are_energy_to_a_radio_that_does_not_read_them() {
    let loss = [[0.0, 75.0, 75.0], [75.0, 0.0, 65.0], [75.0, 65.0, 0.0]];
    let loss = loss.map(|row| row.map(Db).to_vec());
    let budget = LinkBudget::new(&[Dbm(0.0); 3], &loss, Dbm(-94.0), Dbm(NOISE))
        .detecting_energy(Dbm(-70.0))
        .reading_ofdm(&[true, false, true]);
    let reaches = |from, to, mode| {
        let row = budget.row(from, mode);
        (budget.is_sensed(row, to), budget.is_received(row, to))
    };
    assert_eq!(reaches(0, 1, Mode::CCK_11), (true, true));
    assert_eq!(reaches(0, 1, Mode::ERP_6), (false, false));
    assert_eq!(reaches(0, 2, Mode::ERP_6), (true, true));
    assert_eq!(reaches(2, 1, Mode::ERP_6), (true, false));

    let mut medium = with_budget(budget);
    let mut ears = Ears::default();
    let sent = [
        (0, frame(0, Mode::ERP_6)),
        (10_000, frame(0, Mode::CCK_11)),
        (20_000, frame(2, Mode::ERP_6)),
    ];
    play(&mut medium, &mut ears, &sent);
    ears.decoded.sort_unstable();
    assert_eq!(ears.decoded, [(0, 2), (1, 0), (2, 0), (2, 0)]);
}

#[test]
fn a_radio_of_dsss_counts_down_under_ofdm_below_its_energy_detection() {
    let access_at = |signal: f64, mode: Mode| {
        let loss = vec![vec![Db(-signal); 2]; 2];
        let budget = LinkBudget::new(&[Dbm(0.0); 2], &loss, Dbm(-94.0), Dbm(NOISE))
            .detecting_energy(Dbm(-70.0))
            .reading_ofdm(&[true, false]);
        let mut medium = with_budget(budget);
        medium.change(1, |contention| {
            contention.start_backoff(Time::ZERO, 31, &mut Ten);
            contention.request_access(Time::ZERO, &mut Ten);
        });
        assert_eq!(medium.next_act(), (at(250), 1));
        medium.begin(at(100), 0, &frame(0, mode));
        medium.next_act().0
    };
    assert_eq!(access_at(-76.0, Mode::ERP_24), at(250));
    assert_eq!(access_at(-76.0, Mode::CCK_11), Time::NEVER);
    assert_eq!(access_at(-70.0, Mode::ERP_24), Time::NEVER);
}

struct Ten;

impl dot11::Draw for Ten {
    fn up_to(&mut self, _max: u16) -> u16 {
        10
    }
}

#[test]
fn a_frame_below_the_threshold_is_not_received_however_low_the_noise() {
    let sent = [(0, frame(0, Mode::DSSS_1))];
    let at_threshold = [[SILENCE, CARRIER_SENSE], [SILENCE, SILENCE]];
    assert_eq!(decoded(at_threshold, &sent), [(1, 0)]);
    let below = [[SILENCE, CARRIER_SENSE - 0.01], [SILENCE, SILENCE]];
    assert_eq!(decoded(below, &sent), []);
}

#[test]
fn a_broadcast_is_handed_to_everyone_who_decodes_it() {
    let mut powers = [[SILENCE; 4]; 4];
    powers[0] = [SILENCE, -50.0, -70.0, -90.0];
    assert_eq!(
        decoded(powers, &[(0, frame(0, Mode::CCK_11))]),
        [(1, 0), (2, 0)]
    );
}

#[test]
fn interference_weighs_eleven_times_for_a_barker_code_and_once_for_cck() {
    let [signal, interference, noise] = [-70.0, -80.0, -90.0].map(|dbm| Dbm(dbm).to_milliwatts());
    // In units of the noise: 100 over 1 of noise and 10 of interference.
    let ratio = |mode| sinr(curve(mode), signal, interference, noise);
    for mode in [Mode::CCK_5_5, Mode::CCK_11] {
        assert!((ratio(mode) - 100.0 / 11.0).abs() < 1e-9, "{mode}");
    }
    for mode in [Mode::DSSS_1, Mode::DSSS_2] {
        assert!((ratio(mode) - 100.0 / 111.0).abs() < 1e-9, "{mode}");
    }
    let alone = sinr(curve(Mode::DSSS_1), signal, Milliwatts::ZERO, noise);
    assert!((alone - 100.0).abs() < 1e-9);
}

#[test]
fn thirty_decibels_above_the_noise_nothing_errs() {
    let noise = Milliwatts(1e-9);
    assert!(is_certain(Milliwatts(CERTAIN_SINR * 1e-9), noise));
    assert!(!is_certain(Milliwatts(CERTAIN_SINR * 0.999e-9), noise));
}

#[test]
fn the_chance_of_a_frame_alone_is_the_error_models() {
    // 7.5 dB above the noise 11 Mbit/s errs, its preamble and header, at 1 Mbit/s, do not.
    let mode = Mode::CCK_11;
    let signal = NOISE + 7.5;
    let snr = Dbm(signal).to_milliwatts().0 / Dbm(NOISE).to_milliwatts().0;
    let chance = chunk_success(curve(mode), snr, 8000.0);
    assert!(chance > 0.5 && chance < 0.99, "{chance}");
    let hears = |draw: f64| {
        let transmit = [Dbm(0.0); 2];
        let loss = vec![vec![Db(200.0), Db(-signal)], vec![Db(200.0); 2]];
        let budget = LinkBudget::new(&transmit, &loss, Dbm(signal), Dbm(NOISE));
        let mut medium = with_budget(budget);
        let mut ears = Ears {
            random: Script {
                units: [draw].into(),
            },
            ..Ears::default()
        };
        play(&mut medium, &mut ears, &[(0, frame(0, mode))]);
        assert!(ears.random.units.is_empty(), "one draw, for the MPDU");
        !ears.decoded.is_empty()
    };
    assert!(hears(chance - 1e-4));
    assert!(!hears(chance + 1e-4));
}
