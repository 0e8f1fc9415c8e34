//! Frames lost by list: packet diagrams of what a loss on the air does, told from the attempts.

use dot11::{FrameKind, MacConfig, Mode};
use lab::AttemptOutcome::{Corrupted, Duplicate, Received};
use lab::{AttemptKind, AttemptOutcome, LossPlan, Plan, Record};
use units::{Duration, Rate};

use crate::common::{bss, flow, mac, radio_of, udp};
use crate::real::ht;

const AP: usize = 1;
const STATION: usize = 2;

/// A list called "listed" that names no frame in particular.
fn anything() -> LossPlan {
    LossPlan {
        name: "listed".into(),
        senders: Vec::new(),
        receivers: Vec::new(),
        frames: Vec::new(),
        msdu: Vec::new(),
        fragment: Vec::new(),
        attempt: Vec::new(),
        number: Vec::new(),
    }
}

/// A datagram of 1000 bytes every 8 ms from a station to the server, and these frames lost.
fn datagrams(config: &MacConfig, lists: Vec<LossPlan>) -> Plan {
    let mut plan = bss(config, 1, 2);
    plan.warmup_ns = Duration::ZERO;
    let every_8_ms = udp(1000, Some(Rate::from_mbps(1.0)));
    plan.flows.push(flow("up", STATION, 0, every_8_ms));
    plan.air.as_mut().expect("there are radios").lose = lists;
    plan.tables.attempts = true;
    plan
}

fn run(config: &MacConfig, lists: Vec<LossPlan>) -> Record {
    lab::run(&datagrams(config, lists), 1, None).expect("no files are written")
}

/// Kind, fragment number and fate of the attempts at the MSDU of a sequence number.
fn attempts(record: &Record, sequence: u16) -> Vec<(u8, AttemptOutcome)> {
    let rows = record.attempts.iter();
    rows.filter(|row| row.kind == AttemptKind::Data && row.sequence == sequence)
        .map(|row| (row.fragment, row.outcome))
        .collect()
}

fn plain() -> MacConfig {
    mac(Mode::CCK_11, Mode::DSSS_2)
}

#[test]
fn the_first_two_attempts_at_the_third_msdu_are_lost_and_nothing_else() {
    let record = run(
        &plain(),
        vec![LossPlan {
            senders: vec![STATION],
            frames: vec![FrameKind::Data],
            msdu: vec![3],
            attempt: vec![1, 2],
            ..anything()
        }],
    );
    let third = [(0, Corrupted), (0, Corrupted), (0, Received)];
    assert_eq!(attempts(&record, 2), third);
    let lost = (record.attempts.iter()).filter(|row| row.outcome != Received);
    assert_eq!(lost.count(), 2);
    let metrics = &record.metrics;
    assert_eq!(metrics["lose.listed.matched"], 2.0);
    assert_eq!(metrics["lose.listed.lost"], 2.0);
    assert_eq!(metrics["lose.listed.never_came"], 0.0);
}

#[test]
fn the_ack_of_the_second_msdus_first_attempt_is_lost_and_the_duplicate_acknowledged() {
    let record = run(
        &plain(),
        vec![LossPlan {
            senders: vec![AP],
            receivers: vec![STATION],
            frames: vec![FrameKind::Ack],
            msdu: vec![2],
            attempt: vec![1],
            ..anything()
        }],
    );
    // There is no third attempt: the duplicate is acknowledged.
    assert_eq!(attempts(&record, 1), [(0, Received), (0, Duplicate)]);
    assert_eq!(record.metrics["node.ap.duplicates"], 1.0);
}

#[test]
fn of_a_lost_second_fragment_the_first_is_not_retransmitted() {
    let fragments = MacConfig {
        fragmentation_threshold: 600,
        ..plain()
    };
    let record = run(
        &fragments,
        vec![LossPlan {
            msdu: vec![1],
            fragment: vec![2],
            attempt: vec![1],
            frames: vec![FrameKind::Data],
            ..anything()
        }],
    );
    let first = [(0, Received), (1, Corrupted), (1, Received)];
    assert_eq!(attempts(&record, 0), first);
    assert_eq!(attempts(&record, 1), [(0, Received), (1, Received)]);
}

