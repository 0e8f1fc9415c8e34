//! The last segments of a burst, lost all of them.

use super::*;

/// Three segments at once, those of `again` a timer later, and which transmissions are lost; at
/// last the receiver has everything below `acknowledged`.
fn burst(again: &[u32], lost: &[usize], acknowledged: u32) -> Comparison {
    let segment = |number: u32| Sent {
        seq: 1 + 1000 * number,
        ..DATA
    };
    let mut sent = conversation(&[]);
    let handshake = sent.len();
    sent.extend((0..3).map(|number| Sent {
        at_ms: 20 + u64::from(number),
        ..segment(number)
    }));
    sent.extend((0..).zip(again).map(|(step, &number)| Sent {
        at_ms: 420 + step,
        ..segment(number)
    }));
    // Something else is heard of later, so that the fates of all are known.
    let ends = [3_000, 20_000].map(|at_ms| Sent {
        at_ms,
        seq: 1,
        ack: acknowledged,
        ..ACK
    });
    sent.extend(ends);
    (10..).zip(&mut sent).for_each(|(id, each)| each.id = id);
    let lost: Vec<usize> = lost.iter().map(|at| handshake + at).collect();
    Both::new()
        .see(&sent, |point, number| point == 0 || !lost.contains(&number))
        .told()
}

#[test]
fn a_tail_that_is_lost_whole_is_told_with_how_long_the_receiver_knew_of_nothing() {
    let told = burst(&[1, 2], &[1, 2], 3001);
    let tails = &told.ways[0].tails;
    assert_eq!((tails.lost, tails.lost_for_good), (1, 0));
    let waited = tails.waited.unwrap();
    // The second segment was sent at 21 ms, and again at 420.
    assert_eq!((waited.count, waited.max_ns), (1, 399 * MS as i64));
    assert_eq!(told.connections[0].lanes[0].tails_lost, 1);
}

#[test]
fn what_is_lost_before_something_that_arrives_is_no_tail() {
    let told = burst(&[1], &[1], 3001);
    assert_eq!((told.ways[0].lost, told.ways[0].tails.lost), (1, 0));
}

#[test]
fn a_tail_that_is_never_retransmitted_waits_for_good() {
    let told = burst(&[], &[1, 2], 1001);
    let tails = &told.ways[0].tails;
    assert_eq!((tails.lost, tails.lost_for_good), (1, 1));
    assert!(tails.waited.is_none());
}
