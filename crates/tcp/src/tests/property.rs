//! Whatever the network does, the application gets the bytes that were sent, once, in order.
//!
//! The wire of [`Pair`] checks at every step that no sender passes the peer's window, that
//! cwnd is at least a segment, and that no receiver has more than what arrived without a gap.

use core::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use units::Duration;

use super::pair::{Application, Fate, LONG, Pair};
use crate::{ConnectionOptions, Profile, RecoveryAlgorithm, profile, profile_names};

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

fn profiles() -> impl Strategy<Value = Profile> {
    let recovery = prop_oneof![
        Just(RecoveryAlgorithm::Reno),
        Just(RecoveryAlgorithm::NewReno),
        Just(RecoveryAlgorithm::Sack),
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
            data_retries: 1000,
            rto_max_ms: 20_000,
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

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
