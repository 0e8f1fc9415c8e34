//! Connections that have other addresses, sequence numbers or options behind a translator.

use super::*;

#[test]
fn a_connection_is_recognised_behind_a_translator_of_addresses() {
    let sent = three();
    let mut both = Both::new();
    both.0[1].client = (Ipv4Addr::new(203, 0, 113, 7), 61_000);
    let told = both.see(&sent, |_, _| true).told();
    assert_eq!(counts(&told), [[5, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0]]);
    let [connection] = &told.connections[..] else {
        panic!("one connection")
    };
    assert_eq!(connection.ends[0].1, 4000);
    assert_eq!(connection.ends_second.unwrap()[0].1, 61_000);
}

#[test]
fn a_connection_that_each_capture_knew_by_itself_is_recognised_too() {
    let mut both = Both::new();
    both.0[1].client = (Ipv4Addr::new(203, 0, 113, 7), 61_000);
    // The first capture begins behind the SYN, so each knows the connection by itself at first.
    let told = both
        .see(&three(), |point, number| point == 1 || number > 0)
        .told();
    assert_eq!(counts(&told), [[4, 0, 0, 0, 0, 1], [4, 0, 0, 0, 0, 0]]);
    assert_eq!(told.connections.len(), 1);
}

#[test]
fn sequence_numbers_that_are_changed_on_the_way_are_found() {
    for from in [0, 3] {
        let mut both = Both::new();
        both.0[1].shift = 3_000_000_000;
        let sent = three();
        // Midway the first packets wait until both directions' numbers are known.
        let told = both.see(&sent, |_, number| number >= from).told();
        let [forth, back] = counts(&told);
        assert_eq!(
            forth[0] + back[0],
            sent.len() as u64 - from as u64,
            "{forth:?} {back:?}"
        );
        let shift = Alteration::SequenceNumbers {
            shift: 3_000_000_000,
        };
        assert_eq!(told.connections[0].lanes[0].alterations, [shift]);
        assert_eq!(told.connections[0].lanes[1].alterations, []);
    }
}

#[test]
fn an_mss_that_is_changed_on_the_way_is_told_from_one_that_was_not_captured() {
    let mut sent = three();
    sent[0].mss = Some(1460);
    let mut clamped = sent.clone();
    clamped[0].mss = Some(1380);
    let alterations = |kept: usize| {
        let mut both = Both::new();
        both.0[1].kept = kept;
        let both = both.see(&sent, |point, _| point == 0);
        let told = both.see(&clamped, |point, _| point == 1).told();
        told.connections[0].lanes[0].alterations.clone()
    };
    let change = Alteration::MaximumSegmentSize {
        first: Some(1460),
        second: Some(1380),
    };
    assert_eq!(alterations(usize::MAX), [change]);
    // Ethernet, IPv4 and TCP without options.
    assert_eq!(alterations(54), []);
}
