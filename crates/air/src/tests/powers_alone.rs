//! Where powers alone decide, as in ns-2 2.35 (`mac-802_11.cc`, `recv`, `capture`, `collision`).

use dot11::Frame;
use phy::Mode;
use units::{Db, Dbm};

use super::ears::{Ears, frame, play, with_budget};
use crate::{LinkBudget, PowerRule};

const SILENCE: f64 = -200.0;

/// Returns what radio 2 decodes of radios 0 and 1, which it receives with these powers. It senses
/// what has −78 dBm, decodes what has −64.4, and takes what is ten times as strong as the other.
fn decoded(powers: [f64; 2], sent: &[(u64, Frame)]) -> Vec<u16> {
    let loss = [
        [-SILENCE, -SILENCE, -powers[0]],
        [-SILENCE, -SILENCE, -powers[1]],
        [-SILENCE; 3],
    ];
    let loss = loss.map(|row| row.map(Db).to_vec());
    let mut budget = LinkBudget::new(&[Dbm(0.0); 3], &loss, Dbm(-78.0), Dbm(-95.0));
    budget.decide_by(PowerRule {
        receive: Dbm(-64.4).to_milliwatts(),
        capture: 10.0,
    });
    let mut ears = Ears::default();
    play(&mut with_budget(budget), &mut ears, sent);
    ears.decoded.iter().map(|&(_, from)| from).collect()
}

fn one_after(begin: u64) -> [(u64, Frame); 2] {
    [(0, frame(0, Mode::DSSS_1)), (begin, frame(1, Mode::DSSS_1))]
}

#[test]
fn a_frame_alone_is_decoded_from_the_threshold_on_at_any_rate() {
    for mode in [Mode::DSSS_1, Mode::OFDM_54] {
        let alone = [(0, frame(0, mode))];
        assert_eq!(decoded([-64.39, SILENCE], &alone), [0]);
        assert_eq!(decoded([-64.41, SILENCE], &alone), []);
    }
}

#[test]
fn the_first_of_two_is_decoded_if_it_is_ten_times_as_strong() {
    assert_eq!(decoded([-50.0, -60.1], &one_after(500)), [0]);
    assert_eq!(decoded([-50.0, -59.9], &one_after(500)), []);
}

#[test]
fn the_second_never_is_however_strong() {
    assert_eq!(decoded([-60.0, -30.0], &one_after(1)), []);
}

#[test]
fn what_is_too_weak_to_be_sensed_disturbs_nothing() {
    assert_eq!(decoded([-64.0, -78.1], &one_after(500)), [0]);
    assert_eq!(decoded([-64.0, -70.0], &one_after(500)), []);
}
