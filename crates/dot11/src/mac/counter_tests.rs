//! What a station counts of its exchanges beyond their success.

use phy::DSSS_MODES;
use units::Duration;

use super::harness::Channel;
use super::tests::config;
use super::{GapStatistics, MacConfig};
use crate::rate_control::{RateControlConfig, fallback};

const SEGMENT: u16 = 1508;

fn quiet(count: u16, config: &MacConfig) -> Channel {
    let mut channel = Channel::new(count, config);
    channel.run_micros(1000);
    channel
}

fn sifs_gaps(count: u64) -> GapStatistics {
    let sifs = Duration::from_micros(10);
    GapStatistics {
        count,
        total: sifs * count,
        shortest: sifs,
        longest: sifs,
    }
}

#[test]
fn the_fragments_of_a_burst_are_a_sifs_apart() {
    let config = MacConfig {
        fragmentation_threshold: 768,
        rts_threshold: 0,
        ..config()
    };
    let mut channel = quiet(2, &config);
    channel.enqueue(0, 5, 1, SEGMENT);
    channel.run_micros(10_000);
    let counters = channel.stations[0].mac.counters();
    assert_eq!(counters.fragments, 3);
    assert_eq!(
        counters.fragment_gaps,
        sifs_gaps(2),
        "the one behind the CTS is none between fragments"
    );
}

#[test]
fn a_burst_taken_up_again_by_contention_has_a_gap_less() {
    let config = MacConfig {
        fragmentation_threshold: 768,
        ..config()
    };
    let mut channel = quiet(2, &config);
    channel.lost = vec![2]; // the second fragment
    channel.backoffs(0, &[30]);
    channel.enqueue(0, 5, 1, SEGMENT);
    channel.run_micros(20_000);
    let counters = channel.stations[0].mac.counters();
    assert_eq!((counters.acknowledged, counters.retries), (1, 1));
    assert_eq!(
        counters.fragment_gaps,
        sifs_gaps(2),
        "before the loss and after the retry"
    );
}

#[test]
fn a_station_that_waits_for_an_exchange_it_hears_half_of_counts_a_nav_deferral() {
    let config = MacConfig {
        rts_threshold: 500,
        ..config()
    };
    let mut channel = quiet(3, &config);
    channel.hide(0, 2);
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(700); // RTS and CTS are over, the data is on the air
    channel.enqueue(2, 2, 1, SEGMENT);
    channel.run_micros(20_000);
    let counters = |station: usize| channel.stations[station].mac.counters();
    assert_eq!(counters(2).nav_deferrals, 1);
    assert_eq!(counters(0).nav_deferrals, 0);
    assert_eq!(counters(1).acks_sent, 2);
}

#[test]
fn the_nav_of_an_exchange_that_is_heard_whole_holds_nobody() {
    let mut channel = quiet(3, &config());
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(100);
    channel.enqueue(2, 2, 1, SEGMENT);
    channel.run_micros(20_000);
    assert_eq!(channel.stations[2].mac.counters().acknowledged, 1);
    assert_eq!(channel.stations[2].mac.counters().nav_deferrals, 0);
}

#[test]
fn stepping_down_inside_an_msdu_is_no_change_of_rate() {
    let step_down = fallback::Config {
        attempts_per_rate: 1,
    };
    let config = MacConfig {
        rate_control: RateControlConfig::Fallback(step_down),
        ..config()
    };
    let mut channel = quiet(2, &config);
    channel.lost = vec![0, 1];
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.enqueue(0, 2, 1, SEGMENT);
    channel.run_micros(40_000);
    let counters = channel.stations[0].mac.counters();
    let attempts = DSSS_MODES.iter().map(|&mode| counters.data_attempts[mode]);
    assert_eq!(attempts.collect::<Vec<_>>(), [0, 1, 1, 2]);
    assert_eq!(counters.rate_changes, 0);
}
