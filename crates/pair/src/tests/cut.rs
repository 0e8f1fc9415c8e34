//! One capture whose snap length cuts the TCP options off, timestamps among them.

use super::*;

/// Ethernet, IPv4 and TCP without options.
const WITHOUT_OPTIONS: usize = 54;

/// A conversation with timestamps, of which the second segment was lost between the points and is
/// retransmitted at the end.
fn repaired() -> Vec<Sent> {
    let data = [1, 1001, 2001, 1001].map(|seq| Sent { seq, ..DATA });
    let mut sent = conversation(&data);
    for each in &mut sent {
        each.clock = Some(each.at_ms as u32);
    }
    sent
}

/// The packet that is lost in [`repaired`].
const LOST: usize = 5;

/// Returns what is told of [`repaired`] if the snap length cuts a capture: the first, the second,
/// or none.
fn told(cut: Option<usize>, change: impl Fn(&mut Capture)) -> Comparison {
    let mut both = Both::new();
    if let Some(point) = cut {
        both.0[point].kept = WITHOUT_OPTIONS;
    }
    change(&mut both.0[1]);
    both.see(&repaired(), |point, number| point == 0 || number != LOST)
        .told()
}

#[test]
fn a_capture_that_was_cut_is_matched_with_one_that_was_not() {
    let whole = told(None, |_| ());
    assert_eq!(counts(&whole), [[5, 1, 0, 0, 0, 0], [5, 0, 0, 0, 0, 0]]);
    for cut in [0, 1] {
        let told = told(Some(cut), |_| ());
        assert_eq!(counts(&told), counts(&whole), "{cut}");
        assert_eq!(
            fates(&told, PathDirection::Forth),
            fates(&whole, PathDirection::Forth),
            "{cut}"
        );
        assert_eq!(told.clock.clocks, Clocks::Same, "{cut}");
        assert_eq!(told.ways.each_ref().map(|way| way.ambiguous), [0, 0]);
    }
}

#[test]
fn its_connections_are_recognised_by_other_names_and_numbers() {
    let changes: [fn(&mut Capture); 2] = [
        |capture| capture.client = (Ipv4Addr::new(203, 0, 113, 7), 61_000),
        |capture| capture.shift = 3_000_000_000,
    ];
    for change in changes {
        let whole = told(None, change);
        for cut in [0, 1] {
            let told = told(Some(cut), change);
            assert_eq!(counts(&told), counts(&whole), "{cut}");
            assert_eq!(told.connections.len(), 1, "{cut}");
        }
    }
}
