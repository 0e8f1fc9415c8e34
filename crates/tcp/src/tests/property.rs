//! Whatever the network does, the application gets the bytes that were sent, once, in order.
//!
//! The wire of [`Pair`] checks at every step that no sender passes the peer's window, that
//! cwnd is at least a segment, and that no receiver has more than what arrived without a gap.

use core::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use units::Duration;

use super::pair::{Application, LONG, Pair, WireOutcome};
use crate::{ClassicSender, CongestionAlgorithm, ConnectionOptions, EcnUse, Family, Nagle};
use crate::{Profile, RecoveryAlgorithm, WindowValidation, profile, profile_names};

fn fates() -> impl Strategy<Value = Vec<WireOutcome>> {
    let ms = |range: Range<u64>| range.prop_map(Duration::from_millis);
    let fate = prop_oneof![
        6 => Just(WireOutcome::Deliver),
        2 => Just(WireOutcome::Drop),
        1 => Just(WireOutcome::Mark),
        1 => ms(0..60).prop_map(WireOutcome::Late),
        1 => ms(100..4000).prop_map(WireOutcome::Late),
        1 => ms(0..100).prop_map(WireOutcome::Twice),
    ];
    vec(fate, 0..150)
}

fn recoveries() -> impl Strategy<Value = RecoveryAlgorithm> {
    prop::sample::select(RecoveryAlgorithm::ALL)
}

/// Returns what a stack may be made of, whatever its name.
fn mixed_profiles() -> impl Strategy<Value = Profile> {
    let congestion = prop::sample::select(CongestionAlgorithm::ALL);
    let nagle = prop::sample::select(Nagle::ALL);
    let ecn = prop::sample::select(EcnUse::ALL);
    let switches = any::<(bool, bool, bool)>();
    let reordering_max = prop_oneof![Just(0u32), 3u32..20];
    let parts = (congestion, nagle, ecn, switches, reordering_max);
    (named_profiles(), families(), parts).prop_map(
        |(profile, family, (congestion_control, nagle, ecn, switches, reordering_max))| Profile {
            congestion_control,
            nagle,
            ecn,
            dsack: switches.0,
            probes_with_data: switches.0,
            frto: switches.1,
            pacing: switches.2,
            reordering_max,
            family,
            ..profile
        },
    )
}

/// The families, and what each may be made of.
fn families() -> impl Strategy<Value = Family> {
    let name = prop::sample::select(profile_names());
    let validation = prop::sample::select(WindowValidation::ALL);
    let sender = (recoveries(), validation, 0u32..4, any::<[bool; 5]>());
    let kernel = (0u32..20, 40u32..200);
    let linux = any::<[bool; 3]>();
    (name, sender, kernel, linux).prop_map(|(name, sender, kernel, linux)| {
        let mut family = profile(name).unwrap().family;
        if let Some(classic) = family.classic_sender() {
            let (recovery, window_validation, slow_start_limit_segments, switches) = sender;
            *classic = ClassicSender {
                recovery,
                window_validation,
                slow_start_limit_segments,
                byte_counting: switches[0],
                reduces_window: switches[1],
                limited_transmit: switches[2],
                timestamp_undo: switches[3],
                duplicates_by_number: switches[4],
            };
        }
        if let Some(any_linux) = family.linux_kernel() {
            (any_linux.quick_acks, any_linux.delayed_ack_min_ms) = kernel;
        }
        if let Some(stack) = family.linux() {
            (stack.tail_loss_probe, stack.hystart) = (linux[0], linux[1]);
            stack.offload_segments = if linux[2] { 65_535 } else { 1 };
        }
        family
    })
}

fn profiles() -> impl Strategy<Value = Profile> {
    prop_oneof![named_profiles(), mixed_profiles()]
}

fn named_profiles() -> impl Strategy<Value = Profile> {
    let name = prop::sample::select(profile_names());
    let buffers = (prop_oneof![1u32..3000, 3000u32..200_000], 1000u32..200_000);
    let switches = any::<(bool, bool, bool, bool)>();
    (name, recoveries(), buffers, switches, 1u32..4).prop_map(
        |(name, recovery, buffers, switches, duplicate_ack_threshold)| {
            let mut profile = profile(name).unwrap();
            if let Some(sender) = profile.family.classic_sender() {
                (sender.recovery, sender.limited_transmit) = (recovery, switches.3);
            }
            Profile {
                receive_window_bytes: buffers.0,
                send_buffer_bytes: buffers.1,
                window_scaling: switches.0,
                timestamps: switches.1,
                sack: switches.2,
                duplicate_ack_threshold,
                syn_retries: 1000,
                syn_ack_retries: 1000,
                data_retries: 1000,
                rto_max_ms: 20_000,
                // So long that no row of lost acknowledgements outlives it.
                time_wait_ms: 1_000_000,
                ..profile
            }
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
    // What an MTU of 68 bytes leaves, the least of IPv4 (RFC 791 §3.1), is 28.
    let link = prop_oneof![1 => 28u32..100, 2 => 100u32..2000];
    (any::<bool>(), prop::option::of(link)).prop_map(|(no_delay, mss_limit_bytes)| {
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
        fade in proptest::option::of((0usize..2, 0u64..2000, 0u64..5000)),
    ) {
        let fate = move |from: usize, _: &crate::Segment, n: u64| {
            fates[from].get(n as usize).copied().unwrap_or(WireOutcome::Deliver)
        };
        let both = [&profiles[0], &profiles[1]];
        let mut pair = Pair::new(both, options, isns, applications, fate);
        if let Some((end, from, length)) = fade {
            pair.freeze_or_thaw(Duration::from_millis(from), end, true);
            pair.freeze_or_thaw(Duration::from_millis(from + length), end, false);
        }
        prop_assert!(pair.run(LONG), "stuck: {:?} {:?}",
            pair.ends[0].connection.info(), pair.ends[1].connection.info());
        pair.assert_complete();
    }
}
