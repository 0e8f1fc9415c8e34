//! Captures that were cut short or damaged.

use proptest::prelude::*;

use super::*;

/// A file with every option, in which the second segment is retransmitted.
fn file() -> Vec<u8> {
    let mut sent = conversation(&[1, 1001, 2001, 1001].map(|seq| Sent { seq, ..DATA }));
    let mut capture = Capture::new();
    for each in &mut sent {
        each.clock = Some(each.at_ms as u32);
        each.mss = each.syn.then_some(1460);
        each.report = (!each.is_client && each.ack == 3001).then_some((2001, 3001));
        capture.add(START + each.at_ms * MS, each);
    }
    capture.file.finish().unwrap()
}

fn compared(first: &[u8], second: &[u8]) -> Option<Comparison> {
    let files = [first, second];
    compare(
        |side| PacketReader::new(files[side]),
        PairLimits::default(),
        true,
    )
    .ok()
}

#[test]
fn a_capture_cut_at_any_byte_is_compared_with_the_whole() {
    let whole = file();
    assert_eq!(
        compared(&whole, &whole).unwrap().ways.map(|way| way.passed),
        [6, 5]
    );
    let mut seen = 0;
    for length in 0..whole.len() {
        let Some(told) = compared(&whole, &whole[..length]) else {
            continue;
        };
        let passed: u64 = told.ways.iter().map(|way| way.passed).sum();
        assert!((seen..=10).contains(&passed), "{length}");
        assert_eq!(passed, told.captures[1].tally.tcp);
        seen = passed;
    }
    assert_eq!(seen, 10);
}

proptest! {
    #[test]
    fn a_damaged_capture_is_compared_with_a_whole_one(damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20)) {
        let (whole, mut damaged) = (file(), file());
        for (at, value) in damage {
            let at = at.index(damaged.len());
            damaged[at] = value;
        }
        for told in [compared(&whole, &damaged), compared(&damaged, &whole)].into_iter().flatten() {
            let alone: u64 = told.packets_alone.iter().sum();
            prop_assert!(told.rows.fate.len() as u64 + alone >= told.captures[0].tally.tcp.max(told.captures[1].tally.tcp));
        }
    }
}
