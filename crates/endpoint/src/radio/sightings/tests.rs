//! Messages as drivers of several makers have the kernel write them, byte by byte.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::event::RadioEventKind;
use super::*;
use crate::log::rows;

const ACCESS_POINT: [u8; 6] = [2, 0, 0, 0, 0, 1];
const OTHER: [u8; 6] = [2, 0, 0, 0, 0, 2];
const CLIENT: RadioInterface = RadioInterface {
    index: 5,
    is_client: true,
};
/// The flag of attributes that hold others; not every kernel sets it.
const NESTED: u16 = 0x8000;

/// An attribute: its length, its kind, its value, and zeros up to a multiple of four.
fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = 4 + value.len() as u16;
    let mut bytes = [&length.to_ne_bytes(), &kind.to_ne_bytes(), value].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn flag(kind: u16) -> Vec<u8> {
    attribute(kind, &[])
}

fn byte(kind: u16, value: u8) -> Vec<u8> {
    attribute(kind, &[value])
}

fn short(kind: u16, value: u16) -> Vec<u8> {
    attribute(kind, &value.to_ne_bytes())
}

fn word(kind: u16, value: u32) -> Vec<u8> {
    attribute(kind, &value.to_ne_bytes())
}

/// A value of eight bytes, behind the empty attribute by which kernels align it.
fn long(padding: u16, kind: u16, value: u64) -> Vec<u8> {
    [flag(padding), attribute(kind, &value.to_ne_bytes())].concat()
}

fn nested(kind: u16, parts: &[Vec<u8>]) -> Vec<u8> {
    attribute(kind | NESTED, &parts.concat())
}

/// What `NL80211_CMD_NEW_STATION` holds: interface, address, generation, and the station.
fn station(address: [u8; 6], told: &[Vec<u8>]) -> Vec<u8> {
    let parts = [
        word(3, CLIENT.index),
        attribute(6, &address),
        word(46, 77),
        nested(21, told),
    ];
    parts.concat()
}

/// Padding among a station's attributes.
const PAD: u16 = 33;

/// Two streams of 802.11n: mac80211 counts, and minstrel expects.
fn ath9k() -> Vec<Vec<u8>> {
    let rate = |tenths: u16, index| {
        [
            word(5, tenths.into()),
            short(1, tenths),
            byte(2, index),
            flag(3),
            flag(4),
        ]
    };
    vec![
        word(1, 40),
        word(2, 1_000_000),
        word(3, 5_000_000),
        long(PAD, 23, 1_000_000),
        long(PAD, 24, 5_000_000_000),
        byte(7, -48_i8 as u8),
        byte(13, -49_i8 as u8),
        nested(25, &[byte(0, -50_i8 as u8), byte(1, -52_i8 as u8)]),
        nested(26, &[byte(0, -50_i8 as u8), byte(1, -53_i8 as u8)]),
        nested(8, &rate(3000, 15)),
        nested(14, &rate(2700, 14)),
        word(9, 8_000),
        word(10, 40_000),
        word(11, 1_234),
        word(12, 5),
        word(27, 52_400),
        short(40, 256),
        word(18, 2),
        long(PAD, 32, 700_000),
        long(PAD, 39, 2_500_000),
        nested(15, &[flag(2), byte(4, 2), short(5, 100)]),
        word(16, 3_600),
        attribute(17, &[0xff, 0, 0, 0, 0x2e, 0, 0, 0]),
        long(PAD, 28, 3),
        long(PAD, 29, 35_000),
        byte(30, -47_i8 as u8),
        nested(31, &[nested(1, &[long(5, 1, 9)]), nested(17, &[])]),
        long(PAD, 42, 123_456_789_000),
    ]
}

/// 802.11ax: rates of the firmware, and the signal of acknowledgments.
fn mt76() -> Vec<Vec<u8>> {
    let rate = [
        word(5, 12_010),
        short(1, 12_010),
        byte(13, 11),
        byte(14, 2),
        byte(15, 0),
        byte(16, 0),
        flag(8),
    ];
    vec![
        byte(7, -61_i8 as u8),
        nested(8, &rate),
        word(10, 900),
        word(11, 60),
        word(12, 0),
        byte(34, -63_i8 as u8),
        byte(35, -64_i8 as u8),
        long(PAD, 32, 1_000),
        long(PAD, 39, 2_000),
    ]
}

/// 802.11ac: the firmware averages, and counts no airtime.
fn iwlwifi() -> Vec<Vec<u8>> {
    let rate = [
        word(5, 8_667),
        short(1, 8_667),
        byte(6, 9),
        byte(7, 2),
        flag(8),
        flag(4),
    ];
    vec![
        byte(7, -55_i8 as u8),
        byte(13, -56_i8 as u8),
        nested(8, &rate),
        word(10, 10),
        word(11, 1),
        word(12, 0),
        long(PAD, 29, 12),
        byte(30, -57_i8 as u8),
    ]
}

