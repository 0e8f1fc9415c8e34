//! Stations and cells: who is where, who moved, and how many are kept.

use super::*;
use crate::Analysis;

#[test]
fn a_station_that_moves_is_told_with_its_reason_and_its_interruption() {
    let mut air = Air::default();
    air.hear(1, &data(1, false));
    air.hear(10, &ack(STA));
    air.hear(
        1_000,
        &management(kind::DEAUTHENTICATION, STA, AP, AP, &[4, 0]),
    );
    let mut request = vec![0x21, 0x04, 10, 0];
    request.extend(AP.0);
    air.hear(
        1_000,
        &management(
            kind::REASSOCIATION_REQUEST,
            OTHER_AP,
            STA,
            OTHER_AP,
            &request,
        ),
    );
    air.hear(
        1_000,
        &management(
            kind::REASSOCIATION_RESPONSE,
            STA,
            OTHER_AP,
            OTHER_AP,
            &[0x21, 0x04, 0, 0, 1, 0xC0],
        ),
    );
    let mut moved = data(2, false);
    moved[4..10].copy_from_slice(&OTHER_AP.0);
    air.hear(1_000, &moved);
    let wifi = air.told();
    let told: Vec<_> = wifi
        .events
        .iter()
        .map(|event| (event.what, event.bssid, event.code))
        .collect();
    let expected = [
        (Happening::Deauthentication, AP, Some(4)),
        (Happening::ReassociationRequest, OTHER_AP, None),
        (Happening::ReassociationResponse, OTHER_AP, Some(0)),
        (Happening::Roamed, OTHER_AP, None),
    ];
    assert_eq!(told, expected);
    assert!(wifi.events.iter().all(|event| event.station == STA));
    assert_eq!(wifi.events[1].previous_bssid, Some(AP));
    let interruption_ms = wifi.events[3].interruption_ms.expect("it sent before");
    assert!((5.0..6.0).contains(&interruption_ms), "{interruption_ms}");
}

#[test]
fn what_was_captured_only_as_a_retry_is_told_and_once() {
    let mut air = Air::default();
    let first = management(kind::DEAUTHENTICATION, STA, AP, AP, &[4, 0]);
    let mut again = first.clone();
    again[1] |= 0x08;
    let mut unheard_before = again.clone();
    unheard_before[22] = again[22].wrapping_add(0x10);
    for frame in [&first, &again, &unheard_before, &unheard_before] {
        air.hear(1_000, frame);
    }
    let told: Vec<u64> = air.told().events.iter().map(|told| told.packet).collect();
    assert_eq!(told, [1, 3]);
}

#[test]
fn who_is_only_sent_to_is_in_the_cell_that_sends() {
    let mut air = Air::default();
    let mut down = data(1, false);
    down[1] = 0x02;
    down[4..10].copy_from_slice(&STA.0);
    down[10..16].copy_from_slice(&AP.0);
    air.hear(0, &down);
    assert_eq!(of(&air.told(), STA).bssid, Some(AP));
}

/// An acknowledgment of TCP from this host behind LLC and SNAP, by the access point or to it.
fn tcp_from(host: [u8; 4], is_from_ds: bool) -> Vec<u8> {
    let mut frame = if is_from_ds {
        header([0x08, 0x02], STA, AP, AP)
    } else {
        header([0x08, 0x01], AP, STA, AP)
    };
    frame.extend([0, 0, 0xAA, 0xAA, 3, 0, 0, 0, 0x08, 0x00]);
    frame.extend([0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0, 0]);
    frame.extend(host);
    frame.extend([192, 0, 2, 1, 0x30, 0x39, 0, 80]);
    frame.extend([0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10, 0xFF, 0xFF, 0, 0, 0, 0]);
    frame
}

#[test]
fn a_station_has_the_addresses_it_sends_from_and_an_access_point_forwards() {
    let mut air = Air::default();
    for (host, is_from_ds) in [
        ([10, 0, 0, 7], false),
        ([192, 0, 2, 9], true),
        ([10, 0, 0, 8], false),
        ([10, 0, 0, 7], false),
    ] {
        air.hear(1_000, &tcp_from(host, is_from_ds));
    }
    let wifi = air.told();
    let own: Vec<String> = (of(&wifi, STA).ip_addresses.iter())
        .map(ToString::to_string)
        .collect();
    assert_eq!(own, ["10.0.0.7", "10.0.0.8"]);
    assert!(of(&wifi, AP).ip_addresses.is_empty());
}

#[test]
fn beacons_tell_the_cell_and_those_that_were_missed() {
    let mut air = Air::default();
    for number in [0_u64, 1, 2, 5] {
        let mut body = (number * 102_400 + number).to_le_bytes().to_vec();
        body.extend([100, 0, 0x11, 0x04]);
        body.extend([0, 4, b'l', b'a', b'b', b'5', 3, 1, 11, 221, 200]);
        air.hear(
            100_000,
            &management(kind::BEACON, MacAddress::BROADCAST, AP, AP, &body),
        );
    }
    let wifi = air.told();
    let cell = &wifi.cells[0];
    assert_eq!(
        (cell.ssid.as_deref(), cell.channel, cell.frequency_mhz),
        (Some("lab5"), Some(11), 2462)
    );
    assert_eq!(
        (cell.beacons, cell.beacons_missed, cell.interval_tu),
        (4, 2, 100)
    );
    assert!(cell.has_privacy && cell.has_short_slot);
}

/// More stations than are kept: the total stays true, and who sent most is still there.
#[test]
fn a_flood_of_addresses_makes_room_at_the_expense_of_the_idlest() {
    let mut air = Air::default();
    for sequence in 0..3 {
        air.hear(500, &data(sequence, false));
    }
    let flood = 2 * MOST_STATIONS as u32;
    for number in 0..flood {
        let [a, b, c, d] = number.to_be_bytes();
        let address = MacAddress([6, 1, a, b, c, d]);
        let probe = management(
            0x40,
            MacAddress::BROADCAST,
            address,
            MacAddress::BROADCAST,
            &[],
        );
        air.hear(500, &probe);
    }
    let wifi = air.told();
    assert!(wifi.stations.len() <= MOST_STATIONS);
    assert_eq!(of(&wifi, STA).frames, 3);
    let kept: u64 = wifi.stations.iter().map(|station| station.frames).sum();
    assert_eq!(kept + wifi.others.frames, u64::from(flood) + 3);
    assert_eq!(
        wifi.series.rows.iter().map(|row| row.frames).sum::<u64>(),
        u64::from(flood) + 3
    );
}

#[test]
fn a_capture_without_802_11_frames_has_no_wifi() {
    assert_eq!(
        Sniffer::default().finish(&Analysis::default().connections),
        None
    );
}

proptest::proptest! {
    #[test]
    fn no_frames_make_it_panic(
        frames in proptest::collection::vec(
            proptest::collection::vec(proptest::prelude::any::<u8>(), 0..60), 0..600
        ),
        after_us in 0_u64..2_000,
    ) {
        let mut air = Air::default();
        for frame in &frames {
            air.hear(after_us, frame);
        }
        air.sniffer.finish(&[]);
    }
}
