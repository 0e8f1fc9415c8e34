//! Loss recovery, segment by segment.

use units::Duration;

use super::pair::{LONG, Pair, WireOutcome};
use super::script::{MSS, Script, new_data, rfc, sender, ten_in_flight};
use crate::SendCause::{Data, FastRetransmission as Fast, TimeoutRetransmission as Again};
use crate::{RecoveryAlgorithm, RecoveryPhase, Segment, profile};

#[test]
fn the_third_duplicate_acknowledgement_retransmits_and_halves_the_window() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Reno, |_| {});
    s.ack(0).ack(0);
    assert_eq!(s.data_sent(), []);
    s.ack(0);
    assert_eq!((s.cwnd(), s.ssthresh()), (5 + 3, 5));
    assert_eq!(s.data_sent(), [(Fast, 0)]);
    s.ack(0).ack(0);
    assert_eq!(
        s.data_sent(),
        [],
        "ten are out, the window is inflated to ten"
    );
    s.ack(0);
    assert_eq!(s.data_sent(), [(Data, 10)]);
}

/// ns-2's Vegas: round trips of 100 ms make a fine timer of (100 + 2 · 75) · 17 / 16 ms after the
/// first, which then comes down.
#[test]
fn vegas_retransmits_at_the_first_duplicate_what_has_been_out_for_too_long() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Vegas, |p| p.rto_min_ms = 2000);
    s.at(100).ack(4);
    s.data_sent();
    s.at(200).ack(4);
    assert_eq!(s.data_sent(), [], "200 ms are not too long");
    s.at(300).ack(4);
    assert_eq!(
        s.data_sent(),
        [(Fast, 4)],
        "the second duplicate, and 300 are"
    );
    assert_eq!(s.connection.counters().fast_recoveries, 1);
    s.at(700).ack(6);
    assert_eq!(
        s.data_sent(),
        [(Fast, 6)],
        "the next acknowledgement shows another, for which no three duplicates are needed"
    );
    assert_eq!(s.connection.counters().fast_recoveries, 1);
}

#[test]
fn vegas_takes_three_duplicates_for_a_loss_too() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Vegas, |p| p.rto_min_ms = 2000);
    s.at(10).ack(0).ack(0);
    assert_eq!(s.data_sent(), []);
    s.ack(0);
    assert_eq!(s.data_sent(), [(Fast, 0)]);
}

#[test]
fn a_threshold_of_two_needs_two() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |p| {
        p.duplicate_ack_threshold = 2;
    });
    s.ack(0);
    assert_eq!(s.data_sent(), []);
    s.ack(0);
    assert_eq!(s.data_sent(), [(Fast, 0)]);
    assert_eq!(s.cwnd(), 5 + 2);
}

#[test]
fn limited_transmit_sends_one_new_segment_for_each_of_the_first_two() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |p| {
        sender(p).limited_transmit = true;
    });
    s.ack(0);
    assert_eq!(s.data_sent(), [(Data, 10)]);
    s.ack(0);
    assert_eq!(s.data_sent(), [(Data, 11)]);
    s.ack(0);
    assert_eq!(s.data_sent(), [(Fast, 0)]);
    assert_eq!(s.ssthresh(), 5, "FlightSize leaves the two out");
}

/// The window grows with the acknowledgement that tells of the gap, and lets out two segments.
#[test]
fn what_the_window_allows_behind_a_first_report_is_in_flight() {
    for limited_transmit in [false, true] {
        let mut s = ten_in_flight(RecoveryAlgorithm::Sack, |p| {
            sender(p).limited_transmit = limited_transmit;
        });
        s.ack_sack(1, &[(2, 3)]);
        let released = s.data_sent().len() as u64;
        assert!(released >= 2, "the window has grown by one segment");
        s.ack_sack(1, &[(2, 4)]).ack_sack(1, &[(2, 5)]);
        assert_eq!(s.connection.info().recovery, RecoveryPhase::Fast);
        assert_eq!(s.ssthresh(), (9 + 2) / 2, "limited {limited_transmit}");
    }
}

#[test]
fn reno_leaves_recovery_with_the_first_new_acknowledgement() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Reno, |_| {});
    s.ack(0).ack(0).ack(0);
    assert_eq!(s.data_sent(), [(Fast, 0)]);
    s.at(20).ack(4);
    assert_eq!(s.connection.info().recovery, RecoveryPhase::Open);
    assert_eq!(s.cwnd(), 5);
    assert_eq!(s.data_sent(), [], "six are out");
}

