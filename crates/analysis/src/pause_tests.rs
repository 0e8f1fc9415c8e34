//! Pauses as they look from beside the receiver, and reminders of an idle connection.

use super::tests::{MS, MSS, Script};
use super::{Cause, DirectionCounters, DirectionSummary, Pauses, Stall};
use dissect::ControlBits;

/// From a capture beside the receiver to the sender and back, once a queue on the way is full.
const WAY_MS: u64 = 50;

/// Timestamps count milliseconds here.
fn stamp(script: &mut Script, clock: u64, echoed: u64) {
    let segment = script.segments.last_mut().unwrap();
    segment.options.timestamps = Some((clock as u32, echoed as u32));
}

/// The handshake as it is captured beside the server, over a path that takes a millisecond.
fn open_at_the_receiver() -> Script {
    let mut script = Script::open([100, 200]);
    for (segment, ms) in script.segments.iter_mut().zip([1000, 1000, 1001]) {
        segment.time_ns = ms * MS;
    }
    script
}

/// Segment `n` passes, sent half of the way before, and is acknowledged.
fn pass(script: &mut Script, ms: u64, n: u32) {
    script.at(ms).data(n);
    stamp(script, ms - WAY_MS / 2, ms - WAY_MS);
    script.at(ms + 1).ack(n + 1, None);
    stamp(script, ms + 1, ms - WAY_MS / 2);
}

/// A segment every 30 ms, with always another on its way, and then none for four seconds.
fn spaced() -> Script {
    let mut script = open_at_the_receiver();
    for n in 0..20 {
        pass(&mut script, 1060 + 30 * u64::from(n), n);
    }
    pass(&mut script, 5630, 20);
    script
}

fn sent(script: &Script) -> DirectionCounters {
    script.only().client.counters
}

#[test]
fn beside_the_receiver_a_pause_is_long_by_the_round_trip_of_the_whole_path() {
    let paused = sent(&spaced());
    let silence = Pauses {
        count: 1,
        total_ns: 4000 * MS,
    };
    assert_eq!(paused.stall(Stall::Application), silence);
    assert_eq!(paused.stalls.iter().map(|all| all.count).sum::<u64>(), 1);
}

#[test]
fn echoes_tell_the_way_to_the_sender_however_long_it_pauses() {
    // An acknowledgment is echoed by the second segment behind it, 59 ms later, and not by the
    // first, 29 ms later. The four seconds tell no more than that.
    let way_ms = spaced().only().client.sender_rtt_ms.unwrap();
    assert!((29.0..=59.0).contains(&way_ms), "{way_ms}");
}

/// Between the last echo of something older and the first of the acknowledgment the sender paused:
/// they are 6 ms and 100 ms behind it. Only what the handshake tells lies between.
#[test]
fn where_a_sender_pauses_the_way_to_it_is_what_the_handshake_told() {
    let paused = |handshake_ms: u64, echo_ms: u64| {
        let mut script = Script::open([100, 200]);
        script.segments[1].time_ns = 1000 * MS;
        script.segments[2].time_ns = (1000 + handshake_ms) * MS;
        script.at(1100).data(0);
        stamp(&mut script, 1060, 1000);
        script.ack(1, None);
        stamp(&mut script, 1100, 1060);
        script.at(1106).data(1);
        stamp(&mut script, 1070, 1000);
        script.at(echo_ms).data(2);
        stamp(&mut script, 1170, 1100);
        script.ack(3, None);
        script.only().client.sender_rtt_ms
    };
    assert_eq!(paused(40, 1200), Some(40.0));
    assert_eq!(paused(0, 1200), None, "nothing tells");
    assert_eq!(paused(40, 1103), Some(3.0), "the clock was set back");
}

/// Bulk without timestamps, behind a handshake in which the client's SYN took `there_ms` to be
/// answered, and the answer `back_ms`. The client is the sender.
fn without_timestamps(there_ms: u64, back_ms: u64, in_flight: u32) -> DirectionSummary {
    let mut script = Script::open([100, 200]);
    let times = [1000, 1000 + there_ms, 1000 + there_ms + back_ms];
    for (segment, ms) in script.segments.iter_mut().zip(times) {
        segment.time_ns = ms * MS;
    }
    bulk(&mut script, in_flight);
    script.only().client
}

/// So many segments at once, and 40 ms later one every 3 ms, with the acknowledgment of the oldest.
fn bulk(script: &mut Script, in_flight: u32) {
    script.at(1100).all(0..in_flight);
    for n in 0..50 {
        script.at(1140 + 3 * u64::from(n)).data(in_flight + n);
        script.ack(n + 1, None);
    }
}

