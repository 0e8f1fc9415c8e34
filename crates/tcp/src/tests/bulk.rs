//! Bulk transfer over a good wire.

use units::Duration;

use super::pair::{Application, Fate, LONG, Pair};
use crate::{Event, Segment, profile, profile_names};

fn deliver(_: usize, _: &Segment, _: u64) -> Fate {
    Fate::Deliver
}

#[test]
fn every_profile_talks_to_every_other() {
    for a in profile_names() {
        for b in profile_names() {
            let profiles = [&profile(a).unwrap(), &profile(b).unwrap()];
            let applications = [Application::sends(200_000), Application::sends(70_000)];
            let mut pair = Pair::new(profiles, Default::default(), [7, 8], applications, deliver);
            assert!(pair.run(LONG));
            pair.assert_complete();
            let events = &pair.ends[0].events;
            assert_eq!(events.first(), Some(&Event::Established), "{a} to {b}");
        }
    }
}

#[test]
fn a_greedy_sender_fills_every_segment_but_the_last() {
    for window in [17_520, 65_535, 400_000] {
        let mut p = profile("rfc").unwrap();
        p.receive_window_bytes = window;
        p.send_buffer_bytes = 1 << 20;
        let mut pair = Pair::upload(&p, 3_000_000, deliver);
        pair.run(LONG);
        pair.assert_complete();
        let short = pair.data_sent(0).filter(|s| s.payload != 1460).count();
        assert_eq!(short, usize::from(3_000_000 % 1460 != 0), "window {window}");
    }
}

#[test]
fn a_clean_wire_sees_no_retransmission_and_half_as_many_acknowledgements() {
    let mut pair = Pair::upload(&profile("windows-xp").unwrap(), 1_460_000, deliver);
    pair.run(LONG);
    let (sender, receiver) = (
        pair.ends[0].connection.counters(),
        pair.ends[1].connection.counters(),
    );
    assert_eq!(sender.data_segments_sent, 1000);
    assert_eq!(sender.bytes_retransmitted, 0);
    assert_eq!(sender.duplicate_acks_received, 0);
    assert!((495..=510).contains(&receiver.acks_sent), "{receiver:?}");
    assert_eq!(receiver.window_updates_sent, 0);
}

#[test]
fn a_scaled_window_carries_more_than_64_kb() {
    let mut p = profile("rfc").unwrap();
    p.receive_window_bytes = 1 << 20;
    p.send_buffer_bytes = 1 << 21;
    let mut pair = Pair::upload(&p, 20_000_000, deliver);
    let mut most = 0;
    for ms in (0..4000).step_by(10) {
        pair.run(Duration::from_millis(ms));
        most = most.max(pair.ends[0].connection.info().in_flight_bytes);
    }
    pair.run(LONG);
    pair.assert_complete();
    assert!(most > 900_000, "{most}");
}

#[test]
fn timestamps_cost_twelve_bytes_of_each_segment_and_measure_every_acknowledgement() {
    let mut p = profile("rfc").unwrap();
    p.timestamps = true;
    let mut pair = Pair::upload(&p, 1_448_000, deliver);
    pair.run(LONG);
    pair.assert_complete();
    assert!(
        pair.data_sent(0)
            .all(|s| s.payload == 1448 && s.total_bytes() == 1480)
    );
    let counters = pair.ends[0].connection.counters();
    assert!(counters.rtt_samples > 450, "{counters:?}");
    let srtt = pair.ends[0].connection.info().srtt.unwrap();
    assert!(srtt >= Duration::from_millis(20) && srtt < Duration::from_millis(80));
}

#[test]
fn without_timestamps_one_segment_per_round_trip_is_timed() {
    let mut pair = Pair::upload(&profile("windows-xp").unwrap(), 1_460_000, deliver);
    pair.run(LONG);
    let samples = pair.ends[0].connection.counters().rtt_samples;
    assert!(
        (84..=100).contains(&samples),
        "{samples} for 1000 segments in windows of 12"
    );
}

#[test]
fn sequence_numbers_go_round_in_the_middle_of_a_transfer() {
    let p = profile("rfc").unwrap();
    let isns = [u32::MAX - 300_000, u32::MAX - 10];
    let applications = [Application::sends(1_000_000), Application::sends(50_000)];
    let lossy = |_: usize, _: &Segment, n: u64| {
        if n % 37 == 20 {
            Fate::Drop
        } else {
            Fate::Deliver
        }
    };
    let mut pair = Pair::new([&p; 2], Default::default(), isns, applications, lossy);
    assert!(pair.run(LONG));
    pair.assert_complete();
}

#[test]
fn acknowledgements_ride_on_data_going_the_other_way() {
    let p = profile("rfc").unwrap();
    let applications = [Application::sends(500_000), Application::sends(500_000)];
    let mut pair = Pair::new([&p; 2], Default::default(), [1, 2], applications, deliver);
    pair.run(LONG);
    pair.assert_complete();
    let counters = pair.ends[0].connection.counters();
    assert!(
        counters.acks_sent < counters.data_segments_sent / 2,
        "{counters:?}"
    );
}

/// Mathis et al. (1997): random loss of rate p and a window that grows by a segment per round
/// trip give sqrt(1.5 / p) segments per round trip. The formula knows no timeouts and no
/// granularity of segments; agreement within a factor of 1.3 is what it is good for.
#[test]
fn random_loss_gives_the_throughput_of_the_square_root_formula() {
    let mut p = profile("rfc").unwrap();
    p.receive_window_bytes = 1 << 20;
    p.send_buffer_bytes = 1 << 21;
    for (one_in, segments) in [(50, 8000), (200, 20_000), (1000, 200_000)] {
        let mut state = 1u64;
        let mut pair = Pair::upload(&p, segments * 1460, move |from, _, _| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            if from == 0 && (state >> 33).is_multiple_of(one_in) {
                Fate::Drop
            } else {
                Fate::Deliver
            }
        });
        pair.delay = Duration::from_millis(100);
        pair.run(LONG);
        pair.assert_complete();
        let in_vain = pair.ends[1]
            .connection
            .counters()
            .duplicate_segments_received;
        assert!(
            in_vain <= 5 * pair.ends[0].connection.counters().timeouts,
            "{in_vain}"
        );
        let last = pair.log.iter().rfind(|s| s.2.payload > 0).unwrap().0;
        let per_round_trip = segments as f64 * 0.2 / last.as_secs_f64();
        let ratio = per_round_trip / (1.5 * one_in as f64).sqrt();
        assert!((1.0 / 1.3..1.3).contains(&ratio), "1/{one_in}: {ratio}");
    }
}