/// RFC 6582 §3.2: segments 0, 2 and 5 of ten are lost.
#[test]
fn newreno_retransmits_one_segment_for_each_partial_acknowledgement() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |_| {});
    for _ in 0..7 {
        s.ack(0);
    }
    assert_eq!(
        s.data_sent(),
        [(Fast, 0), (Data, 10), (Data, 11)],
        "5 + 7 = 12 out"
    );
    s.at(20).ack(2);
    assert_eq!(s.connection.info().recovery, RecoveryPhase::Fast);
    assert_eq!(
        s.cwnd(),
        12 - 2 + 1,
        "less what was acknowledged, and one more"
    );
    assert_eq!(
        s.data_sent(),
        [(Fast, 2), (Data, 12)],
        "eleven out of eleven"
    );
    s.at(40).ack(5);
    assert_eq!(s.data_sent(), [(Fast, 5), (Data, 13)]);
    s.at(60).ack(10);
    assert_eq!(s.connection.info().recovery, RecoveryPhase::Open);
    assert_eq!(
        s.cwnd(),
        5,
        "min(ssthresh, FlightSize + 1) with 10 to 13 out"
    );
    assert_eq!(s.data_sent(), [(Data, 14)]);
    let counters = s.connection.counters();
    assert_eq!(
        (counters.fast_recoveries, counters.fast_retransmissions),
        (1, 3)
    );
}

#[test]
fn newreno_restarts_the_timer_for_the_first_partial_acknowledgement_only() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |_| {});
    let ms = |s: &Script| s.connection.wake_at().as_nanos() / 1_000_000;
    s.at(100).ack(0).ack(0).ack(0);
    s.data_sent();
    assert_eq!(ms(&s), 1000);
    s.at(200).ack(2);
    assert_eq!(ms(&s), 1200);
    s.at(300).ack(5);
    assert_eq!(ms(&s), 1200);
}

#[test]
fn duplicates_of_retransmitted_data_start_no_second_recovery() {
    for recovery in [RecoveryAlgorithm::NewReno, RecoveryAlgorithm::Sack] {
        let mut s = ten_in_flight(recovery, |_| {});
        s.at(1000);
        assert_eq!(s.data_sent(), [(Again, 0)]);
        s.at(1010).ack(1);
        assert_eq!(s.data_sent(), [(Again, 1), (Again, 2)]);
        for _ in 0..5 {
            s.ack(1);
        }
        assert_eq!(s.connection.counters().fast_recoveries, 0, "{recovery:?}");
    }
}

#[test]
fn sack_fills_lost_holes_first_then_sends_new_data_then_guesses() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Sack, |_| {});
    s.ack_sack(0, &[(1, 2)]).ack_sack(0, &[(3, 4), (1, 2)]);
    assert_eq!(s.data_sent(), []);
    // The third: 0 is lost by count. 2 has two ranges above it and 4 one, so neither is.
    s.ack_sack(0, &[(5, 6), (3, 4), (1, 2)]);
    assert_eq!((s.cwnd(), s.ssthresh()), (5, 5));
    assert_eq!(s.data_sent(), [(Fast, 0)]);
    // 2, 4, 6, 8, 9 and the retransmission are in the pipe, six of five allowed.
    s.ack_sack(0, &[(5, 7), (3, 4), (1, 2)]);
    assert_eq!(
        s.data_sent(),
        [],
        "four ranges' worth above 2 make it lost; five in the pipe"
    );
    s.ack_sack(0, &[(5, 8), (3, 4), (1, 2)]);
    assert_eq!(s.connection.info().recovery, RecoveryPhase::Fast);
    assert_eq!(s.data_sent(), [(Fast, 2), (Fast, 4)]);
    s.ack_sack(0, &[(5, 9), (3, 4), (1, 2)]);
    assert_eq!(s.data_sent(), [(Data, 10)], "no lost hole is left");
}