/// Returns what is told of the application, and of the network.
fn idle_or_waiting(sent: &DirectionSummary) -> (bool, bool) {
    let limits = sent.limits.unwrap();
    (limits.application_ns > 0, limits.network_ns.is_some())
}

#[test]
fn without_timestamps_the_handshake_tells_which_end_is_near() {
    let beside_the_receiver = without_timestamps(0, 40, 0);
    assert!(beside_the_receiver.is_far);
    assert_eq!(idle_or_waiting(&beside_the_receiver), (false, false));
    let beside_the_sender = without_timestamps(40, 0, 13);
    assert!(!beside_the_sender.is_far);
    assert_eq!(idle_or_waiting(&beside_the_sender), (false, true));
}

/// Beside the receiver: an acknowledgment of 1090 ms is on its way to the sender and back for 18 ms,
/// and the segments that follow one by one are acknowledged after 40 ms.
#[test]
fn round_trips_of_delayed_acknowledgments_do_not_tell_where_the_receiver_is() {
    let mut script = Script::open([100, 200]);
    script.segments[1].time_ns = 1000 * MS;
    script.segments[2].time_ns = 1040 * MS;
    let mut data = |ms: u64, n: u32, acked_ms: Option<u64>| {
        let echo = if ms < 1108 { 1040 } else { 1090 };
        let sent = script.at(ms).push(0, ControlBits::ACK, n * MSS, 0, MSS);
        sent.options.timestamps = Some((ms as u32, echo));
        if let Some(ms) = acked_ms {
            let answer = script.at(ms).push(1, ControlBits::ACK, 0, (n + 1) * MSS, 0);
            answer.options.timestamps = Some((ms as u32, 0));
        }
    };
    data(1090, 0, Some(1090));
    data(1100, 1, None);
    data(1108, 2, Some(1108));
    for n in 3..30 {
        let ms = 900 + 80 * u64::from(n);
        data(ms, n, Some(ms + 40));
    }
    let sent = script.only().client;
    assert_eq!(sent.sender_rtt_ms, Some(18.0));
    assert!(sent.is_far);
}

#[test]
fn a_handshake_as_short_as_a_hosts_answer_tells_nothing_but_a_queue_behind_the_capture_does() {
    let acknowledged_as_they_pass = without_timestamps(0, 0, 0);
    assert!(acknowledged_as_they_pass.is_far);
    assert_eq!(idle_or_waiting(&acknowledged_as_they_pass), (false, false));
    let behind_a_queue = without_timestamps(0, 0, 13);
    assert!(!behind_a_queue.is_far);
    assert_eq!(idle_or_waiting(&behind_a_queue), (false, true));
}

#[test]
fn begun_in_the_middle_without_timestamps_nothing_is_told_of_who_is_acknowledged_at_once() {
    let mut script = Script::new([100, 200]);
    bulk(&mut script, 0);
    assert_eq!(idle_or_waiting(&script.only().client), (false, false));
}

#[test]
fn beside_the_sender_no_echo_is_under_way() {
    let mut script = Script::open([100, 200]);
    for n in 0..4 {
        let ms = 1060 + 100 * u64::from(n);
        script.at(ms).data(n);
        stamp(&mut script, ms, ms - 50);
        script.at(ms + 50).ack(n + 1, None);
        stamp(&mut script, ms + 25, ms);
    }
    assert_eq!(script.only().client.sender_rtt_ms, None);
}

#[test]
fn behind_a_hole_a_sender_waits_for_the_repair() {
    let mut script = open_at_the_receiver();
    script.at(1060).data(0).at(1061).ack(1, None);
    script.data(2).ack(1, Some(2..3));
    // New data come first, the repair with them.
    script.at(1300).data(3).ack(1, Some(2..4)).data(1);
    script.ack(4, None);
    let paused = sent(&script);
    assert_eq!(paused.stall(Stall::Recovery).count, 1);
    assert_eq!(paused.stall(Stall::Application).count, 0);
}

