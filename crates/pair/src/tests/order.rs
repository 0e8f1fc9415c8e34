//! Packets that look the same: which of one capture is which of the other.

use super::*;

/// The rows of one way, each as the packets' numbers in the two files.
fn matches(told: &Comparison, way: PathDirection) -> Vec<(i64, i64)> {
    let rows = &told.rows;
    let of_way = (0..rows.way.len()).filter(|&row| rows.way[row] == way as u8);
    of_way
        .map(|row| (rows.number_first[row], rows.number_second[row]))
        .collect()
}

/// A SYN that the network doubled is answered twice at once, as Linux does without an
/// identification; the clock of its timestamps ticks between.
#[test]
fn two_answers_to_one_syn_keep_their_order_and_their_clocks() {
    let mut sent = three();
    sent.iter_mut().for_each(|each| each.clock = Some(50));
    sent[1].id = 0;
    let mut both = Both::new().see(&sent, |_, number| number < 1);
    for point in 0..2 {
        for (after_ns, clock) in [(0, 50), (18_000, 51)] {
            let answer = Sent {
                clock: Some(clock),
                ..sent[1]
            };
            both.0[point].add(times(&answer)[point] + after_ns, &answer);
        }
    }
    let told = both.see(&sent, |_, number| number > 1).told();
    assert_eq!(matches(&told, PathDirection::Back)[..2], [(2, 2), (3, 3)]);
    assert_eq!((told.ways[1].late, told.ways[1].ambiguous), (0, 0));
    assert_eq!(told.connections[0].lanes[1].alterations, []);
}

/// Acknowledgments that nothing tells apart, 18 µs after each other, on a path that takes half a
/// millisecond more now and then.
#[test]
fn equal_packets_close_together_are_matched_in_their_order() {
    let answers = [0, 300, 450, 100, 500, 250, 0, 400].map(|more_us: u64| more_us * 1_000);
    let mut sent = three();
    sent.iter_mut().for_each(|each| each.id = 0);
    let last = sent[8];
    let mut both = Both::new().see(&sent, |_, _| true);
    for (step, more_ns) in (1..).zip(answers) {
        for (pair, after_ns) in [0, 18_000].into_iter().enumerate() {
            let at_ns = 20 * step * MS + after_ns;
            let from = START + last.at_ms * MS + at_ns;
            both.0[1].add(from, &last);
            both.0[0].add(from + DELAY + more_ns + pair as u64 * 9_000, &last);
        }
    }
    let told = both.told();
    let found = matches(&told, PathDirection::Back);
    assert_eq!(counts(&told)[1], [20, 0, 0, 0, 0, 0]);
    assert!(found.is_sorted(), "{found:?}");
    assert_eq!(told.ways[1].late, 0);
}