#[test]
fn sack_without_new_data_retransmits_what_may_be_lost_and_rescues_the_tail() {
    let profile = rfc(|p| {
        p.initial_window = crate::InitialWindow::Segments(10);
        sender(p).limited_transmit = false;
    });
    let mut s = Script::established(&profile);
    s.write(10);
    s.data_sent();
    // 0, 8 and 9 are lost; everything else is SACKed.
    s.ack_sack(0, &[(1, 2)])
        .ack_sack(0, &[(1, 3)])
        .ack_sack(0, &[(1, 4)]);
    assert_eq!(s.data_sent(), [(Fast, 0)]);
    s.ack_sack(0, &[(1, 5)]).ack_sack(0, &[(1, 6)]);
    assert_eq!(s.data_sent(), []);
    s.ack_sack(0, &[(1, 7)]);
    assert_eq!(s.data_sent(), [(Fast, 9)], "rule 4: the end, once");
    s.ack_sack(0, &[(1, 8)]);
    assert_eq!(s.data_sent(), []);
    s.at(50).ack_sack(8, &[(9, 10)]);
    assert_eq!(
        s.data_sent(),
        [(Fast, 8)],
        "rule 3: a hole below the highest SACK"
    );
    s.at(70).ack(10);
    assert_eq!(s.connection.info().recovery, RecoveryPhase::Open);
    assert_eq!(s.connection.counters().timeouts, 0);
}

#[test]
fn after_a_timeout_slow_start_fills_the_holes_and_skips_what_is_sacked() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Sack, |_| {});
    s.at(1000);
    assert_eq!(s.data_sent(), [(Again, 0)]);
    assert_eq!((s.cwnd(), s.ssthresh()), (1, 5));
    s.at(1050).ack_sack(1, &[(2, 5), (7, 8)]);
    assert_eq!(s.cwnd(), 2);
    assert_eq!(s.data_sent(), [(Again, 1), (Again, 5)]);
    s.at(1100).ack_sack(5, &[(7, 8)]);
    assert_eq!(s.data_sent(), [(Again, 6), (Again, 8)]);
    s.at(1150).ack(8);
    assert_eq!(s.data_sent(), [(Again, 9), (Data, 10), (Data, 11)]);
}

/// RFC 2018 §8: what was SACKed may be thrown away again, so a timeout believes none of it.
#[test]
fn a_peer_that_reneges_gets_everything_again_after_a_timeout() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Sack, |_| {});
    s.ack_sack(0, &[(1, 3)]);
    s.at(1000);
    assert_eq!(s.data_sent(), [(Again, 0)]);
    s.at(1010).ack(1);
    assert_eq!(s.data_sent(), [(Again, 1), (Again, 2)]);
}

#[test]
fn the_timer_backs_off_and_ssthresh_falls_once() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |_| {});
    for ms in [1000, 3000, 7000, 15_000] {
        s.at(ms - 1);
        assert_eq!(s.data_sent(), []);
        s.at(ms);
        assert_eq!(s.data_sent(), [(Again, 0)], "{ms}");
        assert_eq!((s.cwnd(), s.ssthresh()), (1, 5));
    }
    assert_eq!(s.connection.info().retries, 4);
}

#[test]
fn karn_takes_no_sample_of_what_was_sent_twice() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |_| {});
    s.connection.take_rtt_sample();
    s.at(1000);
    s.data_sent();
    s.at(1010).ack(10);
    assert_eq!(s.connection.take_rtt_sample(), None);
    assert_eq!(
        s.connection.info().rto,
        Duration::from_secs(2),
        "still backed off"
    );
    assert_eq!(s.data_sent(), new_data(10, 12));
    s.at(1110).ack(11);
    assert_eq!(
        s.connection.take_rtt_sample(),
        Some(Duration::from_millis(100))
    );
    assert_eq!(s.connection.info().rto, Duration::from_secs(1));
}

#[test]
fn an_acknowledgement_with_data_or_a_new_window_is_no_duplicate() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |_| {});
    s.data(0).data(1).data(2).data(3);
    for window in [7000, 6000, 5000] {
        s.window = window;
        s.ack(0);
    }
    assert_eq!(s.connection.counters().duplicate_acks_received, 0);
}

/// RFC 6675 §5, step 2: more than two segments reported above a hole speak for its loss, however
/// few the reports; where duplicates count by their number, three are awaited.
#[test]
fn one_report_of_four_segments_is_three_duplicates_to_rfc_6675_alone() {
    for (by_number, expected) in [(false, vec![(Fast, 0)]), (true, vec![])] {
        let mut s = ten_in_flight(RecoveryAlgorithm::Sack, |p| {
            sender(p).duplicates_by_number = by_number;
        });
        s.ack_sack(0, &[(1, 5)]);
        assert_eq!(s.data_sent(), expected);
        s.ack_sack(0, &[(1, 6)]).ack_sack(0, &[(1, 7)]);
        assert!(!by_number || s.data_sent().contains(&(Fast, 0)));
    }
}