/// Beside the receiver, 50 ms from the sender: a segment each 5 ms, of which the second is missing
/// and asked for. What fills the hole after 80 ms was sent before the others, or after them, as
/// its IP identification says.
fn filled_by(ip_id: u16) -> DirectionSummary {
    let mut script = Script::open([100, 200]);
    for (segment, ms) in script.segments.iter_mut().zip([1000, 1000, 1050]) {
        segment.time_ns = ms * MS;
    }
    script.at(1100).data(0).ack(1, None);
    for n in 2..18 {
        script.at(1100 + 5 * u64::from(n)).data(n);
        script.ack(1, Some(2..n + 1));
    }
    script.at(1190).data(1);
    script.segments.last_mut().unwrap().ip_id = Some(ip_id);
    script.ack(18, None);
    script.only().client
}

#[test]
fn what_came_late_was_not_lost_so_that_no_loss_held_its_sender_up() {
    let late = filled_by(5);
    assert_eq!(late.counters.causes[Cause::Reordering.index()], 1);
    assert_eq!(late.limits.unwrap().loss_ns, 0);
    let repaired = filled_by(100);
    assert_eq!(repaired.limits.unwrap().loss_ns, 80 * MS);
}

/// Beside the sender the capture misses one of eight segments, of which the receiver's
/// acknowledgments speak or not.
fn missed(is_asked_for: bool) -> DirectionSummary {
    let mut script = Script::open([100, 200]);
    script.at(1100).all(0..3).at(1105).all(4..8);
    if is_asked_for {
        script.at(1150).ack(3, None).at(1155).ack(3, Some(4..5));
    } else {
        script.at(1150).ack(3, None).at(1155).ack(5, None);
    }
    script.at(1160).data(8).at(1170).data(9);
    script.at(1220).ack(10, None);
    script.only().client
}

#[test]
fn a_hole_that_the_receiver_does_not_ask_for_is_the_captures() {
    let [unasked, asked] = [false, true].map(missed);
    assert_eq!((unasked.bytes_missed, asked.bytes_missed), (1000, 1000));
    assert_eq!(unasked.limits.unwrap().loss_ns, 0);
    assert!(asked.limits.unwrap().loss_ns > 0);
}

/// A segment, and two hours later a reminder of so many bytes at the number before the next.
fn reminded(payload: u32) -> Script {
    let mut script = Script::open([100, 200]);
    script.at(1060).data(0).at(1110).ack(1, None);
    script
        .at(7_200_000)
        .push(0, ControlBits::ACK, MSS - 1, 0, payload);
    script.at(7_200_050).ack(1, None);
    script
}

#[test]
fn a_keep_alive_has_a_byte_or_none_and_its_answer_is_no_duplicate() {
    for payload in [0, 1] {
        let told = sent(&reminded(payload));
        assert_eq!((told.keep_alives, told.duplicate_acks), (1, 0));
        assert_eq!((told.bytes_unique, told.packets_retransmitted), (1000, 0));
    }
}

#[test]
fn an_acknowledgment_while_data_are_on_their_way_is_no_keep_alive() {
    let mut script = Script::open([100, 200]);
    script.at(1060).data(0);
    // It was overtaken by the data.
    script.push(0, ControlBits::ACK, MSS - 1, 0, 0);
    script.at(1110).ack(1, None);
    script.push(0, ControlBits::ACK, MSS, 0, 0);
    assert_eq!(sent(&script).keep_alives, 0);
}

#[test]
fn an_acknowledgment_that_a_fin_overtook_is_no_keep_alive() {
    for clock in [None, Some(1)] {
        let mut script = Script::open([100, 200]);
        script
            .at(1060)
            .push(0, ControlBits::ACK | ControlBits::FIN, 0, 0, 0);
        script.segments[3].options.timestamps = clock.map(|clock| (clock + 1, 0));
        script.at(1110).push(1, ControlBits::ACK, 0, 1, 0);
        let late = script.push(0, ControlBits::ACK, 0, 0, 0);
        late.options.timestamps = clock.map(|clock| (clock, 0));
        assert_eq!(sent(&script).keep_alives, 0);
    }
}

#[test]
fn a_probe_of_new_data_ends_a_pause_in_which_nothing_came_back() {
    let unanswered = |segments: u32| {
        let mut script = Script::open([100, 200]);
        script.at(1060).data(0).at(1110).ack(1, None);
        script.at(1111).all(1..1 + segments);
        script.at(1600).data(1 + segments);
        let sent = sent(&script);
        [Stall::Path, Stall::Application].map(|stall| sent.stall(stall).count)
    };
    assert_eq!(unanswered(3), [1, 0]);
    let one_may_wait_for_its_acknowledgment = unanswered(1);
    assert_eq!(one_may_wait_for_its_acknowledgment, [0, 1]);
}
