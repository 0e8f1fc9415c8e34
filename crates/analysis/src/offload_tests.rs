//! Captures taken where segments are larger than on the wire: at a sender whose card cuts them.

use super::tests::{MSS, Script, cause};
use super::*;
use dissect::ControlBits;

/// A connection whose receiver takes segments of [`MSS`], and which hands as many as `segments` to
/// its card at once, of which the server acknowledges the first.
fn offloaded(segments: u32) -> Script {
    let mut script = Script::open([100, 200]);
    for syn in 0..2 {
        script.segments[syn].options.mss = Some(MSS as u16);
    }
    script
        .at(1060)
        .push(0, ControlBits::ACK, 0, 0, segments * MSS);
    script.at(1110).ack(1, None);
    script
}

#[test]
fn pieces_of_a_segment_are_lost_and_repaired_one_by_one() {
    let mut script = offloaded(10);
    // Segments 1, 3 and 7 are lost.
    script.ack(1, Some(2..3)).ack(1, Some(4..5));
    script.ack(1, Some(4..7)).data(1);
    script.ack(1, Some(8..9)).data(3).ack(1, Some(8..10));
    script.at(1160).ack(3, Some(8..10)).data(7);
    script.ack(7, Some(8..10)).at(1210).ack(10, None);
    let summary = script.only();
    assert_eq!(summary.client.is_offloaded, Some(true));
    let sent = &summary.client.counters;
    assert_eq!((cause(&summary, Cause::Fast), sent.recoveries), (3, 1));
    assert_eq!((sent.packets_retransmitted, sent.timeouts), (3, 0));
    assert_eq!(sent.bytes_retransmitted, u64::from(3 * MSS));
}

#[test]
fn a_piece_that_is_lost_again_was_retransmitted_before() {
    let mut script = offloaded(10);
    script.ack(1, Some(2..6)).data(1);
    script.at(1180).ack(1, Some(2..10)).data(1);
    let summary = script.only();
    let causes = [Cause::Fast, Cause::Rack].map(|each| cause(&summary, each));
    assert_eq!(causes, [1, 1]);
}

#[test]
fn a_piece_that_the_receiver_had_was_sent_in_vain() {
    let mut script = offloaded(10);
    script.ack(1, Some(2..6)).data(1).data(5);
    let summary = script.only();
    let causes = [Cause::Fast, Cause::NeedlessFast].map(|each| cause(&summary, each));
    assert_eq!(causes, [1, 1]);
}

#[test]
fn a_window_with_room_for_a_piece_is_not_closed() {
    for (room, stall) in [(2 * MSS, Stall::Application), (MSS / 2, Stall::Window)] {
        let mut script = offloaded(10);
        script
            .at(1111)
            .push(1, ControlBits::ACK, 0, 10 * MSS, 0)
            .window = room as u16;
        script.at(2000).ack(10, None).data(10);
        assert_eq!(script.only().client.counters.stall(stall).count, 1);
    }
}

#[test]
fn without_the_handshake_what_is_larger_than_a_jumbo_frame_is_taken_to_be_cut() {
    for (segments, cause_of_it) in [(8, Cause::Rack), (12, Cause::Fast)] {
        let mut script = Script::new([100, 200]);
        script.push(0, ControlBits::ACK, 0, 0, segments * MSS);
        script.at(1050).ack(0, Some(1..5)).data(0);
        let summary = script.only();
        assert!(summary.starts_midway);
        assert_eq!(cause(&summary, cause_of_it), 1, "{segments}");
    }
}
