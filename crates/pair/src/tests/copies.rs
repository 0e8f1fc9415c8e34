//! Packets that a capture has twice: who doubled them.

use super::*;

/// Time that a link of 1 Gbit/s takes for a full packet: a second copy comes as soon as this.
const AT_ONCE: u64 = 12_000;

/// Adds a second copy to what a point has of a packet.
fn again(both: &mut Both, point: usize, sent: &Sent, after_ns: u64) {
    both.0[point].add(times(sent)[point] + after_ns, sent);
}

/// Those that were doubled, before the first point and between the points.
fn doubled(told: &Comparison, way: PathDirection) -> [u64; 3] {
    let way = &told.ways[way as usize];
    [way.doubled, way.doubled_before, way.doubled_between]
}

#[test]
fn a_copy_that_only_the_later_capture_has_was_made_between_the_points_however_soon_it_came() {
    for after_ns in [0, AT_ONCE, 300_000, 3 * MS] {
        let sent = three();
        let mut both = Both::new().see(&sent, |_, _| true);
        again(&mut both, 1, &sent[7], after_ns);
        let told = both.told();
        assert_eq!(counts(&told)[0], [5, 0, 0, 0, 1, 0], "{after_ns}");
        assert_eq!(
            doubled(&told, PathDirection::Forth),
            [1, 0, 1],
            "{after_ns}"
        );
    }
}

#[test]
fn a_copy_that_both_captures_have_was_made_before_the_first() {
    let sent = three();
    let mut both = Both::new().see(&sent, |_, _| true);
    for point in 0..2 {
        again(&mut both, point, &sent[7], AT_ONCE);
    }
    let told = both.told();
    assert_eq!(counts(&told)[0], [5, 0, 0, 0, 1, 0]);
    assert_eq!(doubled(&told, PathDirection::Forth), [1, 1, 0]);
    assert_eq!(told.ways[0].delay.unwrap().max_ns, DELAY as i64);
    assert!(told.captures.iter().all(|capture| !capture.doubles));
}

#[test]
fn a_capture_whose_copies_never_arrive_anywhere_made_them_itself() {
    let sent = three();
    let mut both = Both::new().see(&sent, |_, _| true);
    for each in &sent[3..] {
        again(&mut both, 0, each, AT_ONCE);
    }
    let told = both.told();
    // What the server sent it is the second to have, which alone looks like the network's doing.
    assert_eq!(doubled(&told, PathDirection::Forth), [3, 0, 0]);
    assert_eq!(doubled(&told, PathDirection::Back), [3, 0, 3]);
    assert_eq!(
        told.captures.each_ref().map(|capture| capture.doubles),
        [true, false]
    );
}

#[test]
fn the_receiver_says_of_a_copy_that_it_came() {
    let sent = three();
    let [data, answer] = [sent[7], sent[8]];
    let mut both = Both::new().see(&sent, |_, _| true);
    again(&mut both, 1, &data, AT_ONCE);
    let report = Sent {
        report: Some((data.seq, data.seq + data.payload)),
        id: answer.id + 1,
        ..answer
    };
    for point in [0, 1] {
        again(&mut both, point, &report, AT_ONCE);
    }
    let told = both.told();
    assert_eq!(doubled(&told, PathDirection::Forth), [1, 0, 1]);
    assert_eq!(told.ways[0].doubled_reported, 1);
    assert_eq!(
        told.rows
            .is_reported
            .iter()
            .map(|&is| u64::from(is))
            .sum::<u64>(),
        1
    );
}

#[test]
fn without_identifications_one_more_than_was_sent_is_a_copy() {
    let mut sent = three();
    sent.iter_mut().for_each(|each| each.id = 0);
    // The server repeats an acknowledgment, as it may: both captures have it twice.
    let repeated = Sent {
        at_ms: sent[8].at_ms + 1,
        ..sent[8]
    };
    sent.push(repeated);
    let mut both = Both::new().see(&sent, |_, _| true);
    again(&mut both, 1, &sent[7], AT_ONCE);
    let told = both.told();
    assert_eq!(counts(&told), [[5, 0, 0, 0, 1, 0], [5, 0, 0, 0, 0, 0]]);
}

#[test]
fn a_sender_that_gives_every_packet_one_identification_may_repeat_itself() {
    let mut sent = three();
    sent.iter_mut().for_each(|each| each.id = 1);
    sent.push(Sent {
        at_ms: sent[8].at_ms + 1,
        ..sent[8]
    });
    let told = Both::new().see(&sent, |_, _| true).told();
    assert_eq!(counts(&told)[1], [5, 0, 0, 0, 0, 0]);
}
