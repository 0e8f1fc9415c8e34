//! Memory that a connection leaves to the next one to the same host.

use units::Time;

use super::script::{MSS, OWN, PEER, Script, ten_in_flight};
use crate::{Connection, ConnectionOptions, Event, Flags, Options, Profile, RecoveryAlgorithm};
use crate::{Segment, profile};

fn linux_2_4(remembers: bool) -> Profile {
    let mut linux = profile("linux-2.4").unwrap();
    linux.mss_bytes = MSS as u32;
    linux.timestamps = false;
    if let crate::Family::Linux2(stack) = &mut linux.family {
        stack.remembers_ssthresh = remembers;
    }
    linux
}

/// The slow start threshold, in segments, of a connection that recalls one.
fn ssthresh_after_recalling(profile: &Profile, segments: u64) -> u64 {
    let mut next = Connection::connect(Time::ZERO, profile, &ConnectionOptions::default(), OWN.0);
    next.recall_ssthresh(segments * MSS);
    next.poll_segment(Time::ZERO).expect("the SYN");
    next.on_segment(
        Time::ZERO,
        &Segment {
            seq: PEER,
            ack: OWN + 1,
            flags: Flags::SYN | Flags::ACK,
            window: 65_535,
            options: Options {
                mss: Some(MSS as u16),
                ..Options::default()
            },
            ..Segment::default()
        },
    );
    next.info().ssthresh_bytes / MSS
}

#[test]
fn a_stack_that_remembers_ends_slow_start_where_it_is_told() {
    assert_eq!(ssthresh_after_recalling(&linux_2_4(true), 7), 7);
    let others = u64::MAX / MSS;
    assert_eq!(ssthresh_after_recalling(&linux_2_4(false), 7), others);
    assert_eq!(
        ssthresh_after_recalling(&profile("rfc").unwrap(), 7),
        others
    );
}

/// `tcp_update_metrics`: a window that never met a loss teaches nothing new, and lifts what is known
/// to its half.
#[test]
fn a_connection_that_never_left_slow_start_lifts_what_is_known() {
    let s = ten_in_flight(RecoveryAlgorithm::Reno, |_| {});
    assert_eq!(s.cwnd(), 10);
    assert_eq!(s.connection.ssthresh_to_remember(None), None);
    let known = |segments: u64| s.connection.ssthresh_to_remember(Some(segments * MSS));
    assert_eq!(known(3), Some(5 * MSS));
    assert_eq!(known(8), Some(8 * MSS));
}

#[test]
fn a_loss_that_is_mended_teaches_the_threshold_and_one_that_is_not_only_lifts_it() {
    let mut s = ten_in_flight(RecoveryAlgorithm::Reno, |_| {});
    for _ in 0..3 {
        s.ack(0);
    }
    s.data_sent();
    assert_eq!(s.ssthresh(), 5);
    let remembered = |s: &Script, known: Option<u64>| {
        (s.connection.ssthresh_to_remember(known.map(|n| n * MSS))).map(|bytes| bytes / MSS)
    };
    assert_eq!(remembered(&s, None), None);
    assert_eq!(remembered(&s, Some(3)), Some(5));

    s.at(20).ack(10);
    s.write(100);
    s.data_sent();
    s.at(40).ack(13);
    s.data_sent();
    s.at(60).ack(15);
    assert!(s.cwnd() > 5, "{}", s.cwnd());
    assert_eq!(remembered(&s, None), Some(5));
    assert_eq!(
        remembered(&s, Some(9)),
        Some(5),
        "what was known has no say"
    );
}

#[test]
fn the_end_that_closes_first_is_told_before_it_waits_and_the_other_as_it_ends() {
    let mut first = Script::established(&linux_2_4(true));
    events(&mut first);
    first.connection.close(first.now);
    let fin = first.sent()[0];
    first.receive(answer(&fin, Flags::ACK | Flags::FIN));
    assert_eq!(events(&mut first), [Event::PeerClosed, Event::Finished]);

    let mut second = Script::established(&linux_2_4(true));
    events(&mut second);
    second.fin(0);
    second.connection.close(second.now);
    let fin = second.sent().pop().expect("its FIN");
    assert_eq!(events(&mut second), [Event::PeerClosed]);
    let mut last = answer(&fin, Flags::ACK);
    last.seq += 1;
    second.receive(last);
    assert_eq!(events(&mut second), [Event::Finished, Event::Closed]);
}

/// The peer's acknowledgement of our FIN.
fn answer(fin: &Segment, flags: Flags) -> Segment {
    Segment {
        seq: PEER + 1,
        ack: fin.seq + 1,
        flags,
        ..*fin
    }
}

fn events(script: &mut Script) -> Vec<Event> {
    std::iter::from_fn(|| script.connection.poll_event()).collect()
}
