//! Senders with nothing on their way, captured beside them: which of them keep their own pace, and
//! which have nothing to send.

use super::tests::{MS, MSS, Script};
use super::{DirectionSummary, Stall};
use dissect::ControlBits;

/// Time of the first segment, time until each is acknowledged, and interval between them.
const START_MS: u64 = 1100;
const ROUND_TRIP_MS: u64 = 30;
const STEP_MS: u64 = 100;
const STEPS: u32 = 20;

/// A connection of that round trip, whose receiver takes segments of so many bytes.
fn open(mss: Option<u16>) -> Script {
    let mut script = Script::open([100, 200]);
    for answer in 1..3 {
        script.segments[answer].time_ns = (1000 + ROUND_TRIP_MS) * MS;
    }
    for syn in 0..2 {
        script.segments[syn].options.mss = mss;
    }
    script
}

/// The client sends segments of these payloads in every step, which are then acknowledged.
fn send(mut script: Script, step_ms: u64, payloads: &[u32]) -> Script {
    let mut seq = 0;
    for step in 0..STEPS {
        script.at(START_MS + step_ms * u64::from(step));
        for &payload in payloads {
            script.push(0, ControlBits::ACK, seq, 0, payload);
            seq += payload;
        }
        script.at(START_MS + step_ms * u64::from(step) + ROUND_TRIP_MS);
        script.push(1, ControlBits::ACK, 0, seq, 0);
    }
    script
}

fn sent(step_ms: u64, payloads: &[u32]) -> DirectionSummary {
    send(open(Some(MSS as u16)), step_ms, payloads)
        .only()
        .client
}

/// Returns what is told of it: how long its application held it up and how long the network, in ms,
/// and how often it stalled for its own pace and for its application.
fn told(sent: &DirectionSummary) -> [u64; 4] {
    let limits = sent.limits.unwrap();
    let stalls = [Stall::Pace, Stall::Application].map(|stall| sent.counters.stall(stall).count);
    let held_ns = [limits.application_ns, limits.network_ns.unwrap()];
    let [application_ms, network_ms] = held_ns.map(|ns| ns / MS);
    [application_ms, network_ms, stalls[0], stalls[1]]
}

const GAPS: u64 = STEPS as u64 - 1;
const PACED: [u64; 4] = [0, GAPS * STEP_MS, GAPS, 0];
const IDLE: [u64; 4] = [GAPS * STEP_MS, 0, 0, GAPS];

#[test]
fn who_sends_full_segments_one_by_one_keeps_its_own_pace() {
    assert_eq!(told(&sent(STEP_MS, &[MSS])), PACED);
    let two_that_the_card_cut = sent(STEP_MS, &[MSS, MSS]);
    assert_eq!(told(&two_that_the_card_cut), PACED);
    let ten_that_it_will_cut = sent(STEP_MS, &[10 * MSS]);
    assert_eq!(told(&ten_that_it_will_cut), PACED);
}

#[test]
fn whose_last_segment_is_a_partial_one_has_nothing_to_send() {
    for payloads in [&[MSS - 1][..], &[MSS, MSS - 1], &[9 * MSS + 1]] {
        assert_eq!(told(&sent(STEP_MS, payloads)), IDLE, "{payloads:?}");
    }
}

#[test]
fn behind_a_burst_even_of_full_segments_who_pauses_has_nothing_to_send() {
    assert_eq!(told(&sent(STEP_MS, &[MSS; 10])), IDLE);
}

#[test]
fn no_pace_takes_as_long_as_a_retransmission_timeout() {
    let [application_ms, _, paced, idle] = told(&sent(200, &[MSS]));
    assert_eq!([application_ms, paced, idle], [GAPS * 200, 0, GAPS]);
}

#[test]
fn who_was_asked_in_between_had_sent_all() {
    let mut script = open(Some(MSS as u16));
    for step in 0..STEPS {
        let ms = START_MS + STEP_MS * u64::from(step);
        script.at(ms).data(step);
        script.at(ms + ROUND_TRIP_MS).ack(step + 1, None);
        let asked = 50 * step;
        script.at(ms + 2 * ROUND_TRIP_MS);
        script.push(
            1,
            ControlBits::ACK | ControlBits::PSH,
            asked,
            (step + 1) * MSS,
            50,
        );
    }
    assert_eq!(told(&script.only().client), IDLE);
}

#[test]
fn timestamps_take_their_part_of_a_full_segment() {
    let with_timestamps = |payload: u32| {
        let mut script = send(open(Some(MSS as u16)), STEP_MS, &[payload]);
        for segment in &mut script.segments {
            segment.options.timestamps = Some(((segment.time_ns / MS) as u32, 0));
        }
        told(&script.only().client)[..2].to_vec()
    };
    assert_eq!(with_timestamps(10 * (MSS - 12)), PACED[..2]);
    assert_eq!(with_timestamps(10 * MSS), IDLE[..2]);
}

#[test]
fn without_the_receivers_word_only_ethernets_segments_are_taken_for_full() {
    let without_word = |payload| told(&send(open(None), STEP_MS, &[payload]).only().client);
    assert_eq!(without_word(MSS), IDLE);
    assert_eq!(without_word(1460), PACED);
}

#[test]
fn a_retransmission_tells_nothing_of_what_was_sent_last() {
    let mut script = open(Some(MSS as u16));
    script
        .at(1100)
        .data(0)
        .push(0, ControlBits::ACK, MSS, 0, 10);
    script.at(1110).data(0);
    script.at(1140).push(1, ControlBits::ACK, 0, MSS + 10, 0);
    script.at(1240).push(0, ControlBits::ACK, MSS + 10, 0, MSS);
    script
        .at(1270)
        .push(1, ControlBits::ACK, 0, 2 * MSS + 10, 0);
    let [_, _, paced, idle] = told(&script.only().client);
    assert_eq!([paced, idle], [0, 1]);
}

#[test]
fn beside_the_receiver_no_pace_is_told() {
    let mut script = open(Some(MSS as u16));
    for (segment, ms) in script.segments.iter_mut().zip([1000, 1000, 1030]) {
        segment.time_ns = ms * MS;
    }
    for step in 0..STEPS {
        let ms = START_MS + STEP_MS * u64::from(step);
        script.at(ms).data(step).ack(step + 1, None);
    }
    let sent = script.only().client;
    assert!(sent.is_far);
    assert_eq!(sent.counters.stall(Stall::Pace).count, 0);
}