/// All of 802.11 in firmware, which tells a bit rate and no retries.
fn brcmfmac() -> Vec<Vec<u8>> {
    vec![
        word(1, 0),
        word(16, 120),
        word(12, 7),
        word(10, 2_000),
        word(9, 1_000),
        nested(8, &[word(5, 4_333), short(1, 4_333)]),
        long(PAD, 23, 10),
        long(PAD, 24, 20),
        byte(7, -70_i8 as u8),
        nested(25, &[byte(0, -71_i8 as u8)]),
    ]
}

fn seen(messages: &[Vec<u8>]) -> Sightings {
    let mut seen = Sightings::new(&LogMemory::new(1 << 20));
    for message in messages {
        assert!(seen.station(CLIENT, Attributes(message), 1.5, 0.2));
    }
    seen
}

/// The rows of a table, by the names of their columns; what was not told is left out.
fn told<R: Row>(table: &RowTable) -> Vec<BTreeMap<&'static str, f64>> {
    let bytes = rows(&table.bytes, table.row as usize, 1 << 20).unwrap();
    let names: Vec<_> = R::columns().iter().map(|column| column.name).collect();
    let row = |row: &[u8]| {
        let values = row.chunks_exact(VALUE);
        let values = values.map(|value| f64::from_le_bytes(value.try_into().unwrap()));
        let named = names.iter().copied().zip(values);
        named.filter(|(_, value)| !value.is_nan()).collect()
    };
    bytes.chunks_exact(table.row as usize).map(row).collect()
}

fn of_driver(driver: &[Vec<u8>]) -> BTreeMap<&'static str, f64> {
    let radio = seen(&[station(ACCESS_POINT, driver)]).end(true);
    told::<LinkedStation>(&radio.stations).remove(0)
}

#[track_caller]
fn holds(row: &BTreeMap<&'static str, f64>, expected: &[(&'static str, f64)]) {
    for (name, value) in expected {
        assert_eq!(row.get(name), Some(value), "{name}");
    }
}

#[track_caller]
fn lacks(row: &BTreeMap<&'static str, f64>, names: &[&str]) {
    for name in names {
        assert_eq!(row.get(name), None, "{name}");
    }
}

#[test]
fn ath9k_tells_nearly_all() {
    let row = of_driver(&ath9k());
    holds(
        &row,
        &[
            ("time_s", 1.5),
            ("took_ms", 0.2),
            ("is_access_point", 1.0),
            ("signal_dbm", -48.0),
            ("signal_dbm_mean", -49.0),
            ("signal_dbm_1", -50.0),
            ("signal_dbm_2", -52.0),
            ("rate_mbps", 300.0),
            ("mcs", 7.0),
            ("streams", 2.0),
            ("width_mhz", 40.0),
            ("guard_interval_ns", 400.0),
            ("rx_rate_mbps", 270.0),
            ("rx_mcs", 6.0),
            ("expected_mbps", 52.4),
            ("tx_packets", 40_000.0),
            ("tx_bytes", 5e9),
            ("retries", 1234.0),
            ("failed", 5.0),
            ("tx_airtime_s", 2.5),
            ("rx_airtime_s", 0.7),
            ("airtime_weight", 256.0),
            ("beacons", 35_000.0),
            ("beacon_losses", 2.0),
            ("beacon_signal_dbm_mean", -47.0),
            ("rx_drops", 3.0),
            ("inactive_s", 0.04),
            ("connected_s", 3600.0),
        ],
    );
    lacks(
        &row,
        &["signal_dbm_3", "ack_signal_dbm", "rx_mpdus", "fcs_errors"],
    );
}

#[test]
fn mt76_tells_the_signal_of_acknowledgments_and_expects_nothing() {
    let row = of_driver(&mt76());
    holds(
        &row,
        &[
            ("rate_mbps", 1201.0),
            ("mcs", 11.0),
            ("streams", 2.0),
            ("width_mhz", 80.0),
            ("guard_interval_ns", 800.0),
            ("ack_signal_dbm", -63.0),
            ("ack_signal_dbm_mean", -64.0),
            ("retries", 60.0),
            ("failed", 0.0),
            ("tx_airtime_s", 0.002),
        ],
    );
    lacks(&row, &["expected_mbps", "rx_rate_mbps", "signal_dbm_mean"]);
}

#[test]
fn iwlwifi_counts_no_airtime() {
    let row = of_driver(&iwlwifi());
    holds(
        &row,
        &[
            ("rate_mbps", 866.7),
            ("mcs", 9.0),
            ("signal_dbm_mean", -56.0),
            ("beacon_signal_dbm_mean", -57.0),
            ("retries", 1.0),
        ],
    );
    lacks(&row, &["tx_airtime_s", "rx_airtime_s", "airtime_weight"]);
}

