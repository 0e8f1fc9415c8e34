//! A receiver that has no room: what probes its window, and what it refuses.

use super::tests::{MS, MSS, Script, cause};
use super::{Cause, Pauses, Stall};
use dissect::ControlBits;

#[test]
fn a_probe_into_the_closed_window_is_no_retransmission() {
    let mut script = Script::open([100, 200]);
    script
        .at(1060)
        .data(0)
        .at(1110)
        .push(1, ControlBits::ACK, 0, MSS, 0)
        .window = 0;
    for ms in [1400, 2000] {
        script.at(ms).push(0, ControlBits::ACK, MSS, 0, 1);
        script.push(1, ControlBits::ACK, 0, MSS, 0).window = 0;
    }
    script.at(2500).ack(1, None).data(1).at(2550).ack(2, None);
    let summary = script.only();
    let (sent, received) = (&summary.client.counters, &summary.server.counters);
    assert_eq!(
        (
            cause(&summary, Cause::WindowProbe),
            sent.packets_retransmitted
        ),
        (2, 0)
    );
    assert_eq!(sent.bytes_unique, 2000);
    assert_eq!((received.window_zero, received.window_min), (3, Some(0)));
    // No probe ends the pause.
    let pauses = Pauses {
        count: 1,
        total_ns: 1440 * MS,
    };
    assert_eq!(sent.stall(Stall::Window), pauses);
}

#[test]
fn what_reminds_of_a_closed_window_is_a_probe() {
    let mut script = Script::open([100, 200]);
    script.at(1060).data(0).at(1110).ack(1, None);
    script.segments.last_mut().unwrap().window = 0;
    script.at(1400).push(0, ControlBits::ACK, MSS - 1, 0, 0);
    script.push(1, ControlBits::ACK, 0, MSS, 0).window = 0;
    script.at(2000).ack(1, None).data(1).at(2050).ack(2, None);
    let summary = script.only();
    assert_eq!(cause(&summary, Cause::WindowProbe), 1);
    let told = &summary.client.counters;
    assert_eq!((told.keep_alives, told.duplicate_acks), (0, 0));
    assert_eq!(told.stall(Stall::Window).count, 1);
}

impl Script {
    /// The server acknowledges everything before segment `n`, and has room for so many bytes.
    fn room(&mut self, n: u32, window: u16) -> &mut Self {
        self.ack(n, None);
        self.segments.last_mut().unwrap().window = window;
        self
    }
}

/// Segments 1 to `n` find no room: the first is retransmitted at 400 and 800 ms, and once more
/// behind a wait of its timer, when the window has been open for a while; then the others.
pub(super) fn refused(n: u32) -> Script {
    let mut script = Script::open([100, 200]);
    script.at(1060).data(0).at(1110).ack(1, None).all(1..n + 1);
    script.at(1160).room(1, 0);
    for ms in [1400, 1800] {
        script.at(ms).data(1).at(ms + 50).room(1, 0);
    }
    script.at(2100).room(1, 10_000).at(2600).data(1);
    script.at(2650).room(2, 10_000).all(2..n + 1);
    script.at(2700).room(1 + n, 10_000);
    script
}

#[test]
fn what_the_receiver_has_no_room_for_is_retransmitted_as_a_probe() {
    let summary = refused(1).only();
    let told = [Cause::WindowProbe, Cause::Timeout].map(|why| cause(&summary, why));
    assert_eq!(told, [2, 1]);
    let sent = &summary.client.counters;
    assert_eq!((sent.packets_retransmitted, sent.timeouts), (3, 1));
    // The window backed off the timer, which had not expired yet when it opened.
    let pauses = Pauses {
        count: 3,
        total_ns: 1490 * MS,
    };
    assert_eq!(sent.stall(Stall::Window), pauses);
    let limits = summary.client.limits.unwrap();
    assert_eq!((limits.window_ns, limits.loss_ns), (1490 * MS, 0));
}

#[test]
fn what_it_refused_behind_that_is_repaired_when_there_is_room() {
    let summary = refused(4).only();
    let told = [Cause::WindowProbe, Cause::Timeout].map(|why| cause(&summary, why));
    assert_eq!(told, [2, 4]);
    assert_eq!(summary.client.counters.timeouts, 1);
}

#[test]
fn beside_the_receiver_it_looks_the_same() {
    let mut script = refused(1);
    for segment in &mut script.segments {
        if segment.payload > 0 {
            segment.time_ns += 49 * MS;
        }
    }
    let (near, far) = (refused(1).only(), script.only());
    assert_eq!(far.client.counters.causes, near.client.counters.causes);
    let limits = far.client.limits.unwrap();
    assert_eq!((limits.window_ns, limits.loss_ns), (1490 * MS, 0));
}

#[test]
fn what_never_came_by_before_was_lost_on_its_way_whatever_the_window() {
    let mut script = Script::open([100, 200]);
    script.at(1060).data(0).data(2).at(1061).room(1, 0);
    script.at(1400).data(1).at(1401).room(3, 10_000);
    let summary = script.only();
    let told = [Cause::WindowProbe, Cause::Timeout].map(|why| cause(&summary, why));
    assert_eq!(told, [0, 1]);
    assert_eq!(summary.client.counters.packets_out_of_order, 1);
}

/// Fast Open (RFC 7413 §2): the SYN has 420 bytes, the others follow behind the answer.
#[test]
fn no_window_is_full_before_the_receiver_has_told_one() {
    let mut script = Script::new([100, 200]);
    script.push(0, ControlBits::SYN, u32::MAX, 0, 420);
    script.at(1050);
    script.push(1, ControlBits::SYN | ControlBits::ACK, u32::MAX, 420, 0);
    script.push(0, ControlBits::ACK, 420, 0, MSS);
    script.at(1100).push(1, ControlBits::ACK, 0, 420 + MSS, 0);
    let summary = script.only();
    let held_up = summary.client.limits.expect("it was answered");
    assert_eq!((held_up.window_ns, held_up.network_ns), (0, Some(50 * MS)));
    assert_eq!(summary.client.counters.flight_initial, Some(420));
}
