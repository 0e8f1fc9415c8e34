//! Mechanisms that stacks combine with loss recovery: F-RTO, DSACK, undo, reordering, Tahoe.

use super::script::{MSS, OWN, PEER, Script, new_data, rfc, sender, ten_in_flight};
use crate::SendCause::{Data, FastRetransmission as Fast, TimeoutRetransmission as Again};
use crate::{Flags, RecoveryAlgorithm, RecoveryPhase, SackBlock, Segment, Timestamps};

/// Fall and Floyd (1996) §2: after three duplicates slow start from the left, without the
/// inflation of fast recovery.
#[test]
fn tahoe_falls_to_one_segment_and_slow_starts_from_the_left() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Tahoe, |_| {});
    s.ack(0).ack(0);
    assert_eq!(s.data_sent(), []);
    s.ack(0);
    assert_eq!((s.cwnd(), s.ssthresh()), (1, 5));
    assert_eq!(s.data_sent(), [(Fast, 0)]);
    for _ in 0..6 {
        s.ack(0);
    }
    assert_eq!(s.data_sent(), [], "duplicates release nothing");
    s.at(20).ack(4);
    assert_eq!(s.data_sent(), [(Fast, 4), (Fast, 5)]);
    s.at(40).ack(10);
    assert_eq!(s.connection.info().recovery, RecoveryPhase::Open);
    assert_eq!(s.data_sent(), new_data(10, 13));
    let counters = s.connection.counters();
    assert_eq!((counters.fast_recoveries, counters.timeouts), (1, 0));
}

/// Floyd 1995, "TCP and Successive Fast Retransmits": what went back sent segments that had
/// arrived; the duplicates they raise speak for no loss (RFC 6582 §4).
#[test]
fn tahoe_does_not_go_back_again_for_the_duplicates_that_it_caused() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Tahoe, |_| {});
    s.ack(0).ack(0).ack(0);
    assert_eq!(s.data_sent(), [(Fast, 0)]);
    s.at(20).ack(10);
    assert_eq!(s.data_sent(), new_data(10, 12), "all but one had arrived");
    for _ in 0..4 {
        s.ack(10);
    }
    assert_eq!((s.data_sent(), s.cwnd()), (vec![], 2));
    s.at(40).ack(11);
    s.ack(11).ack(11).ack(11);
    let sent = s.data_sent();
    assert_eq!(sent.last(), Some(&(Fast, 11)), "a loss beyond: {sent:?}");
}

/// RFC 5682 §2.1: the acknowledgements of before the timeout come after it.
#[test]
fn frto_finds_a_timeout_spurious_by_two_acknowledgements_that_move_on() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |p| p.frto = true);
    s.at(1000);
    assert_eq!(s.data_sent(), [(Again, 0)]);
    s.at(1010).ack(2);
    assert_eq!(s.data_sent(), new_data(10, 12), "two new ones, nothing old");
    s.at(1020).ack(4);
    assert_eq!(s.connection.info().recovery, RecoveryPhase::Open);
    assert!(s.cwnd() >= 10 && s.connection.info().ssthresh_bytes == u64::MAX);
    assert_eq!(s.connection.counters().spurious_recoveries, 1);
    assert!(s.data_sent().iter().all(|sent| sent.0 == Data));
}

#[test]
fn frto_takes_a_duplicate_for_a_genuine_timeout() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |p| p.frto = true);
    s.at(1000);
    assert_eq!(s.data_sent(), [(Again, 0)]);
    s.at(1010).ack(1);
    assert_eq!(s.data_sent(), new_data(10, 12));
    s.at(1020).ack(1);
    assert_eq!(s.data_sent(), [(Again, 1), (Again, 2)], "from the left");
    assert_eq!(s.connection.counters().spurious_recoveries, 0);
}

#[test]
fn frto_without_new_data_goes_the_ordinary_way() {
    let profile = rfc(|p| {
        p.frto = true;
        p.sack = false;
        p.initial_window = crate::InitialWindow::Segments(10);
    });
    let mut s = Script::established(&profile);
    s.write(10);
    s.data_sent();
    s.at(1000);
    assert_eq!(s.data_sent(), [(Again, 0)]);
    s.at(1010).ack(1);
    assert_eq!(s.data_sent(), [(Again, 1), (Again, 2)]);
}

/// RFC 5682 §2.1 step 1: the second timeout in a row is believed.
#[test]
fn frto_does_not_question_a_timeout_while_another_is_mended() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |p| p.frto = true);
    s.at(1000);
    s.data_sent();
    s.at(3000);
    assert_eq!(s.data_sent(), [(Again, 0)]);
    s.at(3010).ack(2);
    assert_eq!(s.data_sent(), [(Again, 2), (Again, 3)]);
}

