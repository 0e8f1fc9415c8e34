//! Retransmissions of a sender while it recovers: by which sign, and that it was the sender.

use super::tests::{MS, MSS, Script, cause};
use super::*;
use dissect::ControlBits;

/// Segments 0 and 1 are lost of six, and 6 and 7, which leave between their repairs: those are
/// sent before the repair of 1 and nothing is sent behind it, so no SACK block tells of them.
#[test]
fn what_a_recovery_sends_beyond_its_repairs_and_loses_is_missed_by_time() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..6);
    script.at(1110);
    script.ack(0, Some(2..3)).ack(0, Some(2..4));
    script.ack(0, Some(2..5)).ack(0, Some(2..6));
    script.data(0).at(1112).all(6..8).at(1114).data(1);
    script.at(1162).ack(1, Some(2..6));
    // Longer after the lost ones than the estimator's timeout, but at once behind the news.
    script.at(1400).ack(6, None).all(6..8);
    script.at(1450).ack(8, None);
    let summary = script.only();
    let told = [Cause::Fast, Cause::Rack, Cause::Timeout].map(|why| cause(&summary, why));
    assert_eq!(told, [2, 2, 0]);
    assert_eq!(summary.client.counters.timeouts, 0);
}

#[test]
fn a_copy_with_another_ip_identification_was_sent_by_the_host() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..6).at(1070).data(5);
    script.at(1110).ack(6, None);
    assert_eq!(cause(&script.only(), Cause::NetworkDuplicate), 0);
    let copied = script.segments[script.segments.len() - 3].ip_id;
    let at = script.segments.len() - 2;
    script.segments[at].ip_id = copied;
    assert_eq!(cause(&script.only(), Cause::NetworkDuplicate), 1);
}

#[test]
fn a_copy_that_goes_on_beyond_the_first_was_sent_by_the_host() {
    let mut script = Script::open([100, 200]);
    script.at(1060).push(0, ControlBits::ACK, 0, 0, 10);
    script.at(1061).push(0, ControlBits::ACK, 0, 0, 100);
    let sent = script.only();
    assert_eq!(sent.client.counters.packets_retransmitted, 1);
    assert_eq!(cause(&sent, Cause::NetworkDuplicate), 0);
}

/// Beside the receiver: segment 4 was doubled, and its copy comes when the loss of 2 is being
/// repaired and 4 is acknowledged.
#[test]
fn a_packet_that_comes_again_behind_a_hole_was_not_retransmitted() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..2).all(3..8).all(8..10);
    let doubled = script.segments[script.segments.len() - 6];
    script.ack(2, Some(3..8)).ack(2, Some(3..9));
    script.ack(2, Some(3..10)).at(1110).data(2).ack(10, None);
    script.segments.push(doubled);
    let last = script.segments.last_mut().expect("just pushed");
    last.time_ns = 1_111 * MS;
    for segment in &mut script.segments {
        let sent_ms = if segment.ip_id == doubled.ip_id {
            1060
        } else {
            segment.time_ns / MS
        };
        segment.options.timestamps = Some((sent_ms as u32, 0));
    }
    let summary = script.only();
    let told = [Cause::NetworkDuplicate, Cause::NeedlessFast].map(|why| cause(&summary, why));
    assert_eq!(told, [1, 0]);
}

fn retransmitted_in_need(script: &Script) -> u64 {
    let summary = script.only();
    let needed = [Cause::Fast, Cause::Rack, Cause::Timeout, Cause::Unknown];
    needed.map(|why| cause(&summary, why)).iter().sum()
}

