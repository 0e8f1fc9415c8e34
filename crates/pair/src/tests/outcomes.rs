//! Fate of packets that only one capture has, or both.

use super::*;

#[test]
fn a_path_without_losses_takes_as_long_as_it_takes() {
    let told = Both::new().see(&three(), |_, _| true).told();
    assert_eq!(told.clock.clocks, Clocks::Same);
    assert_eq!(counts(&told), [[5, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0]]);
    for way in &told.ways {
        let delay = way.delay.unwrap();
        assert_eq!((delay.min_ns, delay.max_ns), (DELAY as i64, DELAY as i64));
    }
    assert_eq!(told.connections[0].lanes[0].hops, Some(0));
}

#[test]
fn routers_are_counted_on_the_way_of_either_end() {
    let mut both = Both::new();
    both.0[0].ttl = [64, 57];
    both.0[1].ttl = [61, 60];
    let told = both.see(&three(), |_, _| true).told();
    let hops = told.connections[0].lanes.each_ref().map(|lane| lane.hops);
    assert_eq!(hops, [Some(3), Some(3)]);
}

/// A segment that is lost twice and comes through the third time, with `clock` or without.
fn lost_twice(clock: Option<u32>, ids: bool) -> Comparison {
    let mut sent = three();
    // The segment is number 5, and its acknowledgment number 6.
    let lost = sent[5];
    sent.retain(|each| each.at_ms < 40);
    for (number, at_ms) in [40, 240, 640].into_iter().enumerate() {
        let clock = clock.map(|clock| clock + at_ms as u32);
        sent.push(Sent {
            at_ms,
            id: 10 + number as u16,
            clock,
            ..lost
        });
    }
    sent.push(Sent {
        at_ms: 646,
        seq: 1,
        ack: 2001,
        id: 9,
        ..ACK
    });
    if !ids {
        sent.iter_mut().for_each(|each| each.id = 0);
    }
    let lost = [sent.len() - 4, sent.len() - 3];
    Both::new()
        .see(&sent, |point, number| point == 0 || !lost.contains(&number))
        .told()
}

#[test]
fn each_transmission_of_the_same_bytes_has_its_own_fate() {
    for (clock, ids) in [(None, true), (Some(1), false), (Some(1), true)] {
        let told = lost_twice(clock, ids);
        assert_eq!(counts(&told)[0], [4, 2, 0, 0, 0, 0], "{clock:?} {ids}");
        assert_eq!(told.ways[0].delay.unwrap().max_ns, DELAY as i64);
        assert_eq!(
            (&told.ways[0].lost_times[..], told.ways[0].ambiguous),
            (&[0, 1][..], 0)
        );
    }
}

#[test]
fn without_anything_to_tell_them_by_the_usual_delay_decides_and_is_counted() {
    let told = lost_twice(None, false);
    assert_eq!(counts(&told)[0], [4, 2, 0, 0, 0, 0]);
    assert_eq!(told.ways[0].ambiguous, 1);
}

#[test]
fn what_was_acknowledged_and_not_captured_was_not_lost() {
    let told = Both::new()
        .see(&three(), |point, number| (point, number) != (1, 5))
        .told();
    assert_eq!(counts(&told)[0], [4, 0, 1, 0, 0, 0]);
}

#[test]
fn an_acknowledgment_that_is_lost_was_not_sent_needlessly() {
    let told = Both::new()
        .see(&three(), |point, number| (point, number) != (0, 4))
        .told();
    assert_eq!(counts(&told)[1], [3, 1, 0, 0, 0, 0]);
    assert_eq!(told.ways[1].lost_needless, 0);
}

#[test]
fn what_appears_behind_the_path_was_missed_before_it() {
    let told = Both::new()
        .see(&three(), |point, number| (point, number) != (0, 5))
        .told();
    assert_eq!(counts(&told)[0], [4, 0, 0, 1, 0, 0]);
}

#[test]
fn a_packet_that_is_doubled_on_the_way_is_told_once_more() {
    let sent = three();
    let mut both = Both::new().see(&sent, |_, _| true);
    both.0[1].add(START + 200 * MS, &sent[7]);
    assert_eq!(counts(&both.told())[0], [5, 0, 0, 0, 1, 0]);
}

#[test]
fn a_packet_that_is_overtaken_is_late() {
    let sent = conversation(&[0, 1].map(|n| Sent {
        seq: 1 + 1000 * n,
        ..DATA
    }));
    let mut both = Both::new().see(&sent, |point, number| point == 0 || number != 3);
    both.0[1].add(START + 70 * MS, &sent[3]);
    let told = both.told();
    assert_eq!(
        (counts(&told)[0], told.ways[0].late),
        ([4, 0, 0, 0, 0, 0], 1)
    );
}

#[test]
fn losses_of_one_direction_keep_their_way_behind_its_fastest_packet() {
    // The server's segments alone, with a router between the points, which tells their way. The last
    // that arrived is the fastest, which is taken to need no time.
    let mut both = Both::new();
    both.0[0].ttl[1] -= 1;
    for (number, delay_ms) in [
        (0, Some(9)),
        (1, None),
        (2, Some(5)),
        (3, None),
        (4, Some(5)),
    ] {
        let sent = Sent {
            seq: 1 + 1000 * number,
            id: 1 + number as u16,
            payload: 1000,
            ..ACK
        };
        let at_ns = START + u64::from(number) * 20 * MS;
        both.0[1].add(at_ns, &sent);
        if let Some(delay_ms) = delay_ms {
            both.0[0].add(at_ns + delay_ms * MS, &sent);
        }
    }
    let told = both.told();
    assert_eq!(told.clock.clocks, Clocks::OneWay);
    let nothing = [0; 6];
    assert_eq!(counts(&told), [nothing, [3, 2, 0, 0, 0, 0]]);
}

#[test]
fn captures_from_one_point_have_packets_of_both_directions_and_one_clock() {
    let mut both = Both::new();
    for sent in three() {
        for capture in &mut both.0 {
            capture.add(START + sent.at_ms * MS, &sent);
        }
    }
    let told = both.told();
    assert_eq!(
        (told.clock.clocks, told.clock.error_ns),
        (Clocks::Same, Some(0))
    );
    assert_eq!(counts(&told), [[5, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0]]);
}
