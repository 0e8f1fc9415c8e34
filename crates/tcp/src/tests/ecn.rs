//! Explicit congestion notification between two ends (RFC 3168); Linux's is held to scripts in
//! `tests/scripts/ecn`.

use super::pair::{LONG, Pair, WireOutcome};
use crate::{Ecn, EcnUse, Flags, Profile, SendCause, profile};

fn with_ecn(name: &str, ecn: EcnUse) -> Profile {
    Profile {
        ecn,
        ..profile(name).expect("it exists")
    }
}

/// An upload of which the wire marks the data segments of these numbers.
fn upload(profile: &Profile, bytes: u64, marks: &'static [u64]) -> Pair {
    let mut data = 0;
    let mut pair = Pair::upload(profile, bytes, move |_, segment, _| {
        let number = data;
        data += u64::from(segment.payload > 0);
        if segment.payload > 0 && marks.contains(&number) {
            WireOutcome::Mark
        } else {
            WireOutcome::Deliver
        }
    });
    assert!(pair.run(LONG));
    assert_eq!(pair.ends[1].received, bytes);
    pair
}

#[test]
fn a_mark_reduces_the_window_of_every_stack_once_and_nothing_is_retransmitted() {
    for name in ["rfc", "bsd-4.4", "linux-2.4", "windows-xp", "linux-6"] {
        let pair = upload(&with_ecn(name, EcnUse::On), 400_000, &[20, 22]);
        let counters = pair.ends[0].connection.counters();
        assert_eq!(counters.ecn_reductions, 1, "{name}");
        let again = counters.fast_retransmissions + counters.timeout_retransmissions;
        assert_eq!(again, 0, "{name}");
        let marked = pair.ends[1].connection.counters().marked_segments_received;
        assert_eq!(marked, 2, "{name}");
        let tells = |flag: Flags, end: usize| {
            let sent = pair.log.iter().filter(|(_, from, ..)| *from == end);
            sent.filter(|(_, _, segment, _)| {
                segment.flags.contains(flag) && !segment.flags.contains(Flags::SYN)
            })
            .count()
        };
        assert_eq!(tells(Flags::CWR, 0), 1, "{name}");
        assert!(tells(Flags::ECE, 1) >= 2, "{name}");
    }
}

/// RFC 3168 §6.1.2: not more than once in a window of data.
#[test]
fn marks_a_round_trip_apart_reduce_again() {
    let pair = upload(&with_ecn("rfc", EcnUse::On), 2_000_000, &[20, 500, 1000]);
    assert_eq!(pair.ends[0].connection.counters().ecn_reductions, 3);
}

/// RFC 3168 §6.1.1, §6.1.4 and §6.1.5.
#[test]
fn only_new_data_of_those_who_agreed_are_capable() {
    for (ecn, are_capable) in [
        (EcnUse::On, true),
        (EcnUse::Passive, false),
        (EcnUse::Off, false),
    ] {
        let pair = upload(&with_ecn("linux-6", ecn), 50_000, &[]);
        for (_, _, segment, _) in &pair.log {
            let is_capable = segment.ecn == Ecn::Capable;
            assert_eq!(is_capable, are_capable && segment.kind == SendCause::Data);
        }
    }
}
