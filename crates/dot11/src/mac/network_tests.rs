//! Saturated and hidden stations: what comes out of many exchanges.

use phy::{Band, Mode, Preamble, Standard};
use proptest::prelude::*;
use units::{Duration, Time};

use super::harness::Channel;
use super::tests::config;
use super::{MacConfig, Msdu, Privacy, Protection};
use crate::frame::Address;
use crate::rate_control::sticky_fallback::Unit;
use crate::rate_control::{
    RateControlConfig, aarf, arf, fallback, fixed, sample_rate, sticky_fallback,
};

const SEGMENT: u16 = 1508;

/// Stations with random backoffs that, once they have sent something, never run out of MSDUs for
/// station `to`.
fn saturated(count: u16, to: u16, bytes: u16, config: &MacConfig) -> Channel {
    let mut channel = Channel::new(count, config);
    for (index, station) in channel.stations.iter_mut().enumerate() {
        station.backoffs.random = Some(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(index as u64 + 1));
    }
    channel.saturated = Some(Msdu::data(0, Address(to), bytes));
    channel
}

#[test]
fn hidden_stations_destroy_each_others_data_and_rts_prevents_it() {
    let run = |rts_threshold| {
        let config = MacConfig {
            rts_threshold,
            ..config()
        };
        let mut channel = saturated(3, 1, SEGMENT, &config);
        channel.hide(0, 2);
        channel.enqueue(0, 0, 1, SEGMENT);
        channel.enqueue(2, 0, 1, SEGMENT);
        channel.run(Time::ZERO + Duration::from_secs(2));
        let delivered = channel.stations[1].deliveries.len();
        let lost = channel
            .stations
            .iter()
            .map(|s| s.mac.counters().ack_failures)
            .sum::<u64>();
        (delivered, lost)
    };
    let (basic, basic_lost) = run(2347);
    let (with_rts, with_rts_lost) = run(500);
    assert!(with_rts > basic, "{with_rts} with RTS, {basic} without");
    assert!(
        basic_lost > 500 && with_rts_lost < 50,
        "{basic_lost}, {with_rts_lost}"
    );
}

#[test]
fn every_msdu_ends_delivered_dropped_or_queued() {
    let config = MacConfig {
        fragmentation_threshold: 400,
        ..config()
    };
    let mut channel = saturated(4, 3, 700, &config);
    channel.hide(0, 1);
    channel.lost = (0..10_000).filter(|n| n % 5 < 2).collect();
    for station in 0..3 {
        channel.enqueue(station, 0, 3, 700);
    }
    channel.run(Time::ZERO + Duration::from_secs(5));
    let mut acknowledged = 0;
    for station in &channel.stations[..3] {
        let counters = station.mac.counters();
        let dropped = counters.short_retry_drops + counters.long_retry_drops;
        let queued = station.mac.queue_len() as u64;
        assert_eq!(counters.offered, counters.acknowledged + dropped + queued);
        assert_eq!(
            counters.acknowledged + dropped,
            station.outcomes.len() as u64
        );
        assert!(dropped > 0, "the losses are hard enough to reach the limit");
        acknowledged += counters.acknowledged;
    }
    let delivered = channel.stations[3].mac.counters().delivered;
    let lost_after_delivery = delivered - acknowledged;
    let dropped: u64 = channel
        .stations
        .iter()
        .map(|s| s.mac.counters().short_retry_drops)
        .sum();
    assert!(
        lost_after_delivery <= dropped,
        "only a dropped MSDU may have arrived unacknowledged"
    );
}

#[test]
fn saturated_stations_reach_bianchis_throughput() {
    // Stations, the model with collisions that cost DIFS and with ones that cost EIFS, Mbit/s
    // (G. Bianchi and I. Tinnirello, "Remarks on IEEE 802.11 DCF performance analysis", 2005;
    // 1500-byte packets, 11 Mbit/s, answers at 2 Mbit/s, no retry limit). Here everyone locks
    // onto a collision and waits for EIFS, whose ACK is at 1 Mbit/s where the model's is at 2.
    for (count, difs, eifs) in [
        (5, 6.4735, 6.3821),
        (20, 5.7830, 5.5777),
        (50, 5.1726, 4.9083),
    ] {
        let config = MacConfig {
            short_retry_limit: u8::MAX,
            ..config()
        };
        let mut channel = saturated(count + 2, 1, SEGMENT, &config);
        for station in 2..count + 2 {
            channel.enqueue(usize::from(station), 0, 1, SEGMENT);
        }
        let seconds = 30;
        channel.run(Time::ZERO + Duration::from_secs(seconds));
        let bits = channel.stations[1].deliveries.len() as f64 * 12_000.0;
        let throughput = bits / seconds as f64 / 1e6;
        assert!(
            throughput < difs && throughput > eifs * 0.985,
            "{count}: {throughput}"
        );
    }
}

