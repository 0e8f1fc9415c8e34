//! Segments that are spaced over the round trip, whatever the congestion control.

use units::Duration;

use super::bottleneck::{Bottleneck, Link, Loss};
use super::script::{MSS, Script, new_data, ten_in_flight};
use crate::{CongestionAlgorithm, InitialWindow, RecoveryAlgorithm, profile};

/// Returns when segments leave from now on, up to a time, each in nanoseconds.
fn departures(script: &mut Script, until_ms: u64) -> Vec<u64> {
    let mut times = Vec::new();
    loop {
        let sent = script.data_sent().len();
        times.extend(std::iter::repeat_n(script.now.as_nanos(), sent));
        let next = script.connection.wake_at();
        if next.as_nanos() > until_ms * 1_000_000 {
            return times;
        }
        script.now = next;
        script.connection.on_timer(next);
    }
}

/// The handshake took no time and the first round 80 ms, so that the smoothed round trip is an
/// eighth of that; in slow start two windows leave in it.
#[test]
fn in_slow_start_the_segments_of_two_windows_are_spread_over_a_round_trip() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |p| p.pacing = true);
    s.at(80).ack(10);
    let (times, cwnd) = (departures(&mut s, 100), s.cwnd());
    assert_eq!(times.len() as u64, cwnd);
    assert_eq!(times[0], 80_000_000);
    for gap in times.windows(2).map(|pair| pair[1] - pair[0]) {
        assert_eq!(gap, 10_000_000 / (2 * cwnd));
    }
}

#[test]
fn without_pacing_all_that_the_window_holds_leaves_at_once() {
    let mut s = ten_in_flight(RecoveryAlgorithm::NewReno, |_| {});
    s.at(80).ack(10);
    let cwnd = s.cwnd();
    assert_eq!(s.data_sent(), new_data(10, 10 + cwnd));
}

/// A window of 35 segments is less than the 40 that the path holds. Slow start's pairs still need a
/// queue for half of it; what leaves at twice a window in a round trip needs one at its end alone.
/// So it is for today's Linux as for the others, and for 4.4BSD, whose clock ticks twice a second.
#[test]
fn what_is_spaced_loses_little_to_a_short_queue_below_what_the_path_holds() {
    for (name, algorithm) in [
        ("rfc", CongestionAlgorithm::Reno),
        ("bsd-4.4", CongestionAlgorithm::Reno),
        ("linux-6", CongestionAlgorithm::Cubic),
        ("linux-6", CongestionAlgorithm::Reno),
    ] {
        let drops = [false, true].map(|pacing| {
            let mut sends = profile(name).expect("it is there");
            sends.congestion_control = algorithm;
            sends.pacing = pacing;
            sends.initial_window = InitialWindow::Segments(2);
            sends.mss_bytes = MSS as u32;
            sends.receive_window_bytes = 35 * MSS as u32;
            sends.send_buffer_bytes = 1_000_000;
            if let Some(linux) = sends.family.linux() {
                linux.receive_buffer_bytes = 70 * MSS as u32;
                linux.receive_buffer_max_bytes = 70 * MSS as u32;
            }
            let link = Link {
                byte_time: 1_000_000 / MSS,
                queue: 8,
                delay: [Duration::from_millis(20); 2],
                loss: Loss::None,
            };
            let mut network = Bottleneck::new(&[sends], link, 1);
            network.run_until(20.0);
            assert!(network.received()[0] > 5_000_000, "{name}");
            network.drops
        });
        assert!(
            drops[0] > 0 && 4 * drops[1] <= drops[0],
            "{name}, {algorithm:?}: {drops:?}"
        );
    }
}
