//! Aggregates: each MPDU arrives or not for itself.

use dot11::{Address, Frame};
use phy::{Format, GuardInterval, Mode, Preamble, TxVector, Width};

use super::ears::{Ears, channel, frame, play};

const MPDU: u16 = 1538;

/// An A-MPDU of 20 MPDUs to radio 1, which take 37 symbols each.
fn aggregate(mode: Mode) -> Frame {
    Frame {
        receiver: Address(1),
        bytes: MPDU,
        ampdu_bytes: 19 * 1544 + 1542,
        ..frame(0, mode)
    }
}

fn ears() -> Ears {
    Ears {
        mpdus: vec![MPDU; 20],
        ..Ears::default()
    }
}

fn mcs(mcs: u8) -> Mode {
    Mode::ht(mcs, Width::Mhz20, GuardInterval::Ns800)
}

/// Radio 2, which radio 0 does not hear, sends to radio 1 meanwhile, as strong as what that receives.
#[test]
fn what_lies_under_an_aggregate_costs_the_mpdus_that_it_lies_under() {
    let mut medium = channel([
        [0.0, -50.0, -150.0],
        [-50.0, 0.0, -50.0],
        [-150.0, -50.0, 0.0],
    ]);
    let mut ears = ears();
    let under = Frame {
        bytes: 100,
        vector: TxVector::of(Mode::OFDM_54, Preamble::Long),
        ..frame(2, Mode::OFDM_54)
    };
    let done = play(
        &mut medium,
        &mut ears,
        &[(0, aggregate(mcs(7))), (1000, under)],
    );
    let lost: Vec<usize> = (0..20)
        .filter(|&place| !ears.decoded_mpdus[0].has(place))
        .collect();
    // An MPDU lasts some 190 us behind a preamble of 36 us; what lies under it does so from 1000 to
    // 1036 us.
    assert_eq!(lost, [5]);
    assert!(
        done.iter()
            .any(|done| done.frame.is_aggregate() && done.decoded)
    );
}

#[test]
fn an_aggregate_far_above_the_noise_arrives_whole_without_a_draw() {
    let mut medium = channel([[0.0, -50.0], [-50.0, 0.0]]);
    let mut ears = ears();
    let done = play(&mut medium, &mut ears, &[(0, aggregate(mcs(7)))]);
    assert!(done[0].decoded && ears.decoded_mpdus.is_empty());
}

/// At the ratio where an MPDU is lost every other time, an aggregate of 20 loses some and not others.
#[test]
fn each_mpdu_has_a_chance_of_its_own() {
    let mode = Mode::new(Format::HtMixed, 7, 1, Width::Mhz20, GuardInterval::Ns800);
    let mut medium = channel([[0.0, -71.6], [-71.6, 0.0]]);
    let mut ears = ears();
    ears.random.units = (1..=21).map(|at| f64::from(at) / 22.0).collect();
    play(&mut medium, &mut ears, &[(0, aggregate(mode))]);
    let decoded = ears.decoded_mpdus[0];
    let count = (0..20).filter(|&place| decoded.has(place)).count();
    assert!((5..16).contains(&count), "{count}");
}
