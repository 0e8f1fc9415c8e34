//! Acknowledgments that tell a round trip: those of a segment that was sent once (Karn), and that
//! nothing before it held up.

use super::tests::Script;

fn round_trips(script: &Script) -> u64 {
    script
        .only()
        .client
        .rtt
        .map_or(0, |round_trips| round_trips.count)
}

#[test]
fn an_acknowledgment_of_several_segments_tells_the_round_trip_of_the_last() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..2).at(1110).ack(2, None);
    assert_eq!(round_trips(&script), 2, "with that of the SYN");
}

#[test]
fn a_repair_spoils_the_round_trips_of_what_waited_behind_it() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..3).at(1110).ack(0, Some(1..3));
    script.at(1111).data(0).at(1161).ack(3, None);
    assert_eq!(round_trips(&script), 1);
    script.at(1170).data(3).at(1220).ack(4, None);
    assert_eq!(round_trips(&script), 2);
}

#[test]
fn a_segment_that_was_overtaken_spoils_those_of_what_overtook_it() {
    let mut script = Script::open([100, 200]);
    script.at(1060).data(0).data(2).at(1061).data(1);
    script.at(1110).ack(1, None).at(1111).ack(3, None);
    assert_eq!(round_trips(&script), 2);
}

#[test]
fn the_last_segment_retransmitted_spoils_its_own_only() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..3).at(1109).data(2);
    script.at(1110).ack(1, None).ack(2, None).ack(3, None);
    assert_eq!(round_trips(&script), 3);
}

#[test]
fn a_timestamp_tells_which_copy_the_receiver_answers() {
    let smoothed_ms = |echo: Option<u32>| {
        let mut script = Script::open([100, 200]);
        for (at, clock) in [(1060, 60), (1400, 400)] {
            script.at(at).data(0);
            let sent = script.segments.last_mut().expect("just sent");
            sent.options.timestamps = Some((clock, 1));
        }
        script.at(1500).ack(1, None);
        let ack = script.segments.last_mut().expect("just sent");
        ack.options.timestamps = echo.map(|echo| (9, echo));
        script.only().client.smoothed_rtt_ms
    };
    let of_the_handshake = smoothed_ms(None);
    assert_eq!(of_the_handshake, Some(50.0));
    assert_eq!(
        smoothed_ms(Some(60)),
        of_the_handshake,
        "of the first copy, or of neither"
    );
    assert_eq!(smoothed_ms(Some(400)), Some(50.0 + (100.0 - 50.0) / 8.0));
}

#[test]
fn a_timestamp_tells_the_repair_though_another_followed_it() {
    let mut script = Script::open([100, 200]);
    let copies = [(1060, 0), (1061, 1), (1400, 0), (1420, 1)];
    for (at, number) in copies {
        script.at(at).data(number);
        let sent = script.segments.last_mut().expect("just sent");
        sent.options.timestamps = Some((at as u32, 1));
    }
    script.at(1500).ack(1, None);
    let ack = script.segments.last_mut().expect("just sent");
    ack.options.timestamps = Some((9, 1400));
    let smoothed_ms = script.only().client.smoothed_rtt_ms;
    assert_eq!(smoothed_ms, Some(50.0 + (100.0 - 50.0) / 8.0));
}
