//! Captures whose snap length cuts the options off: what is not known is not told, and nothing is
//! made of it.

use super::tests::{MSS, Script, cause};
use super::{Cause, Stall, Summary, SynOptions};
use dissect::{ControlBits, HeaderOptions};

/// The handshake, with windows in units of 128 bytes.
fn open_with_scale() -> Script {
    let mut script = Script::open([100, 200]);
    for syn in &mut script.segments[..2] {
        syn.options.mss = Some(1460);
        syn.options.window_scale = Some(7);
        syn.options.timestamps = Some((1, 0));
    }
    script
}

/// The same conversation without a byte of options.
fn cut(mut script: Script) -> Summary {
    for segment in &mut script.segments {
        segment.options = HeaderOptions::default();
        segment.options.is_cut = true;
    }
    script.only()
}

/// The server's window is full for four seconds: 500 units of 128 bytes.
fn waiting_for_a_window() -> Script {
    let mut script = open_with_scale();
    script
        .at(1060)
        .all(0..56)
        .at(1110)
        .ack(28, None)
        .ack(56, None);
    script.segments.last_mut().unwrap().window = 3;
    script
        .at(5000)
        .ack(56, None)
        .segments
        .last_mut()
        .unwrap()
        .window = 500;
    script.at(5001).data(56).at(5051).ack(57, None);
    script
}

#[test]
fn what_a_cut_syn_may_have_offered_is_unknown() {
    let (whole, cut) = (open_with_scale().only(), cut(open_with_scale()));
    let offered = |summary: &Summary| {
        let end = &summary.server;
        (
            end.syn_options,
            end.window_scale,
            end.sack_permitted,
            end.timestamps,
        )
    };
    let all = (SynOptions::Captured, Some(7), Some(true), Some(true));
    assert_eq!(offered(&whole), all);
    assert_eq!(offered(&cut), (SynOptions::Cut, None, None, None));
    assert_eq!(
        (whole.client.is_offloaded, cut.client.is_offloaded),
        (Some(false), None)
    );
    assert_eq!(
        (
            whole.client.counters.options_cut,
            cut.client.counters.options_cut
        ),
        (0, 2)
    );
}

#[test]
fn a_window_of_unknown_scale_holds_nobody_up() {
    let (whole, cut) = (waiting_for_a_window().only(), cut(waiting_for_a_window()));
    let windows = |summary: &Summary| {
        let received = &summary.server.counters;
        (received.window_min, received.window_max)
    };
    assert_eq!(windows(&whole), (Some(3 * 128), Some(60_000 * 128)));
    assert_eq!(windows(&cut), (None, None));
    let stalls = |summary: &Summary, stall| summary.client.counters.stall(stall).count;
    assert_eq!(
        (stalls(&whole, Stall::Window), stalls(&cut, Stall::Window)),
        (1, 0)
    );
}

#[test]
fn a_window_of_nothing_is_none_in_any_scale() {
    let mut script = waiting_for_a_window();
    let closing = script
        .segments
        .iter_mut()
        .rfind(|segment| segment.window == 3);
    closing.unwrap().window = 0;
    let summary = cut(script);
    let received = &summary.server.counters;
    assert_eq!((received.window_min, received.window_max), (Some(0), None));
    assert_eq!(summary.client.counters.stall(Stall::Window).count, 1);
}

/// Segment 1 is lost, and again 60 ms behind the acknowledgment that asked for it by SACK.
fn repaired_by_sack() -> Script {
    let mut script = open_with_scale();
    script.at(1060).all(0..9).at(1110).ack(1, Some(2..9));
    script.at(1270).data(1).at(1320).ack(9, None);
    script
}

#[test]
fn what_only_sack_blocks_would_explain_has_an_unknown_cause() {
    assert_eq!(cause(&repaired_by_sack().only(), Cause::Fast), 1);
    let cut = cut(repaired_by_sack());
    assert_eq!(cause(&cut, Cause::Unknown), 1);
    assert_eq!(cut.client.counters.timeouts, 0);
}

#[test]
fn duplicate_acknowledgments_speak_for_a_loss_without_their_options() {
    let mut script = open_with_scale();
    script.at(1060).all(0..9).at(1110).ack(1, None);
    for reported in 3..6 {
        script.ack(1, Some(2..reported));
    }
    script.at(1111).data(1).at(1161).ack(9, None);
    assert_eq!(cause(&script.only(), Cause::Fast), 1);
    assert_eq!(cause(&cut(script), Cause::Fast), 1);
}

#[test]
fn a_pause_within_a_timeout_may_be_the_way_to_a_sender_whose_echoes_are_cut_off() {
    let pausing = |ms: u64| {
        let mut script = open_with_scale();
        script.at(1060).data(0).at(1110).ack(1, None);
        script.at(1110 + ms).data(1).at(1160 + ms).ack(2, None);
        cut(script).client.counters.stall(Stall::Application).count
    };
    assert_eq!((pausing(140), pausing(400)), (0, 1));
}

#[test]
fn one_whole_syn_without_a_scale_says_that_windows_are_not_scaled() {
    let mut script = Script::open([100, 200]);
    script.segments[0].options.is_cut = true;
    script.at(1060).push(0, ControlBits::ACK, 0, 0, MSS);
    script.at(1110).ack(1, None);
    assert_eq!(script.only().server.counters.window_max, Some(60_000));
}
