//! One wake-up per countdown against a count of every slot.

use proptest::prelude::*;

use super::*;

/// Returns when a station with `slots` to count transmits, counting each slot of each idle gap; the
/// gaps and the busy periods behind them in µs, the last gap without end.
fn transmits_at(mut slots: u64, gaps: &[(u64, u64)]) -> u64 {
    let mut begin = 0;
    for &(idle, busy) in gaps {
        let turns_busy = begin + idle;
        let noticed = turns_busy + 15;
        let mut boundary = begin + 50;
        loop {
            if slots == 0 && boundary < noticed {
                return boundary;
            }
            let slot_end = boundary + 20;
            let last_and_unnoticed = slots == 1 && slot_end < noticed;
            if slots == 0 || slot_end > turns_busy && !last_and_unnoticed {
                break;
            }
            slots -= 1;
            boundary = slot_end;
        }
        begin = turns_busy + busy;
    }
    begin + 50 + slots * 20
}

proptest! {
    #[test]
    fn one_wake_up_is_as_good_as_one_per_slot(
        slots in 0..200_u16,
        gaps in prop::collection::vec((1..900_u64, 1..2000_u64), 0..20),
    ) {
        let mut station = Contention::new(&DSSS_HR, 1023);
        station.on_busy(at(0));
        station.request_access(at(0), &mut draws(&[slots]));
        let start = 1000;
        let mut now = start;
        station.on_idle(at(now), &mut no_draw());
        for &(idle, busy) in &gaps {
            now += idle;
            // Unless granted before, or committed by the edge, the countdown goes on.
            if station.access_at() < at(now) {
                break;
            }
            station.on_busy(at(now));
            if station.access_at() != Time::NEVER {
                break;
            }
            now += busy;
            station.on_idle(at(now), &mut no_draw());
        }
        let expected = at(start + transmits_at(u64::from(slots), &gaps));
        prop_assert_eq!(station.access_at(), expected);
    }
}
