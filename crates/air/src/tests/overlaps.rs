//! Two frames on the air: who is heard, and how much of it.

use dot11::Frame;
use phy::Mode;
use phy::error_model::ln_success_per_bit;
use units::{Db, Dbm};

use super::ears::{Ears, NOISE, Script, channel, curve, decoded, frame, play};
use crate::errors::sinr;
use crate::{Capture, Until};

const SILENCE: f64 = -200.0;

/// Radios 0 and 1 do not hear each other; radio 2 receives them with these powers.
fn two_senders(first: f64, second: f64) -> [[f64; 3]; 3] {
    [
        [SILENCE, SILENCE, first],
        [SILENCE, SILENCE, second],
        [SILENCE; 3],
    ]
}

fn one_after(begin: u64) -> [(u64, Frame); 2] {
    [(0, frame(0, Mode::DSSS_1)), (begin, frame(1, Mode::DSSS_1))]
}

#[test]
fn equal_frames_destroy_each_other() {
    // That the 192 bits of preamble and header survive one part of signal to eleven of
    // interference happens once in a million.
    let mut ears = Ears {
        random: Script {
            units: [1e-5].into(),
        },
        ..Ears::default()
    };
    let mut medium = channel(two_senders(-60.0, -60.0));
    play(&mut medium, &mut ears, &one_after(5));
    assert_eq!(ears.decoded, []);
}

#[test]
fn a_stronger_frame_within_the_cca_time_takes_the_receiver() {
    let stronger_second = two_senders(-70.0, -50.0);
    assert_eq!(decoded(stronger_second, &one_after(15)), [(2, 1)]);
    assert_eq!(
        decoded(stronger_second, &one_after(16)),
        [],
        "later the receiver stays with the first, which the second destroys"
    );
}

/// The first frame's header is 192 µs long, and the second frame 20 dB above it.
#[test]
fn a_receiver_that_captures_leaves_a_frame_for_one_that_is_so_much_stronger() {
    let takes = |until, margin, begin| {
        let capture = Capture::new(until, Db(margin), Db(4.0));
        let mut medium = channel(two_senders(-70.0, -50.0)).capturing(capture);
        let mut ears = Ears::default();
        play(&mut medium, &mut ears, &one_after(begin));
        ears.decoded == [(2, 1)]
    };
    let begins = [15, 16, 130, 192, 3000];
    let when = |until, margin| begins.map(|begin| takes(until, margin, begin));
    let at_detection = [true, false, false, false, false];
    assert_eq!(when(Until::Detection, 19.0), at_detection);
    assert_eq!(when(Until::Header, 19.0), [true, true, true, false, false]);
    assert_eq!(when(Until::Payload, 19.0), [true; 5]);
    assert_eq!(when(Until::Payload, 21.0), at_detection);
}

/// ns-3's capture window: 16 µs behind the detection, which takes 15 here.
#[test]
fn ns3s_receivers_leave_a_frame_for_16_us_after_they_have_detected_it() {
    let takes = |begin| {
        let capture = Capture::new(Until::Ns3, Db(5.0), Db(4.0));
        let mut medium = channel(two_senders(-70.0, -50.0)).capturing(capture);
        let mut ears = Ears::default();
        play(&mut medium, &mut ears, &one_after(begin));
        ears.decoded == [(2, 1)]
    };
    assert_eq!([31, 32].map(takes), [true, false]);
}

/// Radio 3 sends until 1000 µs and so is on no frame when it ends; radio 0 has been on the air since
/// then, and radio 1 begins.
#[test]
fn a_preamble_is_found_if_it_stands_out_from_the_frames_that_are_on_the_air() {
    let hears = |first: f64, second: f64, third: f64, sent: &[(u64, Frame)]| {
        let mut powers = [[SILENCE; 4]; 4];
        (powers[0][3], powers[1][3], powers[2][3]) = (first, second, third);
        let capture = Capture::new(Until::Detection, Db(10.0), Db(4.0));
        let mut medium = channel(powers).capturing(capture);
        let mut ears = Ears {
            random: Script {
                units: [0.0; 8].into(),
            },
            ..Ears::default()
        };
        play(&mut medium, &mut ears, sent);
        ears.decoded
    };
    let long = |from| (500, frame(from, Mode::DSSS_1));
    let own = Frame {
        bytes: 80,
        ..frame(3, Mode::DSSS_1)
    };
    assert_eq!(own.airtime().as_micros(), 832);
    let short = |from, begin| {
        let bytes = 20;
        let frame = frame(from, Mode::CCK_11);
        (begin, Frame { bytes, ..frame })
    };
    let behind_own = [(0, own), long(0), short(1, 1000)];
    assert_eq!(hears(-70.0, -65.9, SILENCE, &behind_own), [(3, 1)]);
    assert_eq!(hears(-70.0, -66.1, SILENCE, &behind_own), []);
    // What it has not found leaves the receiver free for what it finds.
    let another = [(0, own), long(0), short(1, 1000), short(2, 1100)];
    assert_eq!(hears(-70.0, -90.0, -60.0, &another), [(3, 2)]);
    // Of several the sum counts.
    let two = [(0, own), long(0), long(1), short(2, 1000)];
    assert_eq!(hears(-70.0, -70.0, -64.0, &two), [(3, 2)][..0]);
    assert_eq!(hears(-70.0, -70.0, -62.9, &two), [(3, 2)]);
}

