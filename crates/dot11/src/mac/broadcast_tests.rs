//! Group addressed MSDUs (IEEE 802.11-2007 §9.2.6): sent once, to all, answered by none.

use phy::Mode;

use super::harness::Channel;
use super::tests::config;
use super::{MacConfig, OutcomeResult};
use crate::frame::{Address, FrameKind};
use FrameKind::{Ack, Data};

const TO_ALL: u16 = Address::BROADCAST.0;

/// An ARP request: 28 bytes behind LLC and SNAP headers.
const ARP: u16 = 36;

fn quiet(count: u16, config: &MacConfig) -> Channel {
    let mut channel = Channel::new(count, config);
    channel.run_micros(1000);
    channel
}

#[test]
fn a_broadcast_goes_once_at_the_lowest_basic_rate_whole_and_without_rts() {
    let config = MacConfig {
        rts_threshold: 0,
        fragmentation_threshold: 256,
        ..config()
    };
    let mut channel = quiet(3, &config);
    channel.enqueue(0, 9, TO_ALL, 1508);
    channel.run_micros(20_000);
    assert_eq!(channel.timeline(), [(1000.0, 13_480.0, 0, Data)]);
    let frame = channel.sent[0].frame;
    assert_eq!((frame.mode(), frame.duration), (Mode::DSSS_1, 0));
    assert!(!frame.more_fragments && !frame.retry);
    for receiver in &channel.stations[1..] {
        assert_eq!(receiver.deliveries[0].1.msdu, 9);
    }
    let outcome = channel.stations[0].outcomes[0];
    assert_eq!(
        (outcome.destination, outcome.result),
        (Address::BROADCAST, OutcomeResult::Delivered { attempts: 1 })
    );
}

#[test]
fn a_broadcast_that_nobody_could_read_is_not_repeated() {
    let mut channel = quiet(3, &config());
    channel.lost = vec![0];
    channel.enqueue(0, 9, TO_ALL, ARP);
    channel.run_micros(20_000);
    assert_eq!(channel.sent.len(), 1);
    assert_eq!(channel.stations[0].outcomes.len(), 1);
    assert!(channel.stations[1].deliveries.is_empty());
}

#[test]
fn a_backoff_in_the_smallest_window_follows_a_broadcast() {
    let mut channel = quiet(2, &config());
    channel.backoffs(0, &[7]);
    channel.enqueue(0, 1, TO_ALL, ARP);
    channel.enqueue(0, 2, 1, ARP);
    channel.run_micros(10_000);
    let broadcast_end = 1000.0 + 192.0 + 512.0; // 64 bytes at 1 Mbit/s
    assert_eq!(channel.stations[0].backoffs.windows[0], 31);
    let unicast_begin = broadcast_end + 50.0 + 7.0 * 20.0;
    let kinds: Vec<_> = channel.timeline().iter().map(|line| line.3).collect();
    assert_eq!(kinds, [Data, Data, Ack]);
    assert_eq!(channel.timeline()[1].0, unicast_begin);
    assert_eq!(channel.sent[1].frame.sequence, 1);
}

#[test]
fn a_broadcast_is_counted_apart_from_what_is_acknowledged() {
    let mut channel = quiet(2, &config());
    channel.enqueue(0, 1, TO_ALL, ARP);
    channel.enqueue(0, 2, 1, ARP);
    channel.run_micros(10_000);
    let sender = channel.stations[0].mac.counters();
    assert_eq!(
        (sender.offered, sender.broadcasts, sender.acknowledged),
        (2, 1, 1)
    );
    assert_eq!(sender.attempts(), 1);
    let receiver = channel.stations[1].mac.counters();
    assert_eq!((receiver.broadcasts_delivered, receiver.delivered), (1, 1));
    assert_eq!(receiver.acks_sent, 1);
}