#[test]
fn an_rts_whose_cts_is_lost_is_repeated_before_the_first_attempt_at_the_data() {
    let with_rts = MacConfig {
        rts_threshold: 500,
        ..plain()
    };
    let record = run(
        &with_rts,
        vec![LossPlan {
            frames: vec![FrameKind::Cts],
            msdu: vec![1],
            attempt: vec![1],
            ..anything()
        }],
    );
    let kinds: Vec<_> = record.attempts[..5].iter().map(|row| row.kind).collect();
    use AttemptKind::{Data, Rts};
    assert_eq!(kinds, [Rts, Rts, Data, Rts, Data]);
}

/// The third datagram is lost for good, and so is what tells of it: the twelve that come within 100 ms
/// of the fourth wait with it.
#[test]
fn what_comes_behind_a_frame_lost_for_good_waits_for_a_tenth_of_a_second() {
    let once = MacConfig {
        short_retry_limit: 1,
        ..ht()
    };
    let third = LossPlan {
        senders: vec![STATION],
        frames: vec![FrameKind::Data],
        number: vec![3],
        ..anything()
    };
    let requests = LossPlan {
        name: "requests".into(),
        frames: vec![FrameKind::BlockAckRequest],
        ..anything()
    };
    let metrics = run(&once, vec![third, requests]).metrics;
    assert_eq!(metrics["lose.requests.lost"], 1.0);
    assert_eq!(metrics["node.ap.released_msdus"], 13.0);
    assert_eq!(metrics["node.sta-1.drops_retry_limit"], 1.0);
}

#[test]
fn beacons_are_lost_by_their_number_alone() {
    let beacons = |lists: Vec<LossPlan>| {
        let mut plan = datagrams(&plain(), lists);
        radio_of(&mut plan, AP).beacon_interval_ns = Some(Duration::from_millis(100));
        lab::run(&plan, 1, None)
            .expect("no files are written")
            .metrics
    };
    let listed = |msdu: Vec<u64>| LossPlan {
        frames: vec![FrameKind::Beacon],
        msdu,
        number: vec![2, 4],
        ..anything()
    };
    let metrics = beacons(vec![listed(Vec::new())]);
    assert!(metrics["lose.listed.matched"] > 10.0);
    assert_eq!(metrics["lose.listed.lost"], 2.0);
    // A beacon carries no MSDU.
    assert_eq!(beacons(vec![listed(vec![2])])["lose.listed.matched"], 0.0);
}

#[test]
fn a_list_that_loses_a_frame_hides_it_from_those_after_it() {
    let second = LossPlan {
        name: "second".into(),
        msdu: vec![1],
        ..anything()
    };
    let first = LossPlan {
        name: "first".into(),
        attempt: vec![1],
        ..second.clone()
    };
    let metrics = run(&plain(), vec![first, second]).metrics;
    // The data; then of the second attempt and all later ones the data.
    assert_eq!(metrics["lose.first.lost"], 1.0);
    assert_eq!(metrics["lose.second.lost"], 6.0);
    assert_eq!(metrics["node.sta-1.drops_retry_limit"], 1.0);
}

#[test]
fn what_is_listed_and_never_comes_is_counted() {
    let never_came = |list: LossPlan| {
        let metrics = run(&plain(), vec![list]).metrics;
        metrics["lose.listed.never_came"]
    };
    let frames_of = |msdu: Vec<u64>, fragment: Vec<u64>| LossPlan {
        msdu,
        fragment,
        ..anything()
    };
    assert_eq!(never_came(frames_of(vec![2, 1_000_000], vec![1])), 1.0);
    assert_eq!(never_came(frames_of(vec![2], vec![2])), 2.0);
    let no_beacons = LossPlan {
        frames: vec![FrameKind::Beacon],
        ..anything()
    };
    assert_eq!(never_came(no_beacons), 1.0);
}

#[test]
fn a_list_that_meets_nothing_changes_nothing() {
    let without = run(&plain(), Vec::new());
    let listed = run(
        &plain(),
        vec![LossPlan {
            msdu: vec![1_000_000],
            ..anything()
        }],
    );
    assert_eq!(without.attempts, listed.attempts);
}
