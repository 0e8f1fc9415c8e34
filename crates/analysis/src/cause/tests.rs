//! Segments out of sequence, and why they were retransmitted.

use super::*;

const MS: u64 = 1_000_000;

/// A segment that was sent once, 100 ms ago, over a path of 50 ms.
const AGAIN: Evidence = Evidence {
    phase: InferredPhase::Open,
    is_unseen: false,
    is_seen: true,
    is_acknowledged: false,
    is_sacked: false,
    follows_repair: false,
    is_outside: false,
    is_head: true,
    is_tail: false,
    has_sack: true,
    has_clock: false,
    is_in_syn: false,
    was_declined: false,
    is_unheard: false,
    backs_off: false,
    was_too_big: false,
    answers_third: false,
    reports_are_cut: false,
    times: 1,
    elapsed_ns: 100 * MS,
    quiet_ns: 0,
    unanswered_ns: 0,
    follows_ack: true,
    follows_progress: false,
    reaction_ns: 0,
    duplicates: 0,
    sacked_above: 0,
    mss: 1460,
    newer_delivered: false,
    is_old_packet: false,
    sent_before: None,
    min_rtt_ns: 50 * MS,
    smoothed_ns: 50 * MS,
    timeout_ns: 150 * MS,
};

#[test]
fn three_duplicates_are_a_fast_retransmission_and_fewer_are_rack() {
    assert_eq!(
        Evidence {
            duplicates: 3,
            ..AGAIN
        }
        .cause(),
        Cause::Fast
    );
    assert_eq!(
        Evidence {
            duplicates: 2,
            ..AGAIN
        }
        .cause(),
        Cause::Rack
    );
    assert_eq!(
        Evidence {
            sacked_above: 2921,
            ..AGAIN
        }
        .cause(),
        Cause::Fast
    );
    assert_eq!(
        Evidence {
            sacked_above: 1460,
            ..AGAIN
        }
        .cause(),
        Cause::Rack
    );
}

#[test]
fn silence_means_a_timer() {
    let silent = Evidence {
        elapsed_ns: 300 * MS,
        quiet_ns: 290 * MS,
        ..AGAIN
    };
    assert_eq!(silent.cause(), Cause::Timeout);
    let in_recovery = Evidence {
        phase: InferredPhase::Fast,
        duplicates: 5,
        ..silent
    };
    assert_eq!(in_recovery.cause(), Cause::Timeout);
}

#[test]
fn a_sender_that_is_set_off_by_an_acknowledgment_has_not_waited_for_its_timer() {
    let long_after = Evidence {
        elapsed_ns: 312 * MS,
        duplicates: 2,
        ..AGAIN
    };
    assert_eq!(long_after.cause(), Cause::Rack);
    let between_acks = Evidence {
        quiet_ns: 20 * MS,
        ..long_after
    };
    assert_eq!(between_acks.cause(), Cause::Timeout);
    let behind_others = Evidence {
        is_head: false,
        ..between_acks
    };
    assert_eq!(
        behind_others.cause(),
        Cause::Rack,
        "a timer repeats the first"
    );
    let in_recovery = Evidence {
        phase: InferredPhase::Timeout,
        times: 2,
        ..between_acks
    };
    assert!(in_recovery.is_new_timeout());
    let behind_progress = Evidence {
        duplicates: 0,
        unanswered_ns: 20 * MS,
        ..in_recovery
    };
    assert!(
        !behind_progress.is_new_timeout(),
        "the timer began anew 20 ms ago"
    );
}

#[test]
fn what_sack_has_just_told_to_be_missing_is_repaired_by_time_though_a_timer_may_be_due() {
    let told = Evidence {
        elapsed_ns: 250 * MS,
        unanswered_ns: 232 * MS,
        quiet_ns: 2 * MS,
        duplicates: 1,
        sacked_above: 1460,
        newer_delivered: true,
        ..AGAIN
    };
    assert_eq!(told.cause(), Cause::Timeout);
    let just_now = Evidence {
        unanswered_ns: 2 * MS,
        ..told
    };
    assert_eq!(just_now.cause(), Cause::Rack);
}

#[test]
fn what_was_sent_before_something_delivered_is_missed_by_time() {
    let overtaken = Evidence {
        newer_delivered: true,
        elapsed_ns: 250 * MS,
        ..AGAIN
    };
    for phase in [InferredPhase::Open, InferredPhase::Fast] {
        assert_eq!(Evidence { phase, ..overtaken }.cause(), Cause::Rack);
    }
    let after_silence = Evidence {
        quiet_ns: 220 * MS,
        ..overtaken
    };
    assert_eq!(after_silence.cause(), Cause::Timeout);
}

