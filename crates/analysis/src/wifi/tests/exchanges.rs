//! Frames and their responses: what arrived, what was lost, what was not captured.

use super::*;

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
    assert_eq!(spent(ObservedUse::Preamble), 2 * 192_000);
    assert_eq!(spent(ObservedUse::Header), 2 * (94_000 * 36 / 128));
    assert_eq!(
        spent(ObservedUse::Header) + spent(ObservedUse::Payload),
        2 * 94_000
    );
    assert_eq!(spent(ObservedUse::Ack), 2 * 203_000);
    assert_eq!(spent(ObservedUse::Ifs), 2 * 10_000 + 50_000);
    assert_eq!(spent(ObservedUse::Backoff), 60_000);
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
    assert_eq!(spent(ObservedUse::CollisionOrError), 286_000);
    assert_eq!(spent(ObservedUse::Timeout), 222_000);
    assert_eq!(spent(ObservedUse::Backoff), 278_000);
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
    assert_eq!(
        (spent(ObservedUse::Duplicate), spent(ObservedUse::Ack)),
        (286_000, 203_000)
    );
    assert_eq!(spent(ObservedUse::CollisionOrError), 203_000);
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
    assert_eq!(
        wifi.channels[0]
            .ledger
            .spent_ns(ObservedUse::CollisionOrError),
        0
    );
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
    assert_eq!(
        wifi.channels[0].ledger.spent_ns(ObservedUse::Missed),
        640_000
    );
}

#[test]
fn a_last_fragment_told_by_its_acknowledgment_is_told_once_with_a_beacon_behind_it() {
    let mut air = Air::default();
    let mut first = data(1, false);
    first[1] |= 0x04;
    air.hear(0, &first);
    air.hear(10, &ack(STA));
    // The second fragment is missed, not its acknowledgment.
    air.hear(500, &ack(STA));
    let mut beacon = management(kind::BEACON, MacAddress::BROADCAST, STA, STA, &[0; 12]);
    beacon[22..24].copy_from_slice(&(2_u16 << 4).to_le_bytes());
    air.hear(500, &beacon);
    air.hear(500, &data(3, false));
    air.hear(10, &ack(STA));
    assert_eq!(of(&air.told(), STA).frames_missed, 1);
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
        (StampSource::Radio, StampedInstant::End, 20)
    );
    assert!(clock.jitter_ns <= 1_000);
    assert_eq!(of(&wifi, STA).msdus_delivered, 20);
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

/// 802.11n at 65 Mbit/s, 260 bits in each symbol of 4 µs: three frames of 104 bytes and their
/// delimiters fill 11 symbols behind one preamble of 36 µs. Each for itself would take 4.
#[test]
fn an_aggregate_lasts_as_long_as_its_bytes_together() {
    let mut air = Air::default();
    for sequence in 1..4_u16 {
        let mut frame = header([0x88, 0x01], AP, STA, AP);
        frame.extend((sequence << 4).to_le_bytes());
        frame.extend([0; 2 + 74]);
        // Radiotap's timer, channel, MCS 7 with its guard interval and width, A-MPDU number 9.
        let mut radiotap = vec![0, 0, 32, 0, 0x09, 0, 0x18, 0];
        radiotap.extend(1_000_u64.to_le_bytes());
        radiotap.extend([0x85, 0x09, 0xA0, 0, 0x07, 0, 7, 0]);
        radiotap.extend([9, 0, 0, 0, 0, 0, 0, 0]);
        air.hear_packet(1_000, &[radiotap, frame].concat());
    }
    assert_eq!(of(&air.told(), STA).airtime_ns, 36_000 + 11 * 4_000);
}

/// A QoS frame of 100 bytes in an A-MPDU of 802.11ax, MCS 11 of one stream in 20 MHz.
fn in_aggregate(reference: u8, sequence: u16, retry: bool) -> Vec<u8> {
    let mut radiotap = vec![0, 0, 28, 0, 0, 0, 0x90, 0];
    radiotap.extend([reference, 0, 0, 0, 0, 0, 0, 0]);
    radiotap.extend([0x20, 0x40, 0x02, 0, 0, 11, 0, 0, 0, 0, 1, 0]);
    let mut frame = header([0x88, 0x01 | if retry { 8 } else { 0 }], AP, STA, AP);
    frame.extend((sequence << 4).to_le_bytes());
    frame.extend([0; 2 + 74]);
    [radiotap, frame].concat()
}

/// A block acknowledgment of 256 numbers from 0 on.
fn block_ack(bits: [u8; 32]) -> Vec<u8> {
    let mut answer = vec![0x94, 0, 0, 0];
    answer.extend(STA.0);
    answer.extend(AP.0);
    answer.extend([0x05, 0, 0x04, 0]);
    answer.extend(bits);
    answer
}

#[test]
fn an_aggregate_that_nobody_answers_is_lost_as_a_whole() {
    let mut air = Air::default();
    for (reference, retry) in [(1, false), (2, true)] {
        for sequence in 1..4 {
            let at = 1_000 * u64::from(reference);
            air.hear_packet(at, &in_aggregate(reference, sequence, retry));
        }
    }
    air.now_us = 2_000;
    air.hear(10, &block_ack([0xFF; 32]));
    let wifi = air.told();
    let station = of(&wifi, STA);
    assert_eq!((station.retries, station.ack_failures), (3, 3));
    assert_eq!((station.msdus_delivered, station.attempts[1]), (3, 3));
}

#[test]
fn up_to_256_frames_of_802_11ax_are_under_way() {
    let mut air = Air::default();
    for sequence in 0..200 {
        air.hear_packet(1_000, &in_aggregate(1, sequence, false));
    }
    air.now_us = 1_000;
    let mut bits = [0xFF; 32];
    bits[0] = 0b1111_0111;
    air.hear(10, &block_ack(bits));
    let wifi = air.told();
    let station = of(&wifi, STA);
    assert_eq!((station.msdus_delivered, station.ack_failures), (199, 1));
}

/// A station of 802.11ac says in a bit of its address that its RTS tells the width of the channel;
/// the response goes to the address without.
#[test]
fn an_rts_that_signals_a_bandwidth_is_answered_like_any_other() {
    let mut air = Air::default();
    let mut rts = vec![0xB4, 0, 0, 0];
    rts.extend(AP.0);
    rts.extend(STA.0);
    rts[10] |= 1;
    air.hear(0, &rts);
    let mut cts = ack(STA);
    cts[0] = kind::CTS;
    air.hear(10, &cts);
    let wifi = air.told();
    let station = of(&wifi, STA);
    assert_eq!((station.rts, station.rts_failures), (1, 0));
    assert_eq!(of(&wifi, AP).cts, 1);
}

#[test]
fn the_end_of_a_contention_free_period_names_its_cell_and_no_sender() {
    let mut air = Air::default();
    let mut end = vec![0xE4, 0, 0, 0];
    end.extend(MacAddress::BROADCAST.0);
    end.extend(AP.0);
    air.hear(0, &data(1, false));
    air.hear(10, &ack(STA));
    air.hear(10, &end);
    let wifi = air.told();
    assert_eq!(of(&wifi, AP).frames, 1, "its acknowledgment");
    let spent = wifi.channels[0].ledger.spent_ns(ObservedUse::Control);
    assert_eq!(spent, 192_000 + 15_000);
}