/// A standard, and of its modes the basic ones and that of data.
fn any_rates() -> impl Strategy<Value = (Standard, Vec<Mode>, Mode)> {
    let standards = vec![Standard::Dot11b, Standard::Dot11g, Standard::Dot11a];
    prop::sample::select(standards).prop_flat_map(|standard| {
        let modes = standard.characteristics(Band::Ghz2_4, true).modes.to_vec();
        let basic_rates = prop::sample::subsequence(modes.clone(), 1..=4);
        (Just(standard), basic_rates, prop::sample::select(modes))
    })
}

fn any_rate_control() -> impl Strategy<Value = RateControlConfig> {
    let units = vec![Unit::Attempt, Unit::Fragment, Unit::Msdu];
    prop_oneof![
        Just(RateControlConfig::Fixed(fixed::Config {})),
        (1..4_u8).prop_map(|attempts_per_rate| {
            RateControlConfig::Fallback(fallback::Config { attempts_per_rate })
        }),
        (prop::sample::select(units), 1..4_u16).prop_map(|(counts, failures)| {
            RateControlConfig::StickyFallback(sticky_fallback::Config {
                counts,
                failures,
                successes: 10,
                recovery: Some(Duration::from_millis(100)),
            })
        }),
        Just(RateControlConfig::Arf(arf::Config {
            successes: 10,
            failures: 2,
            timer_attempts: 15,
        })),
        Just(RateControlConfig::Aarf(aarf::Config {
            successes_min: 10,
            successes_max: 50,
            failures: 2,
        })),
        Just(RateControlConfig::SampleRate(sample_rate::Config {
            window: Duration::from_secs(1),
            sample_every: 10,
            failures: 4,
        })),
    ]
}

fn any_privacy() -> impl Strategy<Value = Privacy> {
    let all = vec![Privacy::None, Privacy::Wep, Privacy::Tkip, Privacy::Ccmp];
    prop::sample::select(all)
}

fn any_config() -> impl Strategy<Value = MacConfig> {
    let thresholds = (256..=2346_u16, 0..=2347_u16);
    let preambles = prop::sample::select(vec![Preamble::Long, Preamble::Short]);
    let protections = vec![Protection::None, Protection::CtsToSelf, Protection::RtsCts];
    let cell = (
        any::<bool>(),
        prop::sample::select(protections),
        any_privacy(),
    );
    let lifetime = prop::option::of((1..50_u64).prop_map(Duration::from_millis));
    let limits = (1..8_u8, 1..8_u8, lifetime, any_rate_control());
    (thresholds, preambles, any_rates(), cell, limits).prop_map(
        |(thresholds, preamble, (standard, basic_rates, rate), cell, limits)| {
            let (fragmentation_threshold, rts_threshold) = thresholds;
            let (short_slot, protection, privacy) = cell;
            let (short_retry_limit, long_retry_limit, msdu_lifetime_ns, rate_control) = limits;
            MacConfig {
                standard,
                short_slot,
                protection,
                fragmentation_threshold,
                rts_threshold,
                preamble,
                basic_rates,
                short_retry_limit,
                long_retry_limit,
                rate,
                rate_control,
                msdu_lifetime_ns,
                privacy,
                ..config()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the settings, the losses and who hears whom: no station ever waits for something
    /// that does not come, and none hands up an MSDU twice in a row.
    #[test]
    fn every_queue_drains_once_the_traffic_stops(
        config in any_config(),
        bytes in 30..=2304_u16,
        hidden in prop::collection::vec((0..4_usize, 0..4_usize), 0..4),
        lost in prop::collection::vec(0..400_usize, 0..200),
    ) {
        let mut channel = saturated(4, 3, bytes, &config);
        for (one, other) in hidden {
            if one != other {
                channel.hide(one, other);
            }
        }
        channel.lost = lost;
        for station in 0..3 {
            channel.enqueue(station, 0, 3, bytes);
        }
        channel.run(Time::ZERO + Duration::from_millis(300));
        channel.saturated = None;
        channel.run(Time::ZERO + Duration::from_secs(3));
        for station in &channel.stations {
            prop_assert_eq!(station.mac.queue_len(), 0);
            prop_assert_eq!(station.mac.wake_at(), Time::NEVER);
            prop_assert_eq!(station.contention.access_at(), Time::NEVER);
        }
        let delivered = channel.stations[3].mac.counters().delivered;
        let offered: u64 = channel.stations.iter().map(|s| s.mac.counters().offered).sum();
        prop_assert!(delivered <= offered, "{} of {}", delivered, offered);
    }
}
