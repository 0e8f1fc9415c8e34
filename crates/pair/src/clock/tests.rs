//! Clocks that are apart and drift, and what packets tell of them.

use proptest::prelude::*;

use super::*;

const SECOND: u64 = 1_000_000_000;

/// Packets each 10 ms for a minute, 2 ms and 3 ms under way at least, seen by a second
/// clock that is ahead by `offset` and drifts.
fn estimate(offset: i64, drift: f64, extra: impl Fn(u64) -> [u64; 2]) -> ClockEstimate {
    let mut estimator = ClockEstimator::default();
    let second = |time: u64| (time as i64 + offset + (time as f64 * drift) as i64) as u64;
    for step in 0..6000 {
        let (sent, [forth, back]) = (100 * SECOND + step * SECOND / 100, extra(step));
        estimator.add(sent, second(sent + 2_000_000 + forth), true);
        estimator.add(sent + 3_000_000 + back, second(sent), false);
    }
    estimator.estimate(0).expect("many packets")
}

#[test]
fn clocks_that_nothing_contradicts_are_the_same() {
    let clock = estimate(0, 0.0, |step| [step % 7 * 1000, 0]);
    assert_eq!(
        (clock.clocks, clock.offset_ns, clock.drift_ppm),
        (Clocks::Same, 0, 0.0)
    );
    let error = clock.error_ns.expect("both directions");
    assert!((3_000_000..3_001_000).contains(&error), "{error}");
}

#[test]
fn an_offset_is_known_but_for_the_asymmetry_of_the_path() {
    let clock = estimate(3_600_000_000_000, 0.0, |step| {
        [step % 11 * 100_000, step % 7 * 90_000]
    });
    assert_eq!(clock.clocks, Clocks::Aligned);
    let wrong = clock.offset_ns - 3_600_000_000_000;
    assert!(
        (wrong + 500_000).abs() < 1_000,
        "half of 2 ms less 3 ms: {wrong}"
    );
    assert!(clock.error_ns.expect("both directions") >= 500_000);
    assert!(clock.drift_ppm.abs() < 1e-3, "{}", clock.drift_ppm);
}

#[test]
fn a_drift_is_found_though_one_queue_fills_up() {
    let clock = estimate(-50_000_000, 40e-6, |step| {
        [step * 100_000, step % 7 * 90_000]
    });
    assert!((clock.drift_ppm - 40.0).abs() < 0.01, "{}", clock.drift_ppm);
    let [least, most] = clock.drift_bounds_ppm.expect("both directions");
    assert!(least <= 40.0 && 40.0 <= most, "{least} {most}");
}

#[test]
fn one_direction_gives_delays_above_the_smallest() {
    let mut estimator = ClockEstimator::default();
    for step in 0..100 {
        let sent = step * SECOND;
        estimator.add(sent, sent + 7_000_000 + step % 3 * 1000, true);
    }
    let clock = estimator.estimate(0).expect("packets");
    assert_eq!((clock.clocks, clock.offset_ns), (Clocks::OneWay, 7_000_000));
    assert_eq!((clock.error_ns, clock.drift_bounds_ppm), (None, None));
}

#[test]
fn a_clock_that_was_set_is_told_so() {
    let mut estimator = ClockEstimator::default();
    for step in 0..100 {
        let sent = step * SECOND;
        let jump = if step < 50 { 0 } else { SECOND };
        estimator.add(sent, sent + jump + 1_000_000, true);
        estimator.add(sent + 1_000_000, sent + jump, false);
    }
    let clock = estimator.estimate(0).expect("packets");
    assert_eq!((clock.clocks, clock.error_ns), (Clocks::Uneven, None));
    assert!(
        clock.contradiction_ns > 100_000_000,
        "{}",
        clock.contradiction_ns
    );
}

#[test]
fn times_of_whole_microseconds_may_cross() {
    let mut estimator = ClockEstimator::default();
    estimator.add(10_000, 9_000, true);
    estimator.add(20_000, 19_000, false);
    let clock = estimator.estimate(1_000).expect("packets");
    assert_eq!(clock.clocks, Clocks::Same);
}

proptest! {
    /// The truth lies within the bounds that are given, whatever the delays.
    #[test]
    fn the_truth_lies_within_the_bounds(
        offset in -10_000_000_000_i64..10_000_000_000,
        drift in -1e-4_f64..1e-4,
        delays in proptest::collection::vec((0_u64..50_000_000, 0_u64..50_000_000), 2..200),
    ) {
        let mut estimator = ClockEstimator::default();
        let true_offset = |time: u64| offset + (time as f64 * drift).round() as i64;
        let second = |time: u64| (time as i64 + true_offset(time)) as u64;
        for (step, &(forth, back)) in (0_u64..).zip(&delays) {
            let sent = 1000 * SECOND + step * SECOND;
            estimator.add(sent, second(sent + forth), true);
            estimator.add(sent + back, second(sent), false);
        }
        let clock = estimator.estimate(0).expect("packets");
        prop_assert_ne!(clock.clocks, Clocks::Uneven);
        let start = 1000 * SECOND;
        let wrong = clock.line.offset(second(start)) - true_offset(start);
        let error = clock.error_ns.expect("both directions");
        prop_assert!(wrong.abs() <= error + 2, "{wrong} {error}");
        let [least, most] = clock.drift_bounds_ppm.expect("both directions");
        // The drift is told of the second clock's time.
        let told = drift / (1.0 + drift) * 1e6;
        prop_assert!(least - 1e-3 <= told && told <= most + 1e-3, "{least} {told} {most}");
    }
}
