//! Reassembly, windows and SACK blocks by example.

use super::*;

const MSS: u64 = 500;

fn text(start: u64, payload: u32) -> Text {
    Text {
        start,
        payload,
        fin: false,
        options: 0,
    }
}

fn read(receiver: &mut Receiver, bytes: u64) {
    receiver.read(Time::ZERO, bytes);
}

/// A receiver that has everything below offset 5001, as in the examples of RFC 2018 §4.
fn receiver() -> Receiver {
    let mut receiver = Receiver::new(&ReceiverSettings {
        capacity: 20_000,
        buffer: None,
        rule: WindowRule::Doubling,
        reports_duplicates: true,
    });
    receiver.synchronize();
    receiver.accept(&text(1, 5000));
    receiver
}

/// The n-th segment of 500 bytes after that, counted from nought.
fn arrive(receiver: &mut Receiver, n: u64) -> (PayloadArrival, u64, Vec<(u64, u64)>) {
    let arrival = receiver.accept(&text(5001 + n * MSS, MSS as u32));
    let number = |offset| (offset - 5001) / MSS;
    let blocks = receiver
        .sack_blocks()
        .iter()
        .map(|b| (number(b.start), number(b.end)))
        .collect();
    (arrival, number(receiver.nxt), blocks)
}

const ALL_THERE: PayloadArrival = PayloadArrival::Duplicate { beyond_gap: false };
const FILLED: PayloadArrival = PayloadArrival::InOrder { filled_gap: true };

#[test]
fn the_first_of_eight_is_lost_and_one_block_grows() {
    let mut r = receiver();
    for n in 1..8 {
        let got = arrive(&mut r, n);
        assert_eq!(got, (PayloadArrival::OutOfOrder, 0, vec![(1, n + 1)]));
    }
    assert_eq!(arrive(&mut r, 0), (FILLED, 8, vec![]));
}

#[test]
fn every_second_of_eight_is_lost_and_the_newest_block_comes_first() {
    let mut r = receiver();
    assert_eq!(
        arrive(&mut r, 0),
        (PayloadArrival::InOrder { filled_gap: false }, 1, vec![])
    );
    assert_eq!(
        arrive(&mut r, 2),
        (PayloadArrival::OutOfOrder, 1, vec![(2, 3)])
    );
    assert_eq!(
        arrive(&mut r, 4),
        (PayloadArrival::OutOfOrder, 1, vec![(4, 5), (2, 3)])
    );
    let third = (PayloadArrival::OutOfOrder, 1, vec![(6, 7), (4, 5), (2, 3)]);
    assert_eq!(arrive(&mut r, 6), third);
    let merged = (PayloadArrival::OutOfOrder, 1, vec![(2, 5), (6, 7)]);
    assert_eq!(arrive(&mut r, 3), merged, "the fourth arrives late");
    assert_eq!(arrive(&mut r, 1), (FILLED, 5, vec![(6, 7)]));
}

#[test]
fn what_is_there_is_recognised_in_order_and_beyond_a_gap() {
    let mut r = receiver();
    arrive(&mut r, 2);
    assert_eq!(
        arrive(&mut r, 2).0,
        PayloadArrival::Duplicate { beyond_gap: true }
    );
    assert_eq!(r.accept(&text(4501, 500)), ALL_THERE);
    assert_eq!(r.accept(&text(4801, 400)), FILLED, "half old, half new");
    assert_eq!(r.nxt, 5201);
}

#[test]
fn data_beyond_the_window_are_cut_off() {
    let mut r = receiver();
    assert_eq!(r.accept(&text(20_001, 100)), PayloadArrival::OutsideWindow);
    assert_eq!(r.accept(&text(19_951, 100)), PayloadArrival::OutOfOrder);
    r.accept(&text(5001, 14_950));
    assert_eq!((r.nxt, r.window()), (20_001, 0));
    assert_eq!(
        r.accept(&text(20_001, 1)),
        PayloadArrival::OutsideWindow,
        "a probe"
    );
}

#[test]
fn the_window_opens_in_steps_worth_a_segment() {
    let mut r = receiver();
    r.accept(&text(5001, 15_000));
    read(&mut r, MSS - 1);
    assert_eq!((r.advertise(MSS), r.is_update_due(MSS)), (0, false));
    read(&mut r, 1);
    assert!(r.is_update_due(MSS));
    assert_eq!(r.advertise(MSS), MSS);
    assert!(!r.is_update_due(MSS));
}

#[test]
fn reading_at_once_asks_for_no_window_update() {
    let mut r = receiver();
    read(&mut r, 5000);
    assert_eq!(r.window(), 15_000);
    assert!(!r.is_update_due(MSS));
}

#[test]
fn a_fin_beyond_a_gap_is_reported_and_waits_for_the_data_before_it() {
    let mut r = receiver();
    let last = Text {
        fin: true,
        ..text(5501, 500)
    };
    assert_eq!(r.accept(&last), PayloadArrival::OutOfOrder);
    assert_eq!(r.sack_blocks(), [OffsetRange::new(5501, 6002)]);
    assert!(!r.take_fin());
    arrive(&mut r, 0);
    assert!(r.take_fin());
    assert!(r.is_finished());
    assert_eq!((r.readable(), r.nxt), (6000, 6002));
    assert!(!r.take_fin());
}
