//! Segments that belong to one connection, its beginning and its end.

use super::tests::{MS, MSS, Script};
use super::*;
use dissect::ControlBits;

#[test]
fn the_same_ports_may_serve_twice() {
    let mut first = Script::open([100, 200]);
    first.data(0).push(1, ControlBits::RST, 0, 0, 0);
    let mut second = Script::open([90_000, 80_000]);
    second.data(0);
    first.segments.append(&mut second.segments);
    let outcomes = first.summaries().into_iter().map(|summary| summary.outcome);
    assert_eq!(
        outcomes.collect::<Vec<_>>(),
        [ConnectionStage::Reset, ConnectionStage::Open]
    );
}

/// Both ends send a FIN, the client behind its first segment.
fn close(script: &mut Script) {
    let both = ControlBits::FIN | ControlBits::ACK;
    script.at(1200).push(0, both, MSS, 0, 0);
    script.at(1250).push(1, both, 0, MSS + 1, 0);
    script.push(0, ControlBits::ACK, MSS + 1, 1, 0);
}

#[test]
fn behind_a_close_numbers_from_elsewhere_are_another_connection() {
    let mut script = Script::open([100, 200]);
    script.at(1060).data(0).at(1110).ack(1, None);
    close(&mut script);
    script.at(1500).data(0).ack(1, None);
    assert_eq!(
        script.only().outcome,
        ConnectionStage::Closed,
        "that came late"
    );
    script.isn = [900_000_000, 800_000_000];
    script.at(61_000).push(0, ControlBits::ACK, 0, 0, 0);
    script.data(0).at(61_050).ack(1, None);
    let [closed, next] = &script.summaries()[..] else {
        panic!("two connections");
    };
    assert_eq!(closed.last_ns, 1500 * MS);
    assert!(next.starts_midway);
    assert_eq!(next.client.counters.flight_max, Some(u64::from(MSS)));
    assert_eq!(
        (next.client.bytes_missed, next.outcome),
        (0, ConnectionStage::Open)
    );
}

#[test]
fn one_number_from_elsewhere_is_no_other_connection() {
    let mut script = Script::open([100, 200]);
    close(&mut script);
    script.isn[0] = 900_000_000;
    script.data(0);
    script.isn[1] = 800_000_000;
    script.push(1, ControlBits::RST, 0, 0, 0);
    script.only();
}

#[test]
fn a_reset_outside_the_window_ends_nothing() {
    let outcome = |has_handshake: bool, seq: u32| {
        let mut script = Script::open([100, 200]);
        if !has_handshake {
            script.segments.clear();
        }
        script
            .at(1060)
            .data(0)
            .push(1, ControlBits::ACK, 0, MSS, 500);
        script.push(0, ControlBits::ACK, MSS, 500, 0);
        script.push(1, ControlBits::RST, seq, 0, 0);
        close(&mut script);
        script.only().outcome
    };
    let near = [498, 499, 500, 60_500, 66_036].map(|seq| outcome(true, seq));
    let [closed, reset] = [ConnectionStage::Closed, ConnectionStage::Reset];
    assert_eq!(near, [closed, reset, reset, reset, closed]);
    assert_eq!(outcome(true, 100_000_000), closed);
    assert_eq!(outcome(false, 100_000_000), reset, "nobody told the scale");
}

#[test]
fn a_syn_with_another_number_starts_its_direction_anew() {
    let mut script = Script::new([100, 200]);
    script.push(0, ControlBits::SYN, u32::MAX, 0, 0);
    script.push(0, ControlBits::PSH, 4000, 0, 500);
    script.isn[0] = 90;
    script.push(0, ControlBits::SYN, u32::MAX, 0, 3000);
    script.push(0, ControlBits::PSH, 1000, 0, 500);
    let summary = script.only();
    let sent = &summary.client.counters;
    assert!(summary.client.syn_changed);
    assert_eq!(sent.bytes_unique, 3500);
    // The last was seen before: the gap of the old numbers is no longer one.
    assert_eq!(
        (sent.packets_retransmitted, sent.packets_out_of_order),
        (1, 0)
    );
}

#[test]
fn an_attempt_is_refused_or_unanswered() {
    let mut refused = Script::new([100, 200]);
    refused.push(0, ControlBits::SYN, u32::MAX, 0, 0);
    assert_eq!(refused.only().outcome, ConnectionStage::Unanswered);
    refused.push(1, ControlBits::RST | ControlBits::ACK, 0, 0, 0);
    assert_eq!(refused.only().outcome, ConnectionStage::Refused);
}

#[test]
fn room_for_none_is_room_for_one() {
    let mut script = Script::open([100, 200]);
    script.push(0, ControlBits::SYN, u32::MAX, 0, 0).source.port = 1;
    let mut found = Vec::new();
    let limits = TrackerLimits { connections: 0 };
    let mut tracker = Tracker::new(limits, |summary: Summary| found.push(summary));
    tracker.take(&script.segments);
    assert_eq!(tracker.evicted(), 1);
    tracker.finish();
    let packets: Vec<_> = found
        .iter()
        .map(|each| each.client.counters.packets)
        .collect();
    assert_eq!(packets, [2, 1]);
}

#[test]
fn a_flood_keeps_to_its_limit_and_spares_the_living() {
    let mut script = Script::open([100, 200]);
    script.data(0);
    for port in 0..5000 {
        script.push(0, ControlBits::SYN, u32::MAX, 0, 0).source.port = port;
    }
    script.at(1100).ack(1, None);
    let mut found = Vec::new();
    let limits = TrackerLimits { connections: 100 };
    let mut tracker = Tracker::new(limits, |summary: Summary| found.push(summary));
    tracker.take(&script.segments);
    assert!(tracker.evicted() >= 4900);
    tracker.finish();
    assert_eq!(found.len(), 5001);
    let living: Vec<_> = found
        .iter()
        .filter(|summary| summary.outcome != ConnectionStage::Unanswered)
        .collect();
    assert_eq!(living.len(), 1);
    assert_eq!(living[0].client.rtt.unwrap().count, 2);
}

#[test]
fn hours_of_silence_do_not_end_a_connection() {
    let mut script = Script::open([1, 1]);
    script.at(1060).data(0);
    script.at(1110).ack(1, None);
    let hours = 10 * 3_600_000;
    script.at(hours).data(1);
    script.at(hours + 50).ack(2, None);
    let summary = script.only();
    let sent = &summary.client.counters;
    assert_eq!((sent.bytes_unique, sent.packets_retransmitted), (2000, 0));
    let silence = sent.stall(Stall::Application);
    assert_eq!((silence.count, silence.total_ns), (1, (hours - 1060) * MS));
}
