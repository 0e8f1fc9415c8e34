//! The receiver's acknowledgements and window, and the sender's respect for them.

use units::{Duration, Time};

use super::pair::{Application, LONG, Pair, WireOutcome};
use super::script::{MSS, PEER, Script, new_data, rfc};
use crate::{Event, Failure, SackBlock, SendCause, State};

fn established() -> Script {
    Script::established(&rfc(|p| p.rto_min_ms = 500))
}

#[test]
fn every_second_segment_is_acknowledged_at_once_and_a_single_one_after_200_ms() {
    let mut s = established();
    s.at(10).data(0);
    assert_eq!(s.kinds(), []);
    s.at(15).data(1);
    assert_eq!(s.kinds(), [SendCause::Ack]);
    s.at(20).data(2);
    assert_eq!(
        s.connection.wake_at(),
        Time::ZERO + Duration::from_millis(220)
    );
    s.at(219);
    assert_eq!(s.kinds(), []);
    s.at(220);
    let acks = s.sent();
    assert_eq!((acks.len(), acks[0].ack), (1, PEER.at(1 + 3 * MSS)));
    assert_eq!(s.connection.wake_at(), Time::NEVER);
    assert_eq!(s.connection.counters().delayed_acks_expired, 1);
}

#[test]
fn a_gap_is_reported_at_once_and_so_is_its_end() {
    let mut s = established();
    s.data(1);
    let duplicate = s.sent()[0];
    assert_eq!(
        (duplicate.kind, duplicate.ack),
        (SendCause::DuplicateAck, PEER + 1)
    );
    let block = SackBlock {
        start: PEER.at(1 + MSS),
        end: PEER.at(1 + 2 * MSS),
    };
    assert_eq!(duplicate.options.sack.as_slice(), [block]);
    s.data(3);
    assert_eq!(s.sent()[0].options.sack.len(), 2);
    s.data(0);
    let partly = s.sent();
    assert_eq!((partly.len(), partly[0].kind), (1, SendCause::Ack));
    assert_eq!(partly[0].ack, PEER.at(1 + 2 * MSS));
    s.data(1);
    assert_eq!(s.kinds(), [SendCause::DuplicateAck], "received before");
    assert_eq!(s.connection.counters().duplicate_segments_received, 1);
    assert_eq!(s.connection.counters().out_of_order_received, 2);
}

#[test]
fn a_duplicate_acknowledgement_goes_alone_even_if_there_are_data_to_send() {
    let mut s = established();
    s.write(1).data(1);
    assert_eq!(s.kinds(), [SendCause::DuplicateAck, SendCause::Data]);
}

#[test]
fn an_acknowledgement_rides_on_data() {
    let mut s = established();
    s.data(0);
    s.write(1);
    let sent = s.sent();
    assert_eq!((sent.len(), sent[0].ack), (1, PEER.at(1 + MSS)));
    assert!(
        s.connection.counters().acks_sent == 1,
        "that of the handshake"
    );
}

#[test]
fn nagle_waits_for_the_acknowledgement_and_joins_what_was_written() {
    let mut s = established();
    for _ in 0..3 {
        s.connection.write(s.now, 100);
        s.at(s.now.as_nanos() / 1_000_000 + 1);
    }
    let first: Vec<_> = s.sent().iter().map(|s| s.payload).collect();
    assert_eq!(first, [300], "nothing was outstanding");
    s.connection.write(s.now, 100);
    assert_eq!(s.sent(), []);
    s.connection.write(s.now, 950);
    let full: Vec<_> = s.sent().iter().map(|s| s.payload).collect();
    assert_eq!(
        full,
        [1000],
        "a full segment does not wait, the rest of 50 does"
    );
}

#[test]
fn a_full_buffer_closes_the_window_and_reading_opens_it() {
    let mut s = Script::established(&rfc(|p| p.receive_window_bytes = 4000));
    s.data(0).data(1).data(2).data(3);
    assert_eq!(s.sent()[0].window, 0);
    assert_eq!(s.connection.read(s.now, 999), 999);
    assert_eq!(s.sent(), [], "less than a segment is not worth telling");
    s.connection.read(s.now, 1);
    let update = s.sent();
    assert_eq!(
        (update.len(), update[0].kind, update[0].window),
        (1, SendCause::WindowUpdate, 1000)
    );
}

