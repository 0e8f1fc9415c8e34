//! Short stories on the air, frame by frame.

use super::*;
use crate::analysis::Analysis;
use crate::dissect::Dissector;
use crate::packet::MacAddress;

const AP: MacAddress = MacAddress([2, 0, 0, 0, 0, 1]);
const OTHER_AP: MacAddress = MacAddress([2, 0, 0, 0, 0, 9]);
const STA: MacAddress = MacAddress([2, 0, 0, 0, 0, 2]);

/// 11 Mbit/s with the long preamble, in radiotap's units.
const CCK_11: u8 = 22;

/// What a sniffer hears, and when.
#[derive(Default)]
struct Air {
    sniffer: Sniffer,
    dissector: Dissector,
    now_us: u64,
}

fn header(
    control: [u8; 2],
    receiver: MacAddress,
    transmitter: MacAddress,
    third: MacAddress,
) -> Vec<u8> {
    let mut frame = vec![control[0], control[1], 0, 0];
    for address in [receiver, transmitter, third] {
        frame.extend(address.0);
    }
    frame
}

/// A data frame to the access point with a body of 100 bytes that holds no packet.
fn data(sequence: u16, retry: bool) -> Vec<u8> {
    let flags = 0x01 | if retry { 0x08 } else { 0 };
    let mut frame = header([0x08, flags], AP, STA, AP);
    frame.extend((sequence << 4).to_le_bytes());
    frame.extend([0; 100]);
    frame
}

fn management(
    kind: u8,
    receiver: MacAddress,
    transmitter: MacAddress,
    bssid: MacAddress,
    body: &[u8],
) -> Vec<u8> {
    let mut frame = header([kind, 0], receiver, transmitter, bssid);
    frame.extend([0, 0]);
    frame.extend(body);
    frame
}

fn ack(receiver: MacAddress) -> Vec<u8> {
    let mut frame = vec![0xD4, 0, 0, 0];
    frame.extend(receiver.0);
    frame
}

impl Air {
    /// A frame at 11 Mbit/s that begins so many microseconds behind the last; its timer is
    /// stamped as radiotap says, `late_us` microseconds after the first bit behind the preamble.
    fn hear_late(&mut self, after_us: u64, frame: &[u8], late_us: u64) {
        let start_us = self.now_us + after_us;
        let mut bytes = vec![0, 0, 23, 0, 0x2F, 0, 0, 0];
        bytes.extend((start_us + 192 + late_us).to_le_bytes());
        bytes.extend([0, CCK_11, 0x85, 0x09, 0xA0, 0, 0xD0]);
        bytes.extend(frame);
        let packet = Packet {
            time_ns: start_us * 1_000,
            link_type: 127,
            interface: 0,
            data: &bytes,
            original_len: bytes.len() as u32,
        };
        let mut segments = Vec::new();
        self.dissector.segments(&packet, &mut segments);
        let heard = self.dissector.frame().expect("a frame");
        self.sniffer.take(heard, &packet, &segments);
        let airtime_us = 192 + (16 * (frame.len() as u64 + 4)).div_ceil(CCK_11.into());
        self.now_us = start_us + airtime_us;
    }

    fn hear(&mut self, after_us: u64, frame: &[u8]) {
        self.hear_late(after_us, frame, 0);
    }

    fn told(self) -> Wifi {
        self.sniffer.finish(&[]).expect("frames")
    }
}

fn of(wifi: &Wifi, address: MacAddress) -> &Station {
    let is_it = |station: &&Station| station.address == Some(address);
    wifi.stations.iter().find(is_it).expect("it was heard")
}

#[test]
fn an_exchange_fills_the_ledger_line_by_line() {
    let mut air = Air::default();
    air.hear(0, &data(1, false));
    air.hear(10, &ack(STA));
    air.hear(50 + 3 * 20, &data(2, false));
    air.hear(10, &ack(STA));
    let wifi = air.told();
    let spent = |on| wifi.channels[0].ledger.spent_ns(on);
    // 128 bytes in 94 µs, of which 28 for the MAC and 8 for LLC; no packet is found in it.
    assert_eq!(spent(Use::Preamble), 2 * 192_000);
    assert_eq!(spent(Use::Header), 2 * (94_000 * 36 / 128));
    assert_eq!(spent(Use::Header) + spent(Use::Payload), 2 * 94_000);
    assert_eq!(spent(Use::Ack), 2 * 203_000);
    assert_eq!(spent(Use::Ifs), 2 * 10_000 + 50_000);
    assert_eq!(spent(Use::Backoff), 60_000);
    assert_eq!(
        wifi.channels[0].ledger.total_ns(),
        2 * (192 + 94 + 10 + 203) * 1_000 + 110_000
    );
    let station = of(&wifi, STA);
    assert_eq!(
        (station.frames, station.msdus_delivered, station.attempts[0]),
        (2, 2, 2)
    );
    assert_eq!(of(&wifi, AP).acks, 2);
    assert_eq!(station.signal.expect("it is told").mean_dbm, -48.0);
}

#[test]
fn a_frame_without_its_response_is_lost_and_its_retry_waits() {
    let mut air = Air::default();
    air.hear(0, &data(1, false));
    air.hear(500, &data(1, true));
    air.hear(10, &ack(STA));
    let wifi = air.told();
    let station = of(&wifi, STA);
    assert_eq!(
        (station.retries, station.ack_failures, station.attempts[1]),
        (1, 1, 1)
    );
    let spent = |on| wifi.channels[0].ledger.spent_ns(on);
    assert_eq!(spent(Use::CollisionOrError), 286_000);
    assert_eq!(spent(Use::Timeout), 222_000);
    assert_eq!(spent(Use::Backoff), 278_000);
}