/// Three losses in one window: what each algorithm makes of them on a real wire.
#[test]
fn sack_and_newreno_mend_three_losses_without_a_timeout() {
    let run = |recovery, threshold| {
        let p = rfc(|p| {
            sender(p).recovery = recovery;
            p.sack = recovery == RecoveryAlgorithm::Sack;
            p.duplicate_ack_threshold = threshold;
        });
        let mut lost = vec![60, 63, 66];
        let mut pair = Pair::upload(&p, 300 * MSS, move |from, s: &Segment, _| {
            let number = u64::from(s.seq.since(crate::Seq(1001))) / MSS;
            match lost.iter().position(|&n| n == number) {
                Some(i) if from == 0 && s.payload > 0 => {
                    lost.remove(i);
                    WireOutcome::Drop
                }
                _ => WireOutcome::Deliver,
            }
        });
        assert!(pair.run(LONG));
        pair.assert_complete();
        *pair.ends[0].connection.counters()
    };
    for threshold in [2, 3] {
        let sack = run(RecoveryAlgorithm::Sack, threshold);
        assert_eq!(
            (
                sack.timeouts,
                sack.fast_retransmissions,
                sack.fast_recoveries
            ),
            (0, 3, 1)
        );
        let newreno = run(RecoveryAlgorithm::NewReno, threshold);
        assert_eq!((newreno.timeouts, newreno.fast_retransmissions), (0, 3));
        assert_eq!(newreno.fast_recoveries, 1);
        let reno = run(RecoveryAlgorithm::Reno, threshold);
        assert!(reno.fast_recoveries > 1 || reno.timeouts > 0, "{reno:?}");
    }
}

/// RFC 5681 §4.1: an hour's silence says nothing good about the window of before.
#[test]
fn after_an_idle_time_the_window_starts_anew() {
    let mut s = Script::established(&rfc(|_| {}));
    s.write(3);
    assert_eq!(s.data_sent(), new_data(0, 3));
    s.at(10).ack(1).ack(2).ack(3);
    assert_eq!(
        s.cwnd(),
        5,
        "the last acknowledgement found less than half of it in use"
    );
    s.at(3_600_000).write(20);
    assert_eq!(s.data_sent().len(), 4, "IW of segments below 1096 bytes");
}

#[test]
fn a_silent_peer_ends_the_connection_after_the_retries_of_the_profile() {
    let mut p = profile("windows-2000").unwrap();
    p.mss_bytes = MSS as u32;
    let mut s = Script::established(&p);
    s.write(1);
    assert_eq!(s.data_sent(), new_data(0, 1));
    let mut retransmissions = 0;
    while s.connection.state() == crate::State::Established {
        s.at(s.connection.wake_at().as_nanos() / 1_000_000);
        retransmissions += s.data_sent().len();
    }
    assert_eq!(retransmissions, 5);
    assert_eq!(
        s.now.as_nanos() / 1_000_000,
        300 * (1 + 2 + 4 + 8 + 16 + 32)
    );
    let events: Vec<_> = core::iter::from_fn(|| s.connection.poll_event()).collect();
    assert_eq!(
        events.last(),
        Some(&crate::Event::Failed(crate::Failure::TimedOut))
    );
}

#[test]
fn a_new_acknowledgement_gives_all_retries_back() {
    let mut s = Script::established(&rfc(|p| p.data_retries = 2));
    for n in 0..5 {
        s.write(1);
        assert_eq!(s.data_sent(), [(Data, n)]);
        for _ in 0..2 {
            s.at(s.connection.wake_at().as_nanos() / 1_000_000);
            assert_eq!(s.data_sent(), [(Again, n)]);
        }
        s.ack(n + 1);
    }
    assert_eq!(s.connection.state(), crate::State::Established);
}

/// RFC 6582 §3.2 step 1: duplicates that do not reach beyond the last recovery start no other,
/// and limited transmit does not take them for an invitation either.
#[test]
fn limited_transmit_ends_at_the_threshold_even_if_no_recovery_begins() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |p| {
        sender(p).limited_transmit = true;
    });
    s.at(1000);
    assert_eq!(s.data_sent(), [(Again, 0)]);
    s.at(1010).ack(10);
    assert_eq!(s.data_sent(), new_data(10, 12));
    for _ in 0..6 {
        s.ack(10);
    }
    assert_eq!(s.data_sent(), new_data(12, 14));
    assert_eq!(s.connection.counters().fast_recoveries, 0);
}
