//! Captures that begin in the middle, hold one direction only, are not in order, or were made up.

use super::cause::Cause;
use super::tests::{MSS, Script, cause};
use super::tstat;
use dissect::ControlBits;

#[test]
fn a_capture_that_starts_in_the_middle_is_told_so() {
    let mut script = Script::new([100, 200]);
    script.data(70).at(1050).ack(71, None).data(71);
    let summary = script.only();
    assert!(summary.starts_midway && !summary.has_handshake);
    assert_eq!(summary.client.port, 40_000, "the server has the known port");
    assert_eq!(summary.client.counters.bytes_unique, 2000);
    assert_eq!(tstat::line(&summary), None);
}

#[test]
fn what_was_on_its_way_when_the_capture_began_was_not_missed_by_it() {
    let mut script = Script::new([100, 200]);
    script.ack(60, None).ack(62, None).data(70).data(71);
    script.at(1040).ack(70, None).at(1050).ack(72, None);
    let sent = script.only().client;
    assert_eq!((sent.bytes_missed, sent.counters.gaps), (0, 0));
    assert_eq!(
        sent.counters.flight_max,
        Some(10 * u64::from(MSS)),
        "those too"
    );
    // What is missing later was missed.
    script.at(1060).data(74).at(1110).ack(75, None);
    assert_eq!(script.only().client.bytes_missed, 2 * u64::from(MSS));
}

#[test]
fn a_fin_that_the_capture_missed_is_no_byte() {
    let mut script = Script::new([100, 200]);
    script.ack(0, None).ack(2, None);
    script.push(1, ControlBits::ACK, 0, 2 * MSS + 1, 0);
    let missed = |script: &Script| script.only().client.bytes_missed;
    assert_eq!(missed(&script), 2001, "it may be a byte");
    script.push(1, ControlBits::FIN | ControlBits::ACK, 0, 2 * MSS + 1, 0);
    assert_eq!(missed(&script), 2000, "both ends have closed");
    let acknowledged_alone = script.segments.remove(2);
    assert_eq!(acknowledged_alone.payload, 0);
    assert_eq!(
        missed(&script),
        2000,
        "its acknowledgment may come with the other FIN"
    );
    script.push(0, ControlBits::FIN | ControlBits::ACK, 2 * MSS + 1, 1, 0);
    assert_eq!(missed(&script), 2001, "this is the FIN");
}

#[test]
fn without_acknowledgments_nobody_knows_what_is_on_its_way() {
    let mut script = Script::new([100, 200]);
    script.all(0..4);
    let flights = |script: &Script| {
        let sent = script.only().client.counters;
        [sent.flight_max, sent.flight_min, sent.flight_initial]
    };
    assert_eq!(flights(&script), [None; 3]);
    script.at(1050).ack(4, None);
    assert_eq!(flights(&script), [4000, 1000, 4000].map(Some));
}

#[test]
fn what_lies_before_the_first_captured_number_was_not_seen_before() {
    let mut script = Script::new([100, 200]);
    script.data(70).all(68..70).at(1050).ack(71, None);
    let summary = script.only();
    let sent = &summary.client.counters;
    assert_eq!(sent.bytes_unique, 3 * u64::from(MSS));
    assert_eq!(
        (sent.packets_retransmitted, sent.packets_out_of_order),
        (0, 2)
    );
    // Both parts of what lay before are known now.
    script.at(1060).data(69);
    assert_eq!(script.only().client.counters.packets_retransmitted, 1);
}

#[test]
fn an_acknowledgment_captured_before_its_data_makes_them_no_retransmission() {
    let mut script = Script::open([100, 200]);
    script.segments.clear();
    script.ack(1, None).data(0).at(1050).data(1).ack(2, None);
    let summary = script.only();
    let sent = &summary.client.counters;
    assert_eq!(sent.bytes_unique, 2 * u64::from(MSS));
    assert_eq!(
        (
            sent.packets_retransmitted,
            cause(&summary, Cause::Reordering)
        ),
        (0, 1)
    );
}

#[test]
fn without_the_other_direction_nobody_knows_why_something_comes_again() {
    let mut script = Script::new([100, 200]);
    script.all(0..4).at(1500).data(0).data(1);
    assert_eq!(cause(&script.only(), Cause::Unknown), 2);
}

#[test]
fn duplicates_count_where_only_the_receiver_was_captured() {
    let mut script = Script::new([100, 200]);
    script.ack(1, None).ack(2, None).ack(2, None).ack(2, None);
    assert_eq!(script.only().client.counters.duplicate_acks, 2);
}

#[test]
fn duplicates_count_for_what_was_under_way_when_the_capture_began() {
    let mut script = Script::new([100, 200]);
    script.data(5).at(1050).ack(3, None);
    script.at(1051).ack(3, None).ack(3, None).ack(3, None);
    script.at(1060).data(3).at(1110).ack(6, None);
    let summary = script.only();
    let sent = &summary.client.counters;
    assert_eq!((sent.duplicate_acks, sent.acks_old), (3, 0));
    assert_eq!(cause(&summary, Cause::Fast), 1);
}

#[test]
fn an_acknowledgment_of_a_needless_copy_is_no_duplicate() {
    let mut script = Script::open([100, 200]);
    script.at(1060).data(0).at(1110).ack(1, None);
    script.at(1400).data(0).at(1450).ack(1, None);
    let sent = script.only().client.counters;
    assert_eq!((sent.packets_retransmitted, sent.duplicate_acks), (1, 0));
}

#[test]
fn of_two_answers_to_a_syn_the_one_counts_that_the_client_took() {
    for comes_before_the_handshake_ends in [true, false] {
        let mut script = Script::open([100, 200]);
        let end = script.segments.pop().unwrap();
        script.isn[1] = 77_000;
        script.push(1, ControlBits::SYN | ControlBits::ACK, u32::MAX, 0, 0);
        script.isn[1] = 200;
        let at = 3 - usize::from(!comes_before_the_handshake_ends);
        script.segments.insert(at, end);
        script.at(1060).push(0, ControlBits::ACK, 0, 0, 50);
        script.at(1110).push(1, ControlBits::ACK, 0, 50, 300);
        let summary = script.only();
        let answers = &summary.server.counters;
        assert!(summary.has_handshake && summary.server.syn_changed);
        assert_eq!((answers.syns, answers.bytes_unique), (2, 300));
        assert_eq!(
            (answers.packets_retransmitted, answers.packets_out_of_order),
            (0, 0)
        );
        assert_eq!((answers.segments_strange, answers.acks_strange), (0, 0));
    }
}

#[test]
fn packets_made_up_microseconds_apart_show_no_timer() {
    let mut script = Script::open([100, 200]);
    script.data(0).data(1).data(0).data(2).data(1).ack(3, None);
    for (segment, at) in script.segments.iter_mut().zip(1..) {
        segment.time_ns = 2_000 * at;
        segment.ip_id = Some(1);
    }
    let summary = script.only();
    let sent = &summary.client.counters;
    assert_eq!((sent.packets_retransmitted, sent.timeouts), (2, 0));
    assert_eq!(cause(&summary, Cause::Unknown), 2);
}
