//! Whatever the network does, the application gets the bytes that were sent, once, in order.
//!
//! The wire of [`Pair`] checks at every step that no sender passes the peer's window, that
//! cwnd is at least a segment, and that no receiver has more than what arrived without a gap.

use core::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use units::Duration;

use super::pair::{Application, Fate, LONG, Pair};
use crate::{CongestionAlgorithm, ConnectionOptions, Profile, RecoveryAlgorithm, RtoEstimator};
use crate::{WindowValidation, profile, profile_names};

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let ms = |range: Range<u64>| range.prop_map(Duration::from_millis);
    let fate = prop_oneof![
        6 => Just(Fate::Deliver),
        2 => Just(Fate::Drop),
        1 => ms(0..60).prop_map(Fate::Late),
        1 => ms(100..4000).prop_map(Fate::Late),
        1 => ms(0..100).prop_map(Fate::Twice),
    ];
    vec(fate, 0..150)
}

/// What else a stack may be made of, whatever its name.
fn mixed_profiles() -> impl Strategy<Value = Profile> {
    let congestion = prop::sample::select(vec![
        CongestionAlgorithm::Reno,
        CongestionAlgorithm::Cubic,
        CongestionAlgorithm::Vegas,
        CongestionAlgorithm::Westwood,
    ]);
    let validation = prop::sample::select(vec![
        WindowValidation::Off,
        WindowValidation::Half,
        WindowValidation::Full,
        WindowValidation::Linux,
    ]);
    let estimator = prop::sample::select(vec![
        RtoEstimator::Rfc6298,
        RtoEstimator::Linux,
        RtoEstimator::Bsd,
        RtoEstimator::FreeBsd,
    ]);
    let switches = any::<(bool, bool, bool, bool, bool)>();
    let numbers = (
        0u32..4,
        0u32..20,
        prop_oneof![Just(0u32), 3u32..20],
        40u32..200,
    );
    let parts = (congestion, validation, estimator, switches, numbers);
    (named_profiles(), parts).prop_map(
        |(profile, (congestion_control, window_validation, rto_estimator, switches, numbers))| {
            Profile {
                congestion_control,
                window_validation,
                rto_estimator,
                dsack: switches.0,
                probes_with_data: switches.0,
                nagle_small_only: switches.1,
                frto: switches.1,
                timestamp_undo: switches.2,
                rtt_of_every_segment: switches.3,
                byte_counting: switches.4,
                tail_loss_probe: switches.0,
                counts_segments: switches.1,
                hystart: switches.2,
                offload_segments: if switches.3 { 65_535 } else { 1 },
                decays_when_idle: switches.3,
                data_retries_as_time: switches.4,
                reduces_window: switches.4,
                slow_start_limit_segments: numbers.0,
                quick_acks: numbers.1,
                reordering_max: numbers.2,
                delayed_ack_min_ms: numbers.3,
                ..profile
            }
        },
    )
}

fn profiles() -> impl Strategy<Value = Profile> {
    prop_oneof![named_profiles(), mixed_profiles()]
}

fn named_profiles() -> impl Strategy<Value = Profile> {
    let recovery = prop_oneof![
        Just(RecoveryAlgorithm::Tahoe),
        Just(RecoveryAlgorithm::Reno),
        Just(RecoveryAlgorithm::NewReno),
        Just(RecoveryAlgorithm::Sack),
        Just(RecoveryAlgorithm::Rack),
    ];
    let name = prop::sample::select(profile_names());
    let buffers = (prop_oneof![1u32..3000, 3000u32..200_000], 1000u32..200_000);
    let switches = any::<(bool, bool, bool, bool, bool)>();
    (name, recovery, buffers, switches, 1u32..4).prop_map(
        |(name, recovery, buffers, switches, duplicate_ack_threshold)| Profile {
            recovery,
            receive_window_bytes: buffers.0,
            send_buffer_bytes: buffers.1,
            window_scaling: switches.0,
            timestamps: switches.1,
            sack: switches.2,
            limited_transmit: switches.3,
            nagle: switches.4,
            duplicate_ack_threshold,
            syn_retries: 1000,
            syn_ack_retries: 1000,
            data_retries: 1000,
            rto_max_ms: 20_000,
            // So long that no row of lost acknowledgements outlives it.
            time_wait_ms: 1_000_000,
            ..profile(name).unwrap()
        },
    )
}

fn applications() -> impl Strategy<Value = Application> {
    let pause = (1u64..400).prop_map(Duration::from_millis);
    let slow_reader = prop::option::of((prop_oneof![300u64..4000, 4000u64..100_000], pause));
    let chunk = prop_oneof![2 => Just(u64::MAX), 1 => 100u64..5000];
    (0u64..150_000, chunk, slow_reader).prop_map(|(to_write, chunk, slow_reader)| Application {
        to_write,
        chunk,
        slow_reader,
    })
}

fn options() -> impl Strategy<Value = ConnectionOptions> {
    (any::<bool>(), prop::option::of(100u32..2000)).prop_map(|(no_delay, mss_limit_bytes)| {
        ConnectionOptions {
            no_delay,
            mss_limit_bytes,
            ..ConnectionOptions::default()
        }
    })
}

/// Initial sequence numbers, half of them just before the wrap.
fn isns() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), u32::MAX - 100_000..=u32::MAX]
}

/// A thousand schedules, or as many as PROPTEST_CASES asks for: a million take some eight minutes.
fn config() -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig {
        cases: asked.cases.max(1000),
        ..asked
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_stream_arrives_whole_in_order_and_once(
        fates in [fates(), fates()],
        profiles in [profiles(), profiles()],
        applications in [applications(), applications()],
        options in [options(), options()],
        isns in [isns(), isns()],
    ) {
        let fate = move |from: usize, _: &crate::Segment, n: u64| {
            fates[from].get(n as usize).copied().unwrap_or(Fate::Deliver)
        };
        let both = [&profiles[0], &profiles[1]];
        let mut pair = Pair::new(both, options, isns, applications, fate);
        prop_assert!(pair.run(LONG), "stuck: {:?} {:?}",
            pair.ends[0].connection.info(), pair.ends[1].connection.info());
        pair.assert_complete();
    }
}