#[test]
fn brcmfmac_counts_no_retries_and_that_is_not_none() {
    let row = of_driver(&brcmfmac());
    holds(
        &row,
        &[
            ("rate_mbps", 433.3),
            ("signal_dbm", -70.0),
            ("signal_dbm_1", -71.0),
            ("failed", 7.0),
            ("inactive_s", 0.0),
        ],
    );
    lacks(&row, &["retries", "mcs", "streams", "width_mhz"]);
}

#[test]
fn who_is_met_has_a_number_and_no_address_is_kept() {
    let (mt76, iwlwifi) = (mt76(), iwlwifi());
    let seen = seen(&[
        station(OTHER, &mt76),
        station(ACCESS_POINT, &iwlwifi),
        station(OTHER, &mt76),
    ]);
    let radio = seen.end(false);
    let met: Vec<_> = told::<LinkedStation>(&radio.stations)
        .iter()
        .map(|row| row["station"])
        .collect();
    assert_eq!(met, [0.0, 1.0, 0.0]);
    for address in [OTHER, ACCESS_POINT] {
        let bytes = rows(&radio.stations.bytes, radio.stations.row as usize, 1 << 20).unwrap();
        assert!(!bytes.windows(6).any(|part| part == address));
    }
}

#[test]
fn an_event_names_whom_it_is_about_by_the_same_number() {
    let mut seen = seen(&[station(ACCESS_POINT, &iwlwifi())]);
    let news = |what, address| News {
        what,
        address: Some(address),
        is_by_other: true,
        reason: None,
        status: Some(0.0),
    };
    seen.event(
        CLIENT,
        news(RadioEventKind::Deauthenticated, ACCESS_POINT),
        2.0,
    );
    seen.event(CLIENT, news(RadioEventKind::Associated, OTHER), 2.5);
    let events = told::<RadioEvent>(&seen.end(true).events);
    let expected = [
        ("time_s", 2.5),
        ("event", 1.0),
        ("station", 1.0),
        ("status", 0.0),
    ];
    holds(&events[0], &[("station", 0.0), ("is_by_other", 1.0)]);
    holds(&events[1], &expected);
    lacks(&events[1], &["reason"]);
}

#[test]
fn of_a_survey_the_channel_that_the_radio_is_on_is_kept() {
    let mut seen = Sightings::new(&LogMemory::new(1 << 20));
    let pad = 10;
    for (frequency, is_used) in [(2412, false), (2437, true)] {
        let used = if is_used { flag(3) } else { Vec::new() };
        let info = nested(
            84,
            &[
                word(1, frequency),
                used,
                long(pad, 4, 1_000),
                long(pad, 5, 300),
            ],
        );
        let message = [word(3, CLIENT.index), info].concat();
        seen.survey(CLIENT, Attributes(&message), 0.5);
    }
    let surveys = told::<Survey>(&seen.end(true).surveys);
    assert_eq!(surveys.len(), 1);
    holds(
        &surveys[0],
        &[
            ("frequency_mhz", 2437.0),
            ("active_s", 1.0),
            ("busy_s", 0.3),
        ],
    );
    lacks(&surveys[0], &["noise_dbm", "tx_s"]);
}

#[test]
fn a_message_that_is_cut_off_anywhere_tells_what_stands_before() {
    let whole = station(ACCESS_POINT, &ath9k());
    let all = of_driver(&ath9k());
    for length in 0..whole.len() {
        let mut seen = Sightings::new(&LogMemory::new(1 << 20));
        let is_station = seen.station(CLIENT, Attributes(&whole[..length]), 1.5, 0.2);
        // The station's attributes are one attribute, which is whole or none.
        assert!(!is_station, "{length}");
    }
    for count in 0..ath9k().len() {
        let row = of_driver(&ath9k()[..count]);
        for (name, value) in &row {
            let is_short = name.ends_with("_bytes");
            assert!(is_short || all[name] == *value, "{name}");
        }
    }
}

#[test]
fn what_has_no_station_in_it_is_none() {
    let mut seen = Sightings::new(&LogMemory::new(1 << 20));
    let message = [word(3, CLIENT.index), attribute(6, &ACCESS_POINT)].concat();
    assert!(!seen.station(CLIENT, Attributes(&message), 0.0, 0.0));
    assert!(told::<LinkedStation>(&seen.end(true).stations).is_empty());
}

proptest! {
    #[test]
    fn whatever_a_driver_says_is_read(
        parts in vec((0..45_u16, vec(any::<u8>(), 0..20)), 0..20),
        damage in vec(any::<u8>(), 0..8),
    ) {
        let mut said: Vec<_> = parts.iter().map(|(kind, value)| attribute(*kind, value)).collect();
        said.push(damage);
        let mut seen = Sightings::new(&LogMemory::new(1 << 20));
        prop_assert!(seen.station(CLIENT, Attributes(&station(OTHER, &said)), 0.0, 0.0));
        let radio = seen.end(false);
        prop_assert_eq!(told::<LinkedStation>(&radio.stations).len(), 1);
    }
}