/// The first repair of 1 filled the hole, but its acknowledgment was lost; the timer's copy came in
/// vain, and the receiver says so a round trip later.
#[test]
fn of_several_copies_the_last_that_can_have_arrived_came_in_vain() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..5).at(1110).ack(1, None);
    script.ack(1, Some(2..3)).ack(1, Some(2..4));
    script.ack(1, Some(2..5)).data(1);
    script.at(1500).data(1);
    let causes = |script: &Script| {
        [Cause::Fast, Cause::NeedlessFast, Cause::NeedlessTimeout]
            .map(|why| cause(&script.only(), why))
    };
    let mut late = script.clone();
    late.at(1501).ack(5, Some(1..2));
    assert_eq!(causes(&late), [0, 1, 0], "it is the answer to the first");
    script.at(1550).ack(5, Some(1..2));
    assert_eq!(causes(&script), [1, 0, 1]);
}

/// A receiver's card joins what comes in a row, so that one report may be of several segments.
#[test]
fn a_report_is_of_every_segment_in_it_and_of_each_once() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..6);
    script.ack(0, Some(3..4)).ack(0, Some(3..5));
    script.ack(0, Some(3..6));
    script.at(1110).data(0).data(1).data(2).at(1111).data(1);
    script.at(1112).ack(6, None);
    assert_eq!(retransmitted_in_need(&script), 4);
    script.ack(6, Some(0..3));
    assert_eq!(retransmitted_in_need(&script), 1);
    script.ack(6, Some(1..2));
    assert_eq!(retransmitted_in_need(&script), 0);
}

#[test]
fn hundreds_retransmitted_in_a_row_are_remembered_until_the_reports_come() {
    let mut script = Script::open([100, 200]);
    let tenth = |script: &mut Script, n: u32| {
        script.push(0, ControlBits::ACK, n * MSS / 10, 0, MSS / 10);
    };
    script.at(1060);
    (0..300).for_each(|n| tenth(&mut script, n));
    for _ in 0..3 {
        script.ack(0, Some(29..30));
    }
    script.at(1062);
    (0..290).for_each(|n| tenth(&mut script, n));
    script.at(1110).ack(30, None);
    assert_eq!(retransmitted_in_need(&script), 290);
    for n in 0..29 {
        script.ack(30, Some(n..n + 1));
    }
    assert_eq!(retransmitted_in_need(&script), 0);
}

#[test]
fn what_is_reported_after_ten_seconds_is_something_else() {
    for (reported, needed) in [(11_000, 0), (11_200, 1)] {
        let mut script = Script::open([100, 200]);
        script.at(1060).all(0..2).at(1110).ack(0, Some(1..2));
        script.data(0).at(1160).ack(2, None);
        script.at(reported).all(2..4).at(reported + 20).data(2);
        script.at(reported + 50).ack(4, Some(0..1));
        assert_eq!(cause(&script.only(), Cause::Rack), needed, "{reported}");
    }
}

/// The segment with this position among all, captured last of them.
fn delay(script: &mut Script, at: usize) {
    let mut late = script.segments.remove(at);
    late.time_ns = script.segments.last().expect("others").time_ns;
    script.segments.push(late);
}

/// Beside the receiver: segment 6 comes behind its own repair.
#[test]
fn the_first_copy_that_its_repair_overtook_was_sent_before_it() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..10);
    let first = script.segments.len() - 4;
    script.ack(6, Some(7..8)).ack(6, Some(7..9));
    script.ack(6, Some(7..10)).at(1112).data(6).ack(10, None);
    delay(&mut script, first);
    let causes = |script: &Script| {
        [Cause::Fast, Cause::NeedlessFast, Cause::Reordering].map(|why| cause(&script.only(), why))
    };
    assert_eq!(causes(&script), [1, 0, 1]);
    script.ack(10, Some(6..7));
    assert_eq!(causes(&script), [0, 1, 1]);
    assert_eq!(script.only().client.counters.packets_retransmitted, 1);
}

/// Beside the receiver: between the numbers of the copy and of the newest packet there is one, but
/// four segments follow it in sequence.
#[test]
fn a_repair_that_newer_data_overtook_is_younger_than_what_follows_it() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..10).at(1061).data(6);
    let repair = script.segments.len() - 1;
    script.data(10).ack(11, None);
    delay(&mut script, repair);
    let summary = script.only();
    assert_eq!(cause(&summary, Cause::NetworkDuplicate), 0);
    assert_eq!(cause(&summary, Cause::Reordering), 0);
}