/// RFC 2883 §4.1.1: a segment that is complete and below the acknowledgement.
#[test]
fn a_duplicate_is_reported_by_the_first_block_once() {
    let mut s = Script::established(&rfc(|p| p.dsack = true));
    s.data(0).data(1);
    s.sent();
    s.data(0);
    let answer = s.sent()[0];
    assert_eq!(answer.ack, PEER.at(1 + 2 * MSS));
    assert_eq!(answer.options.sack.as_slice(), [block(PEER, 0, 1)]);
    s.data(3);
    let next = s.sent()[0];
    assert_eq!(next.options.sack.as_slice(), [block(PEER, 3, 4)]);
    // §4.2.1: out of order and twice, the report and then the block that holds it.
    s.data(4).sent();
    s.data(3);
    let answer = s.sent()[0];
    let expected = [block(PEER, 3, 4), block(PEER, 3, 5)];
    assert_eq!(answer.options.sack.as_slice(), expected);
    assert_eq!(s.connection.counters().dsacks_sent, 2);
}

#[test]
fn without_the_switch_duplicates_are_not_reported() {
    let mut s = Script::established(&rfc(|_| {}));
    s.data(0).data(1).sent();
    s.data(0);
    assert!(s.sent()[0].options.sack.is_empty());
}

fn block(base: crate::Seq, from: u64, to: u64) -> SackBlock {
    SackBlock {
        start: base.at(1 + from * MSS),
        end: base.at(1 + to * MSS),
    }
}

/// Segment 0 was late, not lost: its retransmission is reported as a duplicate.
#[test]
fn a_report_of_every_retransmission_undoes_the_recovery() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Sack, |p| p.dsack = true);
    s.ack_sack(0, &[(1, 2)])
        .ack_sack(0, &[(1, 3)])
        .ack_sack(0, &[(1, 4)]);
    assert_eq!(s.data_sent(), [(Fast, 0)]);
    assert_eq!((s.cwnd(), s.ssthresh()), (5, 5));
    s.at(10).ack(10);
    assert_eq!(s.connection.info().recovery, RecoveryPhase::Open);
    s.data_sent();
    s.at(20).ack_sack(10, &[(0, 1)]);
    assert!(s.cwnd() >= 10, "{}", s.cwnd());
    let counters = s.connection.counters();
    assert_eq!(counters.dsacks_received, 1);
    assert_eq!(counters.spurious_recoveries, 1);
}

/// RFC 3522: the acknowledgement echoes the original's stamp, not the retransmission's.
#[test]
fn an_echo_older_than_the_retransmission_undoes_it() {
    let profile = rfc(|p| {
        p.timestamps = true;
        sender(p).timestamp_undo = true;
        p.initial_window = crate::InitialWindow::Segments(10);
    });
    let mut s = Script::established(&profile);
    s.write(10);
    let original = s.sent()[0];
    s.at(1000);
    let again = s.sent();
    assert_eq!((again.len(), again[0].kind), (1, Again));
    let info = s.connection.info();
    assert_eq!(info.cwnd_bytes, u64::from(info.mss_bytes));
    s.at(1005).receive(Segment {
        seq: PEER + 1,
        ack: original.seq + 2 * original.payload,
        flags: Flags::ACK,
        window: 8000,
        options: crate::Options {
            timestamps: Some(Timestamps {
                value: 2000,
                echo: original.options.timestamps.unwrap().value,
            }),
            ..Default::default()
        },
        ..Segment::default()
    });
    let info = s.connection.info();
    assert_eq!(info.recovery, RecoveryPhase::Open);
    assert!(info.cwnd_bytes >= 10 * u64::from(info.mss_bytes));
    assert_eq!(info.ssthresh_bytes, u64::MAX);
    assert!(s.sent().iter().all(|s| s.kind == Data), "nothing old again");
    assert_eq!(s.connection.counters().spurious_recoveries, 1);
    assert!(again[0].seq == OWN + 1);
}

/// Linux: segments seen late raise the number of duplicates that speak for a loss.
#[test]
fn reordering_raises_the_threshold_as_far_as_the_profile_lets_it() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Sack, |p| p.reordering_max = 6);
    s.ack_sack(0, &[(1, 2)]).ack_sack(0, &[(1, 3)]);
    assert_eq!(s.connection.tcp_info().tcpi_reordering, 3);
    s.ack_sack(0, &[(1, 3), (6, 7)]);
    assert_eq!(s.data_sent(), [(Fast, 0)]);
    // 3 to 5 arrive after 6: late by four.
    s.ack_sack(0, &[(1, 7)]);
    assert_eq!(s.connection.tcp_info().tcpi_reordering, 4);
    s.at(20).ack(10);
    let mut s2 = ten_in_flight(RecoveryAlgorithm::Sack, |p| p.reordering_max = 3);
    s2.ack_sack(0, &[(6, 7)]).ack_sack(0, &[(1, 2), (6, 7)]);
    assert_eq!(s2.connection.tcp_info().tcpi_reordering, 3, "a constant");
}
