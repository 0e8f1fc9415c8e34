//! Captures that do not cover each other, and what is told of them as a whole.

use super::*;

#[test]
fn connections_are_numbered_from_one() {
    let told = Both::new().see(&three(), |_, _| true).told();
    assert_eq!(told.connections[0].number, 1);
    assert!(told.rows.connection.iter().all(|&number| number == 1));
}

#[test]
fn time_counts_from_the_first_tcp_segment() {
    let mut both = Both::new();
    let wire = both.0[1].wire;
    let arp = [0_u8; 42];
    let early = CapturedFrame::whole(wire, Time::from_nanos(START - 300 * MS), &arp);
    both.0[1].file.frame(&early).unwrap();
    let told = both.see(&three(), |_, _| true).told();
    assert_eq!(told.over_time.start_ns, START as i64);
}

#[test]
fn what_passes_one_point_only_is_not_lost() {
    let sent = three();
    let mut both = Both::new().see(&sent, |_, _| true);
    both.0[0].client.1 = 4001;
    for each in &sent {
        both.0[0].add(times(each)[0] + 300 * MS, each);
    }
    let told = both.told();
    assert_eq!(counts(&told)[0], [5, 0, 0, 0, 0, 0]);
    assert_eq!(
        (told.connections_alone, told.packets_alone),
        ([1, 0], [9, 0])
    );
}

#[test]
fn what_passed_before_the_other_capture_began_is_outside() {
    let told = Both::new()
        .see(&three(), |point, number| point == 0 || number > 4)
        .told();
    assert_eq!(counts(&told), [[2, 0, 0, 0, 0, 3], [2, 0, 0, 0, 0, 2]]);
    assert_eq!(
        fates(&told, PathDirection::Forth)
            .iter()
            .filter(|&&fate| fate == PacketOutcome::Lost)
            .count(),
        0
    );
}

#[test]
fn captures_without_a_common_packet_are_refused() {
    let both = Both::new().see(&three(), |point, _| point == 0);
    let files = both.0.map(|capture| capture.file.finish().unwrap());
    let refused = compare(
        |side| PacketReader::new(&files[side][..]),
        PairLimits::default(),
        false,
    );
    assert!(matches!(refused, Err(CompareError::NothingInCommon(_))));
}

#[test]
fn a_connection_with_hundreds_of_packets_under_way_may_be_captured_from_midway() {
    // Thirty in a millisecond, and as many answers: 150 are under way for five.
    let data = (0..600).map(|number: u32| Sent {
        at_ms: u64::from(number) / 30,
        seq: 1 + 1000 * number,
        id: 1 + number as u16,
        ..DATA
    });
    let answers = (0..600).map(|number: u32| Sent {
        at_ms: 6 + u64::from(number) / 30,
        seq: 1,
        ack: 1001 + 1000 * number,
        id: 1 + number as u16,
        ..ACK
    });
    let sent: Vec<Sent> = data.chain(answers).collect();
    let told = Both::new().see(&sent, |_, _| true).told();
    assert_eq!(counts(&told), [[600, 0, 0, 0, 0, 0]; 2]);
}

#[test]
fn a_path_of_seconds_needs_no_second_clock() {
    let late = 2_000 * MS;
    let mut both = Both::new();
    for point in 0..2 {
        let at = |sent: &Sent| {
            let near = usize::from(!sent.is_client);
            times(sent)[near] + if point == near { 0 } else { late }
        };
        let mut seen = three();
        seen.sort_by_key(at);
        for sent in &seen {
            both.0[point].add(at(sent), sent);
        }
    }
    let told = both.told();
    assert_eq!(told.clock.clocks, Clocks::Same);
    assert_eq!(counts(&told), [[5, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0]]);
    assert_eq!(told.ways[0].delay.unwrap().min_ns, late as i64);
}
