//! Chains of several stages: the order of stages, filters, and that no packet is lost track of.

use std::num::NonZeroU64;

use units::{Duration, Time};

use super::trial::{ChainTrial, IP_BYTES, every, numbers, only};
use super::*;
use crate::chance::tests::MmixRandom;

fn loses(number: u64) -> Config {
    Config::Drop(drop::Config {
        probability: None,
        every: None,
        packets: NonZeroU64::new(number).map(|number| vec![number]),
    })
}

fn doubles() -> Config {
    Config::Duplicate(duplicate::Config {
        probability: 1.0,
        copies: [1, 1].into(),
    })
}

fn delays(millis: u64) -> Config {
    Config::Delay(delay::Config {
        delay: Duration::from_millis(millis),
        changes: None,
    })
}

fn puts_back(by: u32) -> Config {
    Config::Reorder(reorder::Config {
        probability: 1.0,
        displacement: [by, by].into(),
        within: Within::Link,
        longest_wait: Duration::from_millis(100),
    })
}

fn varies(lowest: u64, highest: u64, keep_order: bool) -> Config {
    Config::UniformDelay(uniform_delay::Config {
        delay: [lowest, highest].map(Duration::from_micros).into(),
        keep_order,
    })
}

fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

/// Returns what leaves of so many packets, a millisecond apart.
fn left(stages: &[Stage], packets: u32) -> Vec<(u32, Time)> {
    let mut trial = ChainTrial::of(stages);
    trial.send_every(Duration::from_millis(1), packets);
    trial.end()
}

#[test]
fn a_copy_may_be_lost_behind_the_stage_that_made_it_and_a_lost_packet_has_none() {
    let [copy, lose] = [every("copy", doubles()), every("lose", loses(1))];
    let copied_first = left(&[copy.clone(), lose.clone()], 2);
    assert_eq!(numbers(&copied_first), [0, 1, 1]);
    let lost_first = left(&[lose, copy], 2);
    assert_eq!(numbers(&lost_first), [1, 1]);
}

fn segment(payload: u32) -> Facts {
    let flags = SegmentFlags(SegmentFlags::ACK);
    Facts {
        flow: 0,
        traffic: None,
        ip_bytes: 40 + payload,
        protocol: CarriedProtocol::Tcp { payload, flags },
    }
}

#[test]
fn each_stage_counts_what_it_matches_and_sees_only_what_came_through_those_before() {
    let stages = [
        only("data", &[Match::TcpData], loses(2)),
        every("any", loses(3)),
    ];
    let mut trial = ChainTrial::of(&stages);
    for (number, payload) in (0..).zip([1460, 0, 1460, 1460, 0]) {
        trial.send(at(number), &segment(payload));
    }
    let through = numbers(&trial.end());
    assert_eq!(
        through,
        [0, 1, 4],
        "lost are the second with data, then the third that came to the second stage"
    );
    let count = |matched, dropped| StageCounts {
        matched,
        dropped,
        ..StageCounts::default()
    };
    assert_eq!(trial.counts("data"), count(3, 1));
    assert_eq!(trial.counts("any"), count(4, 1));
}

#[test]
fn a_packet_held_goes_on_at_the_next_stage() {
    let stages = [every("far", delays(10)), every("farther", delays(5))];
    assert_eq!(left(&stages, 2), [(0, at(15)), (1, at(16))]);
}

#[test]
fn a_copy_is_held_by_itself_after_the_stage_that_made_it() {
    let late = varies(0, 50_000, false);
    let both = [every("copy", doubles()), every("late", late.clone())];
    let times = left(&both, 100);
    let together = times.windows(2).filter(|two| two[0] == two[1]).count();
    assert!(together < 10, "each of a pair draws for itself: {together}");
    let both = [every("late", late), every("copy", doubles())];
    let times = left(&both, 100);
    assert!(times.chunks(2).all(|two| two[0] == two[1]));
}

#[test]
fn one_put_back_stands_right_behind_the_packet_that_overtook_it_last() {
    let third = every("third", puts_back(2));
    let mut first_only = third.clone();
    first_only.filter.until = Some(Duration::from_nanos(1));
    assert_eq!(numbers(&left(&[first_only], 4)), [1, 2, 0, 3]);
}

#[test]
fn what_follows_one_put_back_goes_through_the_later_stages_before_it() {
    let mut late = every("late", puts_back(1));
    late.filter.until = Some(Duration::from_nanos(1));
    let stages = [late, every("copy", doubles())];
    let left = left(&stages, 3);
    assert_eq!(numbers(&left), [1, 1, 0, 0, 2, 2]);
    assert_eq!(left[2].1, at(1), "at once");
}

