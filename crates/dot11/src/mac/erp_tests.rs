//! Exchanges in OFDM, and how stations of 802.11b are kept out of them.

use phy::{DSSS_MODES, Mode, Standard};
use units::{Duration, Time};

use super::harness::Channel;
use super::tests::config;
use super::{MacConfig, Protection};
use crate::frame::Address;
use crate::frame::FrameKind::{Ack, Cts, Data, Rts};

/// The body of a full TCP segment: an MPDU of 1536 bytes.
const SEGMENT: u16 = 1508;

/// 54 Mbit/s in a cell of 802.11g alone.
fn erp() -> MacConfig {
    MacConfig {
        standard: Standard::Dot11g,
        short_slot: true,
        basic_rates: DSSS_MODES.to_vec(),
        rate: Mode::ERP_54,
        cw_min: 15,
        ..config()
    }
}

/// The first exchange of a station that sends to another, each frame from its first bit on: when
/// it begins and ends in µs, its kind and its mode.
fn exchange(config: &MacConfig, bytes: u16) -> Vec<(f64, f64, crate::FrameKind, Mode)> {
    let mut channel = Channel::new(2, config);
    channel.enqueue(0, 0, 1, bytes);
    channel.run(Time::ZERO + Duration::from_millis(50));
    let modes: Vec<Mode> = channel.sent.iter().map(|sent| sent.frame.mode()).collect();
    let timeline = channel.timeline();
    let begin = timeline[0].0;
    let frames = timeline.into_iter().zip(modes);
    frames
        .map(|((from, to, _, kind), mode)| (from - begin, to - begin, kind, mode))
        .collect()
}

#[test]
fn an_ack_comes_in_ofdm_a_sifs_after_the_signal_extension() {
    let expected = [
        (0.0, 254.0, Data, Mode::ERP_54),
        (264.0, 298.0, Ack, Mode::ERP_24),
    ];
    assert_eq!(exchange(&erp(), SEGMENT), expected);
}

#[test]
fn at_5_ghz_the_sifs_is_longer_and_nothing_extends_the_signal() {
    let config = MacConfig {
        standard: Standard::Dot11a,
        basic_rates: vec![Mode::OFDM_6, Mode::OFDM_12],
        rate: Mode::OFDM_54,
        ..erp()
    };
    let expected = [
        (0.0, 248.0, Data, Mode::OFDM_54),
        (264.0, 296.0, Ack, Mode::OFDM_12),
    ];
    assert_eq!(exchange(&config, SEGMENT), expected);
}

#[test]
fn a_cts_to_oneself_reserves_the_medium_at_a_rate_of_802_11b() {
    let config = MacConfig {
        short_slot: false,
        protection: Protection::CtsToSelf,
        ..erp()
    };
    let expected = [
        (0.0, 203.0, Cts, Mode::CCK_11),
        (213.0, 467.0, Data, Mode::ERP_54),
        (477.0, 511.0, Ack, Mode::ERP_24),
    ];
    assert_eq!(exchange(&config, SEGMENT), expected);
    let mut channel = Channel::new(2, &config);
    channel.enqueue(0, 0, 1, SEGMENT);
    channel.run(Time::ZERO + Duration::from_millis(50));
    let cts = channel.sent[0].frame;
    assert_eq!(cts.receiver, cts.transmitter);
    assert_eq!(
        f64::from(cts.duration),
        511.0 - 203.0,
        "until the ACK has ended"
    );
    assert_eq!(channel.stations[0].mac.counters().cts_to_self_sent, 1);
}

#[test]
fn rts_and_cts_protect_at_a_rate_of_802_11b() {
    let config = MacConfig {
        short_slot: false,
        protection: Protection::RtsCts,
        ..erp()
    };
    let expected = [
        (0.0, 207.0, Rts, Mode::CCK_11),
        (217.0, 420.0, Cts, Mode::CCK_11),
        (430.0, 684.0, Data, Mode::ERP_54),
        (694.0, 728.0, Ack, Mode::ERP_24),
    ];
    assert_eq!(exchange(&config, SEGMENT), expected);
}

#[test]
fn what_802_11b_can_read_is_not_protected() {
    let config = MacConfig {
        protection: Protection::CtsToSelf,
        rate: Mode::CCK_11,
        ..erp()
    };
    let kinds: Vec<_> = exchange(&config, 100)
        .into_iter()
        .map(|(_, _, kind, _)| kind)
        .collect();
    assert_eq!(kinds, [Data, Ack]);
}

#[test]
fn nothing_goes_to_a_station_of_802_11b_in_ofdm() {
    let config = MacConfig {
        short_slot: false,
        protection: Protection::CtsToSelf,
        ..erp()
    };
    let mut channel = Channel::new(3, &config);
    channel.stations[0].mac.note_dsss_only(Address(2));
    channel.enqueue(0, 0, 1, SEGMENT);
    channel.enqueue(0, 1, 2, SEGMENT);
    channel.run(Time::ZERO + Duration::from_millis(50));
    let sent = channel
        .sent
        .iter()
        .map(|sent| (sent.frame.kind, sent.frame.mode()));
    let expected = [
        (Cts, Mode::CCK_11),
        (Data, Mode::ERP_54),
        (Ack, Mode::ERP_24),
        (Data, Mode::CCK_11),
        (Ack, Mode::CCK_11),
    ];
    assert_eq!(sent.collect::<Vec<_>>(), expected);
}

#[test]
fn a_transfer_takes_as_long_as_gast_computed() {
    // M. Gast, "When Is 54 Not Equal to 54?", 2003: DIFS, a full TCP segment with its answer, and
    // the same of a TCP ACK, without backoff; MAC ACKs go at the rate of the data.
    let lasts = |config: &MacConfig| {
        let exchanges = [SEGMENT, 48].map(|bytes| exchange(config, bytes).last().unwrap().1);
        exchanges
            .map(|micros| micros + config.phy().difs.as_secs_f64() * 1e6)
            .iter()
            .sum::<f64>()
    };
    let dot11b = MacConfig {
        basic_rates: DSSS_MODES.to_vec(),
        ..config()
    };
    assert_eq!(lasts(&dot11b), 2084.0);
    let erp = MacConfig {
        basic_rates: [DSSS_MODES, &[Mode::ERP_54]].concat(),
        ..erp()
    };
    assert_eq!(lasts(&erp), 428.0);
    let ofdm = MacConfig {
        standard: Standard::Dot11a,
        basic_rates: vec![Mode::OFDM_54],
        rate: Mode::OFDM_54,
        ..erp.clone()
    };
    assert_eq!(lasts(&ofdm), 428.0);
    let mixed = |protection| MacConfig {
        short_slot: false,
        protection,
        ..erp.clone()
    };
    assert_eq!(lasts(&mixed(Protection::CtsToSelf)), 898.0);
    assert_eq!(lasts(&mixed(Protection::RtsCts)), 1332.0);
}