#[test]
fn a_closed_window_is_probed_with_doubling_pauses_until_it_opens() {
    let mut s = established();
    s.window = 0;
    s.ack(0).write(5);
    assert_eq!(s.data_sent(), []);
    for (at, next) in [(500, 1500), (1500, 3500), (3500, 7500)] {
        assert_eq!(
            s.connection.wake_at(),
            Time::ZERO + Duration::from_millis(at)
        );
        s.at(at);
        let probe = s.sent();
        assert_eq!(
            (probe.len(), probe[0].kind, probe[0].payload),
            (1, SendCause::Probe, 1)
        );
        s.ack(0);
        assert_eq!(s.sent(), []);
        assert_eq!(
            s.connection.wake_at(),
            Time::ZERO + Duration::from_millis(next)
        );
    }
    assert_eq!(s.connection.counters().duplicate_acks_received, 0);
    s.window = 8000;
    s.at(4000).ack(0);
    assert_eq!(
        s.data_sent(),
        new_data(0, 4),
        "the byte of the probe with the rest"
    );
    assert_eq!(s.connection.counters().probes_sent, 3);
}

/// Linux: the probe is an old sequence number without data.
#[test]
fn a_probe_of_linux_carries_nothing() {
    let mut s = Script::established(&rfc(|p| {
        p.rto_min_ms = 500;
        p.probes_with_data = false;
    }));
    s.window = 0;
    s.ack(0).write(5);
    assert_eq!(s.data_sent(), []);
    s.at(500);
    let probe = s.sent();
    assert_eq!((probe[0].kind, probe[0].payload), (SendCause::Probe, 0));
    assert_eq!((probe.len(), probe[0].seq), (1, super::script::OWN));
    s.window = 8000;
    s.at(520).ack(0);
    assert_eq!(s.data_sent(), new_data(0, 4));
}

#[test]
fn a_peer_that_answers_probes_is_never_given_up_and_a_silent_one_is() {
    let mut s = established();
    s.window = 0;
    s.ack(0).write(1);
    s.sent();
    for _ in 0..50 {
        s.at(s.connection.wake_at().as_nanos() / 1_000_000);
        assert_eq!(s.kinds(), [SendCause::Probe]);
        s.ack(0);
    }
    while s.connection.state() != State::Closed {
        s.at(s.connection.wake_at().as_nanos() / 1_000_000);
        s.sent();
    }
    let events: Vec<_> = core::iter::from_fn(|| s.connection.poll_event()).collect();
    assert_eq!(events.last(), Some(&Event::Failed(Failure::TimedOut)));
    assert_eq!(
        s.connection.counters().probes_sent,
        56,
        "fifty and the six of data_retries"
    );
}

#[test]
fn a_slow_reader_slows_the_sender_without_silly_segments() {
    let p = rfc(|p| p.receive_window_bytes = 8000);
    let mut applications = [Application::sends(200_000), Application::sends(0)];
    applications[1].slow_reader = Some((300, Duration::from_millis(5)));
    let mut pair = Pair::new(
        [&p; 2],
        Default::default(),
        [1, 2],
        applications,
        |_, _, _| WireOutcome::Deliver,
    );
    assert!(pair.run(LONG));
    pair.assert_complete();
    let small = pair
        .data_sent(0)
        .filter(|s| s.kind != SendCause::Probe && s.payload < 1000)
        .count();
    assert_eq!(small, 0);
}

#[test]
fn a_writer_hears_of_room_only_after_a_short_write() {
    let mut s = established();
    s.connection.poll_event();
    s.write(4);
    s.data_sent();
    s.ack(4);
    assert_eq!(s.connection.poll_event(), None);
    assert_eq!(s.connection.write(s.now, 1 << 30), 131_072);
    assert_eq!(s.connection.writable(), 0);
    let mut acked = 4;
    while s.connection.poll_event().is_none() {
        acked += s.data_sent().len() as u64;
        s.ack(acked);
    }
    assert!(s.connection.writable() >= 131_072 / 3);
}