#[test]
fn the_tail_is_probed_before_the_timeout_by_those_who_use_sack() {
    let tail = Evidence {
        is_tail: true,
        quiet_ns: 60 * MS,
        ..AGAIN
    };
    assert_eq!(tail.cause(), Cause::TailProbe);
    assert_eq!(
        Evidence {
            has_sack: false,
            ..tail
        }
        .cause(),
        Cause::Unknown
    );
}

#[test]
fn what_the_receiver_had_was_sent_in_vain() {
    let had = Evidence {
        is_acknowledged: true,
        duplicates: 3,
        ..AGAIN
    };
    assert_eq!(had.cause(), Cause::NeedlessFast);
    let late = Evidence {
        is_sacked: true,
        quiet_ns: 300 * MS,
        ..AGAIN
    };
    assert_eq!(late.cause(), Cause::NeedlessTimeout);
    let tail = Evidence {
        is_acknowledged: true,
        is_tail: true,
        quiet_ns: 60 * MS,
        ..AGAIN
    };
    assert_eq!(tail.cause(), Cause::NeedlessProbe);
}

#[test]
fn a_gap_that_fills_at_once_was_reordering_unless_its_clock_says_otherwise() {
    let gap = Evidence {
        is_unseen: true,
        is_seen: false,
        elapsed_ns: 10 * MS,
        ..AGAIN
    };
    assert_eq!(gap.cause(), Cause::Reordering);
    let resent = Evidence {
        sent_before: Some(false),
        duplicates: 3,
        ..gap
    };
    assert_eq!(resent.cause(), Cause::Fast);
    let late = Evidence {
        elapsed_ns: 400 * MS,
        sent_before: Some(true),
        ..gap
    };
    assert_eq!(late.cause(), Cause::Reordering);
}

#[test]
fn a_copy_that_nobody_could_have_asked_for_was_doubled_on_the_way() {
    assert_eq!(
        Evidence {
            elapsed_ns: MS,
            ..AGAIN
        }
        .cause(),
        Cause::NetworkDuplicate
    );
    assert_ne!(
        Evidence {
            elapsed_ns: MS,
            sent_before: Some(false),
            ..AGAIN
        }
        .cause(),
        Cause::NetworkDuplicate,
        "it is younger than its successors"
    );
    assert_eq!(
        Evidence {
            is_old_packet: true,
            ..AGAIN
        }
        .cause(),
        Cause::NetworkDuplicate
    );
}

#[test]
fn a_copy_within_a_tick_waited_for_no_timer_however_short_the_path() {
    let on_one_host = Evidence {
        min_rtt_ns: 1_000,
        smoothed_ns: 1_000,
        timeout_ns: 3_000,
        ..AGAIN
    };
    let after = |elapsed_ns| Evidence {
        elapsed_ns,
        ..on_one_host
    };
    assert_eq!(after(5_000).cause(), Cause::Unknown);
    assert_eq!(after(MS).cause(), Cause::Timeout);
}

#[test]
fn where_reports_are_cut_off_the_silence_between_them_speaks_for_no_timer() {
    let unasked = Evidence {
        elapsed_ns: 160 * MS,
        ..AGAIN
    };
    assert_eq!(unasked.cause(), Cause::Timeout);
    let cut = Evidence {
        has_sack: false,
        reports_are_cut: true,
        ..unasked
    };
    assert_eq!(cut.cause(), Cause::Unknown);
    let asked = Evidence {
        duplicates: 3,
        ..cut
    };
    assert_eq!(
        asked.cause(),
        Cause::Fast,
        "duplicates are seen all the same"
    );
    let silent = Evidence {
        elapsed_ns: 300 * MS,
        quiet_ns: 290 * MS,
        ..cut
    };
    assert_eq!(silent.cause(), Cause::Timeout);
    let tail = Evidence {
        is_tail: true,
        ..silent
    };
    assert_eq!(tail.cause(), Cause::Unknown, "it may be a probe");
}

/// NewReno, or a sender that has undone a recovery: it remembers the duplicates before. The timer
/// began anew.
#[test]
fn what_follows_an_acknowledgment_of_something_new_at_once_waited_for_no_timer() {
    let repetition = Evidence {
        elapsed_ns: 160 * MS,
        ..AGAIN
    };
    assert_eq!(repetition.cause(), Cause::Timeout);
    let progress = Evidence {
        follows_progress: true,
        ..repetition
    };
    assert_eq!(progress.cause(), Cause::Rack);
    let behind_the_head = Evidence {
        is_head: false,
        ..progress
    };
    assert_eq!(behind_the_head.cause(), Cause::Timeout);
}
