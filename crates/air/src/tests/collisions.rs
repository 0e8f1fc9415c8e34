//! What counts as a collision: Bianchi's within a cell, and of other cells what does harm.

use dot11::{Address, Frame, Mode};

use super::ears::{Ears, channel, frame, play};
use crate::Collision::{self, Hidden, None, Sensed};

const SILENCE: f64 = -200.0;

/// Two cells: radio 0 sends to 1, radio 2 to 3.
fn to(from: u16, receiver: u16) -> Frame {
    Frame {
        receiver: Address(receiver),
        ..frame(from, Mode::DSSS_1)
    }
}

/// Where radios 0 and 2 hear each other with `between`, what each of the others has of both.
fn powers(between: f64, at_first: [f64; 2], at_other: [f64; 2]) -> [[f64; 4]; 4] {
    [
        [SILENCE, at_first[0], between, at_other[0]],
        [at_first[0], SILENCE, SILENCE, SILENCE],
        [between, at_first[1], SILENCE, at_other[1]],
        [SILENCE, SILENCE, at_other[1], SILENCE],
    ]
}

fn fates(powers: [[f64; 4]; 4], sent: &[(u64, Frame)]) -> Vec<(u16, bool, Collision)> {
    let ended = play(&mut channel(powers), &mut Ears::default(), sent);
    let fate =
        |done: &crate::Transmission| (done.frame.transmitter.0, done.decoded, done.collision);
    ended.iter().map(fate).collect()
}

#[test]
fn stations_of_a_cell_collide_whichever_is_decoded() {
    let stronger_first = powers(-60.0, [-50.0, -80.0], [SILENCE; 2]);
    let sent = [(0, to(0, 1)), (5, to(2, 1))];
    let both = [(0, true, Sensed), (2, false, Sensed)];
    assert_eq!(fates(stronger_first, &sent), both);
    let hidden = powers(SILENCE, [-50.0, -80.0], [SILENCE; 2]);
    let sent = [(0, to(0, 1)), (5000, to(2, 1))];
    let both = [(0, true, Hidden), (2, false, Hidden)];
    assert_eq!(fates(hidden, &sent), both);
}

#[test]
fn one_frame_ends_where_another_begins_without_a_collision() {
    let behind = to(0, 1).airtime().as_micros();
    let sent = [(0, to(0, 1)), (behind, to(2, 1))];
    let equal = powers(-60.0, [-50.0, -50.0], [SILENCE; 2]);
    assert_eq!(fates(equal, &sent), [(0, true, None), (2, true, None)]);
}

/// 36 dB beneath one's own frames, in turn and at once.
#[test]
fn what_another_cell_sends_without_harm_is_no_collision() {
    let far = powers(SILENCE, [-44.0, -80.0], [-80.0, -44.0]);
    let sent = [(0, to(0, 1)), (5, to(2, 3)), (20_000, to(2, 3))];
    let fine = [(0, true, None), (2, true, None), (2, true, None)];
    assert_eq!(fates(far, &sent), fine);
}

#[test]
fn a_frame_collides_with_another_cells_that_it_is_lost_to() {
    let one_sided = powers(-60.0, [-60.0, -40.0], [SILENCE, -40.0]);
    let sent = [(0, to(0, 1)), (5, to(2, 3))];
    let first_lost = [(0, false, Sensed), (2, true, None)];
    assert_eq!(fates(one_sided, &sent), first_lost);
    let hidden = powers(SILENCE, [-60.0, -40.0], [SILENCE, -40.0]);
    let first_lost = [(0, false, Hidden), (2, true, None)];
    assert_eq!(fates(hidden, &sent), first_lost);
}

/// Radio 1 stays with the other cell's frame, which it has found first, and misses the one for it,
/// strong as that is.
#[test]
fn a_frame_collides_with_another_cells_that_its_receiver_takes_for_it() {
    let far = powers(SILENCE, [-44.0, -80.0], [SILENCE, -44.0]);
    let sent = [(0, to(2, 3)), (100, to(0, 1))];
    assert_eq!(fates(far, &sent), [(2, true, None), (0, false, Hidden)]);
}
