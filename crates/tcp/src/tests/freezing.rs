//! Freeze-TCP: a receiver that foresees that the path breaks off, and a sender that hears of it.

use super::script::{MSS, PEER, Script, new_data, rfc, ten_in_flight};
use crate::{RecoveryAlgorithm, SendCause};

#[test]
fn a_frozen_receiver_tells_of_no_window_and_of_its_own_three_times_once_it_is_back() {
    let mut s = Script::established(&rfc(|p| p.receive_window_bytes = 8000));
    s.at(10).data(0);
    s.connection.read(s.now, MSS);
    s.connection.freeze();
    let warning = s.sent();
    assert_eq!((warning.len(), warning[0].kind), (1, SendCause::Ack));
    assert_eq!((warning[0].ack, warning[0].window), (PEER.at(1 + MSS), 0));

    s.at(20).data(1).data(2); // under way when the peer heard of it
    let answer = s.sent();
    assert_eq!(answer.len(), 1);
    let received = PEER.at(1 + 3 * MSS);
    assert_eq!((answer[0].ack, answer[0].window), (received, 0));

    s.connection.read(s.now, 2 * MSS);
    s.at(3000);
    s.connection.thaw(s.now);
    let told: Vec<_> = s.sent().iter().map(|s| (s.ack, s.window)).collect();
    assert_eq!(told, [(received, 8000); 3]);
    assert_eq!(s.sent(), []);
}

#[test]
fn a_window_that_closes_over_what_is_outstanding_stops_the_timer_and_keeps_the_window() {
    for recovery in [
        RecoveryAlgorithm::Tahoe,
        RecoveryAlgorithm::Reno,
        RecoveryAlgorithm::NewReno,
        RecoveryAlgorithm::Sack,
    ] {
        let mut s = ten_in_flight(recovery, |p| p.rto_min_ms = 500);
        let before = (s.cwnd(), s.ssthresh());
        s.window = 0;
        s.at(100).ack(0);
        assert_eq!(s.sent(), []);
        while s.now.as_nanos() < 20_000_000_000 {
            s.at(s.connection.wake_at().as_nanos() / 1_000_000);
            assert_eq!(s.kinds(), [SendCause::Probe]);
        }
        assert_eq!((s.cwnd(), s.ssthresh()), before);
        assert_eq!(s.connection.counters().timeouts, 0);

        s.window = 8000;
        for _ in 0..3 {
            s.ack(0);
        }
        let again: Vec<_> = (0..10)
            .map(|n| (SendCause::FastRetransmission, n))
            .collect();
        assert_eq!(s.data_sent(), again, "{recovery:?}");
        s.ack(10);
        assert_eq!(s.data_sent().first(), Some(&(SendCause::Data, 10)));
        assert_eq!(s.ssthresh(), before.1, "nothing was taken for lost");
    }
}

#[test]
fn what_arrived_before_the_path_broke_off_is_not_retransmitted() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Reno, |_| {});
    s.window = 0;
    s.at(100).ack(0);
    s.at(110).ack(4);
    s.at(120).ack(10);
    assert_eq!(s.sent(), []);
    s.window = 8000;
    s.at(4000).ack(10);
    assert_eq!(s.data_sent().first(), Some(&(SendCause::Data, 10)));
}

#[test]
fn a_window_that_closes_while_a_loss_is_mended_freezes_that_too() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |_| {});
    s.at(100).ack(0).ack(0).ack(0);
    assert_eq!(s.data_sent(), [(SendCause::FastRetransmission, 0)]);
    s.window = 0;
    s.at(110).ack(0);
    assert_eq!(s.sent(), []);
    s.window = 8000;
    s.at(500).ack(5);
    assert_eq!(
        s.data_sent().first(),
        Some(&(SendCause::FastRetransmission, 5)),
        "from the left, within the window that the loss has left"
    );
}

#[test]
fn a_window_that_closes_with_nothing_outstanding_is_probed_as_ever() {
    let mut s = Script::established(&rfc(|p| p.rto_min_ms = 500));
    s.write(1);
    assert_eq!(s.data_sent(), new_data(0, 1));
    s.window = 0;
    s.ack(1).write(3);
    assert_eq!(s.data_sent(), []);
    s.at(2000);
    assert_eq!(s.kinds(), [SendCause::Probe]);
}