/// The receiver had the frame, but its acknowledgment did not reach the sender.
#[test]
fn an_acknowledged_frame_that_comes_again_is_a_duplicate() {
    let mut air = Air::default();
    air.hear(0, &data(1, false));
    air.hear(10, &ack(STA));
    air.hear(500, &data(1, true));
    air.hear(10, &ack(STA));
    let wifi = air.told();
    let spent = |on| wifi.channels[0].ledger.spent_ns(on);
    assert_eq!((spent(Use::Duplicate), spent(Use::Ack)), (286_000, 203_000));
    assert_eq!(spent(Use::CollisionOrError), 203_000);
    assert_eq!(of(&wifi, STA).duplicates, 1);
}

#[test]
fn seven_attempts_without_an_acknowledgment_are_given_up() {
    let mut air = Air::default();
    for attempt in 0..7 {
        air.hear(500, &data(1, attempt > 0));
    }
    air.hear(500, &data(2, false));
    air.hear(10, &ack(STA));
    let wifi = air.told();
    let station = of(&wifi, STA);
    assert_eq!((station.msdus_given_up, station.msdus_delivered), (1, 1));
    assert_eq!(station.attempts, [1, 0, 0, 0, 0, 0, 1, 0]);
}

#[test]
fn a_sender_that_goes_on_after_one_attempt_was_acknowledged() {
    let mut air = Air::default();
    air.hear(0, &data(1, false));
    air.hear(500, &data(2, false));
    air.hear(10, &ack(STA));
    let wifi = air.told();
    let station = of(&wifi, STA);
    assert_eq!((station.msdus_ack_missed, station.msdus_delivered), (1, 1));
    assert_eq!(wifi.channels[0].ledger.spent_ns(Use::CollisionOrError), 0);
}

#[test]
fn what_was_not_captured_shows_in_what_was() {
    let mut air = Air::default();
    air.hear(0, &data(1, false));
    air.hear(10, &ack(STA));
    // Number 2 is missed, not its acknowledgment; of number 3 the first attempt is.
    air.hear(700, &ack(STA));
    air.hear(1_000, &data(3, true));
    air.hear(10, &ack(STA));
    // And 4 to 6 with all that belongs to them.
    air.hear(9_000, &data(7, false));
    air.hear(10, &ack(STA));
    let wifi = air.told();
    assert_eq!(of(&wifi, STA).frames_missed, 1 + 1 + 3);
    // The silence before the lone acknowledgment, less a DIFS and a SIFS.
    assert_eq!(wifi.channels[0].ledger.spent_ns(Use::Missed), 640_000);
}

/// A station that saves power says so in frames without data, which count as any other; those
/// of QoS have numbers of no meaning.
#[test]
fn frames_without_data_leave_no_gap() {
    let mut air = Air::default();
    for sequence in 0..6 {
        let mut frame = data(sequence, false);
        if sequence % 2 == 1 {
            frame.truncate(24);
            frame[0] = 0x48;
        }
        air.hear(500, &frame);
        air.hear(10, &ack(STA));
        let mut qos_null = data(3_000, false);
        qos_null[0] = 0xC8;
        qos_null.truncate(26);
        air.hear(500, &qos_null);
        air.hear(10, &ack(STA));
    }
    let wifi = air.told();
    let station = of(&wifi, STA);
    assert_eq!((station.frames_missed, station.ack_failures), (0, 0));
    assert_eq!((station.data_frames, station.msdus_delivered), (3, 3));
}

#[test]
fn sequence_numbers_wrap_without_a_gap() {
    let mut air = Air::default();
    for sequence in (4090..4096).chain(0..5) {
        air.hear(500, &data(sequence, false));
        air.hear(10, &ack(STA));
    }
    assert_eq!(of(&air.told(), STA).frames_missed, 0);
}

/// Some stamp the end of a frame, and a microsecond early or late.
#[test]
fn the_clock_is_learned_from_frames_and_their_acknowledgments() {
    let mut air = Air::default();
    for sequence in 0..20 {
        let jitter = u64::from(sequence % 3);
        air.hear_late(500, &data(sequence, false), 94 + jitter);
        air.hear_late(10, &ack(STA), 11);
    }
    let wifi = air.told();
    let clock = wifi.channels[0].clock.expect("frames");
    assert_eq!(
        (clock.source, clock.stamp, clock.responses),
        (Source::Radio, Stamp::End, 20)
    );
    assert!(clock.jitter_ns <= 1_000);
    assert_eq!(of(&wifi, STA).msdus_delivered, 20);
}

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

#[test]
fn block_acknowledgments_tell_which_frames_of_an_aggregate_came() {
    let mut air = Air::default();
    let qos = |sequence: u16, retry: bool| {
        let mut frame = header([0x88, 0x01 | if retry { 8 } else { 0 }], AP, STA, AP);
        frame.extend((sequence << 4).to_le_bytes());
        frame.extend([0x20, 0]);
        frame.extend([0; 100]);
        frame
    };
    for sequence in 10..13 {
        air.hear(20, &qos(sequence, false));
    }
    let mut answer = vec![0x94, 0, 0, 0];
    answer.extend(STA.0);
    answer.extend(AP.0);
    answer.extend([0x05, 0, 0xA0, 0, 0b101, 0, 0, 0, 0, 0, 0, 0]);
    air.hear(10, &answer);
    air.hear(500, &qos(11, true));
    answer[20] = 0b111;
    air.hear(10, &answer);
    let wifi = air.told();
    let station = of(&wifi, STA);
    assert_eq!(
        (station.ack_failures, station.retries, station.frames_missed),
        (1, 1, 0)
    );
    assert_eq!(
        (
            station.msdus_delivered,
            station.attempts[0],
            station.attempts[1]
        ),
        (3, 2, 1)
    );
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