#[test]
fn a_receiver_stays_with_the_stronger_frame_when_the_weaker_comes_second() {
    let stronger_first = two_senders(-50.0, -70.0);
    assert_eq!(decoded(stronger_first, &one_after(15)), [(2, 0)]);
    assert_eq!(decoded(stronger_first, &one_after(3000)), [(2, 0)]);
}

#[test]
fn a_frame_that_begins_under_another_is_not_received_when_that_ends() {
    let short = Frame {
        bytes: 100,
        ..frame(0, Mode::DSSS_1)
    };
    let sent = [(0, short), (900, frame(1, Mode::DSSS_1))];
    assert_eq!(decoded(two_senders(-70.0, -50.0), &sent), []);
}

#[test]
fn a_radio_that_transmits_hears_nothing() {
    let all_hear = [[SILENCE, -50.0], [-50.0, SILENCE]];
    let long = frame(0, Mode::DSSS_1);
    let short = Frame {
        bytes: 50,
        ..frame(1, Mode::CCK_11)
    };
    assert_eq!(decoded(all_hear, &[(0, long), (1000, short)]), []);
    assert_eq!(
        decoded(all_hear, &[(0, short), (100, long)]),
        [],
        "nor what was under way when it began"
    );
    let alone = [(0, long), (10_000, short)];
    assert_eq!(decoded(all_hear, &alone), [(1, 0), (0, 1)]);
}

/// Bits weigh by the interference there was while they came in: an interferer too weak to be
/// sensed covers the last part of a frame's MPDU.
#[test]
fn interference_counts_for_the_bits_it_covers() {
    let mode = Mode::CCK_11;
    let (signal, interferer) = (-80.0, -86.0);
    let wanted = frame(0, mode);
    let plcp = wanted.plcp_time().as_micros();
    let mpdu = wanted.airtime().as_micros() - plcp;
    let covered = 300;
    let begin = plcp + mpdu - covered;

    let curve = curve(mode);
    let per_bit = |interference: f64| {
        let [signal, interference, noise] =
            [signal, interference, NOISE].map(|dbm| Dbm(dbm).to_milliwatts());
        ln_success_per_bit(curve, sinr(curve, signal, interference, noise))
    };
    let share = covered as f64 / mpdu as f64;
    let bits = f64::from(wanted.bytes) * 8.0;
    let ln_success =
        bits * (1.0 - share) * per_bit(f64::NEG_INFINITY) + bits * share * per_bit(interferer);
    let chance = ln_success.exp();
    assert!(chance > 0.01 && chance < 0.99, "{chance}");

    let hears = |draw: f64| {
        let mut ears = Ears {
            random: Script {
                units: [draw].into(),
            },
            ..Ears::default()
        };
        let sent = [(0, wanted), (begin, frame(1, mode))];
        play(
            &mut channel(two_senders(signal, interferer)),
            &mut ears,
            &sent,
        );
        ears.decoded == [(2, 0)]
    };
    assert!(hears(chance - 1e-4));
    assert!(!hears(chance + 1e-4));
}

/// Of two interferers below the threshold, the louder is gone before the frame comes that would
/// not survive it; the softer goes on beneath.
#[test]
fn interference_ends_with_the_frame_that_brings_it() {
    let mode = Mode::CCK_11;
    let mut powers = [[SILENCE; 4]; 4];
    (powers[0][3], powers[1][3], powers[2][3]) = (-80.0, -86.0, -100.0);
    let loud = Frame {
        bytes: 20,
        ..frame(1, mode)
    };
    let soft = frame(2, mode);
    let after = 10 + loud.airtime().as_micros();
    let sent = [(0, soft), (10, loud), (after, frame(0, mode))];
    assert_eq!(decoded(powers, &sent), [(3, 0)]);
}