/// Beside the receiver, without IP identifications: segment 2 was lost before, and its repair
/// comes behind new data of the same tick, sooner than the handshake took there and back.
#[test]
fn a_repair_is_younger_than_what_left_its_hole_though_not_than_the_newest_data() {
    let mut script = Script::open([100, 200]);
    let opened = script.segments.len();
    script.at(1060).all(0..2).all(3..6);
    script.at(1100).data(6).data(2).ack(7, None);
    let reordered = |script: &Script| cause(&script.only(), Cause::Reordering);
    for segment in &mut script.segments[opened..] {
        segment.ip_id = None;
    }
    assert_eq!(reordered(&script), 1, "nothing proves otherwise");
    for segment in &mut script.segments[opened..] {
        segment.options.timestamps = Some(((segment.time_ns / 1_000_000) as u32, 0));
    }
    assert_eq!(reordered(&script), 0);
}

/// Beside the receiver a copy comes that a timer of the sender sent, too early, when its round
/// trips grew; what it waited for cannot be seen from there. The receiver reports at once that it
/// had these data.
#[test]
fn what_the_receiver_reports_to_have_had_was_retransmitted_needlessly_for_whatever_reason() {
    let mut script = Script::open([100, 200]);
    for (segment, ms) in script.segments.iter_mut().zip([1000, 1000, 1050]) {
        segment.time_ns = ms * 1_000_000;
    }
    script.at(1060).all(0..2).ack(2, None);
    script.at(1075).data(2).ack(3, None);
    script.at(1100).data(0).ack(3, Some(0..1));
    for segment in &mut script.segments {
        segment.options.timestamps = Some(((segment.time_ns / 1_000_000) as u32, 0));
    }
    let causes =
        |script: &Script| [Cause::Needless, Cause::Unknown].map(|why| cause(&script.only(), why));
    assert_eq!(causes(&script), [1, 0]);
    // What was agreed on in the handshake does not matter.
    script.segments.drain(..3);
    assert_eq!(causes(&script), [1, 0]);
    // Nor whether its acknowledgment was captured before.
    script
        .segments
        .retain(|segment| segment.payload > 0 || !segment.options.sack().is_empty());
    assert_eq!(causes(&script), [1, 0]);
}

/// A SYN with 420 bytes.
fn fast_open() -> Script {
    let mut script = Script::new([100, 200]);
    script.push(0, ControlBits::SYN, u32::MAX, 0, 420);
    script
}

/// RFC 7413 §4.2.2: the server takes the SYN alone, and the data come again behind its answer.
#[test]
fn what_a_syns_answer_does_not_take_is_retransmitted_in_response_to_it() {
    let mut script = fast_open();
    script.at(1050);
    script.push(1, ControlBits::SYN | ControlBits::ACK, u32::MAX, 0, 0);
    script.push(0, ControlBits::ACK, 0, 0, 420);
    script.at(1100).push(1, ControlBits::ACK, 0, 420, 0);
    let summary = script.only();
    let told = [Cause::Rack, Cause::Unknown, Cause::Timeout].map(|why| cause(&summary, why));
    assert_eq!(told, [1, 0, 0]);
}

#[test]
fn what_comes_with_a_syn_again_was_sent_by_its_timer() {
    let mut script = fast_open();
    script.at(2000).push(0, ControlBits::SYN, u32::MAX, 0, 420);
    script.at(2050);
    script.push(1, ControlBits::SYN | ControlBits::ACK, u32::MAX, 420, 0);
    script.push(0, ControlBits::ACK, 420, 0, 0);
    let summary = script.only();
    let told = [Cause::Timeout, Cause::NetworkDuplicate].map(|why| cause(&summary, why));
    assert_eq!(told, [1, 0]);
}
