//! Segments that a card is still to cut, matched and lost piece by piece.

use super::*;

#[test]
fn a_large_segment_is_matched_with_the_pieces_it_is_cut_into() {
    let whole = conversation(&[Sent {
        payload: 4000,
        ..DATA
    }]);
    let mut pieces = whole.clone();
    let large = pieces.remove(3);
    for n in 0..4 {
        let id = large.id + n as u16;
        pieces.push(Sent {
            seq: 1 + 1000 * n,
            payload: 1000,
            id,
            ..large
        });
    }
    for is_cut_first in [false, true] {
        let [first, second] = if is_cut_first {
            [&pieces, &whole]
        } else {
            [&whole, &pieces]
        };
        let lost = pieces.len() - 2;
        let both = Both::new()
            .see(first, |point, number| {
                point == 0 && (!is_cut_first || number != lost)
            })
            .see(second, |point, number| {
                point == 1 && (is_cut_first || number != lost)
            });
        let told = both.told();
        let expected = if is_cut_first {
            [5, 0, 0, 1, 0, 0]
        } else {
            [5, 0, 1, 0, 0, 0]
        };
        assert_eq!(counts(&told)[0], expected);
        let rows = &told.rows;
        let odd = (0..rows.fate.len())
            .find(|&row| rows.fate[row] != 0)
            .unwrap();
        assert_eq!((rows.seq[odd], rows.length[odd]), (2001, 1000));
    }
}

/// A large segment of `payload` bytes, and the same cut into pieces of 1000 that count on from
/// its identification.
fn cut(whole: Sent) -> Vec<Sent> {
    let pieces = (0_u16..).zip((0..whole.payload).step_by(1000));
    pieces
        .map(|(n, at)| Sent {
            seq: whole.seq + at,
            payload: 1000.min(whole.payload - at),
            id: whole.id + n,
            ..whole
        })
        .collect()
}

#[test]
fn a_large_segment_is_cut_though_an_earlier_one_came_through_whole() {
    for mss in [Some(1000), None] {
        let mut sent = conversation(&[0, 1].map(|n| Sent {
            seq: 1 + 12_000 * n,
            payload: 12_000,
            ..DATA
        }));
        sent[1].mss = mss;
        let mut arrived = sent.clone();
        let pieces = cut(arrived.remove(5));
        arrived.extend(pieces);
        let told = Both::new()
            .see(&sent, |point, _| point == 0)
            .see(&arrived, |point, _| point == 1)
            .told();
        assert_eq!(counts(&told)[0], [3 + 12, 0, 0, 0, 0, 0], "{mss:?}");
    }
}

#[test]
fn losses_count_segments_on_the_wire_though_the_receiver_saw_only_small_ones() {
    let request = Sent {
        payload: 64,
        ..DATA
    };
    let data = [0, 1, 2].map(|n| Sent {
        seq: 65 + 1000 * n,
        ..DATA
    });
    let whole = Sent {
        seq: 3065,
        payload: 5000,
        ..DATA
    };
    let mut sent = conversation(&[request]);
    sent[1].mss = Some(1000);
    // The application answers, so that something behind the losses comes through.
    sent.push(Sent {
        at_ms: 900,
        seq: 8065,
        payload: 0,
        id: 99,
        ..DATA
    });
    let through = sent.len();
    sent.extend(
        (0..)
            .zip([data[0], data[1], data[2], whole])
            .map(|(n, each)| Sent {
                at_ms: 100 + u64::from(n),
                id: 50 + n,
                ..each
            }),
    );
    let told = Both::new()
        .see(&sent, |point, number| point == 0 || number < through)
        .told();
    assert_eq!(counts(&told)[0], [4, 3 + 5, 0, 0, 0, 0]);
    let forth = &told.ways[0];
    assert_eq!((forth.segments.lost, forth.lost_bytes), (8, 8000));
    assert_eq!(forth.lost_for_good_times, [8]);
}

#[test]
fn a_full_segment_with_fin_is_one_on_the_wire() {
    let mut sent = conversation(&[0, 1].map(|n| Sent {
        seq: 1 + 1000 * n,
        ..DATA
    }));
    sent[1].mss = Some(1000);
    let last = Sent {
        at_ms: 60,
        seq: 2001,
        id: 9,
        fin: true,
        ..DATA
    };
    // Lost, and retransmitted.
    sent.extend([
        last,
        Sent {
            at_ms: 300,
            id: 10,
            ..last
        },
    ]);
    let lost = sent.len() - 2;
    let told = Both::new()
        .see(&sent, |point, number| point == 0 || number != lost)
        .told();
    assert_eq!(counts(&told)[0], [5, 1, 0, 0, 0, 0]);
    let segments = &told.ways[0].segments;
    assert_eq!((segments.passed, segments.lost), (5, 1));
}

#[test]
fn what_passed_and_what_was_lost_are_told_in_the_same_unit() {
    // Twelve segments come through, which both captures have as one packet, and four are lost.
    let mut sent = conversation(&[
        Sent {
            payload: 12_000,
            ..DATA
        },
        Sent {
            seq: 12_001,
            payload: 4_000,
            ..DATA
        },
    ]);
    sent[1].mss = Some(1000);
    sent.truncate(6);
    let lost = sent.len() - 1;
    // The application answers, so that something behind the loss comes through.
    sent.push(Sent {
        at_ms: 900,
        seq: 16_001,
        payload: 0,
        id: 99,
        ..DATA
    });
    let told = Both::new()
        .see(&sent, |point, number| point == 0 || number != lost)
        .told();
    let forth = &told.ways[0];
    let small = 3;
    assert_eq!((forth.passed, forth.lost), (small + 1, 4));
    let segments = &forth.segments;
    assert_eq!((segments.passed, segments.lost), (small + 12, 4));
    let steps = &told.over_time.ways[0];
    let passed: u64 = steps.iter().map(|step| step.segments_passed).sum();
    assert_eq!(passed, small + 12);
    let large = told.rows.segments.iter().filter(|&&count| count == 12);
    assert_eq!(large.count(), 1);
}