#[test]
fn packets_that_a_filter_does_not_match_are_neither_held_nor_drawn_for() {
    let facts = |protocol| Facts {
        flow: 0,
        traffic: None,
        ip_bytes: IP_BYTES,
        protocol,
    };
    let send = |others: u64| {
        let stages = [
            only("late", &[Match::Udp], varies(10_000, 30_000, false)),
            only("copy", &[Match::Udp], doubles()),
            only("lose", &[Match::Udp], loses(7)),
        ];
        let mut trial = ChainTrial::of(&stages);
        for round in 0..100 {
            trial.send(at(round), &facts(CarriedProtocol::Udp));
            (0..others).for_each(|_| trial.send(at(round), &facts(CarriedProtocol::Icmp)));
        }
        trial.end()
    };
    let (alone, mixed) = (send(0), send(2));
    let is_udp = |&(number, _): &(u32, Time)| number % 3 == 0;
    let datagrams = mixed.iter().copied().filter(is_udp);
    let renumbered: Vec<_> = datagrams.map(|(number, at)| (number / 3, at)).collect();
    assert_eq!(renumbered, alone);
    let others: Vec<_> = mixed.into_iter().filter(|each| !is_udp(each)).collect();
    assert_eq!(others.len(), 200);
    assert!(
        others
            .iter()
            .all(|&(number, time)| time == at(u64::from(number / 3)))
    );
}

#[test]
fn stages_that_keep_order_keep_it_together_also_at_equal_times() {
    let steps = [
        every("one", varies(0, 3_000, true)),
        every("two", delays(2)),
        every("three", varies(0, 3_000, true)),
    ];
    let mut trial = ChainTrial::of(&steps);
    trial.send_every(Duration::from_micros(20), 2_000);
    let left = trial.end();
    assert_eq!(left.len(), 2_000);
    assert!(left.is_sorted_by_key(|&(number, _)| number));
}

/// A stage of any kind.
fn any(dice: &mut MmixRandom) -> Config {
    match dice.below(7) {
        0 => drop::Config {
            probability: Some(0.1),
            every: None,
            packets: None,
        }
        .into(),
        1 => delays(3),
        2 => varies(0, 5_000, dice.below(2) == 0),
        3 => reorder::Config {
            probability: 0.2,
            displacement: [1, 7].into(),
            within: [Within::Link, Within::Connection][dice.below(2) as usize],
            longest_wait: Duration::from_millis(4),
        }
        .into(),
        4 => duplicate::Config {
            probability: 0.2,
            copies: [1, 3].into(),
        }
        .into(),
        5 => bad_fcs::Config { probability: 0.2 }.into(),
        _ => rate::Config {
            rate: units::Rate::from_mbps(20.0),
            changes: None,
            packets: 5,
            bytes: None,
            counts: rate::RateUnit::Frames,
        }
        .into(),
    }
}

#[test]
fn damage_stays_with_a_packet_that_is_held_and_with_its_copies() {
    let garbled = bad_fcs::Config { probability: 1.0 };
    let stages = [
        every("garbled", garbled.into()),
        every("copies", doubles()),
        every("late", delays(2)),
    ];
    let mut trial = ChainTrial::of(&stages);
    trial.send_every(Duration::from_micros(400), 3);
    assert_eq!(trial.end().len(), 6);
    let expected = [0, 0, 1, 1, 2, 2].map(|number| (number, Damage::FCS));
    assert_eq!(trial.damaged(), expected);
}

#[test]
fn every_packet_and_copy_is_through_lost_or_held_whatever_the_stages() {
    let mut dice = MmixRandom(5);
    for _ in 0..200 {
        let number = dice.below(5) + 1;
        let names: Vec<String> = (0..number).map(|at| format!("stage-{at}")).collect();
        let stages: Vec<Stage> = names
            .iter()
            .map(|name| every(name, any(&mut dice)))
            .collect();
        let mut trial = ChainTrial::of(&stages);
        trial.send_in_turns(4, Duration::from_micros(400), 500);
        let counted = |trial: &ChainTrial, what: fn(&StageCounts) -> u64| -> u64 {
            names.iter().map(|name| what(&trial.counts(name))).sum()
        };
        let all = 500 + counted(&trial, |of| of.copies);
        assert_eq!(trial.told() + trial.held(), all, "{stages:?}");
        let through = trial.end().len() as u64;
        let lost = trial.lost().len() as u64;
        let all = 500 + counted(&trial, |of| of.copies);
        assert_eq!(through + lost, all, "{stages:?}");
        assert_eq!(lost, counted(&trial, |of| of.dropped), "{stages:?}");
    }
}
